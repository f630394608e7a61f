-- Local noise: dp_randomize, dp_randomize_bits, dp_report_bits and the estimates
-- of counts from what they report; what they refuse, and that no error depends
-- on the value to be randomised.
--
-- False alarms. An estimate of 20000 reports is within 8 of its standard errors
-- of the truth: it is a sum of bounded independent terms, nearly normal at this
-- size, so each check fails by chance with less than 1e-14.
\ir support/gate.sql
SELECT no_plan();

CREATE TYPE public.answer AS ENUM ('no', 'yes', 'other');
CREATE DOMAIN public.short AS text;
CREATE TABLE gate_ann.mine (age integer);
ALTER TABLE gate_ann.mine OWNER TO gate_ann;
CREATE TABLE t.truth AS SELECT i, (ARRAY['a', 'b', 'b', 'c'])[1 + i % 4] AS v FROM generate_series(1, 20000) AS i;
CREATE TABLE t.held AS SELECT v, count(*) AS n FROM t.truth GROUP BY v;
GRANT SELECT ON t.truth, t.held TO PUBLIC;

-- no budget, no privilege: anybody
SET ROLE gate_bob;
CREATE TABLE gate_bob.noisy AS
SELECT e, dp_randomize(v, '{c,a,b,d}', e) AS r, dp_randomize_bits(v, '{c,a,b,d}', e) AS o, dp_randomize_bits(v, '{c,a,b,d}', e, 'symmetric') AS s
FROM t.truth, unnest('{0.3,1,3}'::float8[]) AS e;
CREATE TEMP TABLE estimated AS
SELECT e, 'values' AS what, c.* FROM (SELECT e, array_agg(r) AS r FROM gate_bob.noisy GROUP BY e) AS n, dp_randomized_counts(r, '{c,a,b,d}', e) AS c
UNION ALL
SELECT e, 'optimal bits', c.* FROM (SELECT e, array_agg(o) AS r FROM gate_bob.noisy GROUP BY e) AS n, dp_randomized_bit_counts(r, '{c,a,b,d}'::text[], e) AS c
UNION ALL
SELECT e, 'symmetric bits', c.* FROM (SELECT e, array_agg(s) AS r FROM gate_bob.noisy GROUP BY e) AS n, dp_randomized_bit_counts(r, '{c,a,b,d}'::text[], e, 'symmetric') AS c
UNION ALL
SELECT e, 'reports', c.* FROM (SELECT e, array_agg(dp_report_bits(s, e, e / 2)) AS r FROM gate_bob.noisy GROUP BY e) AS n,
	dp_randomized_bit_counts(r, '{c,a,b,d}'::text[], e, 'symmetric', e / 2) AS c;
SELECT is((SELECT count(*) FROM estimated), 48::bigint, 'a row for each value');
SELECT ok(bool_and(abs(estimate - coalesce(n, 0)) < 8 * standard_error), format('%s, epsilon %s: estimates', what, e))
FROM estimated LEFT JOIN t.held ON v = value GROUP BY what, e;
SELECT ok(bool_and(abs(standard_error / CASE WHEN what = 'values' THEN sqrt(20000 * q * (1 - q) + coalesce(n, 0) * (1 - p - q) * (p - q)) / (p - q) END - 1) < 0.05), format('epsilon %s: standard errors', e))
FROM estimated LEFT JOIN t.held ON v = value, LATERAL (SELECT exp(e) / (exp(e) + 3) AS p, 1 / (exp(e) + 3) AS q) AS law WHERE what = 'values' GROUP BY e;
SELECT set_eq('SELECT DISTINCT array_agg(value ORDER BY ordinality) FROM dp_randomized_counts(''{a}'', ''{c,a,b,d}''::text[], 1) WITH ORDINALITY', $$VALUES ('{c,a,b,d}'::text[])$$, 'in the order of the domain');
SELECT is((SELECT array_agg(c)::text FROM dp_randomized_counts('{a,c,b,d}', '{a,b,c,d}'::text[], 1, '{5,7,6,0}') AS c),
	(SELECT array_agg(c)::text FROM dp_randomized_counts(array_fill('a'::text, '{5}') || array_fill('c'::text, '{7}') || array_fill('b'::text, '{6}'), '{a,b,c,d}', 1) AS c), 'counts say how often a report stands');
SELECT is((SELECT array_agg(c)::text FROM dp_randomized_bit_counts('{100,011}', '{a,b,c}'::text[], 1, counts => '{2,1}') AS c),
	(SELECT array_agg(c)::text FROM dp_randomized_bit_counts('{100,011,100}', '{a,b,c}'::text[], 1) AS c), 'of bits too');
