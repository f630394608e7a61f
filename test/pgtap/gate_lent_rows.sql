-- A view lends its owner's rights on what it reads, for the rows and columns
-- that it shows. What else is beneath it stays hidden from whoever asks: it is no
-- value of a key, and functions of theirs do not get to see it.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.empty_groups = show;

SET ROLE gate_owner;
CREATE TABLE public.visits (id integer PRIMARY KEY, kind integer NOT NULL);
INSERT INTO public.visits SELECT i, i % 4 FROM generate_series(1, 400) AS i;
SELECT dp_noise.protect('public.visits', privacy_unit => 'id', epsilon => 1e13, delta => 1);
SELECT dp_noise.alter_population('public.visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.visits', 1e12, delta => 1);
CREATE TABLE public.kinds (kind integer PRIMARY KEY, name text COLLATE "C", whose name NOT NULL);
INSERT INTO public.kinds VALUES (0, 'seen', 'gate_ann'), (1, 'hidden 1', 'gate_bob'), (2, 'hidden 2', 'gate_bob');
CREATE VIEW public.plain_kinds AS SELECT kind, name FROM public.kinds WHERE kind < 1;
CREATE VIEW public.own_kinds WITH (security_barrier) AS SELECT kind, name FROM public.kinds WHERE whose = current_user;
CREATE VIEW public.inner_kinds AS SELECT kind, name FROM public.kinds WHERE kind < 1;
CREATE VIEW public.few_kinds WITH (security_barrier) AS SELECT kind, name FROM public.inner_kinds WHERE name <> 'x';
CREATE VIEW public.one_kind WITH (security_barrier) AS SELECT k.kind, k.name FROM public.kinds AS k JOIN public.plain_kinds AS p ON p.kind = k.kind;
CREATE VIEW public.checked_kinds WITH (security_barrier) AS SELECT kind, name FROM public.kinds WHERE kind IN (SELECT kind FROM public.plain_kinds);
CREATE VIEW public.listed_kinds AS SELECT kind, name FROM public.kinds WHERE kind IN (SELECT kind FROM public.plain_kinds);
CREATE VIEW public.named_visits AS SELECT v.id, k.name FROM public.visits AS v JOIN public.kinds AS k ON k.kind = v.kind WHERE whose = 'gate_ann';
CREATE VIEW public.grouped_visits AS SELECT v.id, k.name, count(*) AS n FROM public.visits AS v JOIN public.kinds AS k ON k.kind = v.kind GROUP BY v.id, k.name;
CREATE VIEW public.left_visits AS SELECT v.id, k.name FROM public.visits AS v LEFT JOIN public.few_kinds AS k ON k.kind = v.kind;
CREATE VIEW public.protected_visits AS SELECT v.id, k.name FROM public.visits AS v JOIN public.plain_kinds AS k ON k.kind = v.kind;
GRANT SELECT ON public.plain_kinds, public.own_kinds, public.few_kinds, public.one_kind, public.checked_kinds, public.listed_kinds, public.named_visits, public.grouped_visits, public.left_visits TO gate_ann;
SELECT dp_noise.protect('public.protected_visits', privacy_unit => 'id');
SELECT dp_noise.alter_population('public.protected_visits', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'public.protected_visits', 1e12, delta => 1);
RESET ROLE;

