-- What owners call runs with the extension's rights, and the types of the
-- columns are the owner's: no cast, check, operator or function of theirs runs
-- there. And what becomes of declared values and bounds when a type changes.
\ir support/ledger.sql
CREATE ROLE oty_owner;
CREATE ROLE oty_ann;
SELECT no_plan();

CREATE SCHEMA own AUTHORIZATION oty_owner;
SET SESSION AUTHORIZATION oty_owner;
CREATE TABLE own.log (who text, what text);
GRANT USAGE ON SCHEMA own TO PUBLIC;
GRANT INSERT ON own.log TO PUBLIC;
CREATE FUNCTION own.note(what text) RETURNS void LANGUAGE sql AS $$ INSERT INTO own.log VALUES (current_user, what) $$;
CREATE TYPE own.mood AS ENUM ('sad', 'happy');
CREATE TYPE own.pair AS (a int, b int);
-- casts between the enum and text, in every way that the parser may look for
CREATE FUNCTION own.to_mood(t text) RETURNS own.mood LANGUAGE plpgsql AS $$ BEGIN PERFORM own.note('text to mood'); RETURN CASE t WHEN 'happy' THEN (enum_range(NULL::own.mood))[2] ELSE (enum_range(NULL::own.mood))[1] END; END $$;
CREATE FUNCTION own.from_mood(own.mood) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM own.note('mood to text'); RETURN 'x'; END $$;
CREATE CAST (text AS own.mood) WITH FUNCTION own.to_mood(text) AS IMPLICIT;
CREATE CAST (own.mood AS text) WITH FUNCTION own.from_mood(own.mood) AS IMPLICIT;
-- checks of domains, operators of the enum and of domains
CREATE FUNCTION own.checked(text) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN PERFORM own.note('check'); RETURN true; END $$;
CREATE DOMAIN own.word AS text CHECK (own.checked(VALUE));
CREATE DOMAIN own.deep AS own.word CHECK (own.checked(VALUE));
CREATE DOMAIN own.feeling AS own.mood CHECK (own.checked('' || VALUE::text));
CREATE DOMAIN own.score AS numeric CHECK (own.checked(VALUE::pg_catalog.text));
CREATE DOMAIN own.two AS own.pair CHECK (own.checked((VALUE).a::pg_catalog.text));
CREATE FUNCTION own.same(own.mood, own.mood) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN PERFORM own.note('mood = mood'); RETURN true; END $$;
CREATE OPERATOR own.= (LEFTARG = own.mood, RIGHTARG = own.mood, FUNCTION = own.same);
CREATE FUNCTION own.less(float8, float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM own.note('subtype_diff'); RETURN 1; END $$;
CREATE TYPE own.span AS RANGE (subtype = float8, subtype_diff = own.less);
CREATE COLLATION own.plain (locale = 'C');
CREATE TABLE own.people (id int PRIMARY KEY, mood own.mood, feeling own.feeling, word own.word, deep own.deep, score own.score, pair own.pair, two own.two,
	span own.span, moods own.mood[], words own.word[], plain text COLLATE own.plain, price numeric(6,1), code varchar(3), person int, born date,
	worth numeric DEFAULT 0, label text DEFAULT 'none', "Odd ""name""" int);
INSERT INTO own.people (id, person) SELECT i, i FROM generate_series(1, 20) AS i;
TRUNCATE own.log;
RESET SESSION AUTHORIZATION;

-- every function of the owner, on every column
SELECT is(t.run('oty_owner', $$SELECT dp_noise.protect('own.people', epsilon => 1e6, delta => 1)$$), '', 'protect');
SELECT is(t.run('oty_owner', format('SELECT dp_noise.set_values(''own.people'', %L, %L)', c, v)), wanted, format('set_values(%s, %s)', c, v))
FROM (VALUES
	('mood', '{sad,happy}', ''), ('mood', '{happy}', ''), ('mood', '{glad}', '22P02: invalid input value for enum own.mood: "glad"'),
	('mood', '{sad,sad}', '22023: declared values must be one to a million, different, and not null'),
	('mood', '{sad,NULL}', '22023: declared values must be one to a million, different, and not null'),
	('mood', '{}', '22023: declared values must be one to a million, different, and not null'),
	('mood', '{" sad"}', '22P02: invalid input value for enum own.mood: " sad"'),
	('mood', '{SAD}', '22P02: invalid input value for enum own.mood: "SAD"'),
	('feeling', '{sad,happy}', ''), ('feeling', '{x}', '22P02: invalid input value for enum own.mood: "x"'),
	('word', '{a,b}', ''), ('deep', '{a,b}', ''), ('deep', '{a,a}', '22023: declared values must be one to a million, different, and not null'),
	('score', '{1,2.0}', ''), ('score', '{1,1.0}', '22023: declared values must be one to a million, different, and not null'),
	('score', '{x}', '22P02: invalid input syntax for type numeric: "x"'),
	('plain', '{a,A}', ''),
	('price', '{1,1.04}', '22023: declared values must be one to a million, different, and not null'),
	('code', '{abcd}', '22001: value too long for type character varying(3)'),
	('born', '{2000-01-01,2000-01-02}', ''), ('born', '{2000-01-01,"1 Jan 2000"}', '22023: declared values must be one to a million, different, and not null'),
	('pair', '{"(1,2)"}', '0A000: values of type own.pair cannot be declared'),
	('two', '{"(1,2)"}', '0A000: values of type own.pair cannot be declared'),
	('span', '{"[1,2]"}', '0A000: values of type own.span cannot be declared'),
	('moods', '{"{sad}"}', '0A000: values of type own.mood[] cannot be declared'),
	('words', '{"{a}"}', '0A000: values of type own.word[] cannot be declared'),
	('Odd "name"', '{1}', '')) AS x (c, v, wanted);
SELECT is((SELECT string_agg(column_name || column_values::text, ' ' ORDER BY column_name) FROM dp_noise_ledger.column_values),
	'Odd "name"{1} born{2000-01-01,2000-01-02} deep{a,b} feeling{sad,happy} mood{happy} plain{a,A} score{1,2.0} word{a,b}', 'declared as the types write them');
SELECT is(t.run('oty_owner', format('SELECT dp_noise.set_values(''own.people'', %L, NULL)', c)), '', 'removed: ' || c)
FROM unnest(ARRAY['mood', 'feeling', 'word', 'deep', 'score', 'plain', 'born', 'Odd "name"']) AS c;
SELECT is(t.run('oty_owner', format('SELECT dp_noise.protect(''own.people'', privacy_unit => %L, max_rows_per_unit => 1, replace_unit => true)', c)), '', 'protect by ' || c)
FROM unnest('{mood,feeling,word,pair,two,span,moods,words,plain}'::text[]) AS c;
SELECT is(t.run('oty_owner', $$SELECT dp_noise.protect('own.people', replace_unit => true)$$), '', 'and by the row');
SELECT is(t.run('oty_owner', $$SELECT dp_noise.set_levels('own.people', '{1,0.1}')$$), '', 'set_levels');
SELECT is(t.run('oty_owner', $$SELECT dp_noise.set_levels('own.people', NULL)$$), '', 'set_levels');
SELECT is(t.run('oty_owner', $$SELECT dp_noise.alter_population('own.people', on_repeat => 'answer'), dp_noise.set_budget('oty_ann', 'own.people', 100000)$$), '', 'set_budget');
SELECT is(t.run('oty_owner', 'SELECT count(*) FROM dp_noise.protected_relations'), '1', 'views');

-- bounds are for numbers, and for dates and times
SELECT is(t.run('oty_owner', format('SELECT dp_noise.set_bounds(''own.people'', %L, 0, 1)', c)), wanted, 'set_bounds: ' || c)
FROM (VALUES ('id', ''), ('score', ''), ('price', ''), ('Odd "name"', ''),
	('plain', '0A000: column plain of relation own.people, of type text, cannot have bounds'),
	('deep', '0A000: column deep of relation own.people, of type text, cannot have bounds'),
	('mood', '0A000: column mood of relation own.people, of type own.mood, cannot have bounds'),
	('born', '22008: date/time field value out of range: "0"'),
	('span', '0A000: column span of relation own.people, of type own.span, cannot have bounds'),
	('moods', '0A000: column moods of relation own.people, of type own.mood[], cannot have bounds'),
	('pair', '0A000: column pair of relation own.people, of type own.pair, cannot have bounds')) AS x (c, wanted);
SELECT is(t.run('oty_owner', $$SELECT dp_noise.set_bounds('own.people', 'plain', NULL, NULL)$$), '', 'two nulls are no bounds');
SELECT is_empty('SELECT * FROM own.log', 'nothing of the owner''s has run');

-- a superuser's cast between types of the server is looked for no more than others
CREATE FUNCTION own.to_int(text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM own.note('text to int'); RETURN 1; END $$;
ALTER FUNCTION own.to_int(text) OWNER TO oty_owner;
CREATE CAST (text AS int) WITH FUNCTION own.to_int(text);
SELECT is(t.run('oty_owner', $$SELECT dp_noise.set_values('own.people', 'person', '{3,2}')$$), '', 'with a cast from text to integer');
DROP CAST (text AS int);
SELECT is((SELECT column_values FROM dp_noise_ledger.column_values WHERE column_name = 'person'), '{3,2}', 'the values are the server''s');
SELECT is_empty('SELECT * FROM own.log', 'and the cast has not run');

-- ALTER TYPE of a column with declared values: a question says what to do
SELECT is(t.run('oty_owner', $$SELECT dp_noise.set_values('own.people', 'person', NULL)$$), '');
CREATE FUNCTION t.groups(c text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(t.run('oty_ann', format('SELECT string_agg(coalesce(k::text, ''null''), '','' ORDER BY k::text) FROM (SELECT %s AS k, dp_count(*) FROM own.people GROUP BY 1) AS s', c)), ' at character.*', '')
$$;
GRANT EXECUTE ON FUNCTION t.groups(text) TO PUBLIC;
SELECT is(t.run('oty_owner', $$SELECT dp_noise.set_values('own.people', 'label', '{a,b,7}')$$), '', 'values of a text');
SELECT is(t.groups('label'), '7,a,b,null', 'are groups');
-- the owner changes the type of a column
CREATE FUNCTION t.change(c text, type text, usings text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('session_authorization', 'oty_owner', false);
	EXECUTE format('ALTER TABLE own.people ALTER %s DROP DEFAULT, ALTER %1$s TYPE %s USING %s', c, type, usings);
	RESET SESSION AUTHORIZATION;
END $$;
SELECT format('SELECT t.change(''label'', %L, %L)', type, usings), format('SELECT is(t.groups(''label''), %L, %L)', wanted, 'ALTER TYPE ' || type)
FROM (VALUES
	('integer', 'id', '55000: the values declared for column "label" of relation "people" do not fit its type'),
	('own.mood', '''sad''', '55000: the values declared for column "label" of relation "people" do not fit its type'),
	('date', '''2000-01-01''', '55000: the values declared for column "label" of relation "people" do not fit its type'),
	('own.span', '''[1,2]''', '0A000: values of type own.span cannot be the groups of a query over a protected relation'),
	('own.mood[]', '''{sad}''', '0A000: values of type own.mood[] cannot be the groups of a query over a protected relation'),
	('own.pair', 'ROW(1, 2)::own.pair', '0A000: values of type own.pair cannot be the groups of a query over a protected relation'),
	('varchar(1)', '''a''', '7,a,b,null'),
	('own.word', '''a''', '7,a,b,null'),
	('text', '''a''', '7,a,b,null')) AS x (type, usings, wanted) \gexec
-- values that become equal are one group, drawn once
SELECT is(t.run('oty_owner', $$SELECT dp_noise.set_values('own.people', 'worth', '{1.2,1.4,3}')$$), '', 'values of a numeric');
SELECT is(t.groups('worth'), '1.2,1.4,3,null', 'are groups');
SELECT t.change('worth', 'numeric(5,0)', 'worth');
SELECT is(t.groups('worth'), '1,3,null', 'two that are equal now are one group');
-- the same with a trap in the check of the new type, evaluated by the owner's statements alone
SELECT is((SELECT count(*) FROM own.log WHERE who <> 'oty_owner'), 0::bigint, 'what ran, ran as the owner');
-- the hint
CREATE FUNCTION t.hint_of(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	SET LOCAL SESSION AUTHORIZATION oty_ann;
	EXECUTE command;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END $$;
SELECT t.change('label', 'integer', 'id');
SELECT is(t.hint_of('SELECT label, dp_count(*) FROM own.people GROUP BY 1'), 'The owner must declare them again with dp_noise.set_values(); null removes them.', 'the hint names the function');
SELECT is(t.run('oty_owner', $$SELECT dp_noise.set_values('own.people', 'label', '{1,2}')$$), '', 'which does it');
SELECT is(t.groups('label'), '1,2,null', 'and the question is answered');

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP OWNED BY oty_owner, oty_ann CASCADE;
DROP ROLE oty_owner, oty_ann;
