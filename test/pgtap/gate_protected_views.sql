-- Protected views: their rows get owners by the rules of sub-queries, a budget can
-- be one for asking through them alone, and the population of the tables beneath
-- pays, once.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.people (id integer PRIMARY KEY, region text COLLATE "C", income integer);
CREATE TABLE public.visits (id integer PRIMARY KEY, person integer REFERENCES public.people, day date, price integer, hall integer);
CREATE TABLE public.halls (id integer PRIMARY KEY, name text COLLATE "C" NOT NULL);
INSERT INTO public.people SELECT i, (ARRAY['east', 'south', 'west'])[i % 3 + 1], i * 10 FROM generate_series(1, 60) AS i;
INSERT INTO public.visits SELECT i, CASE WHEN i % 70 BETWEEN 1 AND 50 THEN i % 70 END, date '2024-01-01' + i % 40, i % 31, i % 5 FROM generate_series(1, 700) AS i;
INSERT INTO public.halls SELECT i, 'hall ' || i FROM generate_series(0, 4) AS i;
GRANT SELECT ON public.halls TO gate_ann;
SELECT dp_noise.protect('public.people', privacy_unit => 'id', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.visits', privacy_unit => 'person', max_rows_per_unit => 40, population => 'people');
SELECT dp_noise.set_bounds('public.visits', 'price', 0, 100);

CREATE VIEW public.south AS SELECT id AS who, region, income, income / 10 AS tens FROM public.people WHERE region = 'south';
CREATE VIEW public.southern AS
	SELECT v.person, v.price, v.price * 2 AS twice, h.name AS hall, v.hall AS number, v.day
	FROM public.visits AS v JOIN public.people AS p ON p.id = v.person JOIN public.halls AS h ON h.id = v.hall
	WHERE p.region = 'south';
CREATE VIEW public.each AS SELECT person, count(*) AS visits, sum(price) AS paid FROM public.visits WHERE person IS NOT NULL GROUP BY person;
CREATE VIEW public.often AS SELECT person, paid FROM public.each WHERE visits > 9;
CREATE VIEW public.amounts AS SELECT id AS person, income AS amount FROM public.people UNION ALL SELECT person, price FROM public.visits;
CREATE VIEW public.rich AS SELECT * FROM public.people AS p WHERE income > 100 AND EXISTS (SELECT FROM public.visits AS v WHERE v.person = p.id);
SELECT dp_noise.protect('public.south', privacy_unit => 'who');
SELECT dp_noise.protect('public.southern', privacy_unit => 'person', max_rows_per_unit => 40, max_groups_per_unit => 5);
SELECT dp_noise.protect('public.each', privacy_unit => 'person');
SELECT dp_noise.protect('public.often');
SELECT dp_noise.protect('public.amounts', privacy_unit => 'person', max_rows_per_unit => 50);
SELECT dp_noise.protect('public.rich', privacy_unit => 'id');
SELECT dp_noise.alter_population('people', on_repeat => 'answer');
-- Lets a role ask through more views.
CREATE FUNCTION public.allow(who regrole, VARIADIC views text[]) RETURNS void LANGUAGE sql AS $$
	SELECT dp_noise.set_budget(who, 'public.people', 1e12, delta => 1, relations => (
		SELECT array_agg(v) FROM (SELECT unnest(views)::regclass::text UNION
			SELECT unnest(b.relations)::text FROM dp_noise.budgets AS b WHERE b.population = 'public.people' AND b.role = allow.who::text) AS u (v)))
$$;
SELECT public.allow('gate_ann', 'south', 'southern', 'each', 'often', 'amounts', 'rich');
SELECT results_eq('SELECT relation::text, privacy_unit, max_rows_per_unit FROM dp_noise.protected_relations WHERE relation::text <> ''patients'' ORDER BY 1', $$VALUES
	('amounts', 'person', 50), ('each', 'person', 1), ('often', NULL::text, 1), ('people', 'id', 1), ('rich', 'id', 1), ('south', 'who', 1), ('southern', 'person', 40), ('visits', 'person', 40)$$,
	'views are protected relations');
RESET ROLE;

------------------------------------------------------------------------------
-- Answers

CREATE FUNCTION t.same(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
	asked text;
BEGIN
	EXECUTE format('SELECT string_agg(answer::text, '' '' ORDER BY answer::text COLLATE "C") FROM (%s) AS answer', replace(command, 'dp_', '')) INTO plain;
	asked := t.run('gate_ann', format('SELECT string_agg(answer::text, '' '' ORDER BY answer::text COLLATE "C") FROM (%s) AS answer',
		regexp_replace(command, 'dp_sum\((.*?)\) AS s', 'dp_sum(\1, 0, 100000) AS s', 'g')));
	RETURN is(asked, plain, 'as the plain query: ' || command);
END
$$;
SET dp_noise.epsilon = 100000;
SELECT t.same(c) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM south',
	'SELECT dp_sum(income) AS s FROM south WHERE tens > 20',
	'SELECT dp_count(*), dp_sum(price) AS s, dp_sum(twice) AS s FROM southern',
	'SELECT hall, dp_count(*) FROM southern GROUP BY hall',
	'SELECT dp_count(*) FROM southern WHERE hall IN (SELECT name FROM halls WHERE id < 3)',
	'SELECT dp_count(*), dp_sum(visits) AS s, dp_sum(paid) AS s FROM each',
	'SELECT dp_count(*) FROM each WHERE visits > 10',
	'SELECT dp_count(*), dp_sum(paid) AS s FROM often',
	'SELECT dp_count(*), dp_sum(amount) AS s FROM amounts WHERE person IS NOT NULL',
	'SELECT dp_count(*) FROM rich',
	'SELECT dp_count(*) FROM (SELECT * FROM rich WHERE income < 300) AS r',
	'WITH r AS (SELECT * FROM rich) SELECT dp_count(*) FROM r JOIN r AS s USING (id)',
	'SELECT dp_count(*) FROM south JOIN each ON person = who',
	'SELECT dp_count(*) FROM south LEFT JOIN each ON person = who WHERE visits IS NULL',
	'SELECT dp_count(*) FROM south WHERE NOT EXISTS (SELECT FROM southern WHERE person = who AND price > 20)',
	'SELECT dp_count(*) FROM south WHERE who IN (SELECT person FROM each WHERE visits > 5)',
	'SELECT dp_count(*) FROM (SELECT person FROM each UNION ALL SELECT person FROM southern) AS u',
	'SELECT dp_count(*) FROM (SELECT person, count(*) AS n FROM southern GROUP BY person HAVING count(*) > 2) AS g']) AS c;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM south'), (SELECT count(*)::text FROM south), 'the server''s aggregates are read as private ones');