-- whoever asks: a function that notes what it sees
SELECT t.run('gate_ann', 'CREATE TABLE gate_ann.noted (name text)') \g /dev/null
SELECT t.run('gate_ann', $$CREATE FUNCTION gate_ann.note(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS 'BEGIN INSERT INTO gate_ann.noted VALUES ($1); RETURN true; END'$$) \g /dev/null
SELECT t.run('gate_ann', 'CREATE VIEW gate_ann.mine AS SELECT * FROM public.few_kinds') \g /dev/null
SELECT is(t.run('gate_ann', 'SELECT name FROM public.kinds'), '42501: permission denied for table kinds', 'the table beneath is not for the analyst');
ALTER ROLE gate_ann SET dp_noise.epsilon = 1000;
SET dp_noise.epsilon = 1000;
SET dp_noise.delta = 1e-6;

------------------------------------------------------------------------------
-- Values of keys

CREATE FUNCTION t.keys(question text) RETURNS text LANGUAGE sql AS $$
SELECT t.run('gate_ann', format('SELECT string_agg(q.name, '','' ORDER BY q.name) FROM (%s) AS q', question))
$$;
SELECT is(t.keys(replace(q, '$v', v)), 'seen', replace(q, '$v', v)) FROM
	unnest('{plain_kinds,own_kinds,few_kinds,one_kind,checked_kinds,mine}'::text[]) AS v,
	unnest(ARRAY[
		'SELECT DISTINCT k.name FROM visits AS v JOIN $v AS k ON k.kind = v.kind',
		'SELECT k.name FROM visits AS v JOIN $v AS k ON k.kind = v.kind GROUP BY k.name',
		'SELECT k.name, dp_count(*) FROM visits AS v JOIN $v AS k ON k.kind = v.kind GROUP BY k.name',
		'SELECT k.name, count(*) FROM visits AS v LEFT JOIN $v AS k ON k.kind = v.kind GROUP BY k.name',
		'SELECT s.name, count(*) FROM visits AS v JOIN (SELECT kind, name FROM $v WHERE kind < 9) AS s ON s.kind = v.kind GROUP BY s.name',
		'WITH s AS (SELECT * FROM $v) SELECT s.name, count(*) FROM visits AS v JOIN s ON s.kind = v.kind GROUP BY s.name',
		'SELECT s.name, count(*) FROM (SELECT v.id, k.name FROM visits AS v JOIN $v AS k ON k.kind = v.kind) AS s GROUP BY s.name',
		'SELECT s.name, count(*) FROM (SELECT v.id, k.name, count(*) AS n FROM visits AS v JOIN $v AS k ON k.kind = v.kind GROUP BY v.id, k.name) AS s GROUP BY s.name'
	]) AS q;
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM visits AS v JOIN ' || v || ' AS k ON k.kind = v.kind'), '100', 'they are joined: ' || v)
FROM unnest('{plain_kinds,own_kinds,few_kinds,one_kind,checked_kinds,mine}'::text[]) AS v;

-- a view of protected and of other rows: the others' values are private keys
SELECT is(t.keys('SELECT DISTINCT name FROM named_visits'), 'seen', 'of its rows');
SELECT is(t.explained('SELECT name, dp_count(*) FROM ' || v || ' GROUP BY name', 'Private Group Key'), k, v) FROM (VALUES ('named_visits', 'k.name'), ('grouped_visits', 'grouped_visits.name')) AS v (v, k);
SELECT is(t.keys('SELECT name, dp_count(*) FROM left_visits GROUP BY name'), 'seen', 'a view in it that may be read for itself: public');
SELECT is(t.keys('SELECT name, dp_count(*) FROM grouped_visits GROUP BY name'), 'hidden 1,hidden 2,seen', 'which groups of people tell');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM ' || q), n, q) FROM (VALUES
	('named_visits', '100'), ('grouped_visits', '300'), ('left_visits', '400'), ('named_visits WHERE name = ''seen''', '100'), ('grouped_visits WHERE left(name, 3) = ''hid''', '200')) AS v (q, n);

-- a protected view lends nothing on what is public: the view in it is asked for
SELECT is(t.keys('SELECT name, count(*) FROM protected_visits GROUP BY name'), 'seen', 'a public view in a protected view');

------------------------------------------------------------------------------
-- Functions

