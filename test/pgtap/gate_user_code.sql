-- Functions of users run nowhere between the reading of a block and its release,
-- and what they change in between is noticed.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.empty_groups = show;

-- The analyst's own, without fail.
CREATE FUNCTION t.make(command text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	result text := t.run('gate_ann', command);
BEGIN
	IF result IS NOT NULL THEN
		RAISE EXCEPTION '%: %', command, result;
	END IF;
END
$$;

-- The analyst's own tables, and a function that does as it is told.
SET ROLE gate_owner;
CREATE TABLE public.visits (id integer PRIMARY KEY, patient integer, place integer, kind public.mood);
INSERT INTO public.visits SELECT i, 1 + i % 100, i % 5, 'ok' FROM generate_series(1, 1000) AS i;
SELECT dp_noise.protect('public.visits', epsilon => 1e13, delta => 1), dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1e12, delta => 1);
RESET ROLE;
SELECT t.make('CREATE TABLE j (id integer PRIMARY KEY, x text, y bigint)');
SELECT t.make($$INSERT INTO j SELECT i, 'x' || i, i FROM generate_series(0, 9) AS i$$);
SELECT t.make($$CREATE FUNCTION act(command text) RETURNS void LANGUAGE plpgsql AS 'BEGIN EXECUTE command; END'$$);
SELECT t.make($$CREATE FUNCTION f(command text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM gate_ann.act(command); RETURN true; END'$$);
SELECT t.make($$CREATE FUNCTION f(integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN PERFORM gate_ann.act(''CREATE TABLE IF NOT EXISTS gate_ann.has_run (x integer)''); RETURN true; END'$$);
SELECT t.make($$CREATE FUNCTION rows_of(boolean) RETURNS SETOF integer LANGUAGE sql STABLE AS 'SELECT 1 WHERE $1'$$);
SELECT t.make($$CREATE FUNCTION sql_f(command text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT gate_ann.f(command)'$$);
SELECT t.make('CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = texteq)');
SELECT t.make('CREATE FUNCTION f2(integer, integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS ''SELECT gate_ann.f($1)''');
SELECT t.make('CREATE OPERATOR <<< (LEFTARG = integer, RIGHTARG = integer, FUNCTION = f2)');
SELECT t.make('CREATE DOMAIN checked AS integer CHECK (gate_ann.f(1) AND VALUE IS NOT NULL)');
SELECT t.make('CREATE TYPE checked_range AS RANGE (subtype = checked)');
SELECT t.make('CREATE TYPE checked_row AS (c checked)');
SELECT t.make($$CREATE FUNCTION to_checked_row(text) RETURNS checked_row LANGUAGE sql IMMUTABLE AS 'SELECT ROW(f(1)::integer)::gate_ann.checked_row'$$);
SELECT t.make('CREATE TABLE hashed (x integer) PARTITION BY HASH ((CASE WHEN gate_ann.f(1) THEN x END))');
SELECT t.make('CREATE SEQUENCE s');
SELECT t.make($$CREATE AGGREGATE agg(integer) (SFUNC = int4pl, STYPE = integer, INITCOND = '0')$$);

------------------------------------------------------------------------------
-- In a block nothing of a user is evaluated

-- The question is refused, and nothing has been run.
CREATE FUNCTION t.unrun(command text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := t.charges();
	result text;
BEGIN
	DROP TABLE IF EXISTS gate_ann.has_run;
	result := t.run('gate_ann', command);
	RETURN NEXT matches(result, '^(0A000|42501|42883|428)', 'refused: ' || command);
	RETURN NEXT ok(to_regclass('gate_ann.has_run') IS NULL AND t.charges() = before, 'and nothing ran: ' || command);
END
$$;
SELECT t.unrun(format(command, call))
FROM unnest(ARRAY[
		'SELECT dp_count(*) FROM visits WHERE %s',
		'SELECT dp_count(*) FROM visits WHERE place = 1 AND (%s OR place = 3)',
		'SELECT dp_count(*) FROM visits WHERE CASE WHEN %s THEN true END',
		'SELECT dp_count(*) FROM visits LEFT JOIN j ON j.id = place AND %s',
		'SELECT dp_count(*) FROM visits JOIN j ON j.id = place AND %s',
		'SELECT dp_count(*) FROM visits JOIN j ON j.id = CASE WHEN %s THEN place END',
		'SELECT dp_count(*) FROM visits GROUP BY %s',
		'SELECT dp_count(*) FROM visits GROUP BY place = 1 AND %s',
		'SELECT dp_count(*) FILTER (WHERE %s) FROM visits',
		'SELECT dp_count(CASE WHEN %s THEN 1 END) FROM visits',
		'SELECT dp_sum(place, 0, CASE WHEN %s THEN 10 END) FROM visits',
		'SELECT dp_count(*) FROM visits HAVING dp_count(*) FILTER (WHERE %s) > 0',
		'SELECT dp_count(*) FROM visits ORDER BY dp_count(*) FILTER (WHERE %s)',
		'SELECT * FROM (SELECT dp_count(*) FROM visits WHERE %s) AS s',
		'WITH s AS MATERIALIZED (SELECT dp_count(*) FROM visits WHERE %s) SELECT * FROM s',
		'EXPLAIN SELECT dp_count(*) FROM visits WHERE %s'
	]) AS command,
	unnest(ARRAY['gate_ann.f(1)', $$gate_ann.sql_f('CREATE TABLE gate_ann.has_run ()')$$, '1 OPERATOR(gate_ann.<<<) 2']) AS call;
SELECT t.unrun('SELECT dp_count(*) FROM visits WHERE ' || condition) FROM unnest(ARRAY[
	'1::checked = 1', $$'1'::text::checked = 1$$, $$'1'::checked = 1$$, 'place = 1::checked', '(place = 1::checked) IS TRUE',
	$$('[1,' || '2)')::checked_range IS NULL$$, $$('{' || '1}')::checked[] IS NULL$$, 'ARRAY[1]::checked[] IS NULL', $$('(' || '1)')::checked_row IS NULL$$,
	'ROW(1)::checked_row IS NULL', $$to_checked_row('') IS NULL$$, $$(to_checked_row('')).c = 1$$,
	'array_append(NULL::checked[], 1::checked) IS NULL', 'f2(1, 2)', '1 <<< ANY (ARRAY[2])', $$'a' === 'b'$$, $$'a' === ANY (ARRAY['b'])$$,
	$$satisfies_hash_partition('gate_ann.hashed'::regclass, 2, 0, 1)$$, $$satisfies_hash_partition((SELECT 1)::oid, 2, 0, 1)$$,
	$$query_to_xml('SELECT gate_ann.f(1)', true, true, '') IS NULL$$, $$ts_rewrite('a', 'SELECT gate_ann.f(1)::text::tsquery, NULL') IS NULL$$,
	$$set_config('dp_noise.epsilon', '1000', false) = '1'$$, $$currval('gate_ann.s') = 1$$, $$nextval('gate_ann.s') = 1$$, 'lo_creat(1) = 1', 'random() < 2',
	$$pg_get_expr('x', 0) IS NULL$$, $$'gate_ann.j'::regclass::text = 'x'$$, $$('gate_ann.' || 'j')::regclass = 1$$, $$to_json(1) IS NULL$$,
	$$jsonb_populate_record(NULL::checked_row, '{"c":1}') IS NULL$$, 'greatest(1::checked, 2) = 1', 'xmlelement(name x) IS NULL', 'agg(1) = 1']) AS condition;
SELECT t.unrun('SELECT dp_count(*) FROM visits GROUP BY place = 1::checked');
SELECT t.unrun('SELECT dp_mode(place, ARRAY[1::checked]::integer[]) FROM visits');
SELECT t.unrun($$SELECT dp_sum(place, 0, 10, satisfies_hash_partition('gate_ann.hashed'::regclass, 2, 0, 1)::integer) FROM visits$$);

-- Constants are still evaluated.
SELECT t.accept('SELECT dp_count(*) FROM visits WHERE ' || condition) FROM unnest(ARRAY[
	'place > 1 + 1', 'place = length(upper(''ab''))', 'place = ANY (ARRAY[1, 1 + 1])', 'place = ANY (string_to_array(''1,2'', '','')::integer[])',
	'place::bigint > 2 ^ 3', 'kind = ''ok''', 'kind IN (''sad'', ''ok'')', 'place = (ARRAY[1, 2])[1]', 'place = greatest(1, 2)', 'place = ''1''::text::integer',
	'place > date_part(''day'', interval ''3 days'')', 'ROW(place, 1) IS NULL', '(place, 1) = (1, 1)', '''a'' < ''b''', 'place > round(2.5)',
	'place = (jsonb ''{"a":1}'' ->> ''a'')::integer']) AS condition;

------------------------------------------------------------------------------
-- What stands outside of blocks may run, and be found out

-- A table as it was.
CREATE FUNCTION t.restore() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	DROP TABLE IF EXISTS gate_ann.j CASCADE;
	PERFORM t.make('CREATE TABLE gate_ann.j (id integer PRIMARY KEY, x text, y bigint)');
	PERFORM t.make('INSERT INTO gate_ann.j SELECT i, ''x'' || i, i FROM generate_series(0, 9) AS i');
END
$$;
-- Refused for the change, in each place where a call can stand.
CREATE FUNCTION t.noticed(change text, question text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	call text := format('gate_ann.f(%L)', change);
	place text;
	result text;
BEGIN
	FOREACH place IN ARRAY ARRAY[
		'SELECT * FROM (%s) AS q WHERE %s',
		'SELECT *, %2$s FROM (%1$s) AS q',
		'SELECT * FROM (%s) AS q, gate_ann.rows_of(%s)',
		'SELECT * FROM gate_ann.rows_of(%2$s), (%1$s) AS q',
		'SELECT * FROM gate_ann.rows_of(%2$s) AS r, LATERAL (%1$s) AS q',
		'WITH a AS MATERIALIZED (SELECT %2$s AS b), q AS MATERIALIZED (%1$s) SELECT * FROM a, q',
		'SELECT * FROM (SELECT %2$s OFFSET 0) AS a, (%1$s) AS q',
		'SELECT * FROM (%s) AS q ORDER BY %s',
		'SELECT CASE WHEN %2$s THEN (SELECT count(*) FROM (%1$s) AS q) END',
		'%s HAVING %s'] LOOP
		result := t.run('gate_ann', format(place, question, call));
		RETURN NEXT matches(result, '^(55000: relation "\w+" was changed|55000: a relation that the question reads|55006|0A000|42501|42804|XX000: (could not open|cache lookup failed for attribute)|42P01)',
			format(place, question, call));
		PERFORM t.restore();
	END LOOP;
END
$$;
SELECT t.noticed(change, question) FROM unnest(ARRAY[
		'ALTER TABLE gate_ann.j ALTER x TYPE bigint USING 4096',
		'ALTER TABLE gate_ann.j DROP x, ADD x bigint']) AS change,
	unnest(ARRAY['SELECT x, dp_count(*) FROM visits LEFT JOIN gate_ann.j ON j.id = place GROUP BY x',
		'SELECT dp_count(x) FROM visits LEFT JOIN gate_ann.j ON j.id = place']) AS question;
SELECT t.noticed('ALTER TABLE gate_ann.j ALTER y TYPE text', 'SELECT y, dp_count(*) FROM visits LEFT JOIN gate_ann.j ON j.id = place GROUP BY y');
SELECT t.noticed('DROP TABLE gate_ann.j', 'SELECT y, dp_count(*) FROM visits LEFT JOIN gate_ann.j ON j.id = place GROUP BY y');

-- In the FROM of the block itself, and where its rows come from a function.
SELECT t.make($$CREATE FUNCTION rows_j(boolean) RETURNS TABLE (x text, place integer) LANGUAGE sql STABLE AS
	'SELECT x, place FROM public.visits LEFT JOIN gate_ann.j ON j.id = place WHERE $1'$$);
SELECT matches(t.run('gate_ann', format('SELECT x, dp_count(*) FROM ' || source || ' GROUP BY x', format('gate_ann.f(%L)', 'ALTER TABLE gate_ann.j ALTER x TYPE bigint USING 4096'))),
	'^(55000: relation "j" was changed|0A000|42P13|42804|4096$)', 'FROM ' || source), t.restore() -- 4096: it was changed before rows_j was inlined, which casts x to a text
FROM unnest(ARRAY['visits LEFT JOIN gate_ann.j ON j.id = place, gate_ann.rows_of(%s)', 'gate_ann.rows_of(%s), visits LEFT JOIN gate_ann.j ON j.id = place',
	'gate_ann.rows_j(%s)', 'gate_ann.rows_j(true), gate_ann.rows_of(%s)', 'gate_ann.rows_of(%s), gate_ann.rows_j(true)',
	'(SELECT x, place FROM visits LEFT JOIN gate_ann.j ON j.id = place) AS s, gate_ann.rows_of(%s)']) AS source;

-- The same where a cursor, a prepared statement or a function keep the plan.
SELECT t.make($$CREATE FUNCTION asks(change text) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
	c CURSOR FOR SELECT x, dp_count(*) FROM visits LEFT JOIN gate_ann.j ON j.id = place GROUP BY x;
	r record;
BEGIN
	OPEN c;
	EXECUTE change;
	FETCH c INTO r;
	RETURN r::text;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END
$f$
$$);
SELECT is(t.run('gate_ann', format('SELECT asks(%L)', change)), '55000: relation "j" was changed after the statement was planned', 'a cursor: ' || change), t.restore()
FROM unnest(ARRAY['ALTER TABLE gate_ann.j ALTER x TYPE bigint USING 4096', 'ALTER TABLE gate_ann.j DROP x', 'ALTER TABLE gate_ann.j ALTER y TYPE text',
	'ALTER TABLE gate_ann.j ADD z integer']) AS change;
BEGIN;
SELECT t.run('gate_ann', 'DECLARE c CURSOR FOR SELECT x, dp_count(*) FROM visits LEFT JOIN gate_ann.j ON j.id = place GROUP BY x');
SELECT t.run('gate_ann', 'ALTER TABLE gate_ann.j ALTER x TYPE bigint USING 4096');
SELECT is(t.run('gate_ann', 'FETCH ALL FROM c'), '55000: relation "j" was changed after the statement was planned', 'ALTER between DECLARE and FETCH');
ROLLBACK;
SELECT t.run('gate_ann', 'PREPARE p AS SELECT x, dp_count(*) FROM visits LEFT JOIN gate_ann.j ON j.id = place GROUP BY x');
SELECT matches(t.run('gate_ann', 'EXECUTE p'), '^x', 'a prepared statement') FROM generate_series(1, 7);
SELECT t.run('gate_ann', 'ALTER TABLE gate_ann.j ALTER x TYPE bigint USING id');
SELECT is(t.run('gate_ann', 'EXECUTE p'), '0A000: cached plan must not change result type', 'is planned anew');
SELECT t.run('gate_ann', 'DEALLOCATE p');
SELECT t.restore();
SELECT t.run('gate_ann', 'PREPARE p AS SELECT count(*) FROM (SELECT x, dp_count(*) FROM visits LEFT JOIN gate_ann.j ON j.id = place GROUP BY x) AS s');
SELECT is(t.run('gate_ann', 'EXECUTE p'), '11', 'a prepared statement') FROM generate_series(1, 7);
SELECT t.run('gate_ann', 'ALTER TABLE gate_ann.j ALTER x TYPE bigint USING id');
SELECT is(t.run('gate_ann', 'EXECUTE p'), '11', 'is planned anew');
SELECT t.run('gate_ann', 'DEALLOCATE p');
SELECT t.restore();

------------------------------------------------------------------------------
-- Policies and indexes of public tables run before anything protected is read

SET ROLE gate_owner;
CREATE TABLE public.logins (id integer PRIMARY KEY, place integer NOT NULL);
INSERT INTO public.logins SELECT i, i % 5 FROM generate_series(1, 1000) AS i;
SELECT dp_noise.protect('public.logins', epsilon => 1e13, delta => 1), dp_noise.alter_population('public.logins', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.logins', 1e12, delta => 1);
RESET ROLE;
SELECT t.make('CREATE TABLE places (id integer PRIMARY KEY, name text)');
SELECT t.make('INSERT INTO places SELECT generate_series(0, 4)');
SELECT t.make('GRANT USAGE ON SCHEMA gate_ann TO gate_owner');
SELECT t.make('GRANT SELECT, REFERENCES ON places TO gate_owner');
SET ROLE gate_owner;
ALTER TABLE public.logins ADD FOREIGN KEY (place) REFERENCES gate_ann.places;
RESET ROLE;
SELECT t.make('ALTER TABLE places ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY');
SELECT t.make($$CREATE FUNCTION g(integer) RETURNS boolean LANGUAGE plpgsql AS
	'BEGIN IF to_regclass(''gate_ann.order_of'') IS NOT NULL THEN EXECUTE (SELECT command FROM gate_ann.order_of); END IF; RETURN true; END'$$);
SELECT t.make('CREATE POLICY p ON places USING (g(id))');
SELECT t.make('CREATE TABLE order_of (command text)');
SELECT t.make($$INSERT INTO order_of VALUES ('ALTER TABLE gate_ann.j ALTER x TYPE bigint USING 4096')$$);
SELECT is(t.run('gate_ann', q), '55000: relation "j" was changed after the statement was planned', 'a policy alters a table: ' || q), t.restore()
FROM unnest(ARRAY['SELECT place, x, dp_count(*) FROM logins LEFT JOIN gate_ann.j ON j.id = place GROUP BY place, x',
	'SELECT x, place, dp_count(*) FROM logins LEFT JOIN gate_ann.j ON j.id = place GROUP BY x, place',
	'SELECT x, dp_count(*) FROM logins LEFT JOIN gate_ann.j ON j.id = place GROUP BY x UNION ALL SELECT place::text, dp_count(*) FROM logins GROUP BY place',
	'SELECT place, dp_count(x) FROM logins LEFT JOIN gate_ann.j ON j.id = place GROUP BY place']) AS q;
SELECT t.make('UPDATE order_of SET command = ''SELECT count(*) FROM (SELECT dp_count(*) FROM public.patients) AS s''');
SELECT is(t.run('gate_ann', 'SELECT place, dp_count(*) FROM logins GROUP BY place'),
	'0A000: a protected relation cannot be asked about while another question is planned or answered', 'a policy asks');
SELECT t.make($$UPDATE order_of SET command = 'DO $d$ BEGIN PERFORM dp_count(*) FROM public.patients; EXCEPTION WHEN OTHERS THEN NULL; END $d$'$$);
CREATE TABLE t.before AS SELECT count(*) AS n FROM dp_noise.ledger WHERE population = 'public.patients';
SELECT is(t.run('gate_ann', 'SELECT place, dp_count(*) >= -1000000 FROM logins GROUP BY place'), '0', 'and hides that it may not');
SELECT is(count(*), (SELECT n FROM t.before), 'nothing is charged for it') FROM dp_noise.ledger WHERE population = 'public.patients';
SELECT t.accept('SELECT dp_count(*) FROM patients');
SELECT t.run('gate_ann', 'DROP TABLE order_of');

-- The policies of a table of the analyst's are applied where it is copied, as the
-- analyst, and never beneath the release, where they would run as the owner.
SELECT t.make('CREATE TABLE copied (id integer PRIMARY KEY, name text COLLATE "C")');
SELECT t.make('INSERT INTO copied SELECT i, ''n'' || i FROM generate_series(0, 4) AS i');
SELECT t.make('CREATE TABLE stolen (who name, rows bigint)');
SELECT t.make('GRANT INSERT ON stolen TO PUBLIC');
SELECT t.make($$CREATE FUNCTION steal(integer) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS 'BEGIN
	IF current_user <> ''gate_ann'' THEN INSERT INTO gate_ann.stolen SELECT current_user, count(*) FROM public.logins; END IF;
	RETURN $1 < 3; END'$$);
SELECT t.make('ALTER TABLE copied ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY');
SELECT t.make('CREATE POLICY p ON copied USING (steal(id))');
SELECT t.make('CREATE VIEW copied_view AS SELECT * FROM copied');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (' || replace(q, '$c', c) || ') AS q'), n, replace(q, '$c', c)) FROM (VALUES
	('SELECT dp_count(*) FROM logins AS l JOIN $c AS c ON c.id = l.place', '1'),
	('SELECT dp_count(c.name) FROM logins AS l LEFT JOIN $c AS c ON c.id = l.place', '1'),
	('SELECT c.id, dp_count(*) FROM logins AS l JOIN $c AS c ON c.id = l.place GROUP BY c.id', '3'),
	('SELECT DISTINCT c.id FROM logins AS l JOIN $c AS c ON c.id = l.place', '3'),
	('SELECT dp_count(*) FROM logins AS l WHERE EXISTS (SELECT FROM $c AS c WHERE c.id = l.place)', '1'),
	('SELECT dp_count(*) FROM logins AS l WHERE place IN (SELECT c.id FROM $c AS c)', '1'),
	('SELECT dp_count(*) FROM logins AS l WHERE place > (SELECT min(c.id) FROM $c AS c)', '1')) AS v (q, n),
	unnest('{copied,copied_view}'::text[]) AS c;
SELECT is_empty('SELECT * FROM gate_ann.stolen', 'they never run as the owner of protected rows');

-- Nor are queries of WITH planned there, which another one names that nobody reads.
SELECT t.make($$CREATE FUNCTION steal_folded(integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN gate_ann.steal($1); END'$$);
SELECT isnt(t.run('gate_ann', q), NULL, q) FROM unnest(ARRAY[
	'WITH c AS (SELECT random() AS x WHERE steal_folded(1)), d AS (SELECT * FROM c) SELECT dp_count(*) FROM logins',
	'WITH c AS (SELECT random() AS x, steal_folded(1) AS y), d AS (SELECT * FROM c) SELECT count(*) FROM logins',
	'WITH c AS (SELECT random() AS x WHERE steal_folded(1)), d AS (SELECT * FROM c) SELECT place, dp_count(*) FROM logins WHERE place IN (1, 9) GROUP BY place',
	'WITH c AS (SELECT dp_count(*) AS x FROM logins), d AS (SELECT random() AS x FROM c WHERE steal_folded(1)), e AS (SELECT * FROM d) SELECT dp_count(*) FROM logins',
	'SELECT n FROM (WITH RECURSIVE c AS (SELECT 1 AS x WHERE steal_folded(1) UNION ALL SELECT x + 1 FROM c WHERE x < 3 AND steal_folded(2)), d AS (SELECT * FROM c) SELECT dp_count(*) AS n FROM logins) AS s']) AS q;
SELECT is_empty('SELECT * FROM gate_ann.stolen', 'nothing in them runs as the owner');
SET dp_noise.epsilon = 1000;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM logins AS l JOIN copied AS c ON c.id = l.place'), '600', 'but they hide rows');
RESET dp_noise.epsilon;

-- An index of a table that is looked up.
SELECT t.make($$CREATE FUNCTION h() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN PERFORM set_config(''dp_noise.epsilon'', ''2'', false); PERFORM public.dp_count(*) FROM public.patients; RETURN true; EXCEPTION WHEN feature_not_supported THEN RETURN true; END'$$);
SELECT t.make('CREATE INDEX ON j (x) WHERE h()');
UPDATE t.before SET n = (SELECT count(*) FROM dp_noise.ledger WHERE population = 'public.patients');
SET dp_noise.epsilon = 0.5;
SELECT isnt(t.run('gate_ann', 'SELECT dp_count(x) FROM visits JOIN j ON j.id = place'), NULL, 'an index that asks');
SELECT is(count(*), (SELECT n FROM t.before), 'nothing is charged for it') FROM dp_noise.ledger WHERE population = 'public.patients';
SELECT is(current_setting('dp_noise.epsilon'), '0.5', 'what it sets is set back');
RESET dp_noise.epsilon;

------------------------------------------------------------------------------
-- The owner's code runs as the owner

CREATE TABLE t.seen (who text, session text, what text);
GRANT INSERT, SELECT ON t.seen TO PUBLIC;
CREATE FUNCTION t.note(who text, session text, what text) RETURNS void LANGUAGE sql AS 'INSERT INTO t.seen VALUES (who, session, what)';
SET ROLE gate_owner;
CREATE FUNCTION public.watch(what text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM set_config('dp_noise.epsilon', '1000000', false), set_config('search_path', 'gate_owner', false);
	BEGIN
		PERFORM public.dp_count(*) FROM public.patients;
		what := what || ' and asked';
	EXCEPTION WHEN OTHERS THEN
		what := what || ' ' || SQLSTATE;
	END;
	PERFORM t.note(current_user, session_user, what);
	RETURN true;
END
$$;
CREATE TABLE public.watched (id integer PRIMARY KEY, x integer CHECK (public.watch('check') AND x >= 0), y integer);
CREATE INDEX ON public.watched (x) WHERE public.watch('predicate');
CREATE INDEX ON public.watched ((CASE WHEN public.watch('expression') THEN y END));
CREATE STATISTICS public.watched_s ON (CASE WHEN public.watch('statistics') THEN y END) FROM public.watched;
CREATE TABLE public.watched_parts (id integer, x integer) PARTITION BY RANGE ((CASE WHEN public.watch('partition key') THEN x END));
CREATE TABLE public.watched_part PARTITION OF public.watched_parts FOR VALUES FROM (0) TO (1000);
INSERT INTO public.watched SELECT i, i, i FROM generate_series(1, 100) AS i;
INSERT INTO public.watched_parts SELECT i, i FROM generate_series(1, 100) AS i;
CREATE TABLE public.watched_too (id integer PRIMARY KEY, z integer);
CREATE INDEX ON public.watched_too (z) WHERE public.watch('predicate');
INSERT INTO public.watched_too SELECT i, i FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect(r, privacy_unit => u, epsilon => 1e13, delta => 1), dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1e12)
FROM unnest('{public.watched,public.watched_parts,public.watched_too}'::regclass[], '{id,NULL,id}'::text[]) AS w (r, u);
RESET ROLE;
SET ROLE gate_bob;
CREATE FUNCTION public.peep(what text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN PERFORM t.note(current_user, session_user, what); RETURN true; END';
CREATE TABLE public.others (id integer PRIMARY KEY, w integer);
CREATE INDEX ON public.others (w) WHERE public.peep('predicate');
INSERT INTO public.others SELECT i, i FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('public.others', privacy_unit => 'id', epsilon => 1e13, delta => 1), dp_noise.alter_population('public.others', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.others', 1e12);
RESET ROLE;
RESET search_path;
RESET dp_noise.epsilon;
CREATE FUNCTION t.watched(who text, command text, seen text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := (SELECT count(*) FROM dp_noise.ledger WHERE population = 'public.patients');
BEGIN
	TRUNCATE t.seen;
	RETURN NEXT unalike(coalesce(t.run(who, command), ''), '_____: %', who || ': ' || command);
	RETURN NEXT is((SELECT string_agg(DISTINCT s.who, ',') FROM t.seen AS s), seen, 'as the owner');
	RETURN NEXT is((SELECT count(*) FROM t.seen AS s WHERE s.what NOT LIKE '% 0A000' AND s.who = 'gate_owner'), 0::bigint, 'who may not ask');
	RETURN NEXT is((SELECT count(*) FROM dp_noise.ledger WHERE population = 'public.patients'), before, 'nor is charged');
	RETURN NEXT is(current_setting('dp_noise.epsilon'), '0.5', 'settings stay');
END
$$;
SET dp_noise.epsilon = 0.5;
SET constraint_exclusion = on;
SELECT $$UPDATE pg_attribute SET attname = attname WHERE attrelid::regclass::text ~ '(watched|others)'$$, -- nothing of them is cached
	format('SELECT t.watched(%L, %L, %L)', who, explain || q, seen)
FROM unnest('{gate_ann,postgres}'::text[]) AS who, unnest('{"","EXPLAIN "}'::text[]) AS explain,
	(VALUES ('SELECT dp_count(*) FROM watched WHERE x > 5 AND y < 10', 'gate_owner'),
		('SELECT dp_count(*) FROM watched_parts WHERE x > 5', 'gate_owner'),
		('SELECT dp_count(*) FROM watched JOIN watched_too USING (id) WHERE x > 5', 'gate_owner'),
		('SELECT dp_count(*) FROM watched JOIN others USING (id)', 'gate_bob,gate_owner'),
		('SELECT dp_count(*) FROM others LEFT JOIN watched USING (id)', 'gate_bob,gate_owner')) AS v (q, seen) \gexec
RESET constraint_exclusion;
UPDATE pg_attribute SET attname = attname WHERE attrelid = 'public.watched'::regclass;
SELECT t.watched('gate_ann', 'SELECT x > 5, dp_count(*) FROM watched GROUP BY x > 5', 'gate_owner');
RESET dp_noise.epsilon;

-- A part of another's would run that one's code as the owner.
SELECT t.run('gate_owner', 'CREATE TABLE public.whole (id integer, x integer)');
SELECT t.run('gate_owner', 'SELECT dp_noise.protect(''public.whole'', epsilon => 1e13, delta => 1), dp_noise.alter_population(''public.whole'', on_repeat => ''answer''), dp_noise.set_budget(''gate_ann'', ''public.whole'', 1e12)');
CREATE TABLE public.part_of (id integer, x integer);
ALTER TABLE public.part_of INHERIT public.whole;
SELECT t.accept('SELECT dp_count(*) FROM whole'); -- the superuser's
ALTER TABLE public.part_of OWNER TO gate_bob;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM whole'), '55000: "part_of", a part of "whole", belongs to another role', 'a part of another''s');
ALTER TABLE public.part_of OWNER TO gate_owner;
SELECT t.accept('SELECT dp_count(*) FROM whole');

-- Whoever may not call an aggregate does not by way of the owner; and a view
-- that the user may not read gives nothing.
REVOKE EXECUTE ON FUNCTION public.dp_count() FROM PUBLIC;
SELECT t.refuse('42501', 'SELECT dp_count(*) FROM patients');
GRANT EXECUTE ON FUNCTION public.dp_count() TO PUBLIC;
SELECT t.accept('SELECT dp_count(*) FROM patients');
SELECT t.run('gate_owner', 'CREATE VIEW gate_owner.counted AS SELECT dp_count(*) FROM public.patients');
SELECT t.run('gate_owner', 'GRANT USAGE ON SCHEMA gate_owner TO gate_ann');
SELECT t.refuse('42501', 'SELECT * FROM gate_owner.counted');
SELECT t.run('gate_owner', 'GRANT SELECT ON gate_owner.counted TO gate_ann');
SELECT t.accept('SELECT * FROM gate_owner.counted');

------------------------------------------------------------------------------
-- An owner's functions never run as whoever asks, nor as whoever checks

-- What an owner may write into an index is evaluated once for each time that the
-- server reads its definition anew: by the owner, or not at all.
SELECT t.run('gate_owner', $$CREATE FUNCTION gate_owner.mine(integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN IF current_user <> ''gate_owner'' THEN RAISE ''ran as %'', current_user; END IF; RETURN true; END'$$);
SET ROLE gate_owner;
CREATE TABLE public.guests (id integer PRIMARY KEY, room integer, CHECK (gate_owner.mine(1) OR id > 0));
CREATE TABLE public.rooms (id integer PRIMARY KEY, name text COLLATE "C" NOT NULL);
INSERT INTO public.guests SELECT i, i % 5 FROM generate_series(1, 50) AS i;
INSERT INTO public.rooms SELECT i, 'room ' || i FROM generate_series(0, 4) AS i;
CREATE UNIQUE INDEX guests_some ON public.guests (id) WHERE gate_owner.mine(1);
CREATE UNIQUE INDEX guests_all ON public.guests (id, (CASE WHEN gate_owner.mine(1) THEN room END));
CREATE UNIQUE INDEX rooms_some ON public.rooms (id) WHERE gate_owner.mine(1);
CREATE UNIQUE INDEX rooms_all ON public.rooms (id, (CASE WHEN gate_owner.mine(1) THEN name END));
CREATE STATISTICS public.guests_most (dependencies) ON room, (CASE WHEN gate_owner.mine(1) THEN id END) FROM public.guests;
GRANT SELECT ON public.rooms TO gate_ann;
CREATE VIEW public.lodgers AS SELECT g.id AS who, r.name FROM public.guests AS g JOIN public.rooms AS r ON r.id = g.room;
CREATE VIEW public.pairs AS SELECT g.id AS who, h.room FROM public.guests AS g JOIN public.guests AS h ON h.id = g.id;
SELECT dp_noise.protect('public.guests', privacy_unit => 'id', epsilon => 1e13, delta => 1), dp_noise.protect('public.pairs', privacy_unit => 'who');
-- read with the rights of the extension's owner once
SELECT dp_noise.protect('public.lodgers', privacy_unit => 'who');
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget('gate_ann', r::text, 1e12, delta => 1) FROM unnest('{public.guests,public.lodgers,public.pairs}'::regclass[]) AS r;
RESET ROLE;

-- All that the server keeps of the tables and indexes is read anew.
CREATE FUNCTION t.forget() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	ALTER TABLE public.guests SET (fillfactor = 90);
	ALTER TABLE public.rooms SET (fillfactor = 90);
	ALTER INDEX public.guests_some SET (fillfactor = 90);
	ALTER INDEX public.guests_all SET (fillfactor = 90);
	ALTER INDEX public.rooms_some SET (fillfactor = 90);
	ALTER INDEX public.rooms_all SET (fillfactor = 90);
END
$$;
-- The owner's function is evaluated then, and tells who evaluates it.
SELECT t.forget();
SELECT throws_ok('SELECT FROM public.rooms WHERE id = 1', 'P0001', 'ran as ' || current_user, 'a plain query runs it');
SELECT 'SELECT t.forget()', format('SELECT t.accept(%L, 0)', 'EXPLAIN ' || c), 'SELECT t.forget()', format('SELECT t.accept(%L)', c) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM guests',
	'SELECT dp_count(*) FROM guests WHERE id = 3',
	'SELECT room = 1, dp_count(*) FROM guests GROUP BY room = 1',
	'SELECT dp_count(*) FROM guests AS g JOIN guests AS h ON h.id = g.id',
	'SELECT dp_count(*) FROM guests AS g JOIN guests AS h USING (id, room)',
	'SELECT dp_count(*) FROM guests AS g WHERE EXISTS (SELECT FROM guests AS h WHERE h.id = g.id AND h.room = 2)',
	'SELECT dp_count(*) FROM (SELECT id, max(room) AS room FROM guests GROUP BY id) AS g']) AS c \gexec
SELECT t.forget();
SELECT t.accept('SELECT dp_count(*) FROM pairs');
SELECT t.forget();
SELECT t.accept('SELECT dp_count(*) FROM pairs AS p JOIN guests AS g ON g.id = p.who');
-- What is public is read as in any query, with the rights of whoever reads.
SELECT t.forget();
SELECT t.refuse('P0001', 'SELECT FROM rooms WHERE id = 1');
SELECT t.forget();
SELECT t.refuse('P0001', 'SELECT dp_count(*) FROM lodgers');
-- But not where a view is protected or checked.
SELECT t.forget();
SELECT is(t.run('gate_owner', 'SELECT dp_noise.protect(''public.lodgers'', privacy_unit => ''who'')'), '', 'nor does protect()');
SELECT t.forget();
SELECT is_empty('SELECT * FROM dp_noise.check_views()', 'the check of views runs nothing as whoever checks');

-- Nor do functions that an owner has put into a view since it was protected.
CREATE FUNCTION t.put(view_query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT is(t.run('gate_owner', 'CREATE OR REPLACE VIEW public.lodgers AS ' || view_query), NULL, 'put: ' || view_query);
	PERFORM t.forget();
	RETURN NEXT results_eq('SELECT object || '': '' || finding FROM dp_noise.check_views()',
		ARRAY['public.lodgers: questions about the view are refused: a protected view cannot call functions of users'], 'checked: ' || view_query);
	RETURN NEXT t.refuse('0A000', 'SELECT dp_count(*) FROM lodgers');
END
$$;
SELECT t.run('gate_owner', $$CREATE FUNCTION gate_owner.mines(integer) RETURNS SETOF integer LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN PERFORM gate_owner.mine($1); RETURN NEXT $1; END'$$);
SELECT t.run('gate_owner', $$CREATE FUNCTION gate_owner.plain(integer) RETURNS SETOF boolean LANGUAGE sql STABLE AS 'SELECT gate_owner.mine($1)'$$);
SELECT t.put(c) FROM unnest(ARRAY[
	'SELECT CASE WHEN gate_owner.mine(1) THEN 1 END AS who, ''x'' COLLATE "C" AS name',
	'SELECT id AS who, ''x'' COLLATE "C" AS name FROM public.guests WHERE gate_owner.mine(1)',
	'SELECT id AS who, ''x'' COLLATE "C" AS name FROM public.guests, gate_owner.plain(1) AS p WHERE p',
	'SELECT id AS who, ''x'' COLLATE "C" AS name FROM public.guests JOIN gate_owner.mines(1) AS m ON m = id',
	'SELECT id AS who, ''x'' COLLATE "C" AS name FROM public.guests, (SELECT gate_owner.mine(1) AS m) AS s WHERE m',
	'SELECT id AS who, ''x'' COLLATE "C" AS name FROM public.guests WHERE (SELECT gate_owner.mine(1))',
	'SELECT id AS who, ''x'' COLLATE "C" AS name FROM public.guests WHERE true IN (SELECT gate_owner.mine(1) FROM public.rooms)',
	'SELECT id AS who, r.name FROM public.guests JOIN (SELECT * FROM public.rooms WHERE gate_owner.mine(id)) AS r USING (id)',
	'SELECT id AS who, ''x'' COLLATE "C" AS name FROM public.guests ORDER BY gate_owner.mine(1)',
	'SELECT id AS who, ''x'' COLLATE "C" AS name FROM public.guests WINDOW w AS (ORDER BY gate_owner.mine(1))']) AS c;

-- What a foreign key refers to is read as its owner: the statement does not name
-- it. Whoever asks must be allowed to read it.
SELECT t.run('gate_owner', 'ALTER TABLE public.guests ADD FOREIGN KEY (room) REFERENCES public.rooms');
SELECT t.forget();
SELECT t.accept('EXPLAIN SELECT room, dp_count(*) FROM guests GROUP BY room', 0);
SELECT t.forget();
SELECT t.accept('SELECT room, dp_count(*) FROM guests GROUP BY room');
SELECT matches(t.run('gate_ann', 'EXPLAIN (FORMAT json) SELECT room, dp_count(*) FROM guests GROUP BY room'), 'foreign key to rooms', 'by the foreign key');
SELECT t.run('gate_owner', 'REVOKE SELECT ON public.rooms FROM gate_ann');
SELECT t.refuse('0A000', 'SELECT room, dp_count(*) FROM guests GROUP BY room');
SELECT t.run('gate_owner', 'GRANT SELECT ON public.rooms TO gate_ann');
SELECT t.run('gate_owner', 'ALTER TABLE public.rooms ENABLE ROW LEVEL SECURITY');
SELECT t.run('gate_owner', 'CREATE POLICY p ON public.rooms USING (gate_owner.mine(1))');
SELECT t.forget();
SELECT t.refuse('0A000', 'SELECT room, dp_count(*) FROM guests GROUP BY room'); -- policies are about whoever asks, and run with nobody's rights but the owner's
SELECT t.forget();
SELECT t.refuse('0A000', 'EXPLAIN SELECT room, dp_count(*) FROM guests GROUP BY room');
SELECT t.run('gate_owner', 'ALTER POLICY p ON public.rooms USING (name <> current_user::text)');
SELECT t.refuse('0A000', 'SELECT room, dp_count(*) FROM guests GROUP BY room'); -- that would be the owner
SELECT t.run('gate_owner', 'ALTER POLICY p ON public.rooms USING (id IN (SELECT 1 WHERE gate_owner.mine(1)))');
SELECT t.refuse('0A000', 'SELECT room, dp_count(*) FROM guests GROUP BY room');
SELECT t.run('gate_owner', 'ALTER POLICY p ON public.rooms TO gate_ann USING (id < 3)');
SELECT t.forget();
SELECT is(t.run('gate_ann', 'SELECT string_agg(q.room::text, '','' ORDER BY q.room) FROM (SELECT room, dp_count(*) FROM guests GROUP BY room) AS q'), '0,1,2', 'a plain policy: as that user sees it, and the indexes beneath are still evaluated by their owner');
SELECT t.run('gate_owner', 'ALTER POLICY p ON public.rooms TO PUBLIC USING (gate_owner.mine(1))');
SELECT t.forget();
SELECT lives_ok('SELECT room, dp_count(*) FROM public.guests GROUP BY room', 'superusers are above them');
SELECT t.run('gate_owner', 'ALTER TABLE public.rooms DISABLE ROW LEVEL SECURITY');

-- What is public in a protected view calls nothing that others wrote: in views,
-- sub-queries and functions of its own.
SELECT t.run('gate_owner', 'CREATE VIEW public.one AS SELECT 1 AS n WHERE gate_owner.mine(1)');
SELECT t.run('gate_owner', 'CREATE VIEW public.two AS SELECT n FROM public.one');
SELECT t.run('gate_owner', 'CREATE DOMAIN gate_owner.ones AS integer CHECK (gate_owner.mine(VALUE))');
SELECT t.run('gate_owner', 'CREATE TYPE gate_owner.pair AS (one gate_owner.ones)');
GRANT SELECT ON public.one, public.two TO PUBLIC;
CREATE FUNCTION t.public_part(part text, reason text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT is(t.run('gate_owner', 'CREATE OR REPLACE VIEW public.lodgers AS SELECT id AS who, ''x'' COLLATE "C" AS name FROM public.guests WHERE ' || part), NULL, 'put: ' || part);
	PERFORM t.forget();
	RETURN NEXT results_eq('SELECT finding FROM dp_noise.check_views()', ARRAY['questions about the view are refused: a protected view cannot ' || reason], 'checked: ' || part);
	RETURN NEXT t.refuse('0A000', 'SELECT dp_count(*) FROM lodgers');
	RETURN NEXT t.refuse('0A000', 'EXPLAIN SELECT dp_count(*) FROM lodgers');
	RETURN NEXT is(t.run('gate_owner', 'SELECT dp_noise.protect(''public.lodgers'', privacy_unit => ''who'')'), '0A000: a protected view cannot ' || reason, 'not protected: ' || part);
END
$$;
SELECT t.public_part('room = (SELECT max(n) FROM public.one)', 'call functions of users');
SELECT t.public_part('room IN (SELECT n FROM public.two)', 'call functions of users');
SELECT t.public_part('EXISTS (SELECT FROM public.one)', 'call functions of users');
SELECT t.public_part('room = (SELECT length(table_to_xml(''public.one'', true, true, '''')::text))', 'read what is public with functions that may call others');
SELECT t.public_part('room = (SELECT max((jsonb_populate_record(NULL::gate_owner.pair, jsonb ''{"one":1}'')).one))', 'read what is public with functions that may call others');
SELECT t.public_part('room = (SELECT 1::gate_owner.ones::integer)', 'make values of types of users from what is public');
SELECT t.public_part('room = (SELECT count(x) FROM (SELECT (''('' || id || '')'')::gate_owner.pair AS x FROM public.rooms) AS s)', 'make values of types of users from what is public');
SELECT t.public_part('room = (SELECT max(x.n) FROM XMLTABLE(''/r'' PASSING xml ''<r>1</r>'' COLUMNS n gate_owner.ones PATH ''.'') AS x)', 'make values of types of users from what is public');
SELECT t.public_part('room IN (SELECT x.n FROM public.rooms AS r, XMLTABLE(''/r'' PASSING xml ''<r>1</r>'' COLUMNS n gate_owner.ones PATH ''.'') AS x)', 'make values of types of users from what is public');
-- JSON queries, which came with version 17
SELECT current_setting('server_version_num')::integer >= 170000 AS has_json_queries \gset
\if :has_json_queries
SELECT t.run('gate_owner', 'CREATE DOMAIN gate_owner.word AS text CHECK (gate_owner.mine(length(VALUE)))');
SELECT t.public_part(part, 'make values of types of users from what is public') FROM unnest(ARRAY[
	'room = (SELECT JSON_VALUE(jsonb ''1'', ''$'' RETURNING gate_owner.ones)::integer)',
	'room = (SELECT JSON_VALUE(jsonb ''{}'', ''$.x'' RETURNING gate_owner.ones DEFAULT 1 ON EMPTY)::integer)',
	'room = (SELECT count(JSON_QUERY(jsonb ''{"one": 1}'', ''$'' RETURNING gate_owner.pair)))',
	'room = (SELECT count(JSON_QUERY(jsonb ''[1]'', ''$'' RETURNING gate_owner.ones[])))',
	'room = (SELECT length(JSON_ARRAY(1 RETURNING gate_owner.word)))',
	'room = (SELECT max(x.n) FROM JSON_TABLE(jsonb ''[1]'', ''$[*]'' COLUMNS (n gate_owner.ones PATH ''$'')) AS x)',
	'room IN (SELECT x.n FROM public.rooms AS r, JSON_TABLE(jsonb ''[{"a": [1]}]'', ''$[*]'' COLUMNS (NESTED PATH ''$.a[*]'' COLUMNS (n gate_owner.ones PATH ''$''))) AS x)']) AS part;
\endif
-- a cast to json, which aggregates and constructors of json look for themselves
SELECT t.run('gate_owner', 'CREATE FUNCTION gate_owner.spoken(public.mood) RETURNS json LANGUAGE sql AS ''SELECT to_json(gate_owner.mine(1))''');
SELECT t.run('gate_owner', 'CREATE CAST (public.mood AS json) WITH FUNCTION gate_owner.spoken(public.mood)');
SELECT t.public_part('room = (SELECT length(' || json || '::text) FROM public.rooms)', 'make json or other totals from values of types of users that are public')
FROM unnest(ARRAY['json_agg(''sad''::public.mood)', 'jsonb_object_agg(id, ARRAY[''sad''::public.mood])', 'json_agg(ROW(''sad''::public.mood))']) AS json;
SELECT t.public_part('room = (SELECT length(json_agg(s)::text) FROM (SELECT ''sad''::public.mood OFFSET 0) AS s)', 'make json or other totals from values of types of users that are public');
SELECT t.public_part('room IN (SELECT length((json_agg(''sad''::public.mood) OVER ())::text) FROM public.rooms)', 'make json or other totals from values of types of users that are public');
SELECT current_setting('server_version_num')::integer >= 160000 AS has_json_constructors \gset
\if :has_json_constructors
SELECT t.public_part('room = (SELECT max(length(' || json || '::text)) FROM public.rooms)', 'make json or other totals from values of types of users that are public')
FROM unnest(ARRAY['JSON_ARRAY(''sad''::public.mood)', 'JSON_OBJECT(id : ''sad''::public.mood RETURNING jsonb)']) AS json;
SELECT t.public_part('room = (SELECT length(JSON_ARRAYAGG(''sad''::public.mood)::text) FROM public.rooms)', 'make json or other totals from values of types of users that are public');
\endif
-- a condition on what is public, and how it is sampled
CREATE FUNCTION t.public_rooms(part text, reason text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT is(t.run('gate_owner', 'CREATE OR REPLACE VIEW public.lodgers AS SELECT g.id AS who, ''x'' COLLATE "C" AS name FROM public.guests AS g ' || part), NULL, 'put: ' || part);
	PERFORM t.forget();
	RETURN NEXT t.refuse('0A000', 'SELECT dp_count(*) FROM lodgers');
	RETURN NEXT t.refuse('0A000', 'EXPLAIN SELECT dp_count(*) FROM lodgers');
	RETURN NEXT is(t.run('gate_owner', 'SELECT dp_noise.protect(''public.lodgers'', privacy_unit => ''who'')'), '0A000: ' || reason, 'not protected: ' || part);
END
$$;
SELECT t.public_rooms('JOIN public.rooms AS r ON r.id = g.room WHERE length(table_to_xml(''public.one'', true, true, left(r.name, 0))::text) > 0',
	'function table_to_xml(regclass,boolean,boolean,text) cannot be used in WHERE over a protected relation');
SELECT t.public_rooms('JOIN public.rooms AS r ON r.id = g.room AND to_json(CASE WHEN r.id > 0 THEN ''sad''::public.mood END)::text = ''1''',
	'function to_json(anyelement) cannot be used in WHERE over a protected relation');
SELECT t.public_rooms('LEFT JOIN public.rooms AS r ON r.id = g.room AND length(table_to_xml(''public.one'', true, true, left(r.name, 0))::text) > 0',
	'function table_to_xml(regclass,boolean,boolean,text) cannot be used in JOIN over a protected relation');
SELECT t.public_rooms('JOIN generate_series(1, 3) AS i ON i = g.room WHERE length(table_to_xml(''public.one'', true, true, left(i::text, 0))::text) > 0',
	'function table_to_xml(regclass,boolean,boolean,text) cannot be used in WHERE over a protected relation');
SELECT t.public_rooms('JOIN public.rooms AS r TABLESAMPLE bernoulli (length(table_to_xml(''public.one'', true, true, '''')::text)) REPEATABLE (1) ON r.id = g.room',
	'a protected view cannot read what is public with functions that may call others');
SELECT t.run('gate_owner', $$CREATE OR REPLACE VIEW public.lodgers AS SELECT g.id AS who, 'x' COLLATE "C" AS name FROM public.guests AS g
	JOIN public.rooms AS r ON r.id = g.room AND r.name LIKE '_%' AND now() > date '2020-01-01' + r.id AND (CASE WHEN r.id > 0 THEN 'sad'::public.mood END) < 'happy'
	JOIN public.rooms AS s TABLESAMPLE bernoulli (100) REPEATABLE (1) ON s.id = g.room$$);
SELECT is_empty('SELECT * FROM dp_noise.check_views()', 'conditions that call none');
-- what calls none of these may be read
SELECT t.run('gate_owner', $$CREATE OR REPLACE VIEW public.lodgers AS SELECT id AS who, 'x' COLLATE "C" AS name FROM public.guests
	WHERE room IN (SELECT i::integer FROM generate_series(0, 3) AS i WHERE i % 2 = 0) AND id < (SELECT 10 + length(upper('abc')) * 10 + cardinality(string_to_array('1,2', ',')))$$);
SELECT is_empty('SELECT * FROM dp_noise.check_views()', 'functions of the server that call none');
SELECT t.accept('SELECT dp_count(*) FROM lodgers');

-- In parallel still.
\ir support/parallel.sql
SET :debug_parallel_query = on;
SELECT t.accept('SELECT dp_count(*), dp_sum(age) FROM patients WHERE smoker', 2);
SELECT t.accept('SELECT x, dp_count(*) FROM visits LEFT JOIN j ON j.id = place GROUP BY x');
RESET :debug_parallel_query;

-- What the owner's code does beneath a question: of the errors of this extension
-- only those tell their cause that depend on no row and quote none.
SET ROLE gate_owner;
CREATE TABLE public.indexed (id integer, age integer);
INSERT INTO public.indexed SELECT i, i % 90 FROM generate_series(1, 100) AS i;
CREATE TABLE public.to_do (command text);
CREATE FUNCTION public.act(integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
	'DECLARE c text; BEGIN FOR c IN SELECT command FROM public.to_do LOOP EXECUTE c; END LOOP; RETURN true; END';
CREATE INDEX ON public.indexed (age) WHERE public.act(1);
SELECT dp_noise.protect('public.indexed', epsilon => 1e13, delta => 1), dp_noise.alter_population('public.indexed', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.indexed', 1e12);
RESET ROLE;
SELECT t.accept('SELECT dp_count(*) FROM indexed');
INSERT INTO public.to_do VALUES ('SELECT public.dp_count(*) FROM public.visits');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM indexed WHERE age = 3'),
	'0A000: a protected relation cannot be asked about while another question is planned or answered', 'an index asks');
UPDATE public.to_do SET command = 'SELECT public.dp_sum(i, 0, i) FROM generate_series(1, 2) AS i';
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM indexed WHERE age = 3'),
	'0A000: upper bound of a private aggregate must be the same for all rows', 'or aggregates by itself');
UPDATE public.to_do SET command = 'SELECT public.dp_sum(i, 0, 1, 1, ''secret'') FROM generate_series(1, 2) AS i';
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM indexed WHERE age = 3'), '22000: the protected relation could not be read', 'what quotes a value is not shown');
UPDATE public.to_do SET command = 'SELECT public.dp_expected_error(max(age)::text, 1, 1) FROM public.indexed';
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM indexed WHERE age = 3'), '22000: the protected relation could not be read', 'nor that this extension says so');

SELECT * FROM finish();
\ir support/gate_end.sql
