/*
 * gate.sql
 *		What the gate calls.
 */

------------------------------------------------------------------------------
-- The gate

CREATE FUNCTION dp_noise.release(number bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dp_release'
LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.release(bigint) IS
'Stands for a query over a protected relation while it is being planned; cannot be called.';
REVOKE ALL ON FUNCTION dp_noise.release(bigint) FROM PUBLIC;

CREATE FUNCTION dp_noise.choose(number integer)
RETURNS boolean
AS 'MODULE_PATHNAME', 'dp_choose'
LANGUAGE C VOLATILE WINDOW PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.choose(integer) IS
'True for up to the given number of rows of each partition, each subset of that size with the same probability (by OpenSSL''s CSPRNG): the groups in which a privacy unit counts. A window function, to be used without ORDER BY.';

CREATE FUNCTION dp_noise.true_states(query text)
RETURNS SETOF text[]
AS 'MODULE_PATHNAME', 'dp_true_states'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.true_states(text) IS
'Shows what noise would be added to in a query over privacy units of several rows: its rows, as bounded, with keys and true states in steps of the answers. For tests of sensitivities. Not private; superusers only.';
REVOKE ALL ON FUNCTION dp_noise.true_states(text) FROM PUBLIC;

CREATE FUNCTION dp_noise.total_functions()
RETURNS pg_catalog.regprocedure[]
AS 'MODULE_PATHNAME', 'dp_total_functions'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise.total_functions() IS
'The functions that conditions and arguments of a query over a protected relation may call: none raises an error, whatever the row holds. Superusers only.';
REVOKE ALL ON FUNCTION dp_noise.total_functions() FROM PUBLIC;