SET dp_noise.choose_bounds = 0;
SELECT is(t.run('gate_ann', 'SELECT sum(visits) FROM each'), '22023: sum needs bounds', 'but need bounds');
SELECT is(t.run('gate_ann', 'SELECT sum(price) FROM southern'), (SELECT sum(price)::text FROM southern), 'those of a column beneath');

-- what the gate bounds
SELECT results_eq($$SELECT * FROM dp_noise.true_states('SELECT dp_count(*) FROM public.southern')$$, 'SELECT ARRAY[count(*)::text] FROM southern', 'true states');
SET dp_noise.max_rows_per_unit = 2;
SELECT results_eq($$SELECT * FROM dp_noise.true_states('SELECT dp_count(*) FROM public.southern')$$,
	'SELECT ARRAY[sum(least(n, 2))::text] FROM (SELECT count(*) FROM southern GROUP BY person) AS g (n)', 'with fewer rows of a unit');
RESET dp_noise.max_rows_per_unit;

------------------------------------------------------------------------------
-- Settings of the view

SET ROLE gate_owner;
SELECT dp_noise.set_bounds('public.southern', 'price', 0, 10);
SELECT dp_noise.set_bounds('public.southern', 'twice', 0, 5);
SELECT dp_noise.set_bounds('public.each', 'visits', 0, 20);
SELECT dp_noise.set_values('public.southern', 'hall', '{hall 1,hall 9}');
SELECT dp_noise.set_values('public.southern', 'number', '{3}');
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT sum(price) FROM southern'), (SELECT sum(least(price, 10))::text FROM southern), 'bounds of the view');
SELECT is(t.run('gate_ann', 'SELECT sum(twice) FROM southern'), (SELECT sum(least(twice, 5))::text FROM southern), 'of what it computes');
SELECT is(t.run('gate_ann', 'SELECT sum(visits) FROM each'), (SELECT sum(visits)::text FROM each), 'and counts');
SELECT is(t.run('gate_ann', 'SELECT sum(p) FROM (SELECT price AS p FROM southern) AS s'), (SELECT sum(least(price, 10))::text FROM southern), 'through a sub-query');
SELECT is(t.run('gate_ann', 'SELECT string_agg(hall || n, '', '' ORDER BY hall) FROM (SELECT hall, count(*) AS n FROM southern GROUP BY hall) AS g'),
	(SELECT 'hall 1' || count(*) || ', hall 90' FROM southern WHERE hall = 'hall 1'), 'values of the view');
SELECT is(t.run('gate_ann', 'SELECT string_agg(number || '': '' || n, '', '') FROM (SELECT number, count(*) AS n FROM southern GROUP BY number) AS g'),
	(SELECT '3: ' || count(*) FROM southern WHERE number = 3), 'of another column');
SELECT is(t.run('gate_ann', 'SELECT string_agg(column_name || coalesce('' '' || lower || ''-'' || upper, '''') || coalesce('' '' || public_values::text, ''''), '', '') FROM dp_columns WHERE relation = ''southern''::regclass'),
	'person, price 0-10, twice 0-5, hall {"hall 1","hall 9"}, number {3}, day', 'dp_columns shows them');
SELECT is(t.run('gate_ann', 'SELECT string_agg(column_name, '', '') FROM dp_columns WHERE relation = ''southern''::regclass AND is_unit AND max_rows_per_unit = 40 AND max_groups_per_unit = 5'),
	'person', 'and the unit');

-- a view that only chooses rows of unique units has no more of them than its table
SELECT is(t.explained('SELECT dp_count(*) FROM south', 'Rows per Unit'), NULL, 'rows of unique units are not bounded');
SELECT is(t.explained('SELECT dp_count(*) FROM rich JOIN halls ON rich.id = halls.id', 'Rows per Unit'), NULL, 'nor where they meet one public row');
SELECT is(t.explained('SELECT dp_count(*) FROM rich JOIN halls ON rich.income > halls.id', 'Rows per Unit'), '1', 'but where they meet several');
SELECT is(t.explained('SELECT dp_count(*) FROM each', 'Rows per Unit'), '1', 'and where rows are made of several');
SELECT is(t.explained('SELECT dp_count(*) FROM southern', 'Rows per Unit'), '40', 'or joined');
SET ROLE gate_owner;
CREATE VIEW public.adults AS SELECT age, city, age + 1 AS next FROM public.patients WHERE age > 17;
CREATE TABLE public.guests (id integer UNIQUE, x integer);
INSERT INTO public.guests SELECT nullif(i % 30, 0) + i / 30 * 30, i FROM generate_series(0, 299) AS i;
SELECT dp_noise.protect('public.guests', privacy_unit => 'id', epsilon => 1e13, delta => 1);
CREATE VIEW public.some_guests AS SELECT x, id AS guest FROM public.guests WHERE x > 10;
CREATE VIEW public.few_guests AS SELECT guest, x FROM public.some_guests WHERE x < 100;
SELECT dp_noise.protect(r) FROM unnest('{public.adults,public.some_guests,public.few_guests}'::regclass[]) AS r;
SELECT dp_noise.alter_population('guests', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'guests', 1e12);
RESET ROLE;
SELECT t.same(c) FROM unnest('{SELECT dp_count(*)\, dp_sum(next) AS s FROM adults,SELECT dp_count(guest) FROM some_guests,SELECT dp_sum(x) AS s FROM few_guests WHERE guest IS NOT NULL}'::text[]) AS c;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM few_guests'), (SELECT count(guest)::text FROM few_guests), 'rows without a unit do not count');
SELECT is(t.explained('SELECT dp_count(*) FROM few_guests', 'Rows per Unit'), NULL, 'through two views');
SELECT is(t.explained('SELECT dp_count(*) FROM adults', 'Rows per Unit'), NULL, 'and of rows');

