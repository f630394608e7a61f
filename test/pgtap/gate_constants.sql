-- Sub-queries as values that are found before a question is asked: private
-- answers, charged first, and what is public. The question is the same as with
-- the value written out.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
CREATE TABLE public.stays (id integer PRIMARY KEY, person integer, cost integer);
INSERT INTO public.stays SELECT i, i % 200, i % 30 FROM generate_series(1, 3000) AS i;
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 20, epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.stays', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.stays', 1e12, delta => 1);
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.patients', 1e12, delta => 1);
CREATE TABLE public.hidden (x integer);
RESET ROLE;
SET dp_noise.epsilon = 100000;

-- its value, and a charge each
CREATE FUNCTION t.as_value(command text, other text, charges bigint DEFAULT 2) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := t.charges();
	result text := t.run('gate_ann', command);
BEGIN
	RETURN NEXT is(result, t.run('gate_owner', other), command);
	RETURN NEXT is(t.charges() - before, charges, 'charges: ' || command);
END
$$;
SELECT t.as_value('SELECT dp_count(*) FROM patients WHERE age > ' || v, 'SELECT count(*) FROM patients WHERE age > ' || p, c) FROM (VALUES
	('(SELECT dp_mean(age, 0, 120) FROM patients)', '44.44', 2),
	('(SELECT dp_max(age, 0, 120) FROM patients) - 1', '88', 2),
	('(SELECT round(dp_mean(age, 0, 120)) FROM patients WHERE age > (SELECT dp_count(*) / 50 FROM patients))', '55', 3),
	('(SELECT max(n) / 30 FROM (SELECT dp_count(*) AS n FROM stays GROUP BY cost % 2 = 0) AS s)', '50', 2),
	('(SELECT a.n - b.n FROM (SELECT dp_count(*) AS n FROM patients WHERE age > 17) AS a, (SELECT dp_count(*) AS n FROM patients WHERE age > 19) AS b)', '22', 3),
	('(WITH s AS (SELECT dp_mean(age, 0, 120) + 1 AS m FROM patients) SELECT m + 0 * s.m FROM s)', '45.44', 2),
	('(SELECT x + 60 FROM numbers ORDER BY x DESC LIMIT 1)', '70', 1),
	('(SELECT x FROM numbers WHERE x > 1000)', 'NULL', 1)) AS v (v, p, c);
SELECT t.as_value('SELECT dp_sum(age, 0, (SELECT dp_max(age, 0, 100) + 3 FROM patients)) FROM patients', 'SELECT sum(age) FROM patients');
SELECT t.as_value('SELECT dp_count(*) FILTER (WHERE cost > (SELECT dp_max(cost, 0, 31) - 22 FROM stays)) FROM stays', 'SELECT count(*) FROM stays WHERE cost > 7');
SELECT t.as_value('SELECT n FROM (SELECT age > (SELECT dp_count(*) / 20 + 1 FROM patients) AS old, dp_count(*) AS n FROM patients GROUP BY 1) AS s WHERE old', 'SELECT count(*) FROM patients WHERE age > 51');
SELECT t.as_value('SELECT dp_count(*) FROM (SELECT person, sum(cost) AS c FROM stays GROUP BY person HAVING sum(cost) > (SELECT dp_sum(cost, 0, 29) / 201 FROM stays)) AS s',
	'SELECT count(*) FROM (SELECT FROM stays GROUP BY person HAVING sum(cost) > 216) AS s');
SELECT t.as_value('SELECT dp_count(*) FROM stays AS s WHERE EXISTS (SELECT FROM stays AS r WHERE r.person = s.person AND r.cost > (SELECT dp_max(cost, 0, 100) - 2 FROM stays))',
	'SELECT count(*) FROM stays AS s WHERE EXISTS (SELECT FROM stays AS r WHERE r.person = s.person AND r.cost > 27)');

-- parameters, too, and keys
SELECT t.accept(c, n) FROM (VALUES
	('SELECT dp_mode(city, (SELECT ARRAY[''city1''])) FROM patients', 1),
	('SELECT dp_quantiles_exp(age, (SELECT ARRAY[0.5::float8]), 0, 10) FROM patients', 1),
	('SELECT dp_count(*), dp_sum(cost, (SELECT 0), 5) FROM stays', 2),
	('SELECT dp_count(cost, (SELECT 1.5)) FROM stays', 1),
	('SELECT dp_count(*) FROM patients GROUP BY age > (SELECT 3)', 1)) AS v (c, n);
SELECT is(epsilon, 1.5, 'an epsilon is charged as it is used') FROM dp_noise.ledger WHERE epsilon < 2;

