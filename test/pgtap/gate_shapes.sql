-- The shapes of query that are answered and those that are refused, a line
-- each, as an analyst without any privilege on the protected table.
\ir support/gate.sql
\ir support/parallel.sql
CREATE SCHEMA dp; -- of somebody who would like to be the extension's
GRANT ALL ON SCHEMA dp TO PUBLIC;
SET ROLE gate_owner;
CREATE TABLE public.events (id integer, at date NOT NULL, kind integer) PARTITION BY RANGE (at);
CREATE TABLE public.events_2020 PARTITION OF public.events FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE public.events_2021 PARTITION OF public.events FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');
INSERT INTO public.events SELECT i, date '2020-01-01' + i, i % 3 FROM generate_series(0, 700) AS i;
CREATE TABLE public.parent (id integer, x integer);
CREATE TABLE public.child (y integer) INHERITS (public.parent);
INSERT INTO public.parent VALUES (1, 1);
INSERT INTO public.child VALUES (2, 2, 2);
CREATE TABLE public.policed (id integer, x integer);
ALTER TABLE public.policed ENABLE ROW LEVEL SECURITY;
CREATE POLICY everyone ON public.policed USING (x > 0);
CREATE TABLE public.several (person integer, x integer);
CREATE TABLE public.swapped (person integer PRIMARY KEY, x integer);
CREATE TABLE public.poor (id integer);
CREATE TABLE public.cities (id integer PRIMARY KEY, name text UNIQUE, secret text);
INSERT INTO public.cities SELECT i, 'city' || i, 'secret' FROM generate_series(1, 5) AS i;
CREATE TABLE public.partly (id integer PRIMARY KEY, secret text);
CREATE TABLE public.hidden (id integer PRIMARY KEY);
CREATE TABLE public.pairs (a integer, b integer, PRIMARY KEY (a, b));
CREATE COLLATION public.blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE public.stays (
	id integer PRIMARY KEY,
	x integer,
	ward public.mood NOT NULL,
	city_id integer REFERENCES public.cities,
	city_name varchar(20) REFERENCES public.cities (name),
	partial_id integer NOT NULL REFERENCES public.partly,
	hidden_id integer REFERENCES public.hidden,
	patient_id integer REFERENCES public.patients,
	a integer,
	b integer,
	level smallint,
	label varchar(10),
	code character(5),
	day date,
	amount numeric(5, 2),
	grown public.years,
	tag text COLLATE public.blind,
	kept text COLLATE public.blind,
	FOREIGN KEY (a, b) REFERENCES public.pairs
);
INSERT INTO public.partly VALUES (1, 'secret');
INSERT INTO public.stays (id, x, ward, city_id, partial_id, level) SELECT i, i, 'ok', i % 5 + 1, 1, i % 4 FROM generate_series(1, 100) AS i;
GRANT SELECT ON public.cities TO gate_ann;
GRANT SELECT (id) ON public.partly TO gate_ann;
GRANT SELECT ON public.pairs TO gate_ann;
SELECT dp_noise.protect(r, epsilon => 1e13, delta => 1) FROM unnest('{public.events,public.parent,public.policed,public.poor}'::regclass[]) AS r;
SELECT dp_noise.protect('public.stays', epsilon => 1e13, delta => 1);
SELECT dp_noise.set_values('public.stays', c, v)
FROM (VALUES ('level', '{0,1,2,3}'::text[]), ('label', '{a,b,c}'), ('code', '{x,y}'), ('day', '{2020-01-01,2020-01-02}'), ('amount', '{1.5,2}'), ('grown', '{1,2}'),
	('tag', '{a,b}')) AS d (c, v);