-- EXPLAIN
SELECT is(t.explained('SELECT dp_count(*) FROM southern', 'Protected Relation'), 'southern', 'EXPLAIN names the view');
SELECT is(t.explained('SELECT dp_count(*) FROM southern', 'Relations Beneath'), 'visits, people', 'what is beneath');
SELECT is(t.explained('SELECT dp_count(*) FROM southern', 'Privacy Unit'), 'person', 'its unit');
SELECT is(t.explained('SELECT dp_count(*) FROM southern', 'Rows per Unit'), '40', 'its caps');
SELECT is(t.explained('SELECT dp_count(*) FROM southern', 'Budget'), 'gate_ann', 'who pays');
SELECT is(t.explained('SELECT dp_count(*) FROM often', 'Privacy Units'), 'each.person, visits.person', 'units of a view that names none');

------------------------------------------------------------------------------
-- Who pays

CREATE FUNCTION t.spent(who text DEFAULT NULL) RETURNS numeric LANGUAGE sql VOLATILE AS
'SELECT b.epsilon_spent FROM dp_noise.budgets AS b WHERE b.population = ''public.people'' AND b.role IS NOT DISTINCT FROM who';
-- What a statement adds to ann's budget and to the grant.
CREATE FUNCTION t.pays(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before numeric[] := ARRAY[t.spent('gate_ann'), t.spent()];
	result text := t.run('gate_ann', command);
	later numeric[] := ARRAY[t.spent('gate_ann'), t.spent()];
BEGIN
	IF result ~ '^[0-9A-Z]{5}: ' THEN
		RETURN result;
	END IF;
	RETURN (SELECT string_agg(trim_scale(l - b)::text, ' ' ORDER BY place) FROM unnest(before, later) WITH ORDINALITY AS u (b, l, place));
END
$$;
SET dp_noise.epsilon = 0.123;
SELECT is(t.pays('SELECT dp_count(*) FROM south'), '0.123 0.123', 'once');
SELECT is(t.pays('SELECT dp_count(*), dp_sum(price) FROM southern'), '0.246 0.246', 'whatever is beneath');
SELECT is(t.pays('SELECT dp_count(*) FROM often'), '0.123 0.123', 'through a view through a view');
SELECT is(t.pays('SELECT dp_count(*) FROM south AS s JOIN south AS t USING (who)'), '0.123 0.123', 'read twice');
SELECT is(t.pays('SELECT dp_count(*) FROM south JOIN each ON person = who'), '0.123 0.123', 'two views');
SELECT is(t.pays('SELECT (SELECT dp_count(*) FROM south), (SELECT dp_count(*) FROM rich)'), '0.246 0.246', 'two questions');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM people'), '42501: role "gate_ann" has no privacy budget for "people"', 'what is beneath cannot be asked about');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM south JOIN people ON id = who'), '42501: role "gate_ann" has no privacy budget for "people"', 'nor beside the view');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM south WHERE who IN (SELECT person FROM visits)'), '42501: role "gate_ann" has no privacy budget for "visits"', 'nor within it');
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM south'), '42501: role "gate_bob" has no privacy budget for "south"', 'nor by whoever has no budget');
SELECT is(t.run('gate_bob', 'SELECT count(*) FROM south'), '42501: permission denied for view south', 'in whatever words');
SELECT is(t.run('gate_ann', 'SELECT * FROM south'), '42501: rows of protected relation "south" cannot be shown', 'rows are not shown');
SELECT is(t.run('gate_ann', 'SELECT * FROM south LIMIT 0'), NULL, 'columns are');
SELECT results_eq($$SELECT population, asked_about::text FROM dp_noise.ledger WHERE role = 'gate_ann' ORDER BY at DESC LIMIT 2$$,
	$$VALUES ('public.people', 'rich'), ('public.people', 'south')$$, 'the ledger says through what');
SELECT is(t.run('gate_ann', 'SELECT string_agg(DISTINCT asked_about::text, '' '' ORDER BY asked_about::text) FROM dp_history WHERE population = ''public.people'''), 'amounts each often rich south southern', 'and dp_history');