SELECT ok(bool_and(estimate = 0 AND standard_error = 0), 'no reports') FROM dp_randomized_counts('{}', '{a,b}'::text[], 1);
-- by hand: (c - nq) / (p-q) with p = 3/4, q = 1/4, nearly
SELECT ok(bool_and(abs(estimate - CASE value WHEN 'a' THEN 100 ELSE 0 END) < 1e-3 AND abs(standard_error - sqrt(75)) < 1e-3), 'numbers by hand')
FROM dp_randomized_counts('{a,b}', '{a,b}'::text[], ln(3::float8), '{75,25}');
SELECT ok(abs(sum(estimate) - 1000) < 1e-6, 'estimates of values add up to the reports') FROM dp_randomized_counts('{a,b,c}', '{a,b,c,d}'::text[], 0.1, '{900,60,40}');
RESET ROLE;

------------------------------------------------------------------------------
-- Values: types, equality, NULL, what is outside

SELECT is(pg_typeof(dp_randomize('yes'::answer, '{no,yes}', 1))::text, 'answer', 'the type is the value''s');
SELECT is(dp_randomize(v, d, 1000000), v, 'the truth at a great epsilon: ' || v)
FROM (VALUES ('a'::text, '{b,a}'::text[]), ('é', '{e,é}')) AS r (v, d);
SELECT is(dp_randomize(7, '{1,7}', 1000000), 7, 'integers');
SELECT is(dp_randomize(7::smallint, '{1,7}', 1000000), 7::smallint, 'smallint');
SELECT is(dp_randomize(date '2024-01-01', '{2024-01-01,2024-01-02}', 1000000), date '2024-01-01', 'dates');
SELECT is(dp_randomize(true, '{true,false}', 1000000), true, 'booleans');
SELECT is(dp_randomize('yes'::answer, '{no,yes}', 1000000), 'yes'::answer, 'enums');
SELECT is(dp_randomize('a'::short, '{a,b}'::short[], 1000000)::text, 'a', 'domains');
SELECT is(dp_randomize(1.00, '{1.0,2}', 1000000)::text, '1.0', 'the domain''s form of a value, not the row''s');
SELECT is(dp_randomize(v, ARRAY['a', NULL, 'b'], 1000000), v, 'NULL can be one of the values: ' || coalesce(v, 'null')) FROM unnest(ARRAY['a', NULL, 'b']) AS v;
SELECT is(dp_randomize(i, array_agg, 1000000), i, 'many values') FROM (SELECT array_agg(i) FROM generate_series(1, 100000) AS i) AS d, unnest('{1,50000,100000}'::integer[]) AS i;
SELECT is(dp_randomize_bits('b'::text, '{a,b,c}', 1000000, 'symmetric'), B'010'::varbit, 'the bit of the value');
SELECT is(get_bit(dp_randomize_bits(i, array_agg, 1000000, 'symmetric'), i - 1), 1, 'bits by their places') FROM (SELECT array_agg(i) FROM generate_series(1, 1001) AS i) AS d, unnest('{1,8,9,1001}'::integer[]) AS i GROUP BY i, array_agg;
SELECT is(length(dp_randomize_bits(1, '{1,2,3,4,5,6,7,8,9}', 1)), 9, 'as many bits as values');
SELECT is(dp_randomize_bits(v, ARRAY['a', NULL, 'b'], 1000000, 'symmetric'), b, 'NULL has a bit if it is one of the values')
FROM (VALUES ('a', B'100'::varbit), (NULL, B'010'), ('b', B'001')) AS r (v, b);

-- outside: no error, any of the values, as likely as the others; no bit
CREATE TEMP TABLE outside AS
SELECT v IS NULL AS missing, dp_randomize(v, '{a,b,c,d}', 5) AS r, dp_randomize_bits(v, '{a,b,c,d}', 1000000, 'symmetric') AS b
FROM unnest(ARRAY['x', NULL]) AS v, generate_series(1, 20000);
SELECT ok(abs(count(*) - 5000) < 8 * sqrt(20000 * 0.25 * 0.75), format('%s: %s', missing, r)) FROM outside GROUP BY missing, r;
SELECT is(count(DISTINCT (missing, r)), 8::bigint, 'all values') FROM outside;
SELECT is(array_agg(DISTINCT b), '{0000}'::varbit[], 'and no bits') FROM outside;

-- the parameters may change from row to row
SELECT is(array_agg(dp_randomize(v, d, 1000000) ORDER BY i), '{a,y,a,y}', 'other domains')
FROM (VALUES (1, 'a', '{a,b}'::text[]), (2, 'y', '{x,y}'), (3, 'a', '{a,b,c}'), (4, 'y', '{x,y}')) AS r (i, v, d);
SELECT ok(count(*) FILTER (WHERE e = 1e6 AND r = 'a') = 2000 AND count(*) FILTER (WHERE e <> 1e6 AND r = 'a') BETWEEN 700 AND 1300, 'other epsilons')
FROM (SELECT e, dp_randomize('a'::text, '{a,b}', e) AS r FROM generate_series(1, 4000) AS i, LATERAL (SELECT CASE i % 2 WHEN 0 THEN 1e6 ELSE 1e-5 END::float8 AS e) AS s) AS s;