SELECT dp_noise.set_values('public.events', 'kind', '{0,1,2}');
SELECT dp_noise.protect('public.several', privacy_unit => 'person', max_rows_per_unit => 1, epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.swapped', neighbours => 'substitute', epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1000000)
FROM unnest('{public.events,public.parent,public.policed,public.several,public.swapped,public.stays}'::regclass[]) AS r;
CREATE VIEW public.owners_rows AS SELECT * FROM public.patients;
CREATE VIEW public.owners_barrier WITH (security_barrier) AS SELECT * FROM public.patients WHERE age > 18;
CREATE VIEW public.owners_answer AS SELECT dp_count(*) AS n FROM public.patients;
CREATE FUNCTION public.owners_function() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT dp_count(*) FROM public.patients';
CREATE VIEW public.owners_groups AS SELECT smoker, dp_count(*) AS n FROM public.patients GROUP BY smoker;
GRANT SELECT ON public.owners_answer, public.owners_groups TO gate_ann;
RESET ROLE;
-- a part of the aggregates, to which nobody has a right of their own
GRANT EXECUTE ON FUNCTION dp_noise.count_transition(bigint) TO gate_ann;
SET SESSION AUTHORIZATION gate_ann;
SET search_path = gate_ann, public;
CREATE TABLE mine (x bigint);
CREATE TABLE keyed (x bigint PRIMARY KEY, y bigint);
INSERT INTO keyed VALUES (1, 1);
CREATE VIEW my_answer AS SELECT dp_count(*) AS n, dp_mean(age) AS m FROM patients WHERE smoker;
CREATE VIEW my_groups AS SELECT smoker, feeling, dp_count(*) AS n, dp_mean(age) AS m FROM patients GROUP BY smoker, feeling HAVING dp_count(*) > 0 ORDER BY 3;
CREATE VIEW my_rows AS SELECT * FROM patients;
CREATE DOMAIN small_number AS integer CHECK (VALUE < 100);
CREATE DOMAIN any_number AS integer;
CREATE FUNCTION liar(integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RAISE NOTICE '%', $1; RETURN true; END$$;
CREATE FUNCTION liar(integer, integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RAISE NOTICE '%', $1; RETURN true; END$$;
CREATE FUNCTION same(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION over_three(integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 > 3';
CREATE FUNCTION drifting() RETURNS double precision LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN random(); END';
CREATE FUNCTION steady() RETURNS double precision LANGUAGE plpgsql STABLE AS 'BEGIN RETURN 0.5; END';
CREATE FUNCTION fixed() RETURNS double precision LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN 0.5; END';
CREATE OPERATOR === (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int4eq);
CREATE OPERATOR <<< (LEFTARG = integer, RIGHTARG = integer, FUNCTION = liar);
CREATE OPERATOR = (LEFTARG = integer, RIGHTARG = integer, FUNCTION = liar);
CREATE AGGREGATE dp_total(integer) (SFUNC = int4_sum, STYPE = bigint);
CREATE FUNCTION dp_sum(integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
CREATE AGGREGATE dp.dp_count(*) (SFUNC = int8inc, STYPE = bigint, INITCOND = '0');
CREATE FUNCTION counted() RETURNS bigint LANGUAGE sql AS 'SELECT dp_count(*) FROM public.patients';
CREATE FUNCTION counted_atomic() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT dp_count(*) FROM patients; END;
CREATE FUNCTION counted_over(integer) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM public.patients WHERE age > $1';
CREATE FUNCTION counted_rows() RETURNS TABLE (n bigint, m numeric) LANGUAGE sql STABLE AS 'SELECT dp_count(*), dp_mean(age) FROM public.patients';
CREATE FUNCTION counted_rows_volatile() RETURNS TABLE (n bigint, m numeric) LANGUAGE sql VOLATILE AS 'SELECT dp_count(*), dp_mean(age) FROM public.patients';
CREATE FUNCTION counted_plpgsql(limit_age integer) RETURNS bigint LANGUAGE plpgsql AS $$DECLARE n bigint; BEGIN SELECT dp_count(*) INTO n FROM public.patients WHERE age > limit_age; RETURN n; END$$;
CREATE FUNCTION counted_dynamic() RETURNS bigint LANGUAGE plpgsql AS $$DECLARE n bigint; BEGIN EXECUTE 'SELECT dp_count(*) FROM public.patients WHERE age > $1' INTO n USING 30; RETURN n; END$$;
CREATE FUNCTION counted_loop() RETURNS bigint LANGUAGE plpgsql AS $$DECLARE r record; n bigint; BEGIN FOR r IN SELECT dp_count(*) AS c FROM public.patients LOOP n := r.c; END LOOP; RETURN n; END$$;
CREATE FUNCTION counted_expression() RETURNS bigint LANGUAGE plpgsql AS $$DECLARE n bigint := (SELECT dp_count(*) FROM public.patients); BEGIN RETURN n; END$$;
CREATE FUNCTION definer() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT dp_count(*) FROM public.patients';
CREATE FUNCTION raw() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM public.patients';
CREATE FUNCTION raw_rows() RETURNS SETOF integer LANGUAGE sql STABLE AS 'SELECT age FROM public.patients';
CREATE PROCEDURE asking() LANGUAGE plpgsql AS $$BEGIN PERFORM dp_count(*) FROM public.patients; END$$;
PREPARE fixed_question AS SELECT dp_count(*) FROM patients WHERE age > 30;
PREPARE question(integer) AS SELECT dp_count(*) FROM patients WHERE age > $1;
PREPARE question_groups(integer, text) AS SELECT age > $1 AS old, $2 AS what, coalesce(feeling::mood, 'ok'), dp_count(*) FROM patients GROUP BY 1, 2, 3;
PREPARE question_bounds(numeric, numeric, double precision, text) AS SELECT dp_sum(age, $1, $2, $3, $4) FROM patients;
PREPARE question_list(integer[]) AS SELECT dp_count(*) FROM patients WHERE age = ANY ($1);
RESET search_path;
RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
SELECT no_plan();

-- plain
SELECT t.accept($$SELECT dp_count(*) FROM patients$$);
SELECT t.accept($$SELECT dp_count(age) FROM patients$$);
SELECT t.accept($$SELECT dp_count(bmi) FROM patients$$);
SELECT t.accept($$SELECT dp_count(age, 0.5) FROM patients$$);
SELECT t.accept($$SELECT dp_count(age, 0.5, 'geometric') FROM patients$$);
SELECT t.accept($$SELECT dp_sum(age) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(age, 0, 100) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(age, 0, 100, 0.5) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(age, 0, 100, 0.5, 'laplace') FROM patients$$);
SELECT t.accept($$SELECT dp_sum(small, 0, 100) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(big, 0, 1000) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(temperature, 30, 45) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(bmi) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(weight, 0, 200) FROM patients$$);
SELECT t.accept($$SELECT dp_mean(age) FROM patients$$);
SELECT t.accept($$SELECT dp_mean(bmi) FROM patients$$);
SELECT t.accept($$SELECT dp_max(age) FROM patients$$);
SELECT t.accept($$SELECT dp_min(age) FROM patients$$);
SELECT t.accept($$SELECT dp_median_exp(age) FROM patients$$);
SELECT t.accept($$SELECT dp_median_exp(bmi, 10, 60, 0.5) FROM patients$$);
SELECT t.accept($$SELECT dp_quantile_exp(age, 0.25) FROM patients$$);
SELECT t.accept($$SELECT dp_quantile_exp(age, 0.25, 0, 100, 0.5) FROM patients$$);
SELECT t.accept($$SELECT dp_count(*), dp_mean(age), dp_median_exp(bmi) FROM patients$$, 3);
SELECT t.accept($$SELECT dp_count(*), dp_count(*) FROM patients$$);
SELECT t.accept($$SELECT dp_count(*) + 1, sqrt(abs(dp_sum(age))), dp_count(*) || 'x' FROM patients$$, 2);
SELECT t.accept($$SELECT CASE WHEN dp_count(*) > 10 THEN 'many' ELSE 'few' END FROM patients$$);
SELECT t.accept($$SELECT dp_count(*) AS patients, 1 AS one, now(), current_user FROM patients AS p$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients AS p (a, b) WHERE b > 30 AND p.a < 5$$);
SELECT t.accept($$SELECT dp_count(*) FROM public.patients WHERE false$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE NULL$$);
SELECT t.accept($$SELECT dp_count(NULL::text) FROM patients$$);
SELECT t.accept($$SELECT dp_count(NULL) FROM patients$$);
SELECT t.accept($$SELECT dp_count(1) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(grown, 0, 120) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(grown::integer, 0, 120) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(small::integer, 0, 120) FROM patients$$);
SET dp_noise.choose_bounds = 0;
SELECT t.refuse('22023', $$SELECT dp_sum(weight) FROM patients$$);
RESET dp_noise.choose_bounds;
SELECT t.refuse('22023', $$SELECT dp_sum(age, 10, 5) FROM patients$$);
SELECT t.refuse('22023', $$SELECT dp_sum(age, 0, 'NaN') FROM patients$$);
SELECT t.refuse('22004', $$SELECT dp_sum(age, NULL, 5) FROM patients$$);
SELECT t.refuse('22023', $$SELECT dp_count(age, 0) FROM patients$$);
SELECT t.refuse('22023', $$SELECT dp_count(age, 'Infinity') FROM patients$$);
SELECT t.refuse('22023', $$SELECT dp_count(age, 1, 'magic') FROM patients$$);
SELECT t.accept($$SELECT count(*) FROM patients$$, 1);
SELECT t.refuse('42501', $$SELECT * FROM patients$$);
SELECT t.accept($$SELECT age FROM patients LIMIT 0$$, 0);
SELECT t.refuse('42501', $$SELECT 1 FROM patients$$);
SELECT t.refuse('42501', $$TABLE patients$$);
SELECT t.accept($$SELECT dp_count(*), count(*) FROM patients$$, 1);
SELECT t.accept($$SELECT dp_count(*), sum(age) FROM patients$$, 2);
SELECT t.refuse('42501', $$SELECT dp_count(*), string_agg(name, ',') FROM patients$$);
SELECT t.accept($$SELECT dp_count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY bmi) FROM patients$$, 2);
SELECT t.refuse('42501', $$SELECT dp_count(*) FILTER (WHERE smoker), array_agg(age) FROM patients$$);
SELECT t.refuse('42501', $$SELECT dp_noise.sum_state(age, 0, 100) FROM patients$$);
SELECT t.refuse('42501', $$SELECT dp_count(*), dp_noise.sum_state(age, 0, 100) FROM patients$$);
SELECT t.refuse('42501', $$SELECT dp_noise.median_state(age, 0, 100) FROM patients$$);
SELECT t.refuse('42501', $$SELECT dp_count(*) FROM poor$$);

-- conditions
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age > 30$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE 30 < age$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age <> 30$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age >= 30 AND age < 60$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age < 20 OR age > 60$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE NOT smoker$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE NOT (age > 30 AND smoker)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE smoker IS TRUE$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE smoker IS NOT UNKNOWN$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE smoker IS NULL$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE name IS NOT NULL$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE name = 'name1'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE name <> 'name1'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE name COLLATE "C" = 'name1'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE city = 'city1'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE code = 'c1'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE label = 'l1'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE feeling = 'ok'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE feeling <> 'sad'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE feeling IN ('ok', 'sad')$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE born > '1960-01-01'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE born BETWEEN '1950-01-01' AND '1951-01-01'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE seen < '2020-02-01 00:00Z'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE token = '00000000-0000-0000-0000-000000000001'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE weight > 60.5$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE weight = 60$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE bmi > 20$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE bmi < 'Infinity'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE temperature >= 36$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE temperature > 36.5::float8$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE small > 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE small = 3::bigint$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE big > small$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE big = 10000000000$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age IN (1, 2, 3)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age NOT IN (1, 2, 3)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age = ANY (ARRAY[1, 2])$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age <> ALL ('{1,2}')$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age BETWEEN 30 AND 40$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age NOT BETWEEN 30 AND 40$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age BETWEEN SYMMETRIC 40 AND 30$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age IS DISTINCT FROM 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE name IS NOT DISTINCT FROM city$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE NULLIF(age, 3) IS NULL$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE COALESCE(age, 3) = 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE CASE WHEN age > 30 THEN smoker ELSE false END$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE CASE age WHEN 1 THEN true WHEN 2 THEN smoker END$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age > 10 + 20$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE born > date '1960-01-01' + 3$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE age > same(30)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE over_three(age)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age > length('abc')$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE grown > 30$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age::bigint > 30$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age::float8 > 30.5$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age::numeric > 30.5$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE (age > 30) = smoker$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE true$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE age > (CASE WHEN fixed() > 0 THEN 1 ELSE 2 END)$$);
SELECT t.accept($$SELECT dp_count(*) FILTER (WHERE age > 30), dp_count(*) FILTER (WHERE age <= 30) FROM patients WHERE smoker$$, 1);
SELECT t.accept($$SELECT dp_sum(CASE WHEN smoker THEN age ELSE 0 END, 0, 100) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(CASE WHEN smoker THEN 1 END, 0, 1) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(COALESCE(bmi, 20), 0, 50) FROM patients$$);
SELECT t.accept($$SELECT dp_mean(NULLIF(age, 0), 0, 100) FROM patients$$);
SELECT t.accept($$SELECT dp_count(CASE WHEN smoker THEN 1 END) FROM patients$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age + 1 > 30$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age / (age - 30) > 1$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE 1 / age > 0$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE sqrt(bmi - 30) > 0$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE abs(age) = 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE -age < 0$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age % 7 = 0$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age::text = '30'$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE age::small_number = 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age::smallint = 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE bmi::integer = 20$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE weight::numeric(3,1) = 50$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE name::integer = 1$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE name LIKE 'name1%'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE name ~ 'name1'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE name ~~* 'x'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE name SIMILAR TO 'n%'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE starts_with(name, 'n')$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE name || 'x' = 'y'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE name > 'name1'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE lower(name) = 'name1'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE length(name) > 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE substr(name, 5)::integer > 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE born + 1 > '1960-01-01'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE extract(year FROM born) = 1960$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE date_trunc('month', seen) = '2020-01-01'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE seen::date = '2020-01-01'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE born > seen$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE seen > now()$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE seen > now() - interval '1 day'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE born = current_date$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE visits[1] = 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE 1 = ANY (visits)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE visits = '{1}'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE visits @> '{1}'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE notes ->> 'i' = '3'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE (notes -> 'i')::integer = 1$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age = ANY (visits)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE liar(age)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE age <<< 3$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE age === 3$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE age OPERATOR(gate_ann.=) 3$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE drifting() > 0.5$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE random() < 0.5$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE age > random()$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE pg_sleep(age) IS NULL$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE set_config('x.y', age::text, false) IS NULL$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE pg_backend_pid() = age$$);
SELECT t.refuse('42704', $$SELECT dp_count(*) FROM patients WHERE current_setting('x.y') = name$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE (age, id) = (1, 2)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE (age, id) > (1, 2)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE ROW(age) IS NULL$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE patients IS NULL$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE patients IS NOT NULL$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE patients = ROW(1)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE patients::text = 'x'$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE row_to_json(patients) IS NULL$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE to_jsonb(patients.*) IS NULL$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE ctid = '(0,1)'$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE tableoid = 0$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE xmin::text = '3'$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE cmin = '0'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE GREATEST(age, 3) = 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age = (SELECT 3)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE age IN (SELECT x FROM numbers)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE EXISTS (SELECT FROM numbers WHERE x = age)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE age = ANY (ARRAY(SELECT x FROM numbers))$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE EXISTS (SELECT FROM patients AS q WHERE q.id = patients.id)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE (SELECT raw()) > 5$$, 2);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE name COLLATE "en-x-icu" > 'x'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE name = 'x' COLLATE "en-x-icu" AND name > 'x'$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE pg_typeof(age) = 'integer'::regtype$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE ARRAY[age] = '{3}'$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE age::oid = 3$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE feeling > feeling$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients WHERE token::text = 'x'$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients WHERE enum_first(feeling) = 'sad'$$);
SELECT t.refuse('22012', $$SELECT dp_count(*) FROM patients WHERE age IS DISTINCT FROM 1/0$$);

-- aggregates and their parameters
SELECT t.accept($$SELECT dp_sum(age + 1, 0, 100) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(age * 2, 0, 100) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(-age, 0, 100) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(age / age, 0, 1) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(name::integer, 0, 1) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_sum(liar(age)::integer, 0, 1) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_sum(DISTINCT age, 0, 100) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_count(DISTINCT age) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_sum(age, 0, 100 ORDER BY age) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_sum(age, age, age) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_sum(age, 0, age) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_sum(age, 0, 100, age) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_sum(age, 0, 100, random()) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_sum(age, 0, 100, drifting()) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_sum(age, 0, 100, steady()) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_sum(age, 0, 100, 1, name) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_count(age, bmi) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_count(age, 1, name) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(age, 0, (SELECT 100)) FROM patients$$);
SELECT t.accept($$SELECT dp_count((SELECT 1)) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_count(patients) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_count(patients.*) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_count(ctid) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_count(tableoid) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_quantile_exp(age, bmi) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_quantile_exp(age, random()) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FILTER (WHERE liar(age)) FROM patients$$);
SELECT t.accept($$SELECT dp_count(*) FILTER (WHERE age IN (SELECT x FROM numbers)) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FILTER (WHERE random() < 0.5) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_sum(age, 0, 50 + 50, fixed()) FROM patients$$);
SELECT t.accept($$SELECT dp_sum(age, 0, 50 + 50, 1.0 / 2) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_sum(age, same(0), same(100)) FROM patients$$);
SELECT t.accept($$SELECT public.dp_count(*) FROM patients$$);
SELECT t.accept($$SELECT public.dp_count(age) FROM patients$$);
SELECT t.run('gate_ann', $$CREATE AGGREGATE dp_count(integer) (SFUNC = int4pl, STYPE = integer, INITCOND = '0')$$);
SELECT t.refuse('42501', $$SELECT dp_count(age) FROM patients$$);
SELECT t.accept($$SELECT public.dp_count(age) FROM patients$$);
SELECT t.refuse('42501', $$SELECT gate_ann.dp_count(age) FROM patients$$);
SELECT t.refuse('42501', $$SELECT gate_ann.dp_count(age), public.dp_count(age) FROM patients$$);
SELECT t.refuse('42501', $$SELECT (SELECT dp_count(*) + dp_count(numbers.x) FROM patients) FROM numbers$$);
SELECT t.run('gate_ann', 'DROP AGGREGATE dp_count(integer)');
SELECT t.refuse('42501', $$SELECT dp_total(age) FROM patients$$);
SELECT t.refuse('42501', $$SELECT dp_count(*), dp_total(age) FROM patients$$);
SELECT t.run('gate_ann', 'CREATE AGGREGATE dp_stolen(*) (SFUNC = dp_noise.count_transition, STYPE = bigint, INITCOND = ''0'')');
SELECT t.refuse('42501', $$SELECT dp_stolen(*) FROM patients$$);
SELECT t.refuse('42501', $$SELECT dp_count(*), dp_stolen(*) FROM patients$$);
SELECT t.refuse('42501', $$SELECT dp.dp_count(*) FROM patients$$);
SELECT t.refuse('42501', $$SELECT dp_sum(age, 3) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_sum(dp_sum(age, 3), 0, 1) FROM patients$$); -- the analyst's own function, always 1
SELECT t.refuse('42501', $$SELECT dp_count(*) OVER () FROM patients$$);
SELECT t.accept($$SELECT dp_count(*), row_number() OVER () FROM patients$$);
SELECT t.accept($$SELECT dp_count(*), generate_series(1, 3) FROM patients$$);
SELECT t.accept($$SELECT dp_count(*), unnest(ARRAY[1, 2]) FROM patients$$);

-- clauses
SELECT t.accept($$SELECT dp_count(*) FROM patients HAVING dp_count(*) > 3$$);
SELECT t.accept($$SELECT 1 FROM patients HAVING dp_count(*) > 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients HAVING dp_mean(age) > 3$$, 2);
SELECT t.accept($$SELECT dp_count(*) FROM patients HAVING false$$, 0);
SELECT t.accept($$SELECT dp_count(*) FROM patients HAVING liar(dp_count(*)::integer)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients HAVING dp_count(*) > (SELECT 3)$$);
SELECT t.refuse('42803', $$SELECT dp_count(*) FROM patients HAVING age > 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients ORDER BY 1$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients ORDER BY dp_mean(age)$$, 2);
SELECT t.refuse('42803', $$SELECT dp_count(*) FROM patients ORDER BY age$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients LIMIT 1$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients OFFSET 1$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients ORDER BY 1 FETCH FIRST 1 ROW WITH TIES$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients LIMIT (SELECT raw())$$, 2);
SELECT t.accept($$SELECT DISTINCT dp_count(*) FROM patients$$);
SELECT t.accept($$SELECT DISTINCT ON (1) dp_count(*) FROM patients$$);

-- groups
SELECT t.accept($$SELECT smoker, dp_count(*) FROM patients GROUP BY smoker$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY smoker$$);
SELECT t.accept($$SELECT smoker, dp_count(*), dp_mean(age), dp_median_exp(bmi) FROM patients WHERE age > 3 GROUP BY smoker$$, 3);
SELECT t.accept($$SELECT feeling, smoker, dp_count(*) FROM patients GROUP BY 1, 2$$);
SELECT t.accept($$SELECT smoker AS s, dp_count(*) FROM patients GROUP BY s$$);
SELECT t.accept($$SELECT smoker AS a, smoker AS b, dp_count(*) FROM patients GROUP BY 1, 2$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY smoker, smoker, NOT smoker$$);
SELECT t.accept($$SELECT smoker, dp_count(*) FROM patients GROUP BY smoker HAVING dp_count(*) > 3 AND smoker$$);
SELECT t.accept($$SELECT smoker, dp_count(*) FROM patients GROUP BY smoker ORDER BY smoker DESC, 2 LIMIT 1$$);
SELECT t.accept($$SELECT DISTINCT dp_count(*) > 3 FROM patients GROUP BY smoker$$);
SELECT t.accept($$SELECT DISTINCT ON (smoker) smoker, dp_count(*) FROM patients GROUP BY smoker ORDER BY smoker, 2$$);
SELECT t.accept($$SELECT smoker, sum(dp_count(*)) OVER (ORDER BY smoker), rank() OVER w FROM patients GROUP BY smoker WINDOW w AS (ORDER BY dp_count(*))$$);
SELECT t.accept($$SELECT generate_series(1, 3), smoker, dp_count(*) FROM patients GROUP BY smoker$$);
SELECT t.accept($$SELECT dp_count(*), unnest(ARRAY[smoker, NOT smoker]) FROM patients GROUP BY smoker$$);
SELECT t.accept($$SELECT liar(dp_count(*)::integer), random(), smoker FROM patients GROUP BY smoker$$);
SELECT t.accept($$SELECT coalesce(smoker::text, 'unknown') || dp_count(*) FROM patients GROUP BY smoker$$);
SELECT t.accept($$SELECT CASE WHEN smoker THEN 1 / (dp_count(*) + 1e9) ELSE 0 END FROM patients GROUP BY smoker$$);
SELECT t.accept($$SELECT smoker, dp_count(*) FILTER (WHERE age > 3), dp_count(*) FILTER (WHERE age <= 3) FROM patients GROUP BY smoker$$, 1);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY age > 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY age > 3, 3 < age$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY bmi > 3$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY name IS NULL$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY age IN (1, 2), age BETWEEN 3 AND 4$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY over_three(age)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY name = 'x'$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY CASE WHEN age > 60 THEN 'old' WHEN age > 30 THEN 'middle' ELSE 'young' END$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY CASE WHEN age > 60 THEN 1 END$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY CASE feeling WHEN 'sad' THEN 1.5 WHEN 'ok' THEN 2 ELSE 3 END$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY COALESCE(feeling, 'ok'), NULLIF(smoker, true)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY CASE WHEN age > 60 THEN 'old' ELSE same(3)::text END$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY CASE WHEN age > 60 THEN 'old' ELSE 3::text END$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY 'x'::text$$);
SELECT t.accept($$SELECT 'x'::text, smoker, dp_count(*) FROM patients GROUP BY 1, 2$$);
SELECT t.accept($$EXECUTE question_groups(30, 'x')$$);
SELECT t.accept($$EXECUTE question_groups(30, NULL)$$);
SELECT t.accept($$SELECT ward, dp_count(*) FROM stays GROUP BY ward$$);
SELECT t.accept($$SELECT city_id, dp_count(*) FROM stays GROUP BY city_id$$);
SELECT t.accept($$SELECT city_name, dp_count(*) FROM stays GROUP BY city_name$$);
SELECT t.accept($$SELECT partial_id, dp_count(*) FROM stays GROUP BY partial_id$$);
SELECT t.accept($$SELECT COALESCE(city_id, 0), dp_count(*) FROM stays GROUP BY 1$$);
SELECT t.accept($$SELECT CASE WHEN x > 3 THEN city_id END, dp_count(*) FROM stays GROUP BY 1$$);
SELECT t.accept($$SELECT level, dp_count(*) FROM stays GROUP BY level$$);
SELECT t.accept($$SELECT level::bigint, dp_count(*) FROM stays GROUP BY level::bigint$$);
SELECT t.accept($$SELECT label, dp_count(*) FROM stays GROUP BY label$$);
SELECT t.accept($$SELECT label COLLATE "C", dp_count(*) FROM stays GROUP BY 1$$);
SELECT t.accept($$SELECT code, dp_count(*) FROM stays GROUP BY code$$);
SELECT t.accept($$SELECT day, dp_count(*) FROM stays GROUP BY day$$);
SELECT t.accept($$SELECT amount, dp_count(*) FROM stays GROUP BY amount$$);
SELECT t.accept($$SELECT grown, dp_count(*) FROM stays GROUP BY grown$$);
SELECT t.accept($$SELECT kind, dp_count(*) FROM events GROUP BY kind$$);
SELECT t.accept($$SELECT smoker, n FROM (SELECT smoker, dp_count(*) AS n FROM patients GROUP BY smoker) AS s WHERE n > 3$$);
SELECT t.accept($$WITH s AS (SELECT smoker, dp_count(*) AS n FROM patients GROUP BY smoker) SELECT a.n - b.n FROM s AS a, s AS b$$);
SELECT t.accept($$SELECT smoker, dp_count(*) FROM patients GROUP BY smoker UNION ALL SELECT NULL, dp_count(*) FROM patients$$, 2);
SELECT t.accept($$SELECT x, ARRAY(SELECT dp_count(*) FROM patients GROUP BY smoker) FROM numbers$$);
SELECT t.accept($$SELECT * FROM numbers LEFT JOIN (SELECT dp_count(*) AS n FROM patients GROUP BY feeling) AS s ON x < n$$);
SELECT t.accept($$INSERT INTO mine SELECT dp_count(*) FROM patients GROUP BY smoker$$);
SELECT t.accept($$CREATE TABLE stored_groups AS SELECT smoker, feeling, dp_count(*) FROM patients GROUP BY smoker, feeling$$);
SELECT t.accept($$SELECT * FROM my_groups$$, 2);
SELECT t.accept($$SELECT * FROM owners_groups$$);
SELECT t.refuse('42803', $$SELECT age, dp_count(*) FROM patients GROUP BY smoker$$);
SELECT t.refuse('0A000', $$SELECT name, dp_count(*) FROM patients GROUP BY id$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY age$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY name$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY smoker, name$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY COALESCE(name, 'x')$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY CASE WHEN smoker THEN name END$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY id % 2$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY 1 / age > 0$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY name LIKE 'x%'$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY visits$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY notes$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY ROW(smoker)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY feeling::text$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY enum_last(feeling)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY random() > 0.5$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY drifting() > 0.5$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY generate_series(1, age)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY ROLLUP (smoker)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY GROUPING SETS ((smoker), ())$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY CUBE (smoker, feeling)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY CASE WHEN liar(age) THEN 1 END$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY liar(age)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY age <<< 3$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY patients$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY ctid$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY tableoid = 3$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY (SELECT 1)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients GROUP BY (SELECT x FROM numbers WHERE x = age) = 3$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*), GROUPING(smoker) FROM patients GROUP BY smoker$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients GROUP BY ()$$);
SELECT t.refuse('0A000', $$SELECT age FROM patients GROUP BY age HAVING dp_count(*) > 3$$);
SELECT t.refuse('0A000', $$SELECT smoker, dp_count(*), (SELECT max(x) FROM numbers WHERE smoker) FROM patients GROUP BY smoker$$);
SELECT t.refuse('0A000', $$SELECT (SELECT dp_count(*) FROM patients GROUP BY age > x LIMIT 1) FROM numbers$$);
SELECT t.refuse('0A000', $$SELECT (SELECT dp_count(*) FROM patients GROUP BY smoker HAVING dp_count(*) > x LIMIT 1) FROM numbers$$);
SELECT t.accept($$SELECT smoker FROM patients GROUP BY smoker$$, 0);
SELECT t.accept($$SELECT DISTINCT smoker FROM patients$$, 0);
SELECT t.accept($$SELECT smoker, count(*) FROM patients GROUP BY smoker$$, 1);
SELECT t.accept($$SELECT smoker, dp_count(*), count(*) FROM patients GROUP BY smoker$$, 1);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM stays GROUP BY hidden_id$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM stays GROUP BY patient_id$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM stays GROUP BY a$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM stays GROUP BY x$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM stays GROUP BY tag$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM stays GROUP BY kept$$);
SELECT t.refuse('42803', $$SELECT age, dp_count(*) FROM patients$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients FOR UPDATE$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients TABLESAMPLE SYSTEM (50)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients TABLESAMPLE BERNOULLI (50) REPEATABLE (1)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM ONLY patients$$);