-- view and table in one statement, with a budget for both
SET ROLE gate_owner;
SELECT public.allow('gate_ann', 'people');
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM people') ~ '^\d+$', true, 'the table itself');
SELECT is(t.pays('SELECT dp_count(*) FROM south JOIN people ON id = who'), '0.123 0.123', 'a join of both is one question');
SELECT is(t.pays('SELECT (SELECT dp_count(*) FROM south), (SELECT dp_count(*) FROM people)'), '0.246 0.246', 'two questions, view first');
SELECT is(t.pays('SELECT (SELECT dp_count(*) FROM people), (SELECT dp_count(*) FROM south)'), '0.246 0.246', 'table first');
-- two views of one query are two questions
SET ROLE gate_owner;
CREATE VIEW public.twin AS SELECT id AS who, region, income, income / 10 AS tens FROM public.people WHERE region = 'south';
SELECT dp_noise.protect('public.twin', privacy_unit => 'who');
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT (SELECT dp_count(*) FROM south), (SELECT dp_count(*) FROM twin)'), '42501: role "gate_ann" has no privacy budget for "twin"', 'a twin must be allowed by itself');
SELECT is_empty('SELECT * FROM dp_noise.check_views()', 'all views follow the rules');
CREATE OR REPLACE VIEW public.twin AS SELECT id AS who, region, income, income / 10 AS tens FROM public.people WHERE region = 'south' LIMIT 9;
SELECT results_eq($$SELECT severity, object, finding ~ '^questions about the view are refused: LIMIT' FROM dp_noise.check() WHERE object = 'public.twin'$$, $$VALUES ('low', 'public.twin', true)$$, 'check() says which one does not');
CREATE OR REPLACE VIEW public.twin AS SELECT id AS who, region, income, income / 10 AS tens FROM public.people WHERE region = 'south';
SELECT is(t.pays('SELECT (SELECT dp_count(*) FROM south), (SELECT dp_count(*) FROM south)'), '0.123 0.123', 'one view asked twice is one question');
-- the view's query, written out, is a question about the table
SELECT is(t.run('gate_ann', 'SELECT count(DISTINCT n) FROM (SELECT dp_count(*) AS n FROM rich UNION ALL SELECT dp_count(*) FROM (SELECT * FROM people AS p WHERE income > 100 AND EXISTS (SELECT FROM visits AS v WHERE v.person = p.id)) AS r) AS u'),
	'42501: role "gate_ann" has no privacy budget for "visits"', 'which must be allowed');

