-- Functions of users run nowhere between the reading of a block and its release,
-- and what they change in between is noticed.
\ir support/gate.sql
SELECT no_plan();

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
SELECT dp_noise.protect('public.visits'), dp_noise.set_budget('gate_ann', 'public.visits', 1e12, delta => 1, on_repeat => 'answer');
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
		RETURN NEXT matches(result, '^(55000: relation "\w+" was changed|55000: a relation of a question|55006|0A000|42501|42804|XX000: (could not open|cache lookup failed for attribute)|42P01)',
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
	'^(55000: relation "j" was changed|0A000|42P13|42804)', 'FROM ' || source), t.restore()
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
SELECT dp_noise.protect('public.logins'), dp_noise.set_budget('gate_ann', 'public.logins', 1e12, delta => 1, on_repeat => 'answer');
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
CREATE TABLE t.before AS SELECT count(*) AS n FROM dp_noise.ledger WHERE relation = 'public.patients'::regclass;
SELECT is(t.run('gate_ann', 'SELECT place, dp_count(*) >= -1000000 FROM logins GROUP BY place'), '0', 'and hides that it may not');
SELECT is(count(*), (SELECT n FROM t.before), 'nothing is charged for it') FROM dp_noise.ledger WHERE relation = 'public.patients'::regclass;
SELECT t.accept('SELECT dp_count(*) FROM patients');
SELECT t.run('gate_ann', 'DROP TABLE order_of');

-- An index of a table that is looked up.
SELECT t.make($$CREATE FUNCTION h() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN PERFORM set_config(''dp_noise.epsilon'', ''2'', false); PERFORM public.dp_count(*) FROM public.patients; RETURN true; EXCEPTION WHEN feature_not_supported THEN RETURN true; END'$$);
SELECT t.make('CREATE INDEX ON j (x) WHERE h()');
UPDATE t.before SET n = (SELECT count(*) FROM dp_noise.ledger WHERE relation = 'public.patients'::regclass);
SET dp_noise.epsilon = 0.5;
SELECT isnt(t.run('gate_ann', 'SELECT dp_count(x) FROM visits JOIN j ON j.id = place'), NULL, 'an index that asks');
SELECT is(count(*), (SELECT n FROM t.before), 'nothing is charged for it') FROM dp_noise.ledger WHERE relation = 'public.patients'::regclass;
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
SELECT dp_noise.protect(r, privacy_unit => u), dp_noise.set_budget('gate_ann', r, 1e12, on_repeat => 'answer')
FROM unnest('{public.watched,public.watched_parts,public.watched_too}'::regclass[], '{id,NULL,id}'::text[]) AS w (r, u);
RESET ROLE;
SET ROLE gate_bob;
CREATE FUNCTION public.peep(what text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN PERFORM t.note(current_user, session_user, what); RETURN true; END';
CREATE TABLE public.others (id integer PRIMARY KEY, w integer);
CREATE INDEX ON public.others (w) WHERE public.peep('predicate');
INSERT INTO public.others SELECT i, i FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('public.others', privacy_unit => 'id'), dp_noise.set_budget('gate_ann', 'public.others', 1e12, on_repeat => 'answer');
RESET ROLE;
RESET search_path;
RESET dp_noise.epsilon;
CREATE FUNCTION t.watched(who text, command text, seen text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := (SELECT count(*) FROM dp_noise.ledger WHERE relation = 'public.patients'::regclass);
BEGIN
	UPDATE pg_attribute SET attname = attname WHERE attrelid::regclass::text ~ '(watched|others)'; -- nothing of them is cached
	TRUNCATE t.seen;
	RETURN NEXT unalike(coalesce(t.run(who, command), ''), '_____: %', who || ': ' || command);
	RETURN NEXT is((SELECT string_agg(DISTINCT s.who, ',') FROM t.seen AS s), seen, 'as the owner');
	RETURN NEXT is((SELECT count(*) FROM t.seen AS s WHERE s.what NOT LIKE '% 0A000' AND s.who = 'gate_owner'), 0::bigint, 'who may not ask');
	RETURN NEXT is((SELECT count(*) FROM dp_noise.ledger WHERE relation = 'public.patients'::regclass), before, 'nor is charged');
	RETURN NEXT is(current_setting('dp_noise.epsilon'), '0.5', 'settings stay');
END
$$;
SET dp_noise.epsilon = 0.5;
SET constraint_exclusion = on;
SELECT t.watched(who, explain || q, seen)
FROM unnest('{gate_ann,postgres}'::text[]) AS who, unnest('{"","EXPLAIN "}'::text[]) AS explain,
	(VALUES ('SELECT dp_count(*) FROM watched WHERE x > 5 AND y < 10', 'gate_owner'),
		('SELECT dp_count(*) FROM watched_parts WHERE x > 5', 'gate_owner'),
		('SELECT dp_count(*) FROM watched JOIN watched_too USING (id) WHERE x > 5', 'gate_owner'),
		('SELECT dp_count(*) FROM watched JOIN others USING (id)', 'gate_bob,gate_owner'),
		('SELECT dp_count(*) FROM others LEFT JOIN watched USING (id)', 'gate_bob,gate_owner')) AS v (q, seen);
RESET constraint_exclusion;
SELECT t.watched('gate_ann', 'SELECT x > 5, dp_count(*) FROM watched GROUP BY x > 5', 'gate_owner');
RESET dp_noise.epsilon;

-- A part of another's would run that one's code as the owner.
SELECT t.run('gate_owner', 'CREATE TABLE public.whole (id integer, x integer)');
SELECT t.run('gate_owner', 'SELECT dp_noise.protect(''public.whole''), dp_noise.set_budget(''gate_ann'', ''public.whole'', 1e12, on_repeat => ''answer'')');
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

-- In parallel still.
\ir support/parallel.sql
SET :debug_parallel_query = on;
SELECT t.accept('SELECT dp_count(*), dp_sum(age) FROM patients WHERE smoker', 2);
SELECT t.accept('SELECT x, dp_count(*) FROM visits LEFT JOIN j ON j.id = place GROUP BY x');
RESET :debug_parallel_query;

SELECT * FROM finish();
\ir support/gate_end.sql
