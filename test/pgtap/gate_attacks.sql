-- What a malicious analyst tries, and that it is refused or harmless: groups,
-- privacy units, look-ups, lent rights, what is charged. (Ways that once worked
-- are in gate_holes.sql, shapes in gate_shapes.sql.)
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.empty_groups = show;
SET ROLE gate_owner;
CREATE TABLE public.regions (region text COLLATE "C" PRIMARY KEY);
INSERT INTO public.regions VALUES ('n'), ('s');
GRANT SELECT ON public.regions TO PUBLIC;
CREATE TABLE public.stays (person integer, region text COLLATE "C" REFERENCES public.regions, ward text COLLATE "C", days integer, cost double precision, urgent boolean);
INSERT INTO public.stays SELECT i % 50, (ARRAY['n', 's'])[1 + i % 2], 'w' || i % 4, i % 9, i, i % 3 = 0 FROM generate_series(1, 500) AS i;
CREATE TABLE public.swapped AS SELECT * FROM public.stays;
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 10, max_groups_per_unit => 2, epsilon => 1e6, delta => 1),
	dp_noise.protect('public.swapped', privacy_unit => 'person', neighbours => 'substitute', max_rows_per_unit => 10, max_groups_per_unit => 2, epsilon => 1e6, delta => 1);