-- the grant binds, and nothing lands where it does not suffice
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.people', epsilon => t.spent() + 0.2);
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT queries_left FROM dp_budget WHERE population = ''public.people'''), '1', 'dp_budget counts it');
SELECT is(t.pays('SELECT dp_count(*) FROM southern'), '0.123 0.123', 'as long as there is some left');
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM southern'), '53400: insufficient privacy budget for "southern"', 'then not');
SELECT alike(t.run('gate_ann', 'SELECT dp_count(*) FROM south'), '53400: insufficient privacy budget for "south"', 'through no view');
SELECT alike(t.explained('SELECT dp_count(*) FROM southern', 'Reason'), 'insufficient privacy budget for "southern"', 'EXPLAIN says so');
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.people', epsilon => 1e13);

-- replay
SELECT dp_noise.alter_population('public.people', on_repeat => 'replay');
RESET ROLE;
SELECT is(t.pays('SELECT dp_count(*) FROM south WHERE income > 7'), '0.123 0.123', 'a question');
SELECT is(t.pays('SELECT dp_count(*) FROM south WHERE NOT income <= 7'), '0 0', 'once more is free');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM south WHERE income > 7'), t.run('gate_ann', 'SELECT dp_count(*) FROM south WHERE income > 7'), 'the same answer');
SET ROLE gate_owner;
SELECT public.allow('gate_ann', 'visits');
RESET ROLE;
SELECT is(t.pays('SELECT dp_count(*) FROM south JOIN visits ON person = who'), '0.123 0.123', 'joined to a table');
SELECT is(t.pays('SELECT dp_count(*) FROM visits JOIN south ON who = person'), '0 0', 'once more is free');
SELECT is_empty($$SELECT FROM dp_noise_ledger.answer AS a WHERE answer IS NULL AND draw IS NULL$$, 'and all answers are kept');
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.people', on_repeat => 'refuse');
RESET ROLE;
SELECT t.refuse('53400', 'SELECT dp_count(*) FROM south WHERE income > 7');

-- defaults are those of the budget
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.people', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.people', 1e12, delta => 1, default_epsilon => 0.25, relations => (SELECT relations::text[] FROM dp_noise.budgets WHERE role = 'gate_ann' AND population = 'public.people'));
RESET ROLE;
RESET dp_noise.epsilon;
SELECT is(t.pays('SELECT dp_count(*) FROM south'), '0.25 0.25', 'default_epsilon');
SET ROLE gate_owner;
SELECT public.allow('gate_ann', 'south');

-- privacy levels
SELECT dp_noise.set_budget('gate_bob', 'public.people', 100, relations => '{south}');
SELECT dp_noise.set_levels('public.south', '{0.1,0.5,1}');
RESET ROLE;
SET dp_noise.epsilon = 0.1;
SELECT is(t.pays('SELECT dp_count(*) FROM south WHERE tens > 4'), '0.1 1', 'the grant pays for the highest level');
SET dp_noise.epsilon = 0.5;
SELECT is(t.pays('SELECT dp_count(*) FROM south WHERE tens > 4'), '0.5 0', 'once');
CREATE TEMP TABLE total AS SELECT t.spent() AS spent;
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM south WHERE tens > 4'), t.run('gate_bob', 'SELECT dp_count(*) FROM south WHERE tens > 4'), 'and for all roles');
SELECT is(t.spent() - spent, 0::numeric, 'which pay for theirs') FROM total;
SET ROLE gate_owner;
SELECT dp_noise.set_levels('public.south', NULL);
SELECT dp_noise.set_levels('public.people', '{0.5}');
RESET ROLE;
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM south');
SET ROLE gate_owner;
SELECT dp_noise.set_levels('public.people', NULL);
SELECT dp_noise.drop_budget('gate_bob', 'public.people');
RESET ROLE;
SET dp_noise.epsilon = 100000;

-- neighbours are exchanged where the population's are
SELECT is(t.explained('SELECT dp_count(*) FROM south', 'Neighbours'), NULL, 'units come and go');
SET ROLE gate_owner;
SELECT throws_ok($$SELECT dp_noise.protect('public.people', privacy_unit => 'id', neighbours => 'substitute', replace_unit => true)$$, '22023', NULL, 'of all tables of a population alike');
CREATE TABLE public.swapped (id integer PRIMARY KEY);
CREATE VIEW public.some_swapped AS SELECT id FROM public.swapped WHERE id > 3;
SELECT dp_noise.protect('public.swapped', privacy_unit => 'id', neighbours => 'substitute', epsilon => 1e13, delta => 1), dp_noise.protect('public.some_swapped', privacy_unit => 'id', neighbours => 'substitute'), dp_noise.set_budget('gate_ann', 'swapped', 1e12);
RESET ROLE;
SELECT is(t.explained('SELECT dp_count(*) FROM some_swapped', 'Neighbours'), 'substitute', 'unless the tables say otherwise');

------------------------------------------------------------------------------
-- What can be protected

SET SESSION AUTHORIZATION gate_ann;
CREATE FUNCTION gate_ann.same(x integer) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION gate_ann.halls() RETURNS SETOF public.halls STABLE LANGUAGE sql AS 'SELECT * FROM public.halls';
CREATE OPERATOR gate_ann.=== (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int4eq);
GRANT USAGE ON SCHEMA gate_ann TO gate_owner;
SET SESSION AUTHORIZATION gate_bob;
CREATE TABLE public.others (id integer PRIMARY KEY, x integer);
SELECT dp_noise.protect('public.others', privacy_unit => 'id', epsilon => 1e13, delta => 1) \g /dev/null
GRANT SELECT ON public.others TO gate_owner;
SET SESSION AUTHORIZATION gate_owner;
CREATE VIEW gate_owner.w_limit AS SELECT * FROM people ORDER BY income LIMIT 3;
CREATE VIEW gate_owner.w_volatile AS SELECT id, random() AS r FROM people;
CREATE VIEW gate_owner.w_volatile_public AS SELECT p.id FROM people AS p WHERE id IN (SELECT floor(random() * 5)::integer FROM numbers);
CREATE VIEW gate_owner.w_recursive AS WITH RECURSIVE r AS (SELECT id FROM people UNION ALL SELECT id + 1 FROM r WHERE id < 3) SELECT * FROM r;
CREATE VIEW gate_owner.w_locks AS SELECT * FROM people FOR UPDATE;
CREATE VIEW gate_owner.w_aggregate AS SELECT region, count(*) FROM people GROUP BY region;
CREATE VIEW gate_owner.w_distinct AS SELECT DISTINCT region FROM people;
CREATE VIEW gate_owner.w_window AS SELECT id, row_number() OVER (ORDER BY income) FROM people;
CREATE VIEW gate_owner.w_others AS SELECT p.id FROM people AS p JOIN public.others AS o ON o.id = p.id;
CREATE VIEW gate_owner.w_others_exist AS SELECT p.id FROM people AS p WHERE EXISTS (SELECT FROM public.others AS o WHERE o.id = p.id);
CREATE VIEW gate_owner.w_invoker WITH (security_invoker) AS SELECT * FROM people;
CREATE VIEW gate_owner.w_invoker_beneath AS SELECT * FROM gate_owner.w_invoker;
CREATE VIEW gate_owner.w_public AS SELECT * FROM halls;
CREATE VIEW gate_owner.w_nothing AS SELECT 1 AS id;
CREATE VIEW gate_owner.w_function AS SELECT id, gate_ann.same(income) FROM people;
CREATE VIEW gate_owner.w_operator AS SELECT id FROM people WHERE id OPERATOR(gate_ann.===) 3;
CREATE VIEW gate_owner.w_function_of_rows AS SELECT p.id FROM people AS p JOIN gate_ann.halls() AS h ON h.id = p.id;
CREATE VIEW gate_owner.w_private AS SELECT dp_count(*) FROM people;
CREATE VIEW gate_owner.w_private_value AS SELECT id FROM people WHERE income > (SELECT dp_mean(income, 0, 100) FROM people);
CREATE VIEW gate_owner.w_full AS SELECT p.id FROM people AS p FULL JOIN halls AS h ON h.id = p.id;
CREATE VIEW gate_owner.w_product AS SELECT p.id FROM people AS p, visits AS v;
CREATE VIEW gate_owner.w_system AS SELECT id, ctid FROM people;
CREATE MATERIALIZED VIEW gate_owner.w_materialized AS SELECT * FROM people;
CREATE VIEW gate_owner.w_over_materialized AS SELECT * FROM gate_owner.w_materialized;
RESET SESSION AUTHORIZATION;
CREATE FUNCTION t.protects(relation text, unit text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	hint text;
BEGIN
	SET LOCAL ROLE gate_owner;
	PERFORM dp_noise.protect(relation::regclass, privacy_unit => unit, max_rows_per_unit => 1);
	RETURN 'protected';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
	RETURN SQLSTATE || ': ' || message || CASE WHEN hint = '' THEN ' (no hint)' ELSE '' END;
END
$$;
SELECT alike(t.protects('gate_owner.w_' || v), m, v) FROM (VALUES
	('limit', '0A000: LIMIT or OFFSET in a sub-query cannot be used in a query over a protected relation'),
	('volatile', '0A000: a protected view cannot call volatile functions'),
	('volatile_public', '0A000: a protected view cannot call volatile functions'),
	('recursive', '0A000: a WITH query that is recursive or volatile %'),
	('locks', '0A000: FOR UPDATE or FOR SHARE %'),
	('aggregate', '0A000: GROUP BY or an aggregate in a sub-query of several privacy units'' rows %'),
	('distinct', '0A000: DISTINCT of several privacy units'' rows %'),
	('window', '0A000: a window of several privacy units'' rows %'),
	('others', '42501: a protected view cannot read protected relation "others", which belongs to another role'),
	('others_exist', '42501: a protected view cannot read protected relation "others", which belongs to another role'),
	('invoker', '42501: a protected view cannot read protected relation "people" with other rights than its owner''s'),
	('invoker_beneath', '42501: a protected view cannot read protected relation "people" with other rights than its owner''s'),
	('public', '55000: a protected view must read a protected relation'),
	('nothing', '55000: a protected view must read a protected relation'),
	('function', '0A000: a protected view cannot call functions of users'),
	('operator', '0A000: operator gate_ann.===(integer,integer) cannot be used %'),
	('function_of_rows', '0A000: a protected view cannot call functions of users'),
	('private', '0A000: a protected view cannot have private aggregates'),
	('private_value', '0A000: a protected view cannot have private aggregates'),
	('full', '0A000: an outer join that adds %'),
	('product', '0A000: a join of protected relations on anything but their privacy units %'),
	('system', '0A000: %'),
	('materialized', '42809: relation gate_owner.w_materialized cannot be protected'),
	('over_materialized', '55000: a protected view must read a protected relation')) AS v (v, m);
SELECT is(t.protects('public.south', 'income'), '55000: column "income" of a protected view is not the privacy unit of its rows', 'another column is not the unit');
SELECT is(t.protects('public.south', 'tens'), '55000: column "tens" of a protected view is not the privacy unit of its rows', 'nor is what is computed');
SELECT is(t.protects('public.south', 'none'), '42703: column "none" of relation public.south does not exist', 'nor one that is not there');
SELECT is(t.protects('public.south', 'who -> people'), '0A000: a view has no path to its privacy units', 'nor a path');
SELECT is(t.protects('public.southern', NULL), '55000: relation public.southern has been queried with another privacy unit or other neighbours', 'of what was asked about the unit stays');
SELECT is(t.run('gate_ann', 'SELECT dp_noise.protect(''public.south'')'), '42501: must be owner of relation south', 'owners alone protect');
SELECT is(t.run('gate_ann', 'SELECT dp_noise.check_view(''public.south'', 0::smallint)'), '42501: must be owner of relation south', 'only owners check their views');
SELECT is(t.run('gate_owner', 'SELECT dp_noise.check_view(''public.halls'', 0::smallint)'), '42809: "halls" is not a view', 'of what is a view');
SELECT is(t.run('gate_owner', 'SELECT dp_noise.check_view(''public.south'', 3::smallint)'), '55000: column "income" of a protected view is not the privacy unit of its rows', 'by the column that tells whose its rows are');
SELECT is((SELECT dp_noise.check_view('public.each', 1::smallint)), true, 'a unit has one row');
SELECT is((SELECT dp_noise.check_view('public.amounts', 1::smallint)), false, 'or more');
SELECT throws_like($$SELECT dp_noise.protect('public.amounts', 'person')$$, 'max_rows_per_unit is missing%', 'which must be said');
SELECT throws_like($$SELECT dp_noise.protect('public.visits', 'id -> south', max_rows_per_unit => 40)$$, '%key%', 'no path leads to a view');

------------------------------------------------------------------------------
-- What is public beneath is read with the rights of whoever asks

SET ROLE gate_owner;
SELECT dp_noise.protect('public.southern', privacy_unit => 'person', max_rows_per_unit => 40, max_groups_per_unit => 5);
SELECT dp_noise.set_values('public.southern', 'hall', NULL);
SELECT public.allow('gate_bob', 'southern');
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT hall, dp_count(*) FROM southern GROUP BY hall) AS g'), '5', 'its values are keys');
SELECT is(t.run('gate_bob', 'SELECT count(*) FROM (SELECT hall, dp_count(*) FROM southern GROUP BY hall) AS g'), '42501: permission denied for table halls', 'for those who may read them');
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM southern'), '42501: permission denied for table halls', 'alone');
-- a table that is protected no longer is no gift to those who may ask
SET ROLE gate_owner;
CREATE VIEW public.bills AS SELECT v.person, v.price, p.income FROM public.visits AS v JOIN public.people AS p ON p.id = v.person;
SELECT dp_noise.protect('public.bills', privacy_unit => 'person', max_rows_per_unit => 40);
SELECT public.allow('gate_ann', 'bills');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM bills'), (SELECT count(*)::text FROM bills), 'of two tables');
SELECT dp_noise.unprotect('public.people');
SELECT is(t.run('gate_ann', 'SELECT income, count(*) FROM bills GROUP BY income'), '42501: permission denied for table people', 'the rows of one are no keys');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM south'), '55000: a protected view must read a protected relation', 'nor can a view of it be asked about');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM south'), '55000: a protected view must read a protected relation', 'in whatever words');
SELECT dp_noise.protect('public.people', privacy_unit => 'id');
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM bills'), (SELECT count(*)::text FROM bills), 'as before');
-- nor one of which row-level security hides rows from them
SET ROLE gate_owner;
ALTER TABLE public.halls ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON public.halls FOR SELECT TO gate_ann USING (id < 2);
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM (SELECT hall, dp_count(*) FROM southern GROUP BY hall) AS g'),
	'42501: a protected view cannot read "halls", of which row-level security hides rows from the user', 'hidden rows stay so');
SET ROLE gate_owner;
ALTER TABLE public.halls DISABLE ROW LEVEL SECURITY;
CREATE VIEW public.named AS SELECT id, name FROM public.halls;
CREATE VIEW public.there AS SELECT v.person, n.name FROM public.visits AS v JOIN public.named AS n ON n.id = v.hall;
SELECT dp_noise.protect('public.there', max_rows_per_unit => 40, max_groups_per_unit => 5);
SELECT public.allow('gate_ann', 'there');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM there'), '42501: permission denied for view named', 'views, too');
GRANT SELECT ON public.named TO gate_ann;
REVOKE SELECT ON public.halls FROM gate_ann;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM there'), (SELECT count(*)::text FROM there WHERE person IS NOT NULL), 'which have their own rights beneath');
GRANT SELECT ON public.halls TO gate_ann;
-- what is not public beneath is nobody's to read: a view of the owner's that is
-- not protected itself
SET ROLE gate_owner;
CREATE VIEW public.elderly AS SELECT id, region, income FROM public.people WHERE income > 100;
CREATE VIEW public.elderly_there AS SELECT e.id, h.name FROM public.elderly AS e JOIN public.named AS h ON h.id = e.income / 150;
CREATE VIEW public.elderly_in AS SELECT id FROM public.people AS p WHERE EXISTS (SELECT FROM public.elderly AS e WHERE e.id = p.id);
CREATE VIEW public.elderly_south AS SELECT * FROM (SELECT id, income FROM public.elderly WHERE region = 'south') AS e;
SELECT dp_noise.protect(r::regclass, privacy_unit => 'id'), public.allow('gate_ann', r) FROM unnest('{public.elderly_there,public.elderly_in,public.elderly_south}'::text[]) AS r;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM ' || r), (xpath('/row/c/text()', query_to_xml('SELECT count(*) AS c FROM ' || r, false, true, '')))[1]::text, 'through a view that is not protected: ' || r) FROM unnest('{elderly_there,elderly_in,elderly_south}'::text[]) AS r;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM elderly'), '42501: permission denied for view elderly', 'which is not for the asker');
SET ROLE gate_owner;
REVOKE SELECT ON public.named FROM gate_ann;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM elderly_there'), '42501: permission denied for view named', 'as what is public beside it is');
SET ROLE gate_owner;
GRANT SELECT ON public.named TO gate_ann;
DROP VIEW public.elderly CASCADE;
RESET ROLE;

------------------------------------------------------------------------------
-- Other people's views, functions and statements around it

SET SESSION AUTHORIZATION gate_ann;
CREATE VIEW gate_ann.mine AS SELECT who, income FROM public.south WHERE income > 50;
CREATE VIEW gate_ann.beneath AS SELECT * FROM public.people;
CREATE FUNCTION gate_ann.rows() RETURNS SETOF public.south STABLE LANGUAGE sql AS 'SELECT * FROM public.south';
RESET SESSION AUTHORIZATION;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM mine'), (SELECT count(*)::text FROM south WHERE income > 50), 'a view of the asker''s over it');
SELECT is(t.pays('SELECT count(*) FROM mine'), '100000 100000', 'pays as the view');
SELECT t.refuse('42501', 'SELECT * FROM mine');
SELECT t.refuse('42501', 'SELECT dp_count(*) FROM beneath');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM gate_ann.rows() AS r'), (SELECT count(*)::text FROM south), 'a function of the asker''s');
SELECT t.refuse('42501', 'SELECT * FROM gate_ann.rows()');
SELECT is(t.run('gate_bob', 'SELECT dp_noise.protect(''gate_ann.mine'')'), '42501: permission denied for schema gate_ann', 'not another''s to protect');
SELECT is(t.run('gate_ann', 'SELECT dp_noise.protect(''gate_ann.mine'', ''who'')'), '42501: a protected view cannot read protected relation "people", which belongs to another role', 'nor one''s own over another''s');
SELECT t.refuse(s, c) FROM (VALUES
	('0A000', 'SELECT dp_count(*) FROM south FULL JOIN halls ON who = id'),
	('0A000', 'SELECT dp_count(*) FROM halls LEFT JOIN south ON who = id'),
	('0A000', 'SELECT dp_count(*) FROM south AS a, south AS b'),
	('0A000', 'SELECT dp_count(*) FROM south WHERE EXISTS (SELECT FROM southern WHERE number = tens)'),
	('0A000', 'SELECT dp_count(*) FROM (SELECT * FROM south LIMIT 5) AS s'),
	('0A000', 'SELECT dp_count(*) FROM south, LATERAL (SELECT who AS w) AS l'),
	('0A000', 'SELECT dp_count(south) FROM south'),
	('0A000', 'SELECT dp_count(*) FROM south WHERE gate_ann.same(income) > 3'),
	('42501', 'SELECT (SELECT income FROM south WHERE who = 1)'),
	('42501', 'SELECT numbers.x FROM numbers JOIN south ON who = x'),
	('42501', 'INSERT INTO south (who) VALUES (1)'),
	('42501', 'UPDATE south SET income = 1'),
	('42501', 'DELETE FROM south'),
	('42501', 'CREATE TABLE gate_ann.copy AS SELECT * FROM south')) AS v (s, c);

-- with SELECT on the view rows are read as they are; private questions stay private
SET ROLE gate_owner;
GRANT SELECT ON public.south TO gate_ann;
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT max(income) FROM south'), (SELECT max(income)::text FROM south), 'with SELECT rows are read');
SELECT is(t.pays('SELECT dp_count(*) FROM south'), '100000 100000', 'and private answers charged');
SELECT isnt_empty($$SELECT FROM dp_noise.check() AS c WHERE c.object = 'public.south' AND c.finding LIKE '%gate_ann%'$$, 'which check() tells');
SET ROLE gate_owner;
REVOKE SELECT ON public.south FROM gate_ann;
RESET ROLE;

------------------------------------------------------------------------------
-- What changes later

-- another query
SELECT is(t.run('gate_ann', 'PREPARE p AS SELECT dp_count(*) FROM south WHERE income > $1'), NULL, 'a prepared question');
SELECT is(t.run('gate_ann', 'EXECUTE p(0)'), (SELECT count(*)::text FROM south), 'is answered');
SET ROLE gate_owner;
SELECT dp_noise.alter_population('public.people', on_repeat => 'replay');
RESET ROLE;
SELECT is(t.run('gate_ann', 'EXECUTE p(0)'), (SELECT count(*)::text FROM south), 'and kept');
SET ROLE gate_owner;
CREATE OR REPLACE VIEW public.south AS SELECT id AS who, region, income, income / 10 AS tens FROM public.people WHERE region IN ('south', 'west');
RESET ROLE;
SELECT is(t.run('gate_ann', 'EXECUTE p(0)'), (SELECT count(*)::text FROM south), 'of another query it is another question');
SELECT is(t.pays('EXECUTE p(0)'), '0 0', 'and kept');
CREATE FUNCTION t.cursor(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM t.run('gate_ann', 'DECLARE c CURSOR FOR SELECT dp_count(*) FROM south WHERE income > 3');
	EXECUTE change;
	result := t.run('gate_ann', 'FETCH c');
	RETURN result;
END
$$;
SELECT is(t.cursor(change), result, change) FROM (VALUES
	('SET LOCAL work_mem = ''5MB''', (SELECT count(*)::text FROM south WHERE income > 3))) AS v (change, result);
