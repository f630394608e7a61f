/*
 * charges.sql
 *		Charges without a question, for tests and tools.
 */

CREATE FUNCTION dp_noise.charge(
	relation regclass, epsilon numeric, delta numeric, question bytea, answer bytea DEFAULT NULL, rho numeric DEFAULT NULL,
	delta_pool numeric DEFAULT NULL, OUT replayed boolean, OUT answered bytea
)
AS 'MODULE_PATHNAME', 'dp_charge' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) IS
'Charges the session''s user, in the population of a protected relation, for a question (identified by up to 32 bytes), durably and at once; for tests. The answer is stored for replay. Epsilon null: there is no finite epsilon, and rho must be given. Rho and delta_pool null: the most that epsilon and delta can cost. Superusers only.';

CREATE FUNCTION dp_noise.charge_all(
	relation regclass[], epsilon numeric[], delta numeric[], question bytea[], answer bytea[], OUT replayed boolean[], OUT answered bytea[]
)
AS 'MODULE_PATHNAME', 'dp_charge_all' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge_all(regclass[], numeric[], numeric[], bytea[], bytea[]) IS
'Like dp_noise.charge, for several questions of one statement, which are charged all together or not at all; for tests. Superusers only.';

CREATE FUNCTION dp_noise.charge_preview(relation regclass[], epsilon numeric[], delta numeric[], question bytea[]) RETURNS json
AS 'MODULE_PATHNAME', 'dp_charge_preview' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.charge_preview(regclass[], numeric[], numeric[], bytea[]) IS
'Shows what dp_noise.charge_all would do now, for tests and tools: charges (outcome charged, replayed, shared or refused, and why), the budgets that pay (kind own, shared or grant; epsilon and delta granted, spent, left and asked; whether each suffices), and the error that it would raise. Charges nothing. Superusers only.';