-- more than one relation
SELECT t.accept($$SELECT dp_count(*) FROM patients, numbers$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients JOIN numbers ON x = age$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients LEFT JOIN numbers ON x = age$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM numbers LEFT JOIN patients ON x = age$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients AS a JOIN patients AS b USING (id)$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients CROSS JOIN generate_series(1, 1000)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM patients, LATERAL (SELECT age + 1) AS s$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients NATURAL JOIN numbers$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM numbers WHERE x IN (SELECT age FROM patients)$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM numbers WHERE EXISTS (SELECT FROM patients)$$);
SELECT t.refuse('0A000', $$SELECT dp_count((SELECT max(age) FROM patients)) FROM numbers$$);
SELECT t.accept($$SELECT dp_count(*) FROM (SELECT * FROM patients) AS s$$);
SELECT t.accept($$SELECT dp_count(*) FROM (SELECT age FROM patients WHERE age > 3) AS s$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM (SELECT age FROM patients UNION ALL SELECT x FROM numbers) AS s$$);
SELECT t.accept($$WITH s AS (SELECT * FROM patients) SELECT dp_count(*) FROM s$$);
SELECT t.accept($$WITH s AS MATERIALIZED (SELECT * FROM patients) SELECT dp_count(*) FROM s$$);
SELECT t.accept($$WITH s AS NOT MATERIALIZED (SELECT age FROM patients) SELECT dp_count(*) FROM s$$);
SELECT t.accept($$SELECT dp_count(*) FROM my_rows$$);
SELECT t.refuse('42501', $$SELECT dp_count(*) FROM owners_rows$$);
SELECT t.refuse('42501', $$SELECT dp_count(*) FROM owners_barrier$$);
SELECT t.accept($$SELECT dp_count(*) FROM raw_rows()$$);
SELECT t.accept($$SELECT dp_count(*) FROM numbers$$, 0);
SELECT t.accept($$SELECT dp_sum(x, 0, 10) FROM numbers GROUP BY x$$, 0);