BEGIN;
SELECT is(t.cursor('CREATE OR REPLACE VIEW public.south AS SELECT id AS who, region, income, income / 10 AS tens FROM public.people'),
	'55000: relation "south" was changed after the statement was planned', 'a cursor notices');
ROLLBACK;
BEGIN;
SELECT is(t.cursor('ALTER VIEW public.south SET (security_invoker)'), '55000: relation "south" was changed after the statement was planned', 'other options, too');
ROLLBACK;

-- another query that does not follow the rules
SET ROLE gate_owner;
CREATE OR REPLACE VIEW public.south AS SELECT id AS who, region, income, income / 10 AS tens FROM public.people LIMIT 5;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM south'), '0A000: LIMIT or OFFSET in a sub-query cannot be used in a query over a protected relation', 'LIMIT');
CREATE OR REPLACE VIEW public.south AS SELECT income AS who, region, id AS income, income / 10 AS tens FROM public.people;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM south'), '55000: column "who" of a protected view is not the privacy unit of its rows', 'another unit');
CREATE OR REPLACE VIEW public.south AS SELECT 1 AS who, 'x'::text COLLATE "C" AS region, id AS income, id / 10 AS tens FROM public.halls;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM south'), '55000: a protected view must read a protected relation', 'public rows');
SELECT is(t.run('gate_ann', 'SELECT * FROM south'), '42501: rows of protected relation "south" cannot be shown', 'are not shown');
CREATE OR REPLACE VIEW public.south AS SELECT id AS who, region, income, income / 10 AS tens FROM public.people WHERE region = 'south';
ALTER VIEW public.south SET (security_invoker);
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM south'), '42501: a protected view cannot read protected relation "people" with other rights than its owner''s', 'security_invoker');
ALTER VIEW public.south RESET (security_invoker);
ALTER VIEW public.south SET (security_barrier);
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM south WHERE tens > 9'), (SELECT count(*)::text FROM south WHERE tens > 9), 'security_barrier makes no difference');
ALTER VIEW public.south RESET (security_barrier);