SELECT is(t.run('gate_ann', replace(q, '$v', v)), '100', replace(q, '$v', v)) FROM
	unnest('{own_kinds,few_kinds,one_kind,checked_kinds,mine}'::text[]) AS v,
	unnest(ARRAY[
		'SELECT count(*) FROM visits AS v JOIN $v AS k ON k.kind = v.kind WHERE note(k.name)',
		'SELECT count(k.kind) FROM visits AS v LEFT JOIN $v AS k ON k.kind = v.kind AND note(k.name)',
		'SELECT count(*) FROM visits AS v WHERE EXISTS (SELECT FROM $v AS k WHERE k.kind = v.kind AND note(k.name))',
		'SELECT count(*) FROM visits AS v WHERE v.kind IN (SELECT k.kind FROM $v AS k WHERE note(k.name))',
		'SELECT count(*) FROM visits AS v JOIN (SELECT kind FROM $v WHERE note(name)) AS s ON s.kind = v.kind',
		'WITH s AS (SELECT * FROM $v) SELECT count(*) FROM visits AS v JOIN s ON s.kind = v.kind AND note(s.name)'
	]) AS q;
SELECT results_eq('SELECT DISTINCT name FROM gate_ann.noted', $$VALUES ('seen')$$, 'they saw what the views show');
TRUNCATE gate_ann.noted;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM ' || v || ' WHERE note(name)'), '0A000: function note(text) cannot be used in WHERE over a protected relation', v) FROM unnest('{named_visits,grouped_visits,left_visits}'::text[]) AS v;
SELECT is_empty('SELECT FROM gate_ann.noted', 'and nothing of the others');

------------------------------------------------------------------------------
-- Sub-queries of a view, and private answers in it that are joined to other rows

SET ROLE gate_owner;
CREATE TABLE public.notes (id integer PRIMARY KEY, note text COLLATE "C");
INSERT INTO public.notes SELECT i, 'note ' || i % 2 FROM generate_series(1, 400) AS i;
SELECT dp_noise.protect('public.notes', privacy_unit => 'id', epsilon => 1e13, delta => 1);
SELECT dp_noise.set_budget('gate_ann', 'public.notes', 1e12, delta => 1);
CREATE VIEW public.found_notes WITH (security_barrier) AS SELECT id, note FROM public.notes WHERE note = (SELECT name FROM public.kinds WHERE kind = 1 LIMIT 1);
CREATE VIEW public.chosen_notes WITH (security_barrier) AS SELECT id, CASE WHEN note = 'x' THEN (SELECT name FROM public.kinds WHERE kind = 1 LIMIT 1) END AS note FROM public.notes;
CREATE VIEW public.greatest_notes WITH (security_barrier) AS SELECT id, note FROM public.notes WHERE note = (SELECT max(name) FROM public.kinds);
CREATE VIEW public.answered_notes WITH (security_barrier) AS
	SELECT n.id, s.name AS note FROM public.notes AS n JOIN
		(SELECT k.kind, k.name, a.n FROM (SELECT dp_count(*) AS n FROM public.notes) AS a, public.kinds AS k) AS s ON s.kind = n.id WHERE n.id > 2;
CREATE VIEW public.answer_in_notes WITH (security_barrier) AS
	SELECT id, note FROM public.notes WHERE note IN (SELECT k.name FROM (SELECT dp_count(*) AS n FROM public.notes) AS a, public.kinds AS k WHERE kind = 1);
GRANT SELECT ON public.found_notes, public.chosen_notes, public.greatest_notes, public.answered_notes, public.answer_in_notes TO gate_ann;
RESET ROLE;
SELECT is(coalesce(t.keys('SELECT note AS name, dp_count(*) FROM ' || v || ' GROUP BY note'), 'none'), answer, v || ': a value of a sub-query') FROM (VALUES
	('found_notes', '0A000: a sub-query as a value that may have several rows cannot be used in a query over a protected relation'),
	('chosen_notes', '0A000: a sub-query as a value that may have several rows cannot be used in a query over a protected relation'),
	('greatest_notes', 'none'), ('answered_notes', 'none'), ('answer_in_notes', 'none')) AS v (v, answer);