-- outside the block
SELECT t.accept($$SELECT * FROM (SELECT dp_count(*) AS n FROM patients) AS s$$);
SELECT t.accept($$SELECT n FROM (SELECT dp_count(*) AS n FROM patients OFFSET 0) AS s$$);
SELECT t.accept($$SELECT s FROM (SELECT dp_count(*) AS n, dp_mean(age) AS m FROM patients) AS s$$, 2);
SELECT t.accept($$SELECT s.*, row_to_json(s) FROM (SELECT dp_count(*) AS n FROM patients) AS s$$);
SELECT t.accept($$SELECT n FROM (SELECT dp_count(*) AS n FROM patients) AS s WHERE n > 3 ORDER BY n LIMIT 1$$);
SELECT t.accept($$SELECT DISTINCT n FROM (SELECT dp_count(*) AS n FROM patients) AS s GROUP BY n HAVING count(*) > 0$$);
SELECT t.accept($$SELECT sum(n) OVER (), row_number() OVER () FROM (SELECT dp_count(*) AS n FROM patients) AS s$$);
SELECT t.accept($$SELECT generate_series(1, 3), n FROM (SELECT dp_count(*) AS n FROM patients) AS s$$);
SELECT t.accept($$SELECT count(*) FROM (SELECT dp_count(*) AS n FROM patients) AS s, numbers WHERE x < n$$);
SELECT t.accept($$SELECT x, (SELECT dp_count(*) FROM patients) FROM numbers ORDER BY 2, 1$$);
SELECT t.accept($$SELECT x FROM numbers WHERE x < (SELECT dp_count(*) FROM patients)$$);
SELECT t.accept($$SELECT x FROM numbers WHERE x IN (SELECT dp_count(*) FROM patients)$$);
SELECT t.accept($$SELECT x FROM numbers WHERE EXISTS (SELECT FROM (SELECT dp_count(*) AS n FROM patients) AS s WHERE n > x)$$);
SELECT t.accept($$SELECT x FROM numbers WHERE x < ALL (SELECT dp_count(*) FROM patients)$$);
SELECT t.accept($$SELECT ARRAY(SELECT dp_count(*) FROM patients)$$);
SELECT t.accept($$SELECT x FROM numbers ORDER BY (SELECT dp_count(*) FROM patients), x LIMIT (SELECT abs(n) FROM (SELECT dp_count(*) AS n FROM patients) AS s)$$);
SELECT t.accept($$SELECT * FROM numbers, LATERAL (SELECT dp_count(*) AS n FROM patients) AS s$$);
SELECT t.accept($$SELECT * FROM numbers LEFT JOIN (SELECT dp_count(*) AS n FROM patients) AS s ON x = n$$);
SELECT t.accept($$SELECT * FROM (SELECT dp_count(*) AS n FROM patients) AS s FULL JOIN numbers ON x = n$$);
SELECT t.accept($$SELECT * FROM (SELECT dp_count(*) AS n FROM patients) AS s JOIN (SELECT dp_count(*) AS m FROM patients WHERE smoker) AS u ON n > m$$, 2);
SELECT t.accept($$WITH s AS (SELECT dp_count(*) AS n FROM patients) SELECT * FROM s$$);
SELECT t.accept($$WITH s AS (SELECT dp_count(*) AS n FROM patients) SELECT a.n - b.n FROM s AS a, s AS b$$);
SELECT t.accept($$WITH s AS MATERIALIZED (SELECT dp_count(*) AS n FROM patients) SELECT * FROM s$$);
SELECT t.accept($$WITH s AS NOT MATERIALIZED (SELECT dp_count(*) AS n FROM patients) SELECT a.n - b.n FROM s AS a, s AS b$$);
SELECT t.accept($$WITH RECURSIVE r AS (SELECT dp_count(*) AS n, 1 AS i FROM patients UNION ALL SELECT n, i + 1 FROM r WHERE i < 5) SELECT * FROM r$$);
SELECT t.accept($$WITH RECURSIVE r AS (SELECT 1::bigint AS n, 1 AS i UNION ALL SELECT (SELECT dp_count(*) FROM patients), i + 1 FROM r WHERE i < 5) SELECT * FROM r$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients UNION ALL SELECT dp_count(*) FROM patients WHERE smoker$$, 2);
SELECT t.accept($$SELECT dp_count(*) FROM patients UNION SELECT x FROM numbers$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients INTERSECT SELECT x FROM numbers$$);
SELECT t.accept($$SELECT x FROM numbers EXCEPT SELECT dp_count(*) FROM patients$$);
SELECT t.accept($$VALUES ((SELECT dp_count(*) FROM patients), 1)$$);
SELECT t.accept($$SELECT * FROM (VALUES ((SELECT dp_count(*) FROM patients))) AS v$$);
SELECT t.accept($$SELECT CASE WHEN x > 100 THEN (SELECT dp_count(*) FROM patients) END FROM numbers$$, 0);
SELECT t.refuse('0A000', $$SELECT (SELECT dp_count(*) FROM patients WHERE age > x) FROM numbers$$);
SELECT t.refuse('0A000', $$SELECT * FROM numbers, LATERAL (SELECT dp_count(*) FROM patients WHERE age > x) AS s$$);
SELECT t.refuse('0A000', $$SELECT (SELECT dp_count(*) + x FROM patients) FROM numbers$$);
SELECT t.refuse('0A000', $$SELECT (SELECT dp_count(*) FILTER (WHERE age = x) FROM patients) FROM numbers$$);
SELECT t.refuse('0A000', $$SELECT (SELECT dp_sum(age, 0, x) FROM patients) FROM numbers$$);
SELECT t.refuse('42501', $$SELECT (SELECT dp_count(x) FROM patients) FROM numbers$$);
SELECT t.refuse('0A000', $$SELECT (SELECT dp_count(*) + dp_count(numbers.x) FROM patients) FROM numbers$$);
SELECT t.accept($$SELECT dp_count(*) FROM patients UNION ALL SELECT count(*) FROM patients$$);
SELECT t.refuse('42501', $$SELECT (SELECT dp_count(*) FROM patients), age FROM patients$$);
SELECT t.refuse('42501', $$WITH s AS (SELECT dp_count(*) FROM patients), u AS MATERIALIZED (SELECT age FROM patients) SELECT * FROM s, u$$);
SELECT t.accept($$SELECT dp_count(*), (SELECT dp_count(*) FROM patients WHERE smoker) FROM patients$$, 2);
SELECT t.refuse('42501', $$SELECT * FROM dp_noise.release(1) AS r (n bigint)$$);
SELECT t.refuse('42501', $$SELECT dp_noise.release(1)$$);
SELECT t.refuse('42501', $$SELECT r.n, dp_count(*) FROM dp_noise.release(1) AS r (n bigint) GROUP BY r.n$$);

