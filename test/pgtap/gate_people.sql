-- Groups of fewer people than the owner wants are never shown, by private and by
-- public keys, whatever count decides.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
-- town t has t people of one row each
CREATE TABLE public.people (id integer PRIMARY KEY, town text, adult boolean NOT NULL, age integer NOT NULL);
INSERT INTO public.people SELECT row_number() OVER (), 'town' || t, t > 3, 10 * t FROM generate_series(1, 8) AS t, generate_series(1, t) AS i;
INSERT INTO public.people SELECT 100 + i, NULL, false, 5 FROM generate_series(1, 3) AS i;
-- place p has p people, of ten rows each
CREATE TABLE public.visits (person integer NOT NULL, place text NOT NULL, x integer NOT NULL);
INSERT INTO public.visits SELECT 100 * p + i, 'place' || p, 1 FROM generate_series(1, 6) AS p, generate_series(1, p) AS i, generate_series(1, 10);
-- names towns that nobody is in, too
CREATE TABLE public.regions (town text PRIMARY KEY, region text NOT NULL);
INSERT INTO public.regions SELECT 'town' || t, 'region' || t FROM generate_series(1, 20) AS t;
GRANT SELECT ON public.regions TO PUBLIC;
SELECT dp_noise.protect('public.people', privacy_unit => 'id', epsilon => 1e9, delta => 1, min_people_per_group => 5);
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 10, max_groups_per_unit => 2, population => 'public.people', min_people_per_group => 3);
CREATE TABLE public.villages (village text NOT NULL, age integer NOT NULL);
INSERT INTO public.villages SELECT CASE n WHEN 4 THEN 'four' ELSE 'five' END || v, 50 FROM generate_series(1, 200) AS v, generate_series(4, 5) AS n, generate_series(1, n) AS i;
SELECT dp_noise.protect('public.villages', epsilon => 10, delta => 1, min_people_per_group => 5), dp_noise.set_budget('gate_ann', 'public.villages', 10, delta => 1);
SELECT dp_noise.set_bounds('public.people', 'age', 0, 100), dp_noise.set_bounds('public.visits', 'x', 0, 1);
SELECT dp_noise.alter_population('public.people', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.people', 1000000, delta => 1);
RESET ROLE;

-- All rows of the answer as one text. At epsilon 100 counts are exact, and the
-- threshold is two more than groups must have less one.
CREATE FUNCTION t.rows(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_noise.epsilon', '100', false), set_config('dp_noise.delta', '1e-9', false);
	RETURN t.run('gate_ann', format('SELECT string_agg(translate(r::text, ''()'', ''''), '' | '') FROM (%s) AS r', query));
END
$$;

-- A group of as many is the first unit's: it is shown with a probability below delta.
SELECT is(t.rows('SELECT town, dp_count(*) FROM people GROUP BY town ORDER BY town'), 'town6,6 | town7,7 | town8,8', 'the asked count decides');
SELECT is(t.rows('SELECT town, dp_count(id) FROM people GROUP BY town ORDER BY town'), 'town6,6 | town7,7 | town8,8', 'also of values');
SELECT is(t.rows('SELECT town, dp_sum(age, 0, 100) FROM people GROUP BY town ORDER BY town'), 'town6,360 | town7,490 | town8,640', 'a count made for it decides');
SELECT is(t.rows('SELECT town FROM people GROUP BY town ORDER BY town'), 'town6 | town7 | town8', 'keys alone');
SELECT is(t.rows('SELECT town, dp_count(*) FROM people WHERE age < 70 GROUP BY town'), 'town6,6', 'of the rows that count');
SELECT is(t.rows('SELECT place, dp_count(*) FROM visits GROUP BY place ORDER BY place'), 'place4,40 | place5,50 | place6,60', 'rows of people');
SELECT is(t.rows('SELECT place, dp_sum(x, 0, 1) FROM visits GROUP BY place ORDER BY place'), 'place4,40 | place5,50 | place6,60', 'units of several rows');

-- Never: where the noise lets in one of twelve groups of four people by their count
-- alone, none of 200 is shown, but of those of five every seventh is.
CREATE FUNCTION t.shown(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_noise.epsilon', '0.5', false), set_config('dp_noise.delta', '0.2', false);
	RETURN t.run('gate_ann', format('SELECT count(*) FILTER (WHERE village LIKE ''four%%'') || '','' || (count(*) FILTER (WHERE village LIKE ''five%%'') > 0) FROM (%s) AS s', query));
END
$$;
SELECT is(t.shown('SELECT village, dp_count(*) FROM villages GROUP BY village'), '0,true', 'smaller groups are never shown by the asked count');
SELECT is(t.shown('SELECT village, dp_sum(age, 0, 100) FROM villages GROUP BY village'), '0,true', 'nor by one made for it');

-- Public keys: selected, too, and none of another shape.
SELECT is(t.rows('SELECT adult, dp_count(*) FROM people GROUP BY adult ORDER BY adult'), 'f,9 | t,30', 'a boolean');
SELECT is(t.rows('SELECT adult, dp_count(*) FROM people WHERE age < 45 AND town IS NOT NULL GROUP BY adult ORDER BY adult'), 'f,6', 'less than five adults');
SELECT is(t.rows('SELECT town, dp_count(*) FROM people WHERE town IN (''town2'', ''town7'', ''town9'') GROUP BY town'), 'town7,7', 'values that WHERE names');
SELECT is(t.rows('SELECT adult, town, dp_count(*) FROM people GROUP BY adult, town ORDER BY town'), 't,town6,6 | t,town7,7 | t,town8,8', 'beside a private key');
SELECT is(t.rows('SELECT r.region, count(p.id) FROM regions AS r LEFT JOIN people AS p ON p.town = r.town GROUP BY r.region ORDER BY r.region'), 'region6,6 | region7,7 | region8,8', 'public rows without a match');
SELECT is(t.rows('SELECT r.region, count(p.id) FROM regions AS r JOIN people AS p ON p.town = r.town GROUP BY r.region ORDER BY r.region'), 'region6,6 | region7,7 | region8,8', 'public rows joined');
SELECT is(t.rows('SELECT adult, count(*) FROM people GROUP BY ROLLUP (adult) ORDER BY adult'), 'f,9 | t,30 | ,39', 'groupings, of which one has no keys');
SELECT is(t.rows('SELECT dp_count(*) FROM people WHERE town = ''town2'''), '2', 'without GROUP BY there is one answer, whatever it is about');
SELECT is(t.rows('SELECT adult FROM people GROUP BY adult'), 'f | t', 'public values alone tell nothing of people');

-- Joins and sub-queries: the most of all relations.
SELECT is(t.rows('SELECT v.place, dp_count(*) FROM visits AS v JOIN people AS p ON p.id = v.person GROUP BY v.place'), NULL, 'nobody is in both');
SET ROLE gate_owner;
UPDATE public.people SET id = id + 1000000;
INSERT INTO public.people SELECT DISTINCT person, 'visitor', true, 50 FROM public.visits;
RESET ROLE;
SELECT is(t.rows('SELECT v.place, dp_count(*) FROM visits AS v JOIN people AS p ON p.id = v.person GROUP BY v.place'), 'place6,60', 'a join');
SELECT is(t.rows('SELECT place, dp_count(*) FROM visits AS v WHERE EXISTS (SELECT FROM people AS p WHERE p.id = v.person) GROUP BY place'), 'place6,60', 'a sub-query in WHERE');
SELECT is(t.rows('SELECT place, dp_count(*) FILTER (WHERE EXISTS (SELECT FROM people AS p WHERE p.id = v.person)) FROM visits AS v GROUP BY place'), 'place6,60', 'a sub-query in FILTER');
SET ROLE gate_owner;
CREATE VIEW public.adults AS SELECT id, town FROM public.people WHERE adult;
SELECT dp_noise.protect('public.adults', privacy_unit => 'id', max_rows_per_unit => 1);
RESET ROLE;
SELECT is(t.rows('SELECT town, dp_count(*) FROM adults WHERE town < ''v'' GROUP BY town ORDER BY town'), 'town6,6 | town7,7 | town8,8', 'through a view that wants none');

-- Without a delta there is an error, for public keys, too, and no charge.
SET dp_noise.delta = 0;
SELECT t.refuse('0A000', 'SELECT adult, dp_count(*) FROM people GROUP BY adult');
CREATE FUNCTION t.hint() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	said text;
BEGIN
	PERFORM dp_count(*) FROM people GROUP BY adult;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS said = PG_EXCEPTION_HINT;
	RETURN SQLERRM || ': ' || said;
END
$$;
SELECT is(hint, 'groups of at least 5 people need a delta: Set dp_noise.delta, to 1e-6 for example.', 'the error, and its hint') FROM t.hint() AS hint;
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM people GROUP BY id');
SET dp_noise.delta = 1e-9;

-- What is shown of it.
CREATE FUNCTION t.explained(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lines text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		lines := concat_ws(' | ', lines, trim(line));
	END LOOP;
	RETURN lines;
END
$$;
SET dp_noise.epsilon = 100;
SET SESSION AUTHORIZATION gate_ann;
SELECT ok(t.explained('SELECT adult, count(*) FROM people GROUP BY adult') LIKE '%Private Group Key: adult | People per Group: at least 5 | Groups Selected by: dp_count | Mechanism: geometric | Threshold: 6 |%', 'EXPLAIN');
SELECT is((SELECT min_people_per_group FROM dp_relations WHERE relation = 'people'::regclass), 5, 'dp_relations');
RESET SESSION AUTHORIZATION;
SELECT is((SELECT min_people_per_group FROM dp_noise.protected_relations WHERE relation = 'visits'::regclass), 3, 'protected_relations');
SELECT ok(string_agg(s, ' ') LIKE '%''public.people'', privacy_unit => ''id'', max_rows_per_unit => 1, min_people_per_group => 5, population%', 'script') FROM dp_noise.script('public.people') AS s;
SELECT is(dp_noise.disclosure('public.people')::jsonb #>> '{dp_noise,relations,0,min_people_per_group}', '5', 'disclosure');
SELECT throws_ok(format('SELECT dp_noise.protect(''people'', privacy_unit => ''id'', min_people_per_group => %s)', v), '22023') FROM unnest('{0,-1,"NULL"}'::text[]) AS v;

-- A stored answer of before is not shown where more people are wanted now.
SELECT dp_noise.alter_population('public.people', on_repeat => 'replay') \g /dev/null
CREATE TABLE t.before AS SELECT t.rows('SELECT town, dp_sum(age, 0, 100) FROM people GROUP BY town ORDER BY town') AS answer;
SELECT is(t.rows('SELECT town, dp_sum(age, 0, 100) FROM people GROUP BY town ORDER BY town'), answer, 'replayed') FROM t.before;
SET ROLE gate_owner;
SELECT dp_noise.protect('public.people', privacy_unit => 'id', min_people_per_group => 7) \g /dev/null
RESET ROLE;
SELECT is(t.rows('SELECT town, dp_sum(age, 0, 100) FROM people GROUP BY town ORDER BY town'), 'town8,640 | visitor,1050', 'answered anew');
SET ROLE gate_owner;
SELECT dp_noise.protect('public.people', privacy_unit => 'id') \g /dev/null
RESET ROLE;
SELECT is(t.rows('SELECT adult, dp_count(*) FROM people WHERE town = ''town2'' GROUP BY adult ORDER BY adult'), 'f,2 | t,0', 'and without: public groups are all shown');

SELECT * FROM finish();
\ir support/gate_end.sql