------------------------------------------------------------------------------
-- What is refused: parameters alone

CREATE FUNCTION t.hinted(statement text, state text, message text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	raised text;
	hint text;
BEGIN
	EXECUTE statement;
	RETURN ok(false, statement);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT, raised = MESSAGE_TEXT;
	RETURN is(concat_ws(': ', SQLSTATE, raised), concat_ws(': ', state, message), statement) || E'\n' || isnt(hint, '', 'with a hint');
END
$$;
SELECT t.hinted('SELECT ' || call, state, message)
FROM (VALUES
	('dp_randomize(1, ''{1}''::integer[], 1)', '22023', 'domain must have between 2 and 100000 values'),
	('dp_randomize(1, ''{}''::integer[], 1)', '22023', 'domain must have between 2 and 100000 values'),
	('dp_randomize(1, (SELECT array_agg(i) FROM generate_series(1, 100001) AS i), 1)', '22023', 'domain must have between 2 and 100000 values'),
	('dp_randomize(1, ''{{1,2},{3,4}}''::integer[], 1)', '22023', 'domain must have one dimension'),
	('dp_randomize(1, ''{1,2,1}''::integer[], 1)', '22023', 'domain has a value more than once'),
	('dp_randomize(1.0, ''{1.0,1.00}''::numeric[], 1)', '22023', 'domain has a value more than once'),
	('dp_randomize(1, ''{1,NULL,NULL}''::integer[], 1)', '22023', 'domain has a value more than once'),
	('dp_randomize(1, ''{NULL,NULL}''::integer[], 1)', '22023', 'domain has a value more than once'),
	('dp_randomize(1, NULL::integer[], 1)', '22004', 'domain must not be null'),
	('dp_randomize(1, ''{1,2}''::integer[], NULL)', '22004', 'epsilon must not be null'),
	('dp_randomize(1, ''{1,2}''::integer[], 0)', '22023', 'epsilon is out of range'),
	('dp_randomize(1, ''{1,2}''::integer[], -1)', '22023', 'epsilon is out of range'),
	('dp_randomize(1, ''{1,2}''::integer[], 1000001)', '22023', 'epsilon is out of range'),
	('dp_randomize(1, ''{1,2}''::integer[], ''NaN'')', '22023', 'epsilon is out of range'),
	('dp_randomize(''{}''::json, ARRAY[''{}'', ''1'']::json[], 1)', '42883', 'type json has no equality operator'),
	('dp_randomize_bits(1, ''{1,2}''::integer[], 1, ''other'')', '22023', 'unknown encoding "other"'),
	('dp_randomize_bits(1, ''{1,2}''::integer[], 1, NULL)', '22004', 'encoding must not be null'),
	('dp_report_bits(B''10'', 1, 1)', '22023', 'report_epsilon must be less than epsilon'),
	('dp_report_bits(B''10'', 1, 0)', '22023', 'epsilon is out of range'),
	('dp_randomized_counts(''{x}'', ''{a,b}''::text[], 1)', '22023', 'a reported value is not in the domain'),
	('dp_randomized_counts(ARRAY[NULL], ''{a,b}''::text[], 1)', '22023', 'a reported value is not in the domain'),
	('dp_randomized_counts(NULL, ''{a,b}''::text[], 1)', '22004', 'reported must not be null'),
	('dp_randomized_counts(''{a}'', ''{a,b}''::text[], 1, ''{1,2}'')', '22023', 'counts must be as many as reported values'),
	('dp_randomized_counts(''{a}'', ''{a,b}''::text[], 1, ''{NULL}'')', '22004', 'counts must not be null'),
	('dp_randomized_counts(''{a,b}'', ''{a,b}''::text[], 1, ''{9223372036854775807,1}'')', '22003', 'number of reports is out of range'),
	('dp_randomized_bit_counts(''{101}'', ''{a,b}''::text[], 1)', '22023', 'a report does not have a bit for each value of the domain'),
	('dp_randomized_bit_counts(ARRAY[NULL::varbit], ''{a,b}''::text[], 1)', '22004', 'reported values must not be null'),
	('dp_randomized_bit_counts(''{10}'', ''{a,b}''::text[], 2, ''optimal'', 1)', '22023', 'reports of stored responses have the encoding symmetric'),
	('dp_randomized_bit_counts(''{10}'', ''{a,b}''::text[], 2, ''symmetric'', 2)', '22023', 'report_epsilon must be less than epsilon')
) AS r (call, state, message);
SELECT is(dp_report_bits(NULL, 1, 0.5), NULL, 'no response, no report');

-- no error tells that a value was outside, in whatever type
SELECT lives_ok('SELECT ' || call, call)
FROM unnest(ARRAY['dp_randomize(3, ''{1,2}''::integer[], 1)', 'dp_randomize(NULL::integer, ''{1,2}''::integer[], 1)',
	'dp_randomize(''NaN''::float8, ''{1,2}'', 1)', 'dp_randomize(''Infinity''::numeric, ''{1,2}'', 1)', 'dp_randomize(repeat(''x'', 1000000), ''{a,b}'', 1)',
	'dp_randomize(NULL::public.answer, ''{no,yes}'', 1)', 'dp_randomize(''other''::public.answer, ''{no,yes}'', 1)', 'dp_randomize_bits(''other''::public.answer, ''{no,yes}'', 1)']) AS call;

------------------------------------------------------------------------------
-- Before rows are stored

SET ROLE gate_owner;
CREATE TABLE public.survey (id integer PRIMARY KEY, smokes text COLLATE "C" NOT NULL);
CREATE FUNCTION public.noise_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.smokes := dp_randomize(NEW.smokes, ARRAY['yes', 'no'], 1);
	RETURN NEW;
END
$$;
CREATE TRIGGER noise_first BEFORE INSERT ON public.survey FOR EACH ROW EXECUTE FUNCTION public.noise_first();
GRANT INSERT ON public.survey TO gate_bob;
SET ROLE gate_bob;
INSERT INTO public.survey SELECT i, 'yes' FROM generate_series(1, 4000) AS i;
INSERT INTO public.survey VALUES (4001, 'none of them'), (4002, NULL);
PREPARE tell AS INSERT INTO public.survey VALUES ($1, dp_randomize($2, ARRAY['yes', 'no'], 1000000));
EXECUTE tell (4003, 'no');
SET ROLE gate_owner;
SELECT set_eq('SELECT DISTINCT smokes FROM survey', '{yes,no}'::text[], 'a trigger draws; no row fails for what it holds');
SELECT is(count(*), 4003::bigint, 'all rows are there') FROM survey;
-- 4000 e / (1 + e) = 2924, standard deviation 28
SELECT ok(count(*) BETWEEN 2924 - 230 AND 2924 + 230, 'most rows are as told') FROM survey WHERE smokes = 'yes' AND id <= 4000;

------------------------------------------------------------------------------
-- The gate: randomised columns are ordinary ones, and nobody randomises
-- protected rows without a charge

SELECT dp_noise.protect('public.survey', privacy_unit => 'id', epsilon => 1e6, delta => 1), dp_noise.set_values('public.survey', 'smokes', '{yes,no}');
SELECT dp_noise.set_budget('gate_ann', 'public.survey', 1000), dp_noise.set_budget('gate_ann', 'public.patients', 1000);
RESET ROLE;
SELECT is(t.run('gate_ann', $$WITH asked AS (SELECT smokes, count(*) AS n FROM survey GROUP BY smokes)
	SELECT count(*) || CASE WHEN sum(estimate) BETWEEN 3903 AND 4103 THEN ' values' END
	FROM (SELECT array_agg(smokes) AS r, array_agg(n) AS n FROM asked) AS a, dp_randomized_counts(r, '{yes,no}', 1, n)$$),
	'2 values', 'a randomised column can be grouped by, and private counts of reports estimated from');
SELECT t.refuse('0A000', statement) FROM unnest(ARRAY[
	'SELECT count(dp_randomize(age, ''{1,2}'', 1)) FROM patients',
	'SELECT count(*) FROM patients WHERE dp_randomize(age, ''{1,2}'', 1) = 1',
	'SELECT dp_randomize(age, ''{1,2}'', 1), count(*) FROM patients GROUP BY 1',
	'SELECT length(dp_randomize_bits(age, ''{1,2}'', 1)), count(*) FROM patients GROUP BY 1']) AS statement;
SELECT t.refuse('42501', statement) FROM unnest(ARRAY[
	'SELECT dp_randomize(age, ''{1,2}'', 1000000) FROM patients',
	'SELECT (SELECT count(*) FROM dp_randomized_counts(ARRAY[p.age], ''{1,2}'', 1)) FROM patients AS p',
	'SELECT * FROM dp_randomized_counts(ARRAY(SELECT age FROM patients), ''{1,2}'', 1)',
	'SELECT dp_randomize((SELECT age FROM patients LIMIT 1), ''{1,2}'', 1)',
	'INSERT INTO gate_ann.mine SELECT dp_randomize(age, ''{1,2}'', 1000000) FROM patients']) AS statement;
SELECT * FROM finish();
\ir support/gate_end.sql
