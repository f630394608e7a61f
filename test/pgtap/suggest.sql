-- dp_noise.suggest(): what it suggests, what that costs, and who may ask.
--
-- With an epsilon of 1000 the noise is 0 but with probability exp(-250), and a
-- suggestion is the first candidate that at most T units exceed.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.visits (person integer, ward text COLLATE "C", days integer, cost double precision, paid numeric, arrived date, seen timestamptz, note jsonb);
-- Person p of 200 has p rows, in 1 + p % 4 wards.
INSERT INTO public.visits
SELECT p, 'w' || r % (1 + p % 4), CASE WHEN p > 100 THEN -p ELSE p END, p * 1.5, p / 1000.0, date '2001-06-01' + p, timestamptz '2011-06-01 00:00Z' + p * interval '1 day', '{}'
FROM generate_series(1, 200) AS p, generate_series(1, p) AS r;
INSERT INTO public.visits SELECT NULL, 'w0', 30000, 1e9, 1e9, '2150-01-01', '2150-01-01 00:00Z', '{}' FROM generate_series(1, 3000);
RESET ROLE;

-- What the answer should be: the first candidate that at most so many exceed.
CREATE FUNCTION t.first_of(sizes numeric[], most integer) RETURNS text LANGUAGE sql AS $$
	SELECT c::text FROM (SELECT DISTINCT ceil(power(2, i / 4.0::float8))::numeric AS c FROM generate_series(0, 120) AS i) AS candidates
	WHERE (SELECT count(*) FROM unnest(sizes) AS s WHERE s > c) <= most
	ORDER BY candidates.c LIMIT 1