-- views, inheritance, policies
SELECT t.accept($$SELECT * FROM my_answer$$, 2);
SELECT t.accept($$SELECT n FROM my_answer AS a WHERE n > 0$$, 2);
SELECT t.accept($$SELECT n FROM owners_answer$$);
SELECT t.accept($$SELECT dp_count(*) FROM (SELECT n FROM my_answer) AS s$$, 2);
SELECT t.refuse('42501', $$SELECT * FROM my_rows$$);
SELECT t.refuse('42501', $$SELECT count(*) FROM owners_rows$$);
SELECT t.accept($$SELECT dp_count(*) FROM events$$);
SELECT t.accept($$SELECT dp_count(*) FROM events WHERE at >= '2021-01-01'$$);
SELECT t.accept($$SELECT dp_count(*) FROM parent$$);
SELECT t.refuse('42501', $$SELECT dp_count(*) FROM events_2020$$);
SELECT t.refuse('42501', $$SELECT dp_count(*) FROM child$$);
SELECT t.refuse('0A000', $$SELECT dp_count(*) FROM ONLY parent$$);
SELECT t.accept($$SELECT dp_count(*) FROM policed$$);
SELECT t.accept($$SELECT dp_count(*) FROM several$$);
SELECT t.accept($$SELECT dp_count(*) FROM swapped$$);

