-- A view is one more relation to ask through, with bounds and values of its own:
-- whatever is asked through it is charged once to the population of the tables
-- beneath, together with what is asked about these.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.folk (id integer PRIMARY KEY, age integer);
CREATE TABLE public.events (person integer REFERENCES public.folk, x integer);
CREATE TABLE public.strangers (id integer PRIMARY KEY, age integer);
INSERT INTO public.folk SELECT i, i % 90 FROM generate_series(1, 100) AS i;
INSERT INTO public.events SELECT i % 100 + 1, i % 7 FROM generate_series(1, 300) AS i;
CREATE VIEW public.recent AS SELECT person, x FROM public.events WHERE x > 2;
CREATE VIEW public.mixed AS SELECT id, folk.age FROM public.folk JOIN public.strangers USING (id);
SELECT dp_noise.create_population('town', epsilon => 100);
SELECT dp_noise.protect('folk', privacy_unit => 'id', population => 'town');
SELECT dp_noise.protect('events', privacy_unit => 'person -> folk', max_rows_per_unit => 5);
SELECT dp_noise.protect('strangers', privacy_unit => 'id', epsilon => 100);
SELECT dp_noise.protect('recent', privacy_unit => 'person', max_rows_per_unit => 5);
SELECT is((SELECT population FROM dp_noise.protected_relations WHERE relation = 'recent'::regclass), 'town', 'a view is in the population of what it reads');
SELECT throws_ok($$SELECT dp_noise.protect('recent', privacy_unit => 'person', max_rows_per_unit => 5, population => 'strangers')$$, '22023', NULL, 'and in no other');
SELECT throws_like($$SELECT dp_noise.protect('mixed', privacy_unit => 'id', max_rows_per_unit => 1)$$, '%population%', 'one of several must be named');
SELECT dp_noise.set_budget('gate_ann', 'town', 10), dp_noise.set_budget('gate_bob', 'town', 5, relations => '{recent}');
RESET ROLE;
SET dp_noise.epsilon = 1;

CREATE FUNCTION t.spent() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT string_agg(coalesce(role, 'all') || ' ' || trim_scale(epsilon_spent), ', ' ORDER BY role NULLS LAST)
	FROM dp_noise.budgets WHERE population = 'town'
$$;
CREATE FUNCTION t.asks(who text, question text, spent text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT matches(t.run(who, question), '^-?\d+$', question);
	RETURN NEXT is(t.spent(), spent, question || ': what is spent');
END
$$;
SELECT t.asks('gate_ann', 'SELECT count(*) FROM recent', 'gate_ann 1, gate_bob 0, all 1');
SELECT t.asks('gate_ann', 'SELECT count(*) FROM recent', 'gate_ann 1, gate_bob 0, all 1');
SELECT t.asks('gate_ann', 'SELECT count(*) FROM events', 'gate_ann 2, gate_bob 0, all 2');
SELECT t.asks('gate_ann', 'SELECT count(*) FROM folk JOIN events ON person = id WHERE age > 2', 'gate_ann 3, gate_bob 0, all 3');
-- named and seen through a view: one question
SELECT t.asks('gate_ann', 'SELECT count(*) FROM folk JOIN recent ON person = id', 'gate_ann 4, gate_bob 0, all 4');
SELECT t.asks('gate_ann', 'SELECT count(*) FROM recent JOIN folk ON person = id WHERE x > 3', 'gate_ann 5, gate_bob 0, all 5');
SELECT t.asks('gate_ann', 'SELECT (SELECT count(*) FROM recent WHERE x > 4) + (SELECT count(*) FROM folk WHERE age > 4)', 'gate_ann 7, gate_bob 0, all 7');
-- who may ask through the view alone
SELECT t.asks('gate_bob', 'SELECT count(*) FROM recent WHERE x > 5', 'gate_ann 7, gate_bob 1, all 8');
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM ' || q), '42501: role "gate_bob" has no privacy budget for "' || r || '"', q)
FROM (VALUES ('folk', 'folk'), ('events', 'events'), ('(SELECT person, x FROM events WHERE x > 2) AS s', 'events')) AS v (q, r);
SELECT matches(t.run('gate_bob', 'SELECT dp_count(*) FROM ' || q), '^42501: role "gate_bob" has no privacy budget for "(recent|folk)"$', q)
FROM unnest('{recent JOIN folk ON person = id,recent WHERE EXISTS (SELECT FROM folk WHERE id = person)}'::text[]) AS q;
-- the same question, asked by another through the same view
SELECT t.asks('gate_bob', 'SELECT count(*) FROM recent', 'gate_ann 7, gate_bob 2, all 8');
SELECT is((SELECT grant_paid FROM dp_noise.ledger ORDER BY at DESC LIMIT 1), false, 'is shared');

-- the grant bounds both
SELECT dp_noise.alter_population('town', epsilon => 9);
SELECT t.asks('gate_ann', 'SELECT count(*) FROM recent WHERE x = 6', 'gate_ann 8, gate_bob 2, all 9');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM recent WHERE x > 6'), '53400: insufficient privacy budget for "recent"', 'nothing is left');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM events WHERE x > 6'), '53400: insufficient privacy budget for "events"', 'either way');
SELECT is(t.spent(), 'gate_ann 8, gate_bob 2, all 9', 'and nothing is charged');
SELECT dp_noise.alter_population('town', epsilon => 100);
SELECT is((SELECT string_agg(DISTINCT a.role::regrole::text, ', ' ORDER BY a.role::regrole::text) FROM dp_noise.asker AS a WHERE a.relation = 'events'::regclass), 'gate_ann, gate_bob', 'who asks about the tables');
SELECT is((SELECT string_agg(DISTINCT a.role::regrole::text, ', ' ORDER BY a.role::regrole::text) FROM dp_noise.asker AS a WHERE a.relation = 'recent'::regclass), 'gate_ann, gate_bob', 'and of the view');
-- a table beneath that leaves
SELECT dp_noise.unprotect('events');
SELECT matches(t.run('gate_ann', 'SELECT count(*) FROM recent WHERE x > 1'), '^(55000|42501|0A000): ', 'a view of what is not protected any more');

SELECT * FROM finish();
\ir support/gate_end.sql