-- by its value part of the question: asked again, it is replayed; another value is another question
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.patients', on_repeat => 'replay'), dp_noise.set_budget('gate_ann', 'public.patients', 1e12, delta => 1);
RESET ROLE;
SELECT t.accept('SELECT dp_count(*) FROM patients WHERE age > (SELECT dp_mean(age, 0, 120) FROM patients)', 0);
SELECT t.accept('SELECT dp_count(*) FROM patients WHERE age > 70', 0);
SELECT t.accept('SELECT dp_count(*) FROM patients WHERE age > (SELECT 70 FROM numbers LIMIT 1)', 0);
SELECT t.accept('SELECT dp_count(*) FROM patients WHERE age > (SELECT 73 FROM numbers LIMIT 1)', 1);
SELECT t.accept('SELECT dp_count(*) FROM patients WHERE age > 73', 0);
CREATE TABLE t.mark (x integer);
GRANT ALL ON t.mark TO gate_ann;
INSERT INTO t.mark VALUES (11);
SELECT t.as_value('SELECT dp_count(*) FROM patients WHERE age > (SELECT x FROM t.mark)', 'SELECT count(*) FROM patients WHERE age > 11', 1);
UPDATE t.mark SET x = 12;
SELECT t.as_value('SELECT dp_count(*) FROM patients WHERE age > (SELECT x FROM t.mark)', 'SELECT count(*) FROM patients WHERE age > 12', 1);
SELECT t.accept('SELECT dp_count(*) FROM patients WHERE age > (SELECT random() FROM numbers LIMIT 1)', 1);
SELECT t.accept('SELECT dp_count(*) FROM patients WHERE age > (SELECT random() FROM numbers LIMIT 1)', 1);
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.patients', 1e12, delta => 1);
RESET ROLE;

-- once an execution, whatever is scanned again
SELECT t.accept('SELECT x, (SELECT dp_count(*) FROM patients WHERE age > (SELECT dp_mean(age, 0, 121) FROM patients)) FROM numbers', 2);
SELECT t.accept('SELECT n.x, s.n FROM numbers AS n LEFT JOIN (SELECT dp_count(*) AS n FROM patients WHERE age > (SELECT dp_mean(age, 0, 122) FROM patients)) AS s ON s.n > n.x', 2);

-- parameters of the statement, of plans of both kinds and of functions
SET SESSION AUTHORIZATION gate_ann;
SET plan_cache_mode = force_generic_plan;
PREPARE p (integer, integer) AS SELECT dp_count(*) FROM patients WHERE age > (SELECT dp_mean(age, 0, $1) FROM patients) AND age < $2;
EXECUTE p(120, 60) \gset generic_
SET plan_cache_mode = force_custom_plan;
EXECUTE p(120, 60) \gset custom_
SET plan_cache_mode = force_generic_plan;
EXECUTE p(120, 50) \gset other_
RESET plan_cache_mode;
CREATE FUNCTION gate_ann.asks(most integer, OUT n bigint) LANGUAGE plpgsql AS $$
DECLARE
	unused integer := 7;
	low integer := 3;
	other integer := 1;
BEGIN
	SELECT dp_count(*) INTO n FROM public.patients WHERE age > (SELECT dp_count(*) / 50 FROM public.patients WHERE age < most) AND age > low;
END
$$;
SELECT gate_ann.asks(90) AS n, gate_ann.asks(45) AS other FROM numbers LIMIT 1 \gset plpgsql_
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM patients WHERE age > (SELECT dp_mean(age, 0, 119) FROM patients);
FETCH c \gset cursor_
COMMIT;
RESET SESSION AUTHORIZATION;
SELECT is(:generic_dp_count::bigint, count(*), 'a generic plan') FROM patients WHERE age > 44.4 AND age < 60;
SELECT is(:custom_dp_count::bigint, (:generic_dp_count)::bigint, 'a custom plan');
SELECT is(:other_dp_count::bigint, count(*), 'other values') FROM patients WHERE age > 44.4 AND age < 50;
SELECT is(:plpgsql_n::bigint, count(*), 'variables of a function') FROM patients WHERE age > 20;
SELECT is(:plpgsql_other::bigint, count(*), 'with other values') FROM patients WHERE age > 10;
SELECT is(:cursor_dp_count::bigint, count(*), 'a cursor') FROM patients WHERE age > 44.4;

-- parallel workers have it
ALTER TABLE patients SET (parallel_workers = 2);
\ir support/parallel.sql
SELECT set_config(:'debug_parallel_query', 'on', false);
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM patients WHERE age > (SELECT dp_count(*) / 40 FROM patients)')::bigint, count(*), 'beneath a parallel plan') FROM patients WHERE age > 25;
SELECT set_config(:'debug_parallel_query', 'off', false);

SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients GROUP BY (SELECT true)');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients GROUP BY (SELECT true) AND true');