SELECT is(t.keys('SELECT DISTINCT note AS name FROM answered_notes'), NULL, 'nor without an aggregate');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM answered_notes WHERE note(note)'), '0A000: function note(text) cannot be used in WHERE over a protected relation', 'no function sees what answers are joined to');
SELECT is_empty('SELECT FROM gate_ann.noted', 'none saw anything');
SELECT is(t.keys('SELECT note AS name, dp_count(*) FROM notes WHERE note = (SELECT name FROM plain_kinds LIMIT 1) GROUP BY note'), 'seen', 'of what is shown, the value is a key''s');

-- whoever guesses a value is charged as for any other
CREATE FUNCTION t.charged(question text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	before bigint := t.charges();
BEGIN
	PERFORM t.run('gate_ann', question);
	RETURN t.charges() - before;
END
$$;
SELECT is(t.charged('SELECT dp_count(*) FROM found_notes'), 0::bigint, 'a hidden value is no constant');
SELECT is(t.charged('SELECT dp_count(*) FROM greatest_notes'), 1::bigint, 'a question by a hidden value');
SELECT is(t.charged('SELECT dp_count(*) FROM notes WHERE note = ''' || name || ''''), 1::bigint, 'another by a guess: ' || name) FROM unnest('{hidden 1,hidden 2,hidden 3}'::text[]) AS name;

------------------------------------------------------------------------------
-- What whoever asks may read beneath a view is public for them

GRANT SELECT ON public.kinds TO gate_ann;
SELECT is(t.keys('SELECT name, dp_count(*) FROM ' || v || ' GROUP BY name'), k, v) FROM (VALUES ('named_visits', 'seen'), ('grouped_visits', 'hidden 1,hidden 2,seen')) AS v (v, k);
SELECT is(t.explained('SELECT dp_count(*) FROM visits AS v JOIN plain_kinds AS k ON k.kind = v.kind', 'Question'),
	t.explained('SELECT dp_count(*) FROM visits AS v JOIN kinds AS k ON k.kind = v.kind WHERE k.kind < 1', 'Question'), 'a view of it is written out');
ALTER TABLE public.kinds ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON public.kinds USING (whose = current_user);
SELECT is(t.keys('SELECT DISTINCT k.name FROM visits AS v JOIN ' || v || ' AS k ON k.kind = v.kind'), 'seen', 'but not where policies hide rows: ' || v) FROM unnest('{kinds,plain_kinds,few_kinds}'::text[]) AS v;
SELECT is(t.explained('SELECT name, dp_count(*) FROM grouped_visits GROUP BY name', 'Private Group Key'), 'grouped_visits.name', 'nor in a view of protected rows');
ALTER TABLE public.kinds DISABLE ROW LEVEL SECURITY;
REVOKE SELECT ON public.kinds FROM gate_ann;
GRANT SELECT (kind, name) ON public.kinds TO gate_ann;
SELECT is(t.keys('SELECT DISTINCT k.name FROM visits AS v JOIN plain_kinds AS k ON k.kind = v.kind'), 'seen', 'nor where some columns are not for them');
REVOKE SELECT (kind, name) ON public.kinds FROM gate_ann;

-- a plan is made anew when privileges change
GRANT SELECT ON public.kinds TO gate_ann;
SELECT t.run('gate_ann', 'PREPARE kept AS SELECT string_agg(q.name, '','' ORDER BY q.name) FROM (SELECT DISTINCT k.name FROM visits AS v JOIN listed_kinds AS k ON k.kind = v.kind) AS q') \g /dev/null
SELECT is(t.run('gate_ann', 'EXECUTE kept'), 'hidden 1,hidden 2,seen', 'as long as they may read it');
REVOKE SELECT ON public.kinds FROM gate_ann;
SELECT is(t.run('gate_ann', 'EXECUTE kept'), 'seen', 'and no longer');

SELECT * FROM finish();
\ir support/gate_end.sql