-- names
ALTER VIEW public.south RENAME TO southerners;
ALTER VIEW public.southerners RENAME COLUMN who TO number;
SELECT dp_noise.set_bounds('public.southerners', 'income', 0, 77);
ALTER VIEW public.southerners RENAME COLUMN income TO yearly;
ALTER TABLE public.people RENAME COLUMN income TO earned;
SELECT is(t.run('gate_ann', 'SELECT sum(yearly) FROM southerners'), (SELECT sum(least(yearly, 77))::text FROM southerners), 'renamed');
SELECT is(t.pays('SELECT dp_count(*) FROM southerners WHERE tens > 5'), '100000 100000', 'it pays as before');
SELECT is(privacy_unit, 'number', 'its unit') FROM dp_noise.protected_relations WHERE relation = 'southerners'::regclass;

-- owners
SELECT dp_noise.allow_members('public.people', 'gate_bob');
RESET ROLE;
ALTER VIEW public.southerners OWNER TO gate_bob;
SELECT alike(t.run('gate_ann', 'SELECT count(*) FROM southerners WHERE tens > 2'), '42501: a protected view cannot read protected relation "people", which belongs to another role', 'the view is another''s');
ALTER VIEW public.southerners OWNER TO gate_owner;
ALTER TABLE public.people OWNER TO gate_bob;
SELECT alike(t.run('gate_ann', 'SELECT count(*) FROM southerners WHERE tens > 2'), '42501: a protected view cannot read protected relation "people", which belongs to another role', 'or the table is');
ALTER TABLE public.people OWNER TO gate_owner;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM southerners WHERE tens > 2'), (SELECT count(*)::text FROM southerners WHERE tens > 2), 'as before');