-- charged first, and for good
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_bob', 'public.stays', 15);
RESET ROLE;
SET dp_noise.epsilon = 10;
SELECT alike(t.run('gate_bob', 'SELECT dp_count(*) FROM stays WHERE cost > (SELECT dp_mean(cost, 0, 29) FROM stays)'), '53400: %', 'the budget suffices for the first of two');
SELECT is(epsilon_spent, 10::numeric, 'which is charged') FROM dp_noise.budgets WHERE population = 'public.stays' AND role = 'gate_bob';
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM stays WHERE cost > (SELECT max(h.x) FROM hidden AS h, numbers GROUP BY numbers.x)'), '42501: permission denied for table hidden', 'read with the asker''s rights');
SET dp_noise.epsilon = 100000;
SELECT t.refuse('21000', 'SELECT dp_count(*) FROM patients WHERE age > (SELECT x FROM numbers)');
SELECT t.refuse('42501', 'SELECT dp_count(*) FROM patients WHERE age > (SELECT x FROM hidden)');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE age > (SELECT age FROM patients WHERE id = 7)');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients AS p WHERE age > (SELECT dp_count(*) FROM numbers WHERE x = p.age)');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients AS p WHERE age > (SELECT dp_count(*) FROM stays WHERE person = p.id)');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE age = ANY (ARRAY(SELECT dp_count(*) FROM stays))');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE (age, id) > (SELECT dp_count(*), 1 FROM stays)');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients WHERE age > (SELECT x FROM t.mark FOR UPDATE)');
SELECT t.accept('WITH s AS (SELECT dp_mean(age, 0, 120) AS m FROM patients) SELECT dp_count(*) FROM patients WHERE age > (SELECT m FROM s)', 2);
SELECT t.refuse('0A000', 'WITH s AS (SELECT dp_mean(age, 0, 120) AS m FROM patients) SELECT dp_count(*) FROM patients WHERE age > (SELECT m FROM s) AND id > (SELECT m FROM s)');

-- what users wrote runs before, when nothing of the question has been looked at
SET SESSION AUTHORIZATION gate_ann;
CREATE FUNCTION gate_ann.sets() RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_noise.max_rows_per_unit', '1000', false);
	RETURN 5;
END
$$;
CREATE TABLE gate_ann.own (x integer);
INSERT INTO gate_ann.own SELECT generate_series(1, 30);
CREATE FUNCTION gate_ann.changes() RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
	ALTER TABLE gate_ann.own ALTER x TYPE text;
	RETURN 5;
END
$$;
CREATE FUNCTION gate_ann.asks_again() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(*) FROM public.patients WHERE age > 81); END';
CREATE FUNCTION gate_ann.fails() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN 1 / 0; END';
RESET SESSION AUTHORIZATION;
SELECT t.refuse('55000', 'SELECT dp_count(*) FROM stays WHERE cost > (SELECT gate_ann.sets() FROM numbers LIMIT 1)');
RESET dp_noise.max_rows_per_unit;
SELECT t.refuse('55000', 'SELECT dp_count(*) FROM stays JOIN gate_ann.own ON x = cost WHERE cost > (SELECT gate_ann.changes() FROM numbers LIMIT 1)');
SELECT t.refuse('22012', 'SELECT dp_count(*) FROM stays WHERE cost > (SELECT gate_ann.fails() FROM numbers LIMIT 1)');
SELECT t.accept('SELECT dp_count(*) FROM patients WHERE age < (SELECT gate_ann.asks_again() FROM numbers LIMIT 1)', 2);

-- EXPLAIN finds no values
SELECT t.accept('EXPLAIN SELECT dp_count(*) FROM patients WHERE age > (SELECT dp_mean(age, 0, 118) FROM patients)', 0);
SELECT t.accept('EXPLAIN SELECT dp_sum(age, 0, (SELECT dp_max(age, 0, 118) FROM patients)) FROM patients', 0);
SELECT is(t.explained('SELECT dp_count(*) FROM patients WHERE age > (SELECT dp_mean(age, 0, 118) FROM patients)', line), says, line) FROM (VALUES
	('Values Found First', '1'), ('Answer', 'not known'), ('Question', NULL), ('Epsilon', '100000'),
	('Reason', 'the question depends on the value of a sub-query, which is found first')) AS v (line, says);
SELECT is(t.explained('SELECT big, dp_count(*) FROM patients WHERE big = (SELECT dp_count(*) FROM patients WHERE age < 5) GROUP BY big', 'Public Group Key'), 'big (values of the conditions)', 'of a group neither');
SELECT is(t.explained('SELECT CASE WHEN age > 5 THEN 1 ELSE (SELECT dp_count(*) FROM patients) END, dp_count(*) FROM patients GROUP BY 1', 'Released Rows'), NULL, 'nor of one among others');
SELECT t.accept('EXPLAIN (ANALYZE) SELECT dp_count(*) FROM patients WHERE age > (SELECT dp_mean(age, 0, 118) FROM patients)', 2);

SELECT * FROM finish();
\ir support/gate_end.sql
