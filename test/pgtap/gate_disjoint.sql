-- Aggregates of which no row counts in two cost what the dearest costs, and nothing else does.
\ir support/gate.sql
SELECT no_plan();

SET dp_noise.epsilon = 1;
SET dp_noise.delta = 1e-6;
CREATE FUNCTION t.spent() RETURNS numeric LANGUAGE sql VOLATILE AS $$
	SELECT epsilon_spent FROM dp_noise.budgets WHERE role = 'gate_ann' AND population = 'public.patients'
$$;
CREATE FUNCTION t.price(question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before numeric := t.spent();
	told text := t.run('gate_ann', question);
BEGIN
	RETURN CASE WHEN told ~ '^[0-9A-Z]{5}: ' THEN told ELSE (t.spent() - before)::float8::text END;
END
$$;
-- Two counts by two conditions: 1 where they exclude each other, else 2.
CREATE FUNCTION t.priced(one text, other text, price text, what text DEFAULT '') RETURNS SETOF text LANGUAGE sql AS $$
	SELECT is(t.price(format('SELECT count(*) FILTER (WHERE %s), count(*) FILTER (WHERE %s) FROM patients', one, other)), price,
		concat_ws(': ', one || ' | ' || other, nullif(what, '')))
$$;

-- what excludes each other
SELECT t.priced(one, other, '1', what) FROM (VALUES
	($$age = 1$$, $$age = 2$$, 'constants'),
	($$age = 1$$, $$2 = age$$, 'turned'),
	($$big = 1$$, $$big = 2$$, 'of two types of integers'),
	($$weight = 1.5$$, $$weight = 2$$, 'numeric'),
	($$bmi = 0.1$$, $$bmi = 0.2$$, 'floating point'),
	($$temperature = 0.1$$, $$temperature = 0.2$$, 'of two types of floating point'),
	($$name = 'a'$$, $$name = 'A'$$, 'texts are compared by bytes'),
	($$city = 'a'$$, $$city = 'b'$$, 'in another collation'),
	($$label = 'a'$$, $$label = 'b'$$, 'varchar'),
	($$label = 'a'$$, $$label = 'a '$$, 'a blank at the end of a varchar'),
	($$code = 'a'$$, $$code = 'b'$$, 'character'),
	($$born = '2020-01-01'$$, $$born = '2020-01-02'$$, 'dates'),
	($$seen = '2020-01-01 00:00+00'$$, $$seen = '2020-01-01 00:00+01'$$, 'instants'),
	($$feeling = 'sad'$$, $$feeling = 'ok'$$, 'enums'),
	($$grown = 1$$, $$grown = 2$$, 'domains'),
	($$token = '00000000-0000-0000-0000-000000000001'$$, $$token = '00000000-0000-0000-0000-000000000002'$$, 'uuids'),
	($$bmi = 'NaN'$$, $$bmi = 1$$, 'NaN is a value of its own'),
	($$bmi = 'NaN'$$, $$bmi < 'Infinity'$$, 'and greater than all'),
	($$age IN (1, 2, 3)$$, $$age IN (4, 5)$$, 'lists'),
	($$age IN (1, 2, 3)$$, $$age = 4$$, 'a list and a constant'),
	($$age IN (1, 20)$$, $$age >= 2 AND age < 20$$, 'a list and a range between its values'),
	($$age NOT IN (1, 2)$$, $$age = 1$$, 'not in a list'),
	($$age < 5$$, $$age >= 5$$, 'ranges'),
	($$age <= 5$$, $$age > 5$$, 'that touch'),
	($$age BETWEEN 0 AND 9$$, $$age BETWEEN 10 AND 19$$, 'between'),
	($$age < 5$$, $$age = 5$$, 'a range and a constant'),
	($$born < '2000-01-01'$$, $$born >= '2000-01-01'$$, 'of dates'),
	($$name < 'b'$$, $$name >= 'b'$$, 'of texts'),
	($$smoker$$, $$NOT smoker$$, 'not'),
	($$smoker$$, $$smoker IS NOT TRUE$$, 'not true'),
	($$smoker$$, $$smoker IS NULL$$, 'null'),
	($$smoker IS FALSE$$, $$smoker IS UNKNOWN$$, 'unknown'),
	($$age < big$$, $$age >= big$$, 'negated comparisons of columns'),
	($$age <> 1$$, $$age = 1$$, 'different'),
	($$weight IS NULL$$, $$weight = 1$$, 'null and a constant'),
	($$weight IS NULL$$, $$weight IS NOT NULL$$, 'null and not'),
	($$weight IS NULL$$, $$weight > 5$$, 'null and a range'),
	($$(age = 1 OR age = 2)$$, $$age = 3$$, 'alternatives'),
	($$(age = 1 OR smoker)$$, $$age = 3 AND NOT smoker$$, 'each by another part'),
	($$age = 1 AND city = 'x'$$, $$age = 2 AND city = 'x'$$, 'one part is enough'),
	($$(age = 1 OR smoker) AND age > 0$$, $$age = 3 AND NOT smoker$$, 'that are parts')) AS c (one, other, what);

-- what may be true at once, or is not known not to be
SELECT t.priced(one, other, '2', what) FROM (VALUES
	($$age = 1$$, $$big = 2$$, 'two columns'),
	($$age < 5$$, $$age < 6$$, 'ranges that meet'),
	($$age <= 5$$, $$age >= 5$$, 'in one value'),
	($$age BETWEEN 0 AND 10$$, $$age BETWEEN 10 AND 19$$, 'in an end'),
	($$age IN (1, 2, 3)$$, $$age IN (3, 4)$$, 'lists that meet'),
	($$age NOT IN (1, 2)$$, $$age = 3$$, 'a value that is not in the list'),
	($$age <> 1$$, $$age <> 2$$, 'two differences'),
	($$weight = 1.0$$, $$weight = 1.00 AND age > 0$$, 'equal numbers'),
	($$weight IN (1.0, 2)$$, $$weight IN (1.00, 3)$$, 'in lists'),
	($$bmi = 0.0$$, $$bmi = '-0' AND age > 0$$, 'two zeros'),
	($$bmi = 'NaN'$$, $$bmi > 5$$, 'NaN is greater'),
	($$bmi <> 5$$, $$bmi = 'NaN'$$, 'and different'),
	($$code = 'a'$$, $$code = 'a  ' AND age > 0$$, 'blanks at the end of a character'),
	($$seen = '2020-01-01 00:00+00'$$, $$seen = '2020-01-01 01:00+01' AND age > 0$$, 'one instant'),
	($$seen < '2020-01-01'::date$$, $$seen >= '2020-01-01'::date$$, 'by the time zone'),
	($$smoker$$, $$smoker IS NOT FALSE$$, 'true is not false'),
	($$NOT smoker$$, $$smoker IS NOT TRUE$$, 'false is not true'),
	($$smoker IS NULL$$, $$smoker IS NOT TRUE$$, 'null is not true'),
	($$weight IS NOT NULL$$, $$weight = 1$$, 'not null and a constant'),
	($$(age = 1 OR smoker)$$, $$age = 3$$, 'one alternative'),
	($$(age = 1 OR age = 3)$$, $$age = 3$$, 'an alternative that meets'),
	($$(age = 1 OR smoker)$$, $$(age = 3 OR NOT smoker)$$, 'crosswise'),
	($$age > 0$$, $$true$$, 'a condition and none'),
	($$age IN (1, NULL)$$, $$age = 1$$, 'null in a list'),
	($$age <> ALL (ARRAY[1, 2])$$, $$age = ANY (ARRAY[2, 3])$$, 'a list and another one'),
	($$age < ANY (ARRAY[1, 50])$$, $$age = 20$$, 'less than one of a list'),
	($$length(name) = 1$$, $$length(city) = 2$$, 'two functions'),
	($$CASE WHEN age = 1 THEN smoker ELSE true END$$, $$age = 2$$, 'within CASE'),
	($$date_trunc('month', seen) = '2020-01-01'$$, $$date_trunc('month', seen) = '2020-02-01'$$, 'what depends on the time zone'),
	($$age < (SELECT 5)$$, $$age >= (SELECT 5)$$, 'two sub-queries'),
	($$born < now()$$, $$born > now() + interval '1 day'$$, 'moments')) AS c (one, other, what);

-- what is counted
SELECT is(t.price(question), price, what) FROM (VALUES
	($$SELECT sum(CASE WHEN smoker THEN age END), sum(CASE WHEN NOT smoker THEN age END) FROM patients$$, '1', 'CASE'),
	($$SELECT sum(CASE WHEN smoker THEN age ELSE 0 END), sum(CASE WHEN NOT smoker THEN age ELSE 0 END) FROM patients$$, '1', 'sums of 0 for others'),
	($$SELECT sum(CASE WHEN smoker THEN bmi ELSE 0 END), sum(CASE WHEN NOT smoker THEN bmi ELSE 0 END) FROM patients$$, '1', 'whose bounds reach down to it'),
	($$SELECT dp_sum(CASE WHEN smoker THEN age ELSE 0 END, 10, 100), dp_sum(CASE WHEN NOT smoker THEN age ELSE 0 END, 10, 100) FROM patients$$, '2', 'where 0 counts as 10'),
	($$SELECT dp_sum(CASE WHEN smoker THEN age ELSE 0 END, 0, 100), dp_sum(CASE WHEN NOT smoker THEN age ELSE 0 END, -100, 0) FROM patients$$, '1', 'where 0 is a bound'),
	($$SELECT sum(CASE WHEN smoker THEN age ELSE 1 END), sum(CASE WHEN NOT smoker THEN age ELSE 1 END) FROM patients$$, '2', 'sums of 1 for others'),
	($$SELECT avg(CASE WHEN smoker THEN age ELSE 0 END), avg(CASE WHEN NOT smoker THEN age ELSE 0 END) FROM patients$$, '2', 'a mean counts zeros'),
	($$SELECT avg(CASE WHEN smoker THEN age END), avg(CASE WHEN NOT smoker THEN age END) FROM patients$$, '1', 'but no nulls'),
	($$SELECT count(CASE WHEN smoker THEN 0 ELSE 0 END), count(CASE WHEN NOT smoker THEN 1 ELSE 0 END) FROM patients$$, '2', 'a count counts zeros'),
	($$SELECT count(CASE WHEN smoker THEN 1 END), count(*) FILTER (WHERE NOT smoker) FROM patients$$, '1', 'a CASE and a FILTER'),
	($$SELECT count(CASE city WHEN 'a' THEN 1 END), count(CASE city WHEN 'b' THEN 1 END) FROM patients$$, '1', 'CASE x WHEN'),
	($$SELECT count(CASE city WHEN 'a' THEN 1 WHEN 'b' THEN 1 END), count(CASE city WHEN 'b' THEN 1 END) FROM patients$$, '2', 'of two values'),
	($$SELECT dp_max(age, 0, 99) FILTER (WHERE smoker), dp_min(age, 0, 99) FILTER (WHERE NOT smoker) FROM patients$$, '1', 'extremes'),
	($$SELECT dp_median(age, 0, 99) FILTER (WHERE smoker), count(*) FILTER (WHERE NOT smoker), dp_variance(age, 0, 99) FILTER (WHERE smoker IS NULL) FROM patients$$, '1', 'of several kinds'),
	($$SELECT count(*) FILTER (WHERE age = 1), count(*) FILTER (WHERE age = 2), count(*) FILTER (WHERE age = 3), count(*) FILTER (WHERE age = 4) FROM patients$$, '1', 'four of them'),
	($$SELECT count(*), count(*) FILTER (WHERE age = 2), count(*) FILTER (WHERE age = 3) FROM patients$$, '2', 'and one of all'),
	($$SELECT count(*) FILTER (WHERE smoker), count(*) FILTER (WHERE NOT smoker), count(*) FILTER (WHERE age < 5), count(*) FILTER (WHERE age >= 5) FROM patients$$, '2', 'in two ways'),
	($$SELECT dp_count(1, 0.25) FILTER (WHERE smoker), dp_count(1, 1) FILTER (WHERE NOT smoker) FROM patients$$, '1', 'the greatest epsilon'),
	($$SELECT dp_count(1, 0.25) FILTER (WHERE age = 1), dp_count(1, 1) FILTER (WHERE age < 5), dp_count(1, 0.5) FILTER (WHERE age >= 5) FROM patients$$, '1.25', 'the dearest share'),
	($$SELECT feeling, count(*) FILTER (WHERE smoker), count(*) FILTER (WHERE NOT smoker) FROM patients GROUP BY 1$$, '1', 'in groups'),
	($$SELECT feeling, smoker, count(*) FILTER (WHERE age < 9), count(*) FILTER (WHERE age > 9) FROM patients GROUP BY ROLLUP (1, 2)$$, '1', 'in groupings'),
	($$SELECT city, count(*) FILTER (WHERE smoker), count(*) FILTER (WHERE NOT smoker) FROM patients GROUP BY 1$$, '3', 'by private keys: with a selection'),
	($$SELECT feeling FROM patients GROUP BY 1 HAVING count(*) FILTER (WHERE smoker) > count(*) FILTER (WHERE NOT smoker)$$, '1', 'in HAVING'),
	($$SELECT a + b FROM (SELECT count(*) FILTER (WHERE smoker) AS a, count(*) FILTER (WHERE NOT smoker) AS b FROM patients) AS q$$, '1', 'in a sub-query'),
	($$SELECT count(*) FILTER (WHERE smoker), dp_low(count(*) FILTER (WHERE smoker)), count(*) FILTER (WHERE NOT smoker), dp_high(count(*) FILTER (WHERE NOT smoker)) FROM patients$$, '1', 'with intervals'),
	($$SELECT count(*) FILTER (WHERE x = 1), count(*) FILTER (WHERE x = 2) FROM patients, numbers WHERE age < 5$$, '2', 'units of several rows'),
	($$SELECT count(*) FILTER (WHERE a = 1), count(*) FILTER (WHERE a = 2) FROM (SELECT age AS a FROM patients UNION ALL SELECT age FROM patients) AS q$$, '2', 'in a union')) AS c (question, price, what);

-- what is asked twice
SELECT dp_noise.alter_population('patients', on_repeat => 'replay') \g /dev/null
CREATE FUNCTION t.told(question text, price text, what text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT is(t.price(question), price, what) $$;
SELECT t.told('SELECT count(*) FILTER (WHERE smoker AND age > 7), count(*) FILTER (WHERE NOT smoker AND age > 7) FROM patients', '1', 'asked once');
SELECT t.told('SELECT count(*) FILTER (WHERE NOT smoker AND age > 7), count(*) FILTER (WHERE smoker AND age > 7) FROM patients', '0', 'replayed, in another order');
SET dp_noise.epsilon = 0.5;
SELECT t.told('SELECT count(*) FILTER (WHERE NOT smoker AND age > 7), count(*) FILTER (WHERE smoker AND age > 7) FROM patients', '0', 'and at another epsilon');
SET dp_noise.epsilon = 1;
SELECT t.told('SELECT (SELECT (count(*) FILTER (WHERE smoker), count(*) FILTER (WHERE NOT smoker))::text FROM patients WHERE age > 8) = (SELECT (count(*) FILTER (WHERE smoker), count(*) FILTER (WHERE NOT smoker))::text FROM patients WHERE age > 8)', '1', 'a block twice');
SELECT is(t.run('gate_ann', 'SELECT (SELECT (count(*) FILTER (WHERE smoker), count(*) FILTER (WHERE NOT smoker))::text FROM patients WHERE age > 18) = (SELECT row(b, a)::text FROM (SELECT count(*) FILTER (WHERE NOT smoker) AS a, count(*) FILTER (WHERE smoker) AS b FROM patients WHERE age > 18) AS q)'), 'true', 'has one answer, in whatever order');
SELECT t.told('SELECT count(*) FILTER (WHERE smoker), count(*) FILTER (WHERE NOT smoker), count(CASE WHEN smoker THEN 1 END) FROM patients WHERE age > 9', '2', 'two aggregates of the same rows');
-- true counts: 1000 rows, each answer is about its own
SET dp_noise.epsilon = 1000;
SELECT is(t.run('gate_ann', 'SELECT (count(*) FILTER (WHERE smoker), sum(CASE WHEN NOT smoker THEN 1 ELSE 0 END), count(*) FILTER (WHERE smoker IS NULL))::text FROM patients'), '(333,667,0)', 'each answer is its own');
SELECT is(t.run('gate_ann', 'SELECT (count(*) FILTER (WHERE smoker IS NULL), sum(CASE WHEN NOT smoker THEN 1 ELSE 0 END), count(*) FILTER (WHERE smoker))::text FROM patients'), '(0,667,333)', 'and when they are replayed');
SELECT is(t.run('gate_ann', 'SELECT string_agg(concat_ws('' '', smoker, a, b), '', '' ORDER BY smoker) FROM (SELECT smoker, count(*) FILTER (WHERE age < 45) AS a, count(*) FILTER (WHERE age >= 45) AS b FROM patients GROUP BY ROLLUP (smoker)) AS q'), 'f 337 330, t 168 165, 505 495, 0 0', 'of groupings');
SELECT is(t.run('gate_ann', 'SELECT string_agg(concat_ws('' '', smoker, a, b), '', '' ORDER BY smoker) FROM (SELECT smoker, count(*) FILTER (WHERE age >= 45) AS b, count(*) FILTER (WHERE age < 45) AS a FROM patients GROUP BY ROLLUP (smoker)) AS q'), 'f 337 330, t 168 165, 505 495, 0 0', 'when they are replayed');
SET dp_noise.epsilon = 1;

-- the owner's least epsilon is that of each aggregate
SELECT dp_noise.set_budget('gate_bob', 'patients', 100, min_epsilon_per_query => 0.5) \g /dev/null
SELECT matches(t.run('gate_bob', 'SELECT dp_count(1, 0.25) FILTER (WHERE smoker), dp_count(1, 1) FILTER (WHERE NOT smoker) FROM patients'), 'too little epsilon', 'no aggregate is cheaper than an owner allows');

-- EXPLAIN
CREATE FUNCTION t.plan(question text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL session_authorization = 'gate_ann';
	RETURN QUERY EXECUTE 'EXPLAIN (COSTS off) ' || question;
	RESET session_authorization;
END
$$;
SELECT is(array_agg(trim(line)), '{Disjoint Aggregates Asked Together: 2,Disjoint Aggregates Asked Together: 2,Total Epsilon: 1,Epsilon to Pay: 1}', 'EXPLAIN says so')
FROM t.plan('SELECT count(*) FILTER (WHERE smoker), count(*) FILTER (WHERE NOT smoker) FROM patients WHERE age > 11') AS line WHERE line ~ 'Disjoint|Total Epsilon|to Pay: 1';

-- an exchange of units changes two
SET ROLE gate_owner;
CREATE TABLE public.exchanged (id integer PRIMARY KEY, age integer NOT NULL);
SELECT dp_noise.protect('public.exchanged', epsilon => 1000, neighbours => 'substitute'), dp_noise.set_budget('gate_ann', 'public.exchanged', 1000) \g /dev/null
RESET ROLE;
SELECT t.run('gate_ann', 'SELECT count(*) FILTER (WHERE age = 1), count(*) FILTER (WHERE age = 2), count(*) FILTER (WHERE age = 3) FROM exchanged') \g /dev/null
SELECT is(epsilon_spent::float8, 2::float8, 'an exchange costs twice') FROM dp_noise.budgets WHERE role = 'gate_ann' AND population = 'public.exchanged';

-- units of several rows: what is true in all of a unit's rows or in none
SET ROLE gate_owner;
CREATE TABLE public.zones (region integer PRIMARY KEY, zone text NOT NULL);
INSERT INTO public.zones VALUES (0, 'north'), (1, 'south'), (2, 'south');
GRANT SELECT ON public.zones TO PUBLIC;
CREATE TABLE public.persons (id integer PRIMARY KEY, sex text NOT NULL, born integer NOT NULL, region integer NOT NULL, exact numeric NOT NULL);
CREATE TABLE public.events (id integer PRIMARY KEY, person integer NOT NULL REFERENCES public.persons, kind integer NOT NULL, cost integer NOT NULL, doctor integer NOT NULL);
CREATE TABLE public.doctors (id integer PRIMARY KEY, title text NOT NULL);
CREATE TABLE public.stays (number numeric, long boolean NOT NULL);
INSERT INTO public.persons SELECT i, CASE WHEN i % 3 = 0 THEN 'm' ELSE 'f' END, 1950 + i % 50, i % 3, i FROM generate_series(1, 60) AS i;
INSERT INTO public.doctors SELECT i, CASE WHEN i % 2 = 0 THEN 'dr' ELSE 'prof' END FROM generate_series(0, 4) AS i;
INSERT INTO public.events SELECT i, i % 60 + 1, i % 4, i % 10, i % 5 FROM generate_series(1, 150) AS i;
INSERT INTO public.stays SELECT (i % 60 + 1)::numeric(5, 1), i % 2 = 0 FROM generate_series(1, 100) AS i;
SELECT dp_noise.create_population('people', epsilon => 1e13), dp_noise.create_population('staff', epsilon => 1e13) \g /dev/null
SELECT dp_noise.protect('public.persons', 'id', population => 'people') \g /dev/null
SELECT dp_noise.protect('public.events', 'person', max_rows_per_unit => 3, population => 'people') \g /dev/null
SELECT dp_noise.protect('public.doctors', 'id', population => 'staff') \g /dev/null
SELECT dp_noise.create_population('guests', epsilon => 1e13) \g /dev/null
SELECT dp_noise.protect('public.stays', 'number', max_rows_per_unit => 3, population => 'guests') \g /dev/null
SELECT dp_noise.set_bounds('public.events', 'cost', 0, 10), dp_noise.set_values('public.events', 'kind', '{0,1,2,3}') \g /dev/null
SELECT dp_noise.set_budget('gate_ann', p, 1e12, 1) FROM unnest('{people,staff,guests}'::text[]) AS p \g /dev/null
RESET ROLE;
CREATE OR REPLACE FUNCTION t.spent() RETURNS numeric LANGUAGE sql VOLATILE AS $$
	SELECT sum(epsilon_spent) FROM dp_noise.budgets WHERE role = 'gate_ann' AND population IN ('people', 'guests')
$$;
SET dp_noise.epsilon = 1;
SELECT is(t.price(replace(question, 'JOINED', 'events AS e JOIN persons AS p ON p.id = e.person')), price, what) FROM (VALUES
	($$SELECT count(*) FILTER (WHERE sex = 'f'), count(*) FILTER (WHERE sex = 'm') FROM JOINED$$, '1', 'a column of the person'),
	($$SELECT sum(CASE WHEN sex = 'f' THEN cost ELSE 0 END), sum(CASE WHEN sex = 'm' THEN cost ELSE 0 END), avg(CASE WHEN sex = 'x' THEN cost END) FROM JOINED$$, '1', 'sums and means'),
	($$SELECT count(*) FILTER (WHERE born < 1970), count(*) FILTER (WHERE born BETWEEN 1970 AND 1979), count(*) FILTER (WHERE born + 1 > 1980 AND born >= 1980) FROM JOINED$$, '1', 'ranges'),
	($$SELECT kind, count(*) FILTER (WHERE sex = 'f'), count(*) FILTER (WHERE sex = 'm') FROM JOINED GROUP BY kind$$, '1', 'in groups'),
	($$SELECT count(*) FILTER (WHERE sex = 'f' AND kind = 1), count(*) FILTER (WHERE sex = 'm' AND kind = 1) FROM JOINED$$, '1', 'a part is enough'),
	($$SELECT count(*) FILTER (WHERE person < 30), count(*) FILTER (WHERE person >= 30) FROM events$$, '1', 'the person itself'),
	($$SELECT count(*) FILTER (WHERE p.sex = 'f'), count(*) FILTER (WHERE p.sex = 'm') FROM events AS e LEFT JOIN persons AS p ON p.id = e.person$$, '1', 'a left join by the key'),
	($$SELECT count(*) FILTER (WHERE p.sex = 'f'), count(*) FILTER (WHERE p.sex = 'm') FROM events AS e JOIN (SELECT id, upper(sex) AS up, sex FROM persons WHERE born > 1950) AS p ON p.id = e.person$$, '1', 'of a sub-query'),
	($$SELECT count(*) FILTER (WHERE k = 1), count(*) FILTER (WHERE k = 2) FROM events AS e JOIN (SELECT person, max(kind) AS k FROM events GROUP BY person) AS q ON q.person = e.person$$, '1', 'of an aggregate of the person'),
	($$SELECT count(*) FILTER (WHERE sex = 'f'), count(*) FILTER (WHERE sex = 'm') FROM (SELECT sex FROM JOINED UNION ALL SELECT sex FROM persons) AS q$$, '2', 'a union is of several tables'),
	($$SELECT count(*) FILTER (WHERE kind = 1), count(*) FILTER (WHERE kind = 2) FROM events$$, '2', 'a column of the row'),
	($$SELECT count(*) FILTER (WHERE kind = 1), count(*) FILTER (WHERE kind = 2) FROM JOINED$$, '2', 'of the row that is joined'),
	($$SELECT count(*) FILTER (WHERE sex = 'f' AND kind = 1), count(*) FILTER (WHERE sex = 'f' AND kind = 2) FROM JOINED$$, '2', 'both'),
	($$SELECT count(*) FILTER (WHERE sex = 'f' OR kind = 1), count(*) FILTER (WHERE sex = 'm' AND kind = 2) FROM JOINED$$, '2', 'an alternative of the row'),
	($$SELECT count(*) FILTER (WHERE p.sex = 'f'), count(*) FILTER (WHERE p.sex = 'm') FROM events AS e LEFT JOIN persons AS p ON p.id = e.person AND e.kind = 1 WHERE p.sex IS NULL OR p.sex <> 'x'$$, '2', 'a left join by the row'),
	($$SELECT count(*) FILTER (WHERE p.sex = 'f'), count(*) FILTER (WHERE p.sex IS NULL) FROM events AS e LEFT JOIN persons AS p ON p.id = e.person AND e.kind = 1$$, '2', 'which is null in some rows of a person'),
	($$SELECT count(*) FILTER (WHERE zone = 'north'), count(*) FILTER (WHERE zone = 'south') FROM JOINED JOIN zones ON zones.region = p.region$$, '2', 'a public key is not trusted'),
	($$SELECT count(*) FILTER (WHERE x = 1), count(*) FILTER (WHERE x = 2) FROM JOINED, numbers$$, '2', 'public rows beside'),
	($$SELECT count(*) FILTER (WHERE f.kind = 1), count(*) FILTER (WHERE f.kind = 2) FROM JOINED JOIN events AS f ON f.person = p.id$$, '2', 'another row of the person'),
	($$SELECT count(*) FILTER (WHERE number::text = '1.0'), count(*) FILTER (WHERE number::text = '1') FROM stays$$, '2', 'equal numbers that can be told apart'),
	($$SELECT count(*) FILTER (WHERE number = 1.0), count(*) FILTER (WHERE number = 2) FROM stays$$, '2', 'numbers of several forms'),
	($$SELECT count(*) FILTER (WHERE sex = 'f'), count(*) FILTER (WHERE sex = 'm') FROM JOINED JOIN doctors AS d ON d.id = p.id$$, '2', 'people of two populations')) AS c (question, price, what);
-- another owner's unique index is not trusted
CREATE ROLE disjoint_owner;
GRANT CREATE, USAGE ON SCHEMA public TO disjoint_owner;
SET ROLE gate_owner;
SELECT dp_noise.allow_members('people', 'disjoint_owner') \g /dev/null
GRANT REFERENCES ON public.persons TO disjoint_owner;
SET ROLE disjoint_owner;
CREATE TABLE public.lent (id integer PRIMARY KEY REFERENCES public.persons, tall boolean NOT NULL);
SELECT dp_noise.protect('public.lent', 'id', population => 'people') \g /dev/null
RESET ROLE;
SELECT is(t.price('SELECT count(*) FILTER (WHERE tall), count(*) FILTER (WHERE NOT tall) FROM events JOIN lent ON lent.id = person'), '2', 'tables of two owners');
SET dp_noise.epsilon = 1000;
SELECT is(t.run('gate_ann', 'SELECT (count(*) FILTER (WHERE sex = ''f''), sum(CASE WHEN sex = ''m'' THEN cost ELSE 0 END), count(*) FILTER (WHERE sex = ''x''))::text FROM events JOIN persons AS p ON p.id = person WHERE events.id > 0'),
	(SELECT (count(*) FILTER (WHERE sex = 'f'), sum(CASE WHEN sex = 'm' THEN cost ELSE 0 END), count(*) FILTER (WHERE sex = 'x'))::text FROM events JOIN persons AS p ON p.id = person), 'each answer is its own');
SET dp_noise.epsilon = 1;

SELECT finish();
\ir support/gate_end.sql
