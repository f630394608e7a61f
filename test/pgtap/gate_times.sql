-- Times of the execution in questions: now() and what is computed from it, in the
-- time zone of the session that asks, whatever it asked before.
\ir support/gate.sql
SELECT no_plan();

-- The first question of a session: nothing is there of an earlier one.
SELECT matches(t.explained('SELECT dp_count(*) FROM patients WHERE seen > date_trunc(''month'', now())', 'Question'), '^[0-9a-f]{64}$', 'the first question of a session');

SET ROLE gate_owner;
CREATE TABLE public.stays (person integer NOT NULL, at timestamptz, x integer);
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 2);
SELECT dp_noise.set_budget('gate_ann', 'public.stays', 1000000);
RESET ROLE;

-- A question in a zone is one question, whatever zone was set for the one before.
CREATE FUNCTION t.question(zone text, question text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('TimeZone', zone, false);
	RETURN t.explained(question, 'Question');
END
$$;
CREATE TABLE t.zones AS
SELECT question, t.question('Pacific/Kiritimati', 'SELECT dp_count(*) FROM stays') AS other, t.question('Pacific/Pago_Pago', question) AS first, t.question('Pacific/Pago_Pago', question) AS second
FROM (VALUES
	('SELECT dp_count(*) FROM stays AS a JOIN stays AS b ON a.person = b.person AND a.at > current_date'),
	('SELECT dp_count(*) FROM stays AS a LEFT JOIN stays AS b ON a.person = b.person AND b.at > date_trunc(''day'', now()) WHERE b.x IS NULL'),
	('SELECT dp_count(*) FROM (SELECT person, count(*) AS n FROM stays WHERE at > date_trunc(''day'', now()) GROUP BY person) AS s WHERE n > 1')
) AS v (question);
SELECT is(first, second, question) FROM t.zones;
SELECT isnt(first, NULL, question) FROM t.zones;
RESET "TimeZone";

SELECT * FROM finish();
\ir support/gate_end.sql
