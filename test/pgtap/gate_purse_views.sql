-- Protected views over tables that share one ledger: the view's budgets pay, and
-- the total of the tables' purse; what is named directly is charged to the
-- purse's roles, whatever a view has paid.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.folk (id integer PRIMARY KEY, age integer);
CREATE TABLE public.events (person integer REFERENCES public.folk, x integer);
INSERT INTO public.folk SELECT i, i % 90 FROM generate_series(1, 100) AS i;
INSERT INTO public.events SELECT i % 100 + 1, i % 7 FROM generate_series(1, 300) AS i;
CREATE VIEW public.recent AS SELECT person, x FROM public.events WHERE x > 2;
SELECT dp_noise.protect('folk', privacy_unit => 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('events', privacy_unit => 'person -> folk', max_rows_per_unit => 5, population => 'folk');
SELECT dp_noise.protect('recent', privacy_unit => 'person', max_rows_per_unit => 5);
SELECT dp_noise.set_budget('gate_ann', 'folk', 10), dp_noise.alter_population('folk', epsilon => 100, delta => 0), dp_noise.set_budget('gate_ann', 'recent', 10);
SELECT throws_ok($$SELECT dp_noise.protect('recent', privacy_unit => 'person', max_rows_per_unit => 5, population => 'folk')$$, '0A000', 'a view has budgets of its own');
SELECT throws_ok($$SELECT dp_noise.protect('events', privacy_unit => 'person', max_rows_per_unit => 5, population => 'recent')$$, '0A000', 'a view has budgets of its own');
RESET ROLE;
SET dp_noise.epsilon = 1;

CREATE FUNCTION t.spent() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT string_agg(coalesce(role, 'all') || ' ' || relation::text || ' ' || trim_scale(epsilon_spent), ', ' ORDER BY relation::text, role NULLS LAST)
	FROM dp_noise.budgets WHERE relation IN ('folk'::regclass, 'events'::regclass, 'recent'::regclass) AND coalesce(role, 'gate_ann') = 'gate_ann'
		AND (epsilon_spent > 0 OR role IS NOT NULL)
$$;
CREATE FUNCTION t.asks(question text, spent text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT matches(t.run('gate_ann', question), '^-?\d+$', question);
	RETURN NEXT is(t.spent(), spent, question || ': what is spent');
END
$$;
SELECT t.asks('SELECT count(*) FROM recent', 'gate_ann folk 0, all folk 1, gate_ann recent 1, all recent 1');
SELECT t.asks('SELECT count(*) FROM recent', 'gate_ann folk 0, all folk 1, gate_ann recent 1, all recent 1');
SELECT t.asks('SELECT count(*) FROM events', 'gate_ann folk 1, all folk 2, gate_ann recent 1, all recent 1');
SELECT t.asks('SELECT count(*) FROM folk JOIN events ON person = id WHERE age > 2', 'gate_ann folk 2, all folk 3, gate_ann recent 1, all recent 1');
-- named and seen through a view: the roles pay once, the total for either
SELECT t.asks('SELECT count(*) FROM folk JOIN recent ON person = id', 'gate_ann folk 3, all folk 5, gate_ann recent 2, all recent 2');
SELECT t.asks('SELECT count(*) FROM recent JOIN folk ON person = id WHERE x > 3', 'gate_ann folk 4, all folk 7, gate_ann recent 3, all recent 3');
SELECT t.asks('SELECT (SELECT count(*) FROM recent WHERE x > 4) + (SELECT count(*) FROM folk WHERE age > 4)', 'gate_ann folk 5, all folk 9, gate_ann recent 4, all recent 4');

-- the total bounds both
SELECT dp_noise.alter_population('folk', epsilon => 10, delta => 0);
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM folk JOIN recent ON person = id WHERE x > 5'), '53400: insufficient privacy budget for "folk"', 'the total would pay for both');
SELECT is(t.spent(), 'gate_ann folk 5, all folk 9, gate_ann recent 4, all recent 4', 'and nothing is charged');
SELECT t.asks('SELECT count(*) FROM recent WHERE x > 5', 'gate_ann folk 5, all folk 10, gate_ann recent 5, all recent 5');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM recent WHERE x > 6'), '53400: insufficient privacy budget for "folk"', 'nothing is left');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM events WHERE x > 6'), '53400: insufficient privacy budget for "folk"', 'either way');
SELECT is(string_agg(DISTINCT a.role::regrole::text, ', '), 'gate_ann', 'askers of the tables') FROM dp_noise.asker AS a WHERE a.relation = 'events'::regclass;

SELECT * FROM finish();
\ir support/gate_end.sql
