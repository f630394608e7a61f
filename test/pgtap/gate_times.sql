-- Times of the execution in questions: now() and what is computed from it, in the
-- time zone of the session that asks, whatever it asked before.
\ir support/gate.sql
SELECT no_plan();

-- The first question of a session: nothing is there of an earlier one.
SELECT matches(t.explained('SELECT dp_count(*) FROM patients WHERE seen > date_trunc(''month'', now())', 'Question'), '^[0-9a-f]{64}$', 'the first question of a session');

SET ROLE gate_owner;
CREATE TABLE public.stays (person integer NOT NULL, at timestamptz, x integer);
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 2, epsilon => 1e6, delta => 1);
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

-- The keys of a stored answer stand in the order of their texts, which is found in
-- the zone in which the question is told from others: there both spellings are of
-- October 1st, and in the zone of texts the first one would be of November 1st. The
-- noise is 50 or more with a probability below 1e-20.
SET ROLE gate_owner;
CREATE TABLE public.arrivals (id integer PRIMARY KEY, day date NOT NULL);
INSERT INTO public.arrivals SELECT i, CASE WHEN i <= 100 THEN date '2026-10-01' ELSE date '2026-10-15' END FROM generate_series(1, 1100) AS i;
SELECT dp_noise.protect('public.arrivals', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('gate_ann', 'public.arrivals', 1000000);
RESET ROLE;
CREATE FUNCTION t.arrivals(month_of text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('TimeZone', 'America/New_York', false);
	RETURN t.run('gate_ann', format($q$
		SELECT string_agg(is_first || '/' || is_middle || ': ' || round(n, -2), ', ' ORDER BY is_first)
		FROM (
			SELECT day = date_trunc('month', timestamptz %L)::date AS is_first, day = date '2026-10-15' AS is_middle, count(*)::numeric AS n
			FROM arrivals GROUP BY 1, 2
		) AS a WHERE is_first <> is_middle$q$, month_of));
END
$$;
SELECT is(t.arrivals(month_of), 'false/true: 1000, true/false: 100', month_of) FROM (VALUES ('2026-11-01 03:00+00'), ('2026-10-20 03:00+00')) AS v (month_of);
SELECT is(count(*), 1::bigint, 'they are one question') FROM dp_noise.ledger WHERE population = 'public.arrivals';
RESET "TimeZone";

SELECT * FROM finish();
\ir support/gate_end.sql
