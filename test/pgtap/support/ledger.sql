-- What the tests of the ledger share: people, and a way to act as one of them.
--
-- Roles belong to the whole server, so they bear a prefix that the test gives
-- (\set prefix) and go when it ends (ledger_end.sql). Charges are made by
-- another process, so nothing here runs in a transaction block.

\set QUIET on
\pset format unaligned
\pset tuples_only on
\pset pager off
SET client_min_messages = warning;
CREATE SCHEMA t;
GRANT USAGE ON SCHEMA t TO PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO PUBLIC;
GRANT EXECUTE ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) TO PUBLIC;
GRANT EXECUTE ON FUNCTION dp_noise.charge_all(regclass[], numeric[], numeric[], bytea[], bytea[]) TO PUBLIC;

-- Runs a statement as if somebody had logged in; its first value, or the error.
CREATE FUNCTION t.run(who text, command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
	detail text;
BEGIN
	PERFORM set_config('session_authorization', who, false);
	BEGIN
		EXECUTE command INTO result;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
		result := SQLSTATE || ': ' || SQLERRM || CASE WHEN detail <> '' THEN ' | ' || detail ELSE '' END;
	END;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;

-- A charge by somebody: 'charged', 'replayed <answer>', 'shared <answer>' or the
-- error. Without an answer it is as one that is out and was too long to be kept.
CREATE FUNCTION t.ask(who text, relation text, epsilon numeric, question text DEFAULT NULL, delta numeric DEFAULT 0, answer bytea DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
	SELECT t.run(who, format(
		'SELECT CASE WHEN replayed THEN ''replayed '' || encode(answered, ''escape'') WHEN answered IS NOT NULL THEN ''shared '' || encode(answered, ''escape'') ELSE ''charged'' END FROM dp_noise.charge(%L, %s, %s, %L, %L)',
		relation, epsilon, delta,
		coalesce(question, substr(replace(gen_random_uuid()::text, '-', ''), 1, 32))::bytea, answer))
$$;

-- A question that was answered without bytes is again as if its statement were
-- running; before: in an earlier life of the server.
CREATE FUNCTION t.reopen(asked bytea, before boolean DEFAULT false) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	claimed CONSTANT bigint := (SELECT max(c.charge_id) FROM dp_noise_ledger.charge AS c WHERE c.fingerprint = asked AND c.grant_paid);
	drawn bytea;
BEGIN
	UPDATE dp_noise_ledger.answer AS d SET state = 'asked', incarnation = d.incarnation + before::int
	WHERE d.budget_id = 0 AND d.charge_id = claimed RETURNING d.question INTO STRICT drawn;
	UPDATE dp_noise_ledger.answer AS a SET state = 'asked', charge_id = claimed, draw = drawn, claim = claimed
	WHERE a.budget_id <> 0 AND a.question = asked;
END
$$;