-- functions and prepared statements
SELECT t.accept($$SELECT counted()$$);
SELECT t.accept($$SELECT counted_atomic()$$);
SELECT t.accept($$SELECT counted_over(30)$$);
SELECT t.accept($$SELECT counted_plpgsql(30)$$);
SELECT t.accept($$SELECT counted_dynamic()$$);
SELECT t.accept($$SELECT counted_loop()$$);
SELECT t.accept($$SELECT counted_expression()$$);
SELECT t.accept($$SELECT definer()$$);
SELECT t.accept($$SELECT public.owners_function()$$);
SELECT t.accept($$SELECT counted() FROM numbers$$, 10);
SELECT t.accept($$SELECT * FROM counted_rows()$$, 2);
SELECT t.accept($$SELECT * FROM counted_rows_volatile()$$, 2);
SELECT t.accept($$SELECT counted_rows()$$, 2);
SELECT t.accept($$SELECT x, n FROM numbers, counted_rows()$$, 2);
SELECT t.accept($$CALL asking()$$);
SELECT t.accept($$DO 'BEGIN PERFORM dp_count(*) FROM public.patients; END'$$);
SELECT t.accept($$EXECUTE fixed_question$$);
SELECT t.accept($$EXECUTE question(30)$$);
SELECT t.accept($$EXECUTE question_bounds(0, 100, 0.5, 'laplace')$$);
SELECT t.accept($$EXECUTE question_list('{1,2,3}')$$);
SELECT t.accept($$EXECUTE question_list(NULL)$$);
SELECT t.refuse('22004', $$EXECUTE question_bounds(0, NULL, 0.5, 'laplace')$$);
SELECT t.refuse('22023', $$EXECUTE question_bounds(0, 100, 'NaN', 'laplace')$$);
SELECT t.refuse('22023', $$EXECUTE question_bounds(0, 100, 1, 'nonsense')$$);
SELECT t.accept($$SELECT raw()$$, 1);
SELECT t.refuse('42501', $$SELECT * FROM raw_rows()$$);
SELECT t.accept($$DO 'BEGIN PERFORM count(*) FROM public.patients; END'$$, 1);