SELECT dp_noise.set_values('public.stays', 'ward', '{w0,w1,x}');
SELECT dp_noise.alter_population(relation::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', relation::text, 1000000, delta => 1)
FROM unnest('{public.stays,public.swapped}'::regclass[]) AS relation;
RESET ROLE;
GRANT USAGE ON SCHEMA gate_ann TO PUBLIC;

-- Counts the values that it is called with.
CREATE SEQUENCE t.calls;
GRANT USAGE ON t.calls TO PUBLIC;
CREATE FUNCTION t.calls() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	result bigint := (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM t.calls);
BEGIN
	ALTER SEQUENCE t.calls RESTART;
	RETURN result;
END
$$;
SELECT t.run('gate_ann', $$CREATE FUNCTION spy(x anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS
	'BEGIN PERFORM nextval(''t.calls''); RETURN true; END'$$);
SELECT t.run('gate_ann', $$CREATE FUNCTION spy_both(x integer, y integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS
	'BEGIN PERFORM nextval(''t.calls''); RETURN true; END'$$);
SELECT t.run('gate_ann', 'CREATE DOMAIN spied AS integer');
SELECT t.run('gate_ann', 'ALTER DOMAIN spied ADD CHECK (gate_ann.spy(VALUE))');
SELECT t.run('gate_ann', 'CREATE OPERATOR === (LEFTARG = integer, RIGHTARG = integer, FUNCTION = spy_both)');
SELECT t.run('gate_ann', 'CREATE OPERATOR = (LEFTARG = integer, RIGHTARG = integer, FUNCTION = spy_both)');
SELECT t.run('gate_ann', 'CREATE TYPE two AS ENUM (''b'', ''a'')');
SELECT t.run('gate_ann', 'CREATE TYPE pair AS (a integer)');

-- Own functions, operators, types and casts over protected columns.
SELECT t.refuse('0A000', command) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM stays WHERE spy(days)',
	'SELECT spy(days), dp_count(*) FROM stays GROUP BY 1',
	'SELECT dp_count(spy(days)) FROM stays',
	'SELECT dp_count(*) FILTER (WHERE spy(days)) FROM stays',
	'SELECT dp_count(*) FROM stays WHERE days === 1',
	'SELECT dp_count(*) FROM stays WHERE days OPERATOR(gate_ann.=) 1',
	'SELECT dp_count(*) FROM stays WHERE days OPERATOR(gate_ann.=) ANY (ARRAY[1, 2])',
	'SELECT dp_count(*) FROM stays WHERE days::spied = 1',
	'SELECT dp_count(days::spied) FROM stays',
	'SELECT days::spied, dp_count(*) FROM stays GROUP BY 1',
	'SELECT CASE WHEN urgent THEN 1::spied ELSE 2::spied END, dp_count(*) FROM stays GROUP BY 1',
	'SELECT coalesce(days::spied, 1::spied), dp_count(*) FROM stays GROUP BY 1',
	'SELECT dp_count(*) FROM stays WHERE (CASE WHEN urgent THEN ''(1)''::pair END) IS NULL',
	'SELECT CASE WHEN urgent THEN ''(1)''::pair END, dp_count(*) FROM stays GROUP BY 1',
	'SELECT ward::name, dp_count(*) FROM stays GROUP BY 1',
	'SELECT days::oid, dp_count(*) FROM stays GROUP BY 1',
	'SELECT days::text, dp_count(*) FROM stays GROUP BY 1',
	'SELECT ARRAY[days], dp_count(*) FROM stays GROUP BY 1',
	'SELECT stays, dp_count(*) FROM stays GROUP BY stays',
	'SELECT ctid, dp_count(*) FROM stays GROUP BY ctid',
	'SELECT tableoid, dp_count(*) FROM stays GROUP BY tableoid',
	'SELECT dp_count(*), dp_sum(days, (SELECT s.days), 5) FROM stays AS s',
	'SELECT dp_mode(ward, ARRAY[ward]) FROM patients AS p(a, b, c, d, e, f, g, h, ward)',
	'SELECT dp_count(*), dp_quantiles_exp(days, ARRAY[0.5, days], 0, 9) FROM stays',
	'SELECT dp_count(1, days) FROM stays',
	'SELECT dp_count(1, random()) FROM stays'
]) AS command;
SELECT t.refuse('0A000', 'SELECT name, dp_count(*) FROM patients GROUP BY id');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM patients GROUP BY id, name HAVING name = ''name5'' AND born IS NULL');
SELECT is(t.calls(), 0::bigint, 'no value was seen');
SELECT t.accept('SELECT dp_mode(CASE WHEN smoker THEN ''b''::two ELSE ''a'' END) FROM patients');
SELECT t.accept('SELECT dp_count(CASE WHEN urgent THEN ''(1)''::pair END) FROM stays');

-- Parameters of own types are checked before they are parameters.
SELECT t.run('gate_ann', 'PREPARE spying(spied) AS SELECT CASE WHEN urgent THEN $1 END, dp_count(*) FROM stays GROUP BY 1');
SELECT t.accept('EXECUTE spying(4)');
SELECT is(t.calls(), 1::bigint, 'they see themselves');

-- Names that shadow what the gate looks up.
SELECT t.run('gate_ann', format('CREATE TEMP TABLE %I (id integer, relation_id integer, object oid, class regclass, relname name, attrelid oid)', name))
FROM unnest('{population,member,budget,column_values,column_bounds,pg_class,pg_attribute,pg_index,pg_constraint}'::text[]) AS name;
SELECT t.run('gate_ann', $$CREATE FUNCTION enum_range(anyenum) RETURNS anyarray LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM gate_ann.spy(1); RETURN NULL; END'$$);
SELECT t.run('gate_ann', $$CREATE FUNCTION unnest(anyarray) RETURNS SETOF anyelement LANGUAGE plpgsql AS 'BEGIN PERFORM gate_ann.spy(1); END'$$);
SELECT t.run('gate_ann', $$CREATE FUNCTION choose(integer) RETURNS boolean LANGUAGE sql AS 'SELECT true'$$);
SELECT t.run('gate_ann', $$CREATE FUNCTION dp_sum(integer, numeric, numeric) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'$$);
CREATE FUNCTION t.shadowed(command text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN t.run('gate_ann', format('DO $a$ BEGIN SET LOCAL search_path = pg_temp, gate_ann, public, pg_catalog; EXECUTE %L; END $a$', command));
END
$$;
CREATE TABLE t.before AS SELECT t.charges() AS n;
SELECT is(t.shadowed(command), NULL, 'shadowed: ' || command) FROM unnest(ARRAY[
	'SELECT feeling, public.dp_sum(age) FROM public.patients GROUP BY feeling',
	'SELECT ward, public.dp_median(days, 0, 9) FROM public.stays GROUP BY ward',
	'SELECT region, public.dp_sum(days, 0, 9), public.dp_count_distinct(person) FROM public.stays GROUP BY region']) AS command;
SELECT is(t.charges() - n, 4::bigint, 'each charged') FROM t.before;
SELECT is(left(t.shadowed('SELECT * FROM public.patients'), 5), '42501', 'the table is not to be read');
SELECT is(left(t.shadowed('SELECT array_agg(days) FROM public.stays'), 5), '42501', 'nor by the server''s own aggregates');
SELECT is(t.calls(), 0::bigint, 'own functions were not called');
SELECT t.run('gate_ann', format('DROP TABLE pg_temp.%I', name))
FROM unnest('{population,member,budget,column_values,column_bounds,pg_class,pg_attribute,pg_index,pg_constraint}'::text[]) AS name;

-- Lent rights go no further than the block.
SELECT t.refuse('42501', command) FROM unnest(ARRAY[
	'SELECT (SELECT dp_count(*) FROM stays), days FROM stays',
	'WITH s AS (SELECT dp_count(*) AS n FROM stays) SELECT n, days FROM s, stays',
	'SELECT dp_count(*) FROM stays UNION ALL SELECT days FROM stays',
	'INSERT INTO stays (days) SELECT dp_count(*)::integer FROM stays',
	'SELECT * FROM stays',
	'EXPLAIN SELECT days FROM stays WHERE days = 5',
	'EXPLAIN SELECT stays.* FROM regions JOIN stays USING (region)',
	'SELECT dp_noise.sum_state(days, 0, 9) FROM stays',
	'SELECT dp_count(*), dp_noise.sum_state(days, 0, 9) FROM stays',
	'SELECT dp_count(*), array_agg(days) FROM stays',
	'SELECT dp_noise.count_of_units(NULL::bigint, 1, ''auto'', 1, 0, false, false, 5) FROM stays',
	'SELECT * FROM dp_noise.release(1) AS r(n bigint)',
	'SELECT * FROM dp_noise_ledger.answer',
	'SELECT * FROM dp_noise_ledger.budget',
	'LOCK TABLE dp_budget',
	'LOCK TABLE dp_noise.ledger IN SHARE MODE',
	'LOCK TABLE stays IN ACCESS SHARE MODE'
]) AS command;
-- As values private answers may be used to change one's own rows, and no others'.
SELECT t.refuse('42501', q) FROM unnest(ARRAY['WITH w AS (DELETE FROM numbers RETURNING x) SELECT dp_count(*) FROM stays', 'UPDATE numbers SET x = (SELECT dp_count(*)::integer FROM stays)', 'DELETE FROM numbers WHERE x < (SELECT dp_count(*) FROM stays)']) AS q;
SELECT t.refuse('0A000', command) FROM unnest(ARRAY[
	'SELECT dp_count(*), (SELECT max(days) FROM stays) FROM stays',
	'SELECT dp_count(*) FROM ONLY stays',
	'SELECT dp_count(*) FROM stays TABLESAMPLE system (50)',
	'SELECT region, dp_count(*), generate_series(1, 2) FROM stays GROUP BY ROLLUP (region)',
	'SELECT region, grouping(region), dp_count(*) FROM stays GROUP BY region',
	'SELECT dp_count(DISTINCT days) FROM stays',
	'SELECT dp_count_distinct(stays) FROM stays',
	'SELECT dp_count_distinct(days, NULL, NULL, person) FROM stays',
	'SELECT dp_count_distinct(person, NULL, NULL, 100) FROM stays'
]) AS command;
SELECT t.refuse('0A000', 'SELECT (SELECT dp_count(*) FROM stays WHERE days = x) FROM numbers');
SELECT t.refuse('0A000', 'SELECT * FROM numbers, LATERAL (SELECT urgent AND x > 5, dp_count(*) FROM stays GROUP BY 1) AS s');

-- Groups: all of the domain, nothing else, in its order, whatever the rows.
SELECT is(t.run('gate_ann', 'SELECT string_agg(coalesce(k::text, ''-''), '','') FROM (' || query || ') AS s(k, n)'), keys, query) FROM (VALUES
	('SELECT region, dp_count(*) FROM stays GROUP BY 1', 'n,s,-'),
	('SELECT region, dp_count(*) FROM stays WHERE false GROUP BY 1', 'n,s,-'),
	('SELECT region, dp_count(*) FROM stays WHERE region = ''s'' GROUP BY 1', 's'),
	('SELECT ward, dp_count(*) FROM stays GROUP BY 1', 'w0,w1,x,-'),
	('SELECT NULLIF(ward, ward), dp_count(*) FROM stays GROUP BY 1', 'w0,w1,x,-'),
	('SELECT NULLIF(region, ''n''), dp_count(*) FROM stays GROUP BY 1', 'n,s,-'),
	('SELECT days > 4, dp_count(*) FROM stays WHERE days > 7 GROUP BY 1', 'false,true,-'),
	('SELECT days IS NULL, dp_count(*) FROM stays GROUP BY 1', 'false,true'),
	('SELECT region = ward, dp_count(*) FROM stays GROUP BY 1', 'false,true,-'),
	('SELECT CASE WHEN cost > 400 THEN ''rare'' WHEN days = 99 THEN ''none'' ELSE ''rest'' END, dp_count(*) FROM stays GROUP BY 1', 'rare,none,rest'),
	('SELECT CASE WHEN urgent THEN ''a''::two ELSE ''b'' END, dp_count(*) FROM stays GROUP BY 1', 'a,b'),
	('SELECT feeling, dp_count(*) FROM patients GROUP BY 1', 'sad,ok,happy,-')
) AS v (query, keys);
SELECT t.refuse('0A000', 'SELECT days, dp_count(*) FROM stays GROUP BY 1'); -- no delta
SELECT t.refuse('0A000', 'SELECT person, dp_count(*) FROM stays GROUP BY 1');
SELECT t.refuse('22012', 'SELECT CASE WHEN urgent THEN 1 / 0 ELSE 1 END, dp_count(*) FROM stays GROUP BY 1'); -- of constants: before any row
SELECT t.run('gate_ann', 'INSERT INTO regions VALUES (''mine'')') IS NOT NULL AS refused \gset
SELECT ok(:'refused', 'the domain is not the analyst''s to extend');

-- A group of one person is not shown at a small delta (60 such groups, each with
-- a probability of 5e-13).
INSERT INTO public.stays VALUES (1000, 'n', 'w0', 77, -77, true);
SET dp_noise.delta = 1e-12;
SELECT is(t.run('gate_ann', format('SELECT coalesce(bool_or(k::text IN (''77'', ''-77'')), false)::text FROM (SELECT %s, dp_count(*) FROM stays GROUP BY 1) AS s(k, n)', key)), 'false', key)
FROM unnest('{days,cost}'::text[]) AS key;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT person + 0, dp_count(*) FROM stays GROUP BY 1) AS s'), '0', 'persons are no groups');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT person + 0, dp_count_distinct(person) FROM swapped GROUP BY 1) AS s'), '0', 'nor where they are substituted');
SELECT t.refuse('0A000', c) FROM unnest(ARRAY['SELECT person, dp_count(*) FROM stays GROUP BY 1', 'SELECT person, dp_count_distinct(person) FROM swapped GROUP BY 1']) AS c;
RESET dp_noise.delta;

-- A unit with very many rows, in very many groups, moves an answer by no more
-- than its bounds: at epsilon 1000 noise is far smaller than that.
INSERT INTO public.stays SELECT 2000, (ARRAY['n', 's'])[1 + i % 2], 'w' || i % 4, 9, 1e9, true FROM generate_series(1, 20000) AS i;
SET dp_noise.epsilon = 1000;
SELECT cmp_ok(t.run('gate_ann', 'SELECT dp_count(*) FROM stays')::numeric, '<=', 512::numeric, 'count');
SELECT cmp_ok(t.run('gate_ann', 'SELECT public.dp_sum(days, 0, 9) FROM stays')::numeric, '<=', 2200::numeric, 'sum');
SELECT cmp_ok(t.run('gate_ann', 'SELECT dp_count_distinct(person) FROM stays')::numeric, '<=', 53::numeric, 'units');
SELECT cmp_ok(t.run('gate_ann', 'SELECT sum(n) FROM (SELECT ward, dp_count(*) AS n FROM stays GROUP BY 1) AS s')::numeric, '<=', 521::numeric, 'groups');
SELECT cmp_ok(t.run('gate_ann', 'SELECT dp_mean(cost, 0, 1000) FROM stays')::numeric, '<=', 280::numeric, 'mean');
RESET dp_noise.epsilon;

-- Charges: each execution once, whatever becomes of it.
UPDATE t.before SET n = t.charges();
SELECT is(left(t.run('gate_ann', command), 5), state, command) FROM (VALUES
	('DO $a$ BEGIN PERFORM dp_count(*) FROM stays; RAISE EXCEPTION ''undo''; END $a$', 'P0001'),
	('DO $a$ DECLARE x bigint; BEGIN FOR i IN 1 .. 3 LOOP BEGIN SELECT dp_count(*) INTO x FROM stays; PERFORM 1 / 0; EXCEPTION WHEN division_by_zero THEN END; END LOOP; END $a$', NULL),
	('SELECT 1 / (dp_count(*) - dp_count(*)) FROM stays', '22012'),
	('DO $a$ DECLARE c CURSOR FOR SELECT dp_count(*) FROM stays; x bigint; BEGIN OPEN c; PERFORM set_config(''dp_noise.epsilon'', ''1000'', true); FETCH c INTO x; CLOSE c; END $a$', NULL)
) AS v (command, state);
SELECT is(t.charges() - n, 6::bigint, 'six executions') FROM t.before;
SELECT is(trim_scale(epsilon), 1000.0, 'at the epsilon of the draw') FROM dp_noise.ledger ORDER BY at DESC LIMIT 1;
SELECT t.run('gate_ann', 'SET dp_noise.epsilon = 1');
UPDATE t.before SET n = t.charges();
SELECT is(left(t.run('gate_ann', command), 5), state, command) FROM (VALUES
	('DO $a$ DECLARE c CURSOR FOR SELECT dp_count(*) FROM stays; BEGIN OPEN c; CLOSE c; END $a$', NULL),
	('SELECT * FROM (SELECT dp_count(*) FROM stays) AS s LIMIT 0', NULL),
	('SELECT dp_count(*) FROM stays WHERE days = 1 / 0', '22012'),
	('SELECT dp_count(1, 0) FROM stays', '22023'),
	('SELECT dp_count(1, ''NaN'') FROM stays', '22023'),
	('SELECT dp_count(1, NULL) FROM stays', '22004'),
	('SELECT dp_count(1, 1, ''gaussian(delta=0)'') FROM stays', '22023'),
	('SELECT public.dp_sum(days, 9, 0) FROM stays', '22023')
) AS v (command, state);
SELECT is(t.charges() - n, 0::bigint, 'what shows nothing costs nothing') FROM t.before;

-- Owners' functions and others' numbers.
SELECT t.refuse('42501', command) FROM unnest(ARRAY[
	'SELECT dp_noise.protect(''stays'')',
	'SELECT dp_noise.unprotect(''stays'')',
	'SELECT dp_noise.set_budget(''gate_ann'', ''stays'', 1e9)',
	'SELECT dp_noise.alter_population(''stays'', epsilon => 1e13, on_repeat => ''answer'')',
	'SELECT dp_noise.allow_members(''stays'', ''gate_ann'')',
	'SELECT dp_noise.set_values(''stays'', ''ward'', ''{a}'')',
	'SELECT dp_noise.set_bounds(''stays'', ''days'', 0, 1)',
	'SELECT dp_noise.true_states(''SELECT dp_count(*) FROM stays'')',
	'SELECT dp_noise.charge(''stays'', 0, 0, ''x'', NULL)',
	'SELECT dp_noise.sample(''laplace'', 1, 1, 10)',
	'CREATE FUNCTION dp_noise.mine() RETURNS integer LANGUAGE sql AS ''SELECT 1''',
	'ALTER TABLE stays ADD COLUMN c integer',
	'CREATE TABLE child () INHERITS (stays)',
	'CREATE INDEX ON stays (days)',
	'CREATE STATISTICS s ON days, cost FROM stays',
	'CREATE TABLE bait (id integer REFERENCES patients)',
	'CREATE POLICY p ON stays USING (true)'
]) AS command;
SELECT is(t.run('gate_ann', format('SELECT count(*) FROM %s AS v WHERE gate_ann.spy(v::text)', name)), '0', name)
FROM unnest('{dp_noise.ledger,dp_noise.budgets,dp_noise.populations,dp_noise.protected_relations}'::text[]) AS name;
SELECT is(t.calls(), 0::bigint, 'nor by a cheap function in a condition');

SELECT * FROM finish();
\ir support/gate_end.sql