-- dropped, and made anew
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM often') ~ '^\d+$', true, 'a question');
SELECT t.spent() AS spent \gset
SET ROLE gate_owner;
DROP VIEW public.often;
CREATE VIEW public.often AS SELECT person, paid FROM public.each WHERE visits > 9;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM often'), '42501: permission denied for view often', 'one of its name is not protected');
SELECT dp_noise.protect('public.often');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM often'), '42501: permission denied for view often', 'nor what the budget was for');
SELECT public.allow('gate_ann', 'often');
SELECT is(t.spent(), :spent::numeric, 'what was spent stays spent');
SELECT dp_noise.alter_population('people', on_repeat => 'refuse');
RESET ROLE;
SELECT is(t.pays('SELECT dp_count(*) FROM often'), '100000 100000', 'and a view of that name is asked about anew');

-- without protection
SET ROLE gate_owner;
SELECT dp_noise.unprotect('public.often');
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM often'), '42501: permission denied for view often', 'it ends');

-- rules: of a view others than its query are no concern of ours
SELECT lives_ok('CREATE RULE r AS ON INSERT TO public.southerners DO INSTEAD NOTHING', 'a rule for INSERT');

-- what is beneath goes
SET ROLE gate_owner;
DROP TABLE public.visits CASCADE;
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM southerners WHERE tens > 3'), (SELECT count(*)::text FROM southerners WHERE tens > 3), 'others remain');
SELECT is_empty($$SELECT FROM dp_noise.protected_relations WHERE relation::text IN ('southern', 'each')$$, 'views go with their tables');

DROP TABLE public.others CASCADE;
SELECT * FROM finish();
\ir support/gate_end.sql
