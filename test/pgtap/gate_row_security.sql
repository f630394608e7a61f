-- Row-level security: policies that apply to whoever asks are conditions of the
-- question, those of what is public apply while it is copied.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
CREATE TABLE public.people (id integer PRIMARY KEY, region text, guide name, age integer);
CREATE TABLE public.stays (id integer PRIMARY KEY, person integer REFERENCES public.people, cost integer);
CREATE TABLE public.items (stay integer REFERENCES public.stays, price integer);
CREATE TABLE public.towns (x integer, id integer, name text);
CREATE TABLE public.allowed (who name, region text);
INSERT INTO public.people SELECT i, 'r' || i % 3, CASE WHEN i % 4 = 0 THEN 'gate_ann' ELSE 'gate_bob' END, i % 50 FROM generate_series(1, 600) AS i;
INSERT INTO public.stays SELECT i, i % 500 + 1, i % 20 FROM generate_series(1, 1500) AS i;
INSERT INTO public.items SELECT i, i % 20 FROM generate_series(1, 1500) AS i;
INSERT INTO public.towns SELECT 7, i, 't' || i FROM generate_series(0, 49) AS i;
INSERT INTO public.allowed VALUES ('gate_ann', 'r1'), ('gate_bob', 'r2');
SELECT dp_noise.protect('public.people', privacy_unit => 'id', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.stays', privacy_unit => 'person', max_rows_per_unit => 4, population => 'public.people');
SELECT dp_noise.protect('public.items', privacy_unit => 'stay -> stays', max_rows_per_unit => 4);
SELECT dp_noise.alter_population(r::text, on_repeat => 'answer'), dp_noise.set_budget(a, r::text, 1e12, delta => 1)
FROM unnest('{public.people,public.stays,public.items}'::regclass[]) AS r, unnest('{gate_ann,gate_bob}'::regrole[]) AS a;
CREATE VIEW public.old AS SELECT * FROM public.people WHERE age > 25;
CREATE VIEW public.old_of_asker WITH (security_invoker) AS SELECT * FROM public.people WHERE age > 25;
GRANT SELECT ON public.old, public.old_of_asker, public.towns TO gate_ann, gate_bob;
RESET ROLE;
SET dp_noise.epsilon = 100000;

-- As the plain query over what the policies let through: POLICY in it.
CREATE FUNCTION t.restricted(policy text, command text, plain text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	expected text;
BEGIN
	EXECUTE format('SELECT (%s)::text', replace(plain, 'POLICY', policy)) INTO expected;
	RETURN NEXT is(t.run('gate_ann', command), expected, policy || ': ' || command);
END
$$;
CREATE FUNCTION t.all_restricted(policy text, plain text DEFAULT NULL) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'DROP POLICY IF EXISTS p ON public.people';
	EXECUTE 'CREATE POLICY p ON public.people TO gate_ann USING (' || policy || ')';
	RETURN QUERY SELECT t.restricted(coalesce(plain, policy), c, p) FROM (VALUES
		('SELECT dp_count(*) FROM people', 'SELECT count(*) FROM people WHERE POLICY'),
		('SELECT dp_count(*) FROM people WHERE age < 20 OR age > 40', 'SELECT count(*) FROM people WHERE (age < 20 OR age > 40) AND (POLICY)'),
		('SELECT dp_count(*) FROM stays JOIN people ON person = people.id', 'SELECT count(*) FROM stays JOIN people ON person = people.id WHERE POLICY'),
		('SELECT dp_count(age) FROM stays LEFT JOIN people ON person = people.id', 'SELECT count(age) FROM stays LEFT JOIN (SELECT * FROM people WHERE POLICY) AS p ON person = p.id'),
		('SELECT dp_count(*) FROM stays LEFT JOIN people ON person = people.id', 'SELECT count(*) FROM stays'),
		('SELECT dp_count(*) FROM people LEFT JOIN stays ON person = people.id', 'SELECT count(*) FROM people LEFT JOIN stays ON person = people.id WHERE POLICY'),
		('SELECT dp_count(*) FROM stays WHERE EXISTS (SELECT FROM people WHERE people.id = person)', 'SELECT count(*) FROM stays WHERE person IN (SELECT id FROM people WHERE POLICY)'),
		('SELECT dp_count(*) FROM stays WHERE person NOT IN (SELECT id FROM people)', 'SELECT count(*) FROM stays WHERE person NOT IN (SELECT id FROM people WHERE POLICY)'),
		('SELECT dp_count(*) FROM (SELECT id, count(*) AS n FROM people GROUP BY id) AS s', 'SELECT count(*) FROM people WHERE POLICY'),
		('SELECT dp_count(*) FROM (SELECT id FROM people UNION ALL SELECT person FROM stays) AS s', 'SELECT count(*) + 1500 FROM people WHERE POLICY'),
		('WITH w AS (SELECT * FROM people) SELECT dp_count(*) FROM w', 'SELECT count(*) FROM people WHERE POLICY'),
		('SELECT dp_count(*) FROM old_of_asker', 'SELECT count(*) FROM people WHERE age > 25 AND (POLICY)'),
		('SELECT dp_count(*) FROM old', 'SELECT count(*) FROM people WHERE age > 25'),
		('SELECT dp_count(*) FROM stays', 'SELECT count(*) FROM stays'),
		('SELECT dp_count(*) FROM items', 'SELECT count(*) FROM items')) AS v (c, p);
END
$$;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM people'), '600', 'without');
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM people'), '0', 'without a policy, nothing');
SELECT is(t.run('gate_ann', q), '0', 'nor where others are joined: ' || q) FROM unnest(ARRAY['SELECT dp_count(*) FROM stays JOIN people ON person = people.id',
	'SELECT dp_count(*) FROM stays JOIN people ON person = people.id WHERE age > 10 AND cost > 3', 'SELECT dp_count(age) FROM stays LEFT JOIN people ON person = people.id',
	'SELECT dp_count(*) FROM stays WHERE EXISTS (SELECT FROM people WHERE people.id = person)', 'SELECT dp_count(*) FROM people WHERE false AND age > 3']) AS q;
SELECT t.all_restricted('region = ''r1''');
SELECT t.all_restricted('guide = current_user', 'guide = ''gate_ann''');
SELECT set_config('app.region', 'r2', false);
SELECT t.all_restricted('region = current_setting(''app.region'', true) AND age < 45', 'region = ''r2'' AND age < 45');
SELECT t.all_restricted('age = ANY (SELECT id FROM towns WHERE id > 30)');
DROP POLICY p ON people;
CREATE POLICY p ON people TO gate_ann USING (region = (SELECT a.region FROM allowed AS a WHERE a.who = current_user));
SELECT t.refuse('42501', 'SELECT dp_count(*) FROM people');
GRANT SELECT ON allowed TO gate_ann;
SELECT t.all_restricted('region = (SELECT a.region FROM allowed AS a WHERE a.who = current_user)', 'region = ''r1''');
SELECT t.all_restricted('EXISTS (SELECT FROM allowed AS a WHERE a.region = people.region AND a.who = current_user)', 'region = ''r1''');
DROP POLICY p ON people;
CREATE POLICY p ON people TO gate_ann USING (region = 'r1' AND EXISTS (SELECT FROM stays AS s WHERE s.person = people.id AND s.cost > 10));
SELECT t.restricted('region = ''r1'' AND EXISTS (SELECT FROM stays AS s WHERE s.person = people.id AND s.cost > 10)', c, p) FROM (VALUES
	('SELECT dp_count(*) FROM people', 'SELECT count(*) FROM people WHERE POLICY'),
	('SELECT dp_count(*) FROM stays JOIN people ON person = people.id', 'SELECT count(*) FROM stays JOIN people ON person = people.id WHERE POLICY')) AS v (c, p);

-- what a policy says must be what a question may say
DROP POLICY p ON people;
CREATE FUNCTION public.sees(integer) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN true; END';
CREATE POLICY p ON people TO gate_ann USING (sees(age));
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM people');
DROP POLICY p ON people;
CREATE POLICY p ON people TO gate_ann USING (EXISTS (SELECT FROM stays AS s WHERE s.cost = people.age));
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM people');
DROP POLICY p ON people;

-- other roles, other questions, whatever they are called
CREATE FUNCTION t.question(who text, command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text;
BEGIN
	PERFORM set_config('session_authorization', who, false);
	FOR line IN EXECUTE 'EXPLAIN ' || command LOOP
		IF line ~ 'Question: ' THEN
			result := line;
		END IF;
	END LOOP;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;
CREATE POLICY p ON people TO gate_ann USING (region = 'r1');
CREATE POLICY q ON people TO gate_bob USING (region = 'r2');
SELECT isnt(t.question('gate_ann', c), t.question('gate_bob', c), c) FROM (VALUES ('SELECT dp_count(*) FROM people')) AS v (c);
SELECT is(t.question('gate_ann', 'SELECT dp_count(*) FROM people'), t.question('gate_owner', 'SELECT dp_count(*) FROM people WHERE region = ''r1'''), 'the same as written out');
SELECT is(t.question('gate_ann', 'SELECT dp_count(*) FROM items'), t.question('gate_bob', 'SELECT dp_count(*) FROM items'), 'another relation''s policies');

-- the owner's own, where forced; a setting that wants none
ALTER TABLE people FORCE ROW LEVEL SECURITY;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM old'), '0', 'a view has its owner''s');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM items')::bigint, count(*), 'a path does not') FROM items;
ALTER TABLE people NO FORCE ROW LEVEL SECURITY;
SET row_security = off;
SELECT t.refuse('42501', 'SELECT dp_count(*) FROM people');
RESET row_security;

-- of what is public
ALTER TABLE towns ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON towns TO gate_ann USING (id < 10 AND sees(id));
CREATE POLICY q ON towns TO gate_bob USING (id > 40 AND EXISTS (SELECT FROM numbers WHERE numbers.x < towns.id));
DROP POLICY p ON people;
DROP POLICY q ON people;
ALTER TABLE people DISABLE ROW LEVEL SECURITY;
SELECT is(t.run(who, replace(c, 'count', 'dp_count'))::bigint, CASE who WHEN 'gate_ann' THEN ann ELSE bob END, who || ': ' || c)
FROM unnest('{gate_ann,gate_bob}'::text[]) AS who, (VALUES
	('SELECT count(*) FROM people AS p JOIN towns AS t ON t.id = p.age', 120::bigint, 108::bigint),
	('SELECT count(*) FROM towns AS t JOIN people AS p ON t.id = p.age', 120, 108),
	('SELECT count(t.id) FROM people AS p LEFT JOIN towns AS t ON t.id = p.age', 120, 108),
	('SELECT count(*) FROM people AS p WHERE EXISTS (SELECT FROM towns AS t WHERE t.id = p.age + 1)', 108, 108),
	('SELECT count(*) FROM people AS p WHERE age IN (SELECT t.id FROM (SELECT * FROM towns) AS t)', 120, 108)) AS v (c, ann, bob);
SELECT isnt(t.question('gate_ann', c), t.question('gate_bob', c), c) FROM (VALUES ('SELECT dp_count(*) FROM people AS p JOIN towns AS t ON t.id = p.age')) AS v (c);
DROP POLICY p ON towns;
CREATE POLICY p ON towns TO gate_ann USING (EXISTS (SELECT FROM stays WHERE cost = towns.id));
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM people AS p JOIN towns AS t ON t.id = p.age');

SELECT * FROM finish();
DROP FUNCTION public.sees(integer) CASCADE;
\ir support/gate_end.sql