-- statements that store or change
SELECT t.accept($$CREATE TABLE stored AS SELECT dp_count(*) AS n FROM patients$$);
SELECT t.accept($$CREATE TEMP TABLE stored_temp AS SELECT dp_count(*) AS n FROM patients$$);
SELECT t.accept($$CREATE TABLE stored_execute AS EXECUTE question(30)$$);
SELECT t.accept($$CREATE TABLE stored_nothing AS SELECT dp_count(*) AS n FROM patients WITH NO DATA$$, 0);
SELECT t.accept($$CREATE MATERIALIZED VIEW stored_view AS SELECT dp_count(*) AS n FROM patients$$);
SELECT t.accept($$REFRESH MATERIALIZED VIEW stored_view$$);
SELECT t.accept($$CREATE VIEW defined AS SELECT dp_count(*) AS n FROM patients$$, 0);
SELECT t.accept($$INSERT INTO mine SELECT dp_count(*) FROM patients$$);
SELECT t.accept($$INSERT INTO mine (SELECT n FROM (SELECT dp_count(*) AS n FROM patients) AS s) RETURNING x$$);
SELECT t.accept($$INSERT INTO mine VALUES ((SELECT dp_count(*) FROM patients))$$);
SELECT t.accept($$INSERT INTO mine VALUES (1) RETURNING (SELECT dp_count(*) FROM patients)$$);
SELECT t.accept($$WITH s AS (SELECT dp_count(*) AS n FROM patients) INSERT INTO mine SELECT n FROM s$$);
SELECT t.refuse('0A000', $$INSERT INTO keyed SELECT 1, dp_count(*) FROM patients ON CONFLICT (x) DO UPDATE SET y = excluded.y$$);
SELECT t.refuse('0A000', $$INSERT INTO keyed SELECT 1, dp_count(*) FROM patients ON CONFLICT DO NOTHING$$);
SELECT t.accept($$UPDATE mine SET x = (SELECT dp_count(*) FROM patients)$$);
SELECT t.accept($$UPDATE mine SET x = x + (SELECT max(n) FROM (SELECT age, count(*) AS n FROM patients WHERE age IN (1, 2) GROUP BY age) AS s) WHERE x > (SELECT sum(bmi) FROM patients)$$, 2);
SELECT t.accept($$DELETE FROM mine WHERE x < (SELECT dp_count(*) FROM patients WHERE age = 4)$$);
SELECT t.refuse('0A000', $$UPDATE mine SET x = (SELECT n FROM (SELECT age, count(*) AS n FROM patients WHERE age IN (1, 2) GROUP BY age) AS s WHERE s.age = mine.x)$$);
SELECT t.refuse('0A000', $$UPDATE mine SET (x) = (SELECT dp_count(*) FROM patients)$$);
SELECT t.refuse('0A000', $$DELETE FROM mine WHERE x IN (SELECT dp_count(*) FROM patients)$$);
SELECT t.refuse('0A000', $$DELETE FROM mine WHERE EXISTS (SELECT WHERE mine.x > (SELECT dp_count(*) FROM patients))$$);
SELECT t.refuse('0A000', $$WITH s AS (SELECT dp_count(*) AS n FROM patients) UPDATE mine SET x = (SELECT n FROM s)$$);
SELECT t.refuse('0A000', $$UPDATE mine SET x = n FROM (SELECT dp_count(*) AS n FROM patients) AS s$$);
SELECT t.refuse('0A000', $$DELETE FROM mine USING (SELECT dp_count(*) AS n FROM patients) AS s WHERE x < n$$);
-- nor does WITH hide the protected relation, from whoever may read it, too
SELECT is(left(t.run('postgres', q), 5), '0A000', q) FROM (VALUES
	($$WITH a AS (SELECT * FROM patients) UPDATE gate_ann.mine SET x = s.n FROM (SELECT dp_count(*) AS n FROM a) AS s$$),
	($$WITH a AS (SELECT * FROM patients) DELETE FROM gate_ann.mine WHERE EXISTS (SELECT WHERE mine.x > (SELECT dp_count(*) FROM a))$$)) AS v (q);
SELECT t.refuse('0A000', $$MERGE INTO keyed USING (SELECT dp_count(*) AS n FROM patients) AS s ON x = n WHEN MATCHED THEN DELETE$$);
-- rows are changed in WITH by the same rules, and a question reads none of these
SELECT t.accept($$WITH d AS (DELETE FROM mine WHERE x = -1 RETURNING x) SELECT dp_count(*) FROM patients$$);
SELECT t.accept($$WITH s AS (SELECT dp_count(*) AS n FROM patients), i AS (INSERT INTO mine SELECT n FROM s RETURNING x) SELECT * FROM i$$);
SELECT t.accept($$WITH i AS (INSERT INTO mine SELECT dp_count(*) FROM patients RETURNING x) SELECT 1 WHERE false$$);
SELECT t.accept($$WITH i AS (INSERT INTO mine SELECT dp_count(*) FROM patients RETURNING x), u AS (UPDATE mine SET x = x + 1 WHERE x = -1 RETURNING x) SELECT i.x FROM i$$);
SELECT t.accept($$WITH i AS (INSERT INTO mine VALUES (1) RETURNING x) SELECT i.x, n FROM i, (SELECT dp_count(*) AS n FROM patients) AS s$$);
SELECT t.refuse('0A000', q) FROM unnest(ARRAY[
	$$WITH i AS (INSERT INTO mine VALUES (1) RETURNING x) SELECT dp_count(*) FROM patients WHERE age > (SELECT max(x) FROM i)$$,
	$$WITH i AS (INSERT INTO mine VALUES (1) RETURNING x) SELECT dp_count(*) FROM patients JOIN i ON x = age$$,
	$$WITH i AS (INSERT INTO mine VALUES (1) RETURNING x) SELECT dp_count(*) FROM patients WHERE age IN (SELECT x FROM i)$$,
	$$WITH i AS (INSERT INTO keyed SELECT 1, dp_count(*) FROM patients ON CONFLICT (x) DO UPDATE SET y = excluded.y RETURNING x) SELECT * FROM i$$,
	$$WITH i AS (INSERT INTO keyed VALUES (1, 1) ON CONFLICT DO NOTHING RETURNING x) SELECT dp_count(*) FROM patients$$,
	$$WITH u AS (UPDATE mine SET x = n FROM (SELECT dp_count(*) AS n FROM patients) AS s RETURNING x) SELECT * FROM u$$,
	-- a row that is read again would get an answer of its own
	$$WITH u AS (UPDATE mine SET x = (SELECT dp_count(*) FROM patients) RETURNING x) SELECT * FROM u$$,
	$$WITH u AS (UPDATE mine SET x = CASE WHEN x > 1 THEN (SELECT count(*) FROM patients) ELSE 0 END RETURNING x) SELECT u.*, (SELECT count(*) FROM patients) FROM u$$,
	$$WITH d AS (DELETE FROM mine WHERE x > (SELECT dp_count(*) FROM patients) RETURNING x) SELECT * FROM d$$,
	$$WITH u AS (UPDATE mine SET x = 1 RETURNING (SELECT dp_count(*) FROM patients)) SELECT * FROM u$$,
	$$WITH s AS (SELECT dp_count(*) AS n FROM patients), u AS (UPDATE mine SET x = (SELECT n FROM s) RETURNING x) SELECT * FROM u$$,
	$$WITH s AS (SELECT dp_count(*) AS n FROM patients), u AS (UPDATE mine SET x = n FROM s RETURNING x) SELECT * FROM u$$,
	$$WITH s AS (SELECT dp_count(*) AS n FROM patients), d AS (DELETE FROM mine WHERE EXISTS (SELECT FROM s WHERE n < x) RETURNING x) SELECT * FROM d$$,
	$$WITH d AS (DELETE FROM mine WHERE x IN (SELECT dp_count(*) FROM patients) RETURNING x) SELECT * FROM d$$
]) AS q;
SELECT t.refuse('42501', q) FROM unnest(ARRAY[
	$$WITH i AS (INSERT INTO mine SELECT age FROM patients RETURNING x) SELECT * FROM i$$,
	$$WITH i AS (INSERT INTO mine SELECT age FROM patients RETURNING x) SELECT dp_count(*) FROM patients$$,
	$$WITH u AS (UPDATE mine SET x = age FROM patients RETURNING x) SELECT dp_count(*) FROM patients$$,
	$$WITH d AS (DELETE FROM patients RETURNING age) SELECT dp_count(*) FROM patients$$
]) AS q;
SELECT t.refuse('0A000', $$SELECT n FROM (SELECT dp_count(*) AS n FROM patients) AS s FOR UPDATE$$);
SELECT t.refuse('0A000', $$SELECT n FROM (SELECT dp_count(*) AS n FROM patients) AS s, numbers FOR SHARE OF numbers$$);
SELECT t.refuse('42501', $$INSERT INTO patients (id, age) SELECT dp_count(*), 1 FROM patients$$);
SELECT t.refuse('42501', $$UPDATE patients SET age = 1$$);
SELECT t.refuse('42501', $$DELETE FROM patients$$);
SELECT t.refuse('42501', $$CREATE TABLE copied AS SELECT * FROM patients$$);
SELECT t.refuse('42501', $$LOCK TABLE patients$$);
SELECT t.refuse('42501', $$CREATE TABLE likewise (LIKE patients)$$);
SELECT t.refuse('42501', $$CREATE TABLE inheriting () INHERITS (patients)$$);
SELECT t.refuse('42501', $$CREATE TABLE referring (id integer REFERENCES patients)$$);
SELECT t.refuse('42501', $$CREATE STATISTICS many ON age, id FROM patients$$);
SELECT t.refuse('42501', $$CREATE INDEX ON patients (age)$$);
SELECT t.refuse('42501', $$CREATE RULE r AS ON SELECT TO patients DO INSTEAD SELECT 1$$);
SELECT t.refuse('42501', $$COPY patients TO '/dev/null'$$);
SELECT t.refuse('42501', $$TRUNCATE patients$$);