$$;
CREATE FUNCTION t.suggested(relation regclass, setting text, epsilon_later numeric, group_by text[] DEFAULT NULL, columns text[] DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
	SELECT suggested FROM dp_noise.suggest(relation, 1000, epsilon_later, group_by, columns, ARRAY[setting])
$$;

-- A table needs a ledger first, and the hints name the way.
SELECT throws_ok($$SELECT * FROM dp_noise.suggest('visits')$$, '55000', 'relation "visits" is not protected');
CREATE FUNCTION t.hint(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE command;
	RETURN NULL;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END
$$;
SELECT matches(t.hint($$SELECT * FROM dp_noise.suggest('visits')$$), 'dp_noise\.protect\(\)');
SELECT throws_ok($$SELECT dp_noise.protect('visits', privacy_unit => 'person')$$, '22004', 'max_rows_per_unit is missing: several rows of public.visits may have one person');
SELECT matches(t.hint($$SELECT dp_noise.protect('visits', privacy_unit => 'person')$$), 'dp_noise\.suggest\(\)', 'the hint of a missing cap names the function');

SET ROLE gate_owner;
SELECT dp_noise.protect('visits', privacy_unit => 'person', max_rows_per_unit => 1, epsilon => 1e6, delta => 1);
RESET ROLE;

-- Units are counted, not rows, by their greatest, and not as capped; rows of nobody do not count.
SELECT is(t.suggested('visits', 'max_rows_per_unit', 0.1), t.first_of(ARRAY(SELECT p FROM generate_series(1, 200) AS p), 11), 'rows: as many units exceed it as later noise is large');
SELECT is(t.suggested('visits', 'max_rows_per_unit', 0.01), t.first_of(ARRAY(SELECT p FROM generate_series(1, 200) AS p), 101), 'fewer where more noise comes');
SELECT is(t.suggested('visits', 'max_rows_per_unit', 0.0572), '182', 'which 18 exceed: nobody is not one more');
SELECT is(t.suggested('visits', 'max_rows_per_unit', 0.1, '{ward}'),
	t.first_of(ARRAY(SELECT max(n) FROM (SELECT person, count(*) AS n FROM visits WHERE person IS NOT NULL GROUP BY person, ward) AS g GROUP BY person), 11), 'rows in the greatest group');
SELECT is(t.suggested('visits', 'max_groups_per_unit', 0.1, '{ward}'), '4', 'groups');
SELECT is(t.suggested('visits', 'max_groups_per_unit', 0.007, '{ward}'), '2', 'groups that few units exceed');
SELECT is(t.suggested('visits', 'max_groups_per_unit', 0.1, '{ward,days}'), '4', 'of two columns');
SELECT is(t.suggested('visits', 'bounds', 0.1, columns => '{days}'), '-216 .. 91', 'integers, below and above 0');
SELECT is(t.suggested('visits', 'bounds', 0.1, columns => '{cost}'), '0 .. 305', 'other numbers');
SELECT is(t.suggested('visits', 'bounds', 0.1, columns => '{paid}'), '0 .. 0.211', 'numeric');
SELECT is(t.suggested('visits', 'bounds', 0.1, columns => '{arrived}'), '2001-01-01 .. 2002-01-01', 'dates');
SELECT is(t.suggested('visits', 'bounds', 0.1, columns => '{seen}'), '2011-01-01 00:00:00+00 .. 2012-01-01 00:00:00+00', 'timestamps');
SELECT is(array_agg(concat_ws(' ', setting, column_name)), '{max_rows_per_unit,bounds days,bounds cost,bounds paid,bounds arrived,bounds seen}', 'what applies') FROM dp_noise.suggest('visits', 1000);

-- The calls that it returns set what it suggests, and nothing else.
SELECT dp_noise.protect('visits', privacy_unit => 'person', neighbours => 'substitute', max_rows_per_unit => 1, max_groups_per_unit => 7, replace_unit => true);
SELECT statement AS call FROM dp_noise.suggest('visits', 1000, 0.1, settings => '{max_rows_per_unit}') \gset
:call
SELECT is(format('%s %s %s %s', privacy_unit, neighbours, max_rows_per_unit, max_groups_per_unit), 'person substitute 216 7', 'the statement of a cap keeps the rest; exchanges too')
FROM dp_noise.protected_relations WHERE relation = 'visits'::regclass;
SELECT statement FROM dp_noise.suggest('visits', 1000, 0.1, columns => '{days,arrived,seen}', settings => '{bounds}') \gexec
SELECT is(array_agg(concat_ws(' ', setting, column_name)), '{max_rows_per_unit,bounds cost,bounds paid}', 'what has bounds is not suggested') FROM dp_noise.suggest('visits', 1000);
SELECT dp_noise.protect('visits', privacy_unit => 'person', max_rows_per_unit => 1, replace_unit => true);

-- Few units, none at all, and values at the ends.
SET ROLE gate_owner;
CREATE DOMAIN public.amount AS bigint;
CREATE TABLE public.ends (id integer PRIMARY KEY, big public.amount, x float8, r real, n numeric, d date, s timestamp, same integer, small smallint);
SELECT dp_noise.protect('ends', epsilon => 1e6, delta => 1);
RESET ROLE;
SELECT is(array_agg(suggested ORDER BY column_name), '{"0 .. 0","1800-01-01 .. 2200-01-01","0 .. 0","0 .. 0","0 .. 0","1800-01-01 00:00:00 .. 2200-01-01 00:00:00","0 .. 0","0 .. 0","0 .. 0"}', 'no rows')
FROM dp_noise.suggest('ends', 1000, columns => '{big,d,id,n,r,s,same,small,x}');
INSERT INTO ends SELECT i, CASE i % 2 WHEN 0 THEN 9223372036854775807 ELSE -9223372036854775808 END, CASE i % 3 WHEN 0 THEN float8 'infinity' WHEN 1 THEN 'NaN' ELSE 1 END,
	'-infinity', CASE i % 2 WHEN 0 THEN '1e-300' ELSE 'NaN' END::numeric, CASE i % 2 WHEN 0 THEN 'infinity' ELSE '-infinity' END::date, '2020-01-01', 5, NULL
FROM generate_series(1, 300) AS i;
SELECT is(array_agg(suggested ORDER BY column_name), '{"-4611686018427387904 .. 4611686018427387904","1800-01-01 .. 2200-01-01","0 .. 305","0 .. 9.54e-07","-1.27e+30 .. 0","2020-01-01 00:00:00 .. 2020-01-01 00:00:00","0 .. 5","0 .. 0","0 .. 1.27e+30"}', 'values at the ends of their types')
FROM dp_noise.suggest('ends', 1000, columns => '{big,d,id,n,r,s,same,small,x}');
SELECT statement FROM dp_noise.suggest('ends', 1000, columns => '{big,d,n,r,s,same,small,x}') \gexec
SELECT is((SELECT count(*) FROM dp_noise.suggest('ends', 1000, columns => '{}')), 0::bigint, 'no columns: no suggestions');
SELECT is((SELECT count(*) FROM dp_noise.suggest('ends', 1000) WHERE column_name <> 'id'), 0::bigint, 'all have bounds now');

-- Along a path, to a column and to rows.
SET ROLE gate_owner;
CREATE TABLE public.homes (home integer PRIMARY KEY, street text);
CREATE TABLE public.people (person integer PRIMARY KEY, home integer REFERENCES public.homes);
CREATE TABLE public.calls (call integer, person integer REFERENCES public.people, minutes integer);
INSERT INTO public.homes SELECT i, 's' FROM generate_series(1, 50) AS i;
INSERT INTO public.people SELECT i, CASE WHEN i <= 200 THEN 1 + i % 50 END FROM generate_series(1, 210) AS i;
INSERT INTO public.calls SELECT i, 1 + i % 210, i % 100 FROM generate_series(1, 2100) AS i;
INSERT INTO public.calls SELECT i, NULL, 1000000 FROM generate_series(3001, 3500) AS i;
SELECT dp_noise.protect('public.homes', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('public.people', privacy_unit => 'home -> homes', max_rows_per_unit => 1);
SELECT dp_noise.protect('public.calls', privacy_unit => 'person -> people', max_rows_per_unit => 1);
RESET ROLE;
SELECT is(t.suggested('public.people', 'max_rows_per_unit', 1), '4', 'rows of what a path leads to');
SELECT is(t.suggested('public.calls', 'max_rows_per_unit', 1), '46', 'of a longer path');
SELECT is(trim_scale(epsilon_spent), 2000.0, 'for which their population pays') FROM dp_noise.populations WHERE population = 'public.homes';
SELECT is(t.suggested('public.calls', 'bounds', 1, columns => '{minutes}'), '0 .. 108', 'bounds by units of a path; rows of nobody do not count');
SELECT is(array_agg(concat_ws(' ', setting, column_name)), '{max_rows_per_unit,bounds call,bounds minutes}', 'not of the columns of the path') FROM dp_noise.suggest('calls', 1000);
SET ROLE gate_owner;
CREATE TABLE public.tickets (ticket integer PRIMARY KEY, number integer UNIQUE, person integer REFERENCES public.people, home integer REFERENCES public.homes, price integer);
INSERT INTO public.tickets SELECT i, -i, person, home, 3 FROM public.people, generate_series(10 * person, 10 * person + 1) AS i;
SELECT dp_noise.protect('public.tickets', privacy_unit => 'person', max_rows_per_unit => 3, epsilon => 1e6);
RESET ROLE;
SELECT is(array_agg(concat_ws(' ', setting, column_name)), '{max_rows_per_unit,bounds price}', 'nor of keys and references') FROM dp_noise.suggest('tickets', 1000);
SELECT statement AS call FROM dp_noise.suggest('calls', 1000, settings => '{max_rows_per_unit}') \gset
:call
SELECT is(format('%s %s', privacy_unit, max_rows_per_unit), 'person -> public.people (person) 46', 'and it stays the same path') FROM dp_noise.protected_relations WHERE relation = 'calls'::regclass;

-- Names that are SQL.
CREATE SCHEMA "it's; a ""schema";
GRANT ALL ON SCHEMA "it's; a ""schema" TO gate_owner;
SET ROLE gate_owner;
CREATE TABLE "it's; a ""schema"."t'; DROP TABLE public.visits; --" ("p""; SELECT 1/0; --" integer, "x'y) FROM public.visits; --" integer, "g"", (SELECT 1/0)" integer, "%s" integer);
INSERT INTO "it's; a ""schema"."t'; DROP TABLE public.visits; --" SELECT i % 100, i % 50, i % 3, 7 FROM generate_series(1, 300) AS i;
SELECT dp_noise.protect('"it''s; a ""schema"."t''; DROP TABLE public.visits; --"', privacy_unit => 'p"; SELECT 1/0; --', max_rows_per_unit => 1, epsilon => 1e6, delta => 1);
RESET ROLE;
SELECT is(array_agg(concat_ws(' ', column_name, suggested)), ARRAY['1', '3', 'x''y) FROM public.visits; -- 0 .. 54', 'g", (SELECT 1/0) 0 .. 2', '%s 0 .. 7'], 'hostile names')
FROM dp_noise.suggest('"it''s; a ""schema"."t''; DROP TABLE public.visits; --"', 1000, group_by => ARRAY['g", (SELECT 1/0)', '%s']);
SELECT statement FROM dp_noise.suggest('"it''s; a ""schema"."t''; DROP TABLE public.visits; --"', 1000, group_by => ARRAY['g", (SELECT 1/0)', '%s']) \gexec
SELECT is((SELECT count(*) FROM visits WHERE person IS NULL), 3000::bigint, 'are names in the statements, too');
SELECT is(max_groups_per_unit, 3) FROM dp_noise.protected_relations WHERE privacy_unit = 'p"; SELECT 1/0; --';

-- Rights.
SELECT is(t.run('gate_ann', $$SELECT suggested FROM dp_noise.suggest('visits')$$), '42501: must be owner of relation visits', 'an analyst may not ask');
SELECT dp_noise.set_budget('gate_ann', 'visits', 1);
SELECT is(t.run('gate_ann', $$SELECT suggested FROM dp_noise.suggest('visits')$$), '42501: must be owner of relation visits', 'not with a budget either');
SELECT dp_noise.drop_budget('gate_ann', 'visits');
SELECT matches(t.run('gate_owner', $$SELECT suggested FROM dp_noise.suggest('visits')$$), '^\d+$', 'the owner may');
CREATE FUNCTION t.lent() RETURNS SETOF text LANGUAGE sql SECURITY DEFINER AS 'SELECT suggested FROM dp_noise.suggest(''public.visits'', settings => ''{max_rows_per_unit}'')';
ALTER FUNCTION t.lent() OWNER TO gate_owner;
SELECT is(t.run('gate_ann', 'SELECT t.lent()'), '42501: role "gate_ann" has no privacy budget for "visits"', 'who is logged in pays, whoever lends the right');
SELECT dp_noise.set_budget('gate_ann', 'visits', 0.15);
SELECT matches(t.run('gate_ann', 'SELECT t.lent()'), '^\d+$', 'from a budget');
SELECT matches(t.run('gate_ann', 'SELECT t.lent()'), '^53400: ', 'as long as it suffices');

-- What it costs: each suggestion, and each time.
SET ROLE gate_owner;
CREATE TABLE public.paid (person integer, a integer, b integer);
INSERT INTO public.paid SELECT i % 100, i, i FROM generate_series(1, 300) AS i;
SELECT dp_noise.protect('public.paid', privacy_unit => 'person', max_rows_per_unit => 1, epsilon => 1);
RESET ROLE;
CREATE FUNCTION t.spent() RETURNS numeric LANGUAGE sql AS $$SELECT epsilon_spent FROM dp_noise.budgets WHERE population = 'public.paid' AND role IS NULL$$;
SELECT is((SELECT array_agg(epsilon) FROM dp_noise.suggest('paid')), '{0.1,0.1,0.1}', 'of each suggestion');
SELECT is(t.spent(), 0.3, 'the grant pays for each');
SELECT is(t.run('gate_owner', $$SELECT count(*) FROM dp_noise.suggest('paid', 0.125, settings => '{max_rows_per_unit}')$$), '1', 'one alone');
SELECT is(t.run('gate_owner', $$SELECT count(*) FROM dp_noise.suggest('paid', 0.125, settings => '{max_rows_per_unit}')$$), '1', 'again');
SELECT is(t.spent(), 0.55, 'is charged again, and alone');
SELECT is((SELECT count(*) FROM dp_noise.suggest('paid', columns => '{}', settings => '{bounds}')), 0::bigint);
SELECT is(t.spent(), 0.55, 'nothing for nothing');
SELECT is(array_agg(format('%s %s %s %s %s', aggregate, mechanism, epsilon, delta, role) ORDER BY at), (array_fill('suggest above_threshold 0.1 0 ' || session_user, '{3}')
	|| array_fill('suggest above_threshold 0.125 0 gate_owner'::text, '{2}')), 'the ledger') FROM dp_noise.ledger WHERE population = 'public.paid';
-- R(e) = e (1 - exp(-e)) / (1 + exp(-e)), rounded up; and of bounds, which are two walks, twice R(e/2).
CREATE FUNCTION t.rho(e numeric) RETURNS numeric LANGUAGE sql AS 'SELECT e * (1 - exp(-e::numeric(60, 50))) / (1 + exp(-e::numeric(60, 50)))';
SELECT is((SELECT count(*) FROM dp_noise.suggest('paid', 0.125, columns => '{a}')), 2::bigint);
SELECT is(array_agg(l.rho - r.rho BETWEEN 0 AND 2e-24 ORDER BY at), '{t,t,t,t}', 'rho, to its last digit')
FROM (SELECT at, rho, row_number() OVER (ORDER BY at) = 4 AS is_bounds FROM dp_noise.ledger WHERE population = 'public.paid' AND epsilon = 0.125) AS l
CROSS JOIN LATERAL (SELECT CASE WHEN is_bounds THEN 2 * t.rho(0.0625) ELSE t.rho(0.125) END) AS r (rho);
SELECT is(t.spent(), 0.8);

-- What is not paid for is not read, and nothing of it is charged.
CREATE SEQUENCE t.reads;
GRANT ALL ON t.reads TO gate_owner;
CREATE FUNCTION t.spy(integer) RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM nextval(''t.reads''); RETURN true; END';
SET ROLE gate_owner;
CREATE POLICY spy ON public.paid USING (t.spy(a));
ALTER TABLE public.paid ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.paid FORCE ROW LEVEL SECURITY;
RESET ROLE;
SELECT matches(t.run('gate_owner', $$SELECT * FROM dp_noise.suggest('paid')$$), '^53400: ', 'three do not fit into what is left');
SELECT throws_ok($$SELECT * FROM dp_noise.suggest('paid')$$, '53400', NULL, 'nor for a superuser');
SELECT is(t.spent(), 0.8, 'none of them is charged');
SELECT ok(NOT is_called, 'no row was read') FROM t.reads;
SELECT is((SELECT count(*) FROM dp_noise.suggest('paid', settings => '{max_rows_per_unit}')), 1::bigint, 'one does');
SELECT ok(is_called, 'for which rows are read, by the owner''s policies') FROM t.reads;

-- A superuser lends the owner's code nothing, and no question is asked beneath.
CREATE OR REPLACE FUNCTION t.spy(integer) RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN IF current_user <> ''gate_owner'' THEN PERFORM setval(''t.reads'', 100000); END IF; RETURN true; END';
SELECT is((SELECT count(*) FROM dp_noise.suggest('paid', 0.001, settings => '{max_rows_per_unit}')), 1::bigint);
SELECT ok(last_value < 100000, 'it runs as the owner') FROM t.reads;
CREATE TABLE t.charged_before AS SELECT count(*) FROM dp_noise.ledger WHERE population = 'public.visits';
CREATE OR REPLACE FUNCTION t.spy(integer) RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM dp_noise.suggest(''public.visits''); RETURN true; END';
SELECT throws_ok($$SELECT dp_noise.suggest('paid', 0.001, settings => '{max_rows_per_unit}')$$, '0A000', NULL, 'a suggestion within a suggestion');
SELECT is((SELECT count(*) FROM dp_noise.ledger WHERE population = 'public.visits'), (SELECT count FROM t.charged_before), 'charges nothing');
CREATE OR REPLACE FUNCTION t.spy(integer) RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN RAISE EXCEPTION ''row %'', $1; END';
SELECT unalike(t.run('gate_owner', $$SELECT dp_noise.suggest('paid', 0.001, settings => '{max_rows_per_unit}')$$), '%row%1%', 'errors do not quote rows');
SELECT is(t.spent(), 0.903, 'what failed is charged all the same');

-- Few units beyond what is suggested, with noise. A candidate that s units too many
-- exceed stops the walk with probability exp(-epsilon s/2) at most, for each of 121.
SET ROLE gate_owner;
CREATE TABLE public.zipf (person integer);
INSERT INTO public.zipf SELECT p FROM generate_series(1, 10000) AS p, LATERAL generate_series(1, least(10000 / p, 1000)) AS r;
SELECT dp_noise.protect('public.zipf', privacy_unit => 'person', max_rows_per_unit => 1, epsilon => 1e6, delta => 1);
RESET ROLE;
CREATE FUNCTION t.beyond(epsilon numeric) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM (SELECT count(*) AS n FROM zipf GROUP BY person) AS u
	WHERE n > (SELECT suggested::integer FROM dp_noise.suggest('zipf', $1, settings => '{max_rows_per_unit}'))
$$;
SELECT cmp_ok(t.beyond(0.1), '<', 21 + 600::bigint, 'epsilon 0.1: alarms below 121 exp(-30)');
SELECT cmp_ok(t.beyond(1), '<', 3 + 60::bigint, 'epsilon 1');
SELECT cmp_ok(t.beyond(20), '<', 2 + 3::bigint, 'epsilon 20');

-- What is refused, uncharged.
CREATE FUNCTION t.refused(command text, state text, message text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := t.charges();
	result text := t.run('gate_owner', command);
BEGIN
	RETURN is(CASE WHEN t.charges() > before THEN 'charged' WHEN message IS NULL THEN left(result, 5) ELSE result END, concat_ws(': ', state, message), command);
END
$$;
SELECT t.refused('SELECT dp_noise.suggest(NULL)', '22004', 'relation must not be null');
SELECT t.refused('SELECT dp_noise.suggest(4294967295::oid::regclass)', '42P01', 'relation with OID 4294967295 does not exist');
SELECT t.refused('SELECT dp_noise.suggest(''public.numbers'')', '55000', 'relation "numbers" is not protected');
SELECT t.refused(format('SELECT dp_noise.suggest(''visits'', %s)', arguments), '22023')
FROM unnest(ARRAY['0', '-1', '''NaN''', '1e-7', '1e-6', '1e9', '1, 0', '1, 1e7', 'settings => ''{rows}''', 'settings => ''{max_groups_per_unit}''', 'columns => ''{days,days}''']) AS arguments;
SELECT t.refused(format('SELECT dp_noise.suggest(''visits'', %s)', arguments), '22004')
FROM unnest(ARRAY['NULL', '1, NULL', 'columns => ''{NULL}''', 'settings => ''{NULL}''']) AS arguments;
SELECT t.refused('SELECT dp_noise.suggest(''visits'', columns => ''{nowhere}'')', '42703', 'column "nowhere" of relation "visits" does not exist');
SELECT t.refused('SELECT dp_noise.suggest(''visits'', columns => ''{ctid}'')', '42703');
SELECT t.refused('SELECT dp_noise.suggest(''visits'', group_by => ''{nowhere}'')', '42703');
SELECT t.refused('SELECT dp_noise.suggest(''visits'', columns => ''{ward}'')', '0A000', 'bounds of column "ward" of type text cannot be suggested');
SELECT t.refused('SELECT dp_noise.suggest(''patients'', settings => ''{max_rows_per_unit}'')', '22023', 'a privacy unit of "patients" has one row');
ALTER TABLE public.visits ADD COLUMN plain json;
SELECT t.refused('SELECT dp_noise.suggest(''visits'', group_by => ''{plain}'')', '0A000', 'column "plain" of type json cannot be grouped by');
SELECT isnt(t.hint(format('SELECT dp_noise.suggest(''visits'', %s)', arguments)), NULL, 'has a hint: ' || arguments)
FROM unnest(ARRAY['1, 0', '0', 'settings => ''{rows}''', 'settings => ''{max_groups_per_unit}''', 'columns => ''{days,days}''', 'columns => ''{ward}''', 'group_by => ''{plain}''', 'columns => ''{nowhere}''']) AS arguments;

-- A unit that is no longer there.
ALTER TABLE public.zipf RENAME COLUMN person TO somebody;
SELECT matches(t.suggested('zipf', 'max_rows_per_unit', 1), '^\d+$', 'a renamed unit is found');
ALTER TABLE public.calls DROP COLUMN person;
SELECT t.refused('SELECT dp_noise.suggest(''calls'')', '55000');

SELECT * FROM finish();
\ir support/gate_end.sql