-- EXPLAIN
SELECT t.accept($$EXPLAIN  SELECT dp_count(*), dp_mean(age) FROM patients$$, 0);
SELECT t.accept($$EXPLAIN (VERBOSE) SELECT dp_count(*), dp_mean(age) FROM patients$$, 0);
SELECT t.accept($$EXPLAIN (COSTS off) SELECT dp_count(*), dp_mean(age) FROM patients$$, 0);
SELECT t.accept($$EXPLAIN (BUFFERS) SELECT dp_count(*), dp_mean(age) FROM patients$$, 0);
SELECT t.accept($$EXPLAIN (SETTINGS) SELECT dp_count(*), dp_mean(age) FROM patients$$, 0);
SELECT t.accept($$EXPLAIN (FORMAT JSON) SELECT dp_count(*), dp_mean(age) FROM patients$$, 0);
SELECT t.accept($$EXPLAIN (FORMAT XML) SELECT dp_count(*), dp_mean(age) FROM patients$$, 0);
SELECT t.accept($$EXPLAIN (FORMAT YAML) SELECT dp_count(*), dp_mean(age) FROM patients$$, 0);
SELECT t.accept($$EXPLAIN (VERBOSE, BUFFERS, SETTINGS, SUMMARY, FORMAT JSON) SELECT dp_count(*), dp_mean(age) FROM patients$$, 0);
SELECT t.accept($$EXPLAIN EXECUTE question(30)$$, 0);
SELECT t.accept($$EXPLAIN SELECT * FROM my_answer$$, 0);
SELECT t.accept($$EXPLAIN INSERT INTO mine SELECT dp_count(*) FROM patients$$, 0);
SELECT t.accept($$EXPLAIN CREATE TABLE explained AS SELECT dp_count(*) AS n FROM patients$$, 0);
SELECT t.accept($$EXPLAIN SELECT dp_count(*) FROM poor$$, 0);
SELECT t.accept($$EXPLAIN ANALYZE SELECT dp_count(*) FROM patients$$);
SELECT t.accept($$EXPLAIN (ANALYZE, VERBOSE) SELECT dp_count(*) FROM patients$$);
SELECT t.accept($$EXPLAIN (ANALYZE, BUFFERS, WAL) SELECT dp_count(*) FROM patients$$);
SELECT t.accept($$EXPLAIN (ANALYZE, SETTINGS, FORMAT JSON) SELECT dp_count(*) FROM patients$$);
SELECT t.accept($$EXPLAIN (ANALYZE, TIMING off, SUMMARY off) SELECT dp_count(*) FROM patients$$);
SELECT t.accept($$EXPLAIN ANALYZE EXECUTE question(30)$$);
SELECT t.accept($$EXPLAIN ANALYZE INSERT INTO mine SELECT dp_count(*) FROM patients$$);
SELECT t.accept($$EXPLAIN ANALYZE CREATE TABLE explained AS SELECT dp_count(*) AS n FROM patients$$);
SELECT t.accept($$EXPLAIN ANALYZE SELECT x, (SELECT dp_count(*) FROM patients) FROM numbers$$);
SELECT t.accept($$EXPLAIN SELECT count(*) FROM patients$$, 0);
SELECT t.refuse('42501', $$EXPLAIN (COSTS off) SELECT * FROM patients WHERE liar(age)$$);
SELECT t.refuse('42501', $$EXPLAIN ANALYZE SELECT * FROM patients$$);
SELECT t.refuse('0A000', $$EXPLAIN SELECT dp_count(*) FROM patients WHERE liar(age)$$);
SELECT t.refuse('42501', $$EXPLAIN ANALYZE SELECT dp_count(*) FROM poor$$);

-- What a function cannot run: COPY, cursors over more than a fetch, SELECT INTO.
CREATE FUNCTION t.charged_since(n bigint, wanted bigint, what text) RETURNS text LANGUAGE sql AS
$$SELECT is(t.charges() - n, wanted, what)$$;
CREATE TABLE t.before (n bigint);
INSERT INTO t.before SELECT t.charges();
SET SESSION AUTHORIZATION gate_ann;
COPY (SELECT dp_count(*) FROM patients) TO STDOUT \g /dev/null
RESET SESSION AUTHORIZATION;
SELECT t.charged_since(n, 1, 'COPY (SELECT ...) TO STDOUT') FROM t.before;
SET SESSION AUTHORIZATION gate_ann;
SELECT dp_count(*) AS n INTO gate_ann.selected FROM patients;
RESET SESSION AUTHORIZATION;
SELECT t.charged_since(n, 2, 'SELECT INTO') FROM t.before;
SET SESSION AUTHORIZATION gate_ann;
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT dp_count(*) AS n FROM patients;
FETCH NEXT FROM c \gset first_
FETCH LAST FROM c \gset last_
FETCH FIRST FROM c \gset again_
COMMIT;
FETCH FIRST FROM c \gset held_
CLOSE c;
RESET SESSION AUTHORIZATION;
SELECT t.charged_since(n, 3, 'a scrolled cursor, held over the commit') FROM t.before;
SELECT is(ARRAY[:last_n, :again_n, :held_n], ARRAY[:first_n, :first_n, :first_n], 'shows one answer');
SET SESSION AUTHORIZATION gate_ann;
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) AS n FROM patients;
DECLARE d CURSOR FOR SELECT dp_count(*) AS n FROM patients;
FETCH ALL FROM c \g /dev/null
MOVE 0 FROM c;
FETCH ALL FROM c \g /dev/null
COMMIT;
RESET SESSION AUTHORIZATION;
SELECT t.charged_since(n, 4, 'cursors are charged at their first fetch, and once') FROM t.before;
SET SESSION AUTHORIZATION gate_ann;
BEGIN;
DECLARE c NO SCROLL CURSOR WITH HOLD FOR SELECT dp_count(*) AS n FROM patients;
COMMIT;
FETCH ALL FROM c \g /dev/null
CLOSE c;
RESET SESSION AUTHORIZATION;
SELECT t.charged_since(n, 5, 'a cursor first run at commit') FROM t.before;

-- Plans of each kind.
SET plan_cache_mode = force_generic_plan;
SELECT t.accept('EXECUTE question(31)');
SELECT t.accept('EXECUTE question(32)');
SELECT t.accept('EXECUTE question_bounds(0, 100, 0.5, ''laplace'')');
SELECT t.accept('EXECUTE question_list(''{1}'')');
SELECT t.accept('EXPLAIN EXECUTE question(30)', 0);
SELECT t.accept('EXPLAIN ANALYZE EXECUTE question(30)');
SELECT t.accept('SELECT counted_plpgsql(30)');
SET plan_cache_mode = force_custom_plan;
SELECT t.accept('EXECUTE question(31)');
SELECT t.accept('EXECUTE question_bounds(0, 100, 0.5, ''laplace'')');
SELECT t.accept('EXPLAIN ANALYZE EXECUTE question(30)');
SELECT t.accept('SELECT counted_plpgsql(30)');
RESET plan_cache_mode;
SET :debug_parallel_query = on;
SELECT t.accept('SELECT dp_count(*), dp_median_exp(age) FROM patients', 2);
SELECT t.accept('SELECT (SELECT dp_count(*) FROM patients), x FROM numbers');
SELECT t.accept('SELECT counted()');
RESET :debug_parallel_query;

SELECT * FROM finish();
\ir support/gate_end.sql
