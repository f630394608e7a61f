-- dp_noise.propose(): declarations that the catalogs have already; columns by names
-- as SQL has them; suggest() leaves out what only names rows.
\ir support/ledger.sql
CREATE ROLE pro_owner;
CREATE ROLE pro_other;
GRANT CREATE ON SCHEMA public TO pro_owner, pro_other;
SELECT no_plan();
SET ROLE pro_owner;
CREATE TYPE mood AS ENUM ('sad', 'it''s ok');
CREATE DOMAIN percent AS integer CHECK (VALUE >= 0 AND VALUE <= 100);
CREATE DOMAIN half AS percent CHECK (VALUE <= 50);
CREATE DOMAIN grade AS text CHECK (VALUE IN ('a', 'b'));
CREATE TABLE wards (ward int PRIMARY KEY);
CREATE FUNCTION own_limit() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 9';
CREATE TABLE people (
	id int PRIMARY KEY,
	age int CHECK (age >= 0 AND age < 120),
	"Wage" numeric CHECK ("Wage" BETWEEN 0 AND 2000.5),
	born date CHECK (born > '1900-01-01' AND born <= '2030-12-31'),
	seen timestamptz CHECK (seen >= '2020-01-01 00:00+00' AND seen < '2021-01-01 00:00+00'),
	low real CHECK (low > -1.5),
	sex text CHECK (sex IN ('f', 'm')),
	code varchar(9) CHECK (code IN ('x', 'y,)z', 'it''s')),
	size int CHECK (size IN (1, -2)),
	feeling mood,
	smoker boolean,
	share percent,
	less half,
	mark grade,
	ward int REFERENCES wards,
	odd int CHECK (odd > 1 OR odd < 0),
	off int CHECK (NOT (off > 5 AND off < 9)),
	of_own int CHECK (of_own >= 0 AND of_own <= own_limit()),
	two int, three int, CHECK (two > three), CHECK (two >= 0 AND three <= 4),
	as_text int CHECK (as_text::text >= '0' AND as_text::text <= '9'),
	bad numeric CHECK (bad >= 'NaN' AND bad <= 10),
	clock time CHECK (clock >= '08:00' AND clock < '24:00'),
	narrow int CHECK (narrow >= 0 AND narrow <= 1000) CHECK (narrow >= 10 AND narrow <= 90),
	later int,
	word text
);
RESET ROLE;
SELECT is((SELECT string_agg(concat_ws('|', column_name, setting, proposed, follows_from), E'\n') FROM dp_noise.propose('people')), $$age|bounds|0 .. 119|constraint people_age_check
Wage|bounds|0 .. 2000.5|constraint "people_Wage_check"
born|bounds|1900-01-01 .. 2030-12-31|constraint people_born_check
seen|bounds|2020-01-01 00:00:00+00 .. 2021-01-01 00:00:00+00|constraint people_seen_check
low|bounds|-1.5 .. ?|constraint people_low_check
sex|values|{f,m}|constraint people_sex_check
code|values|{x,"y,)z",it's}|constraint people_code_check
size|values|{1,-2}|constraint people_size_check
feeling|values|{sad,"it's ok"}|type public.mood: public as it is
smoker|values|{f,t}|type boolean: public as it is
share|bounds|0 .. 100|domain public.percent
less|bounds|0 .. 50|domain public.half, domain public.percent
mark|values|{a,b}|domain public.grade
ward|values|foreign key to public.wards: public for whoever may read that
bad|bounds|? .. 10|constraint people_bad_check
clock|bounds|08:00:00 .. 24:00:00|constraint people_clock_check
narrow|bounds|10 .. 90|constraint people_narrow_check, constraint people_narrow_check1$$,
	'what is declared; nothing of disjunctions, negations, functions, several columns and other orders');
SELECT is((SELECT count(*) FROM dp_noise.propose('wards')), 0::bigint, 'nothing');
-- no rows are read: not even the right to is needed
SELECT is(t.run('pro_other', 'SELECT count(*) FROM dp_noise.propose(''people'')'), '17', 'the catalogs show it to everybody');
SELECT is(t.run('pro_other', 'SELECT count(*) FROM people'), '42501: permission denied for table people', 'and no row');
-- the calls can be run
SELECT dp_noise.protect('people', 'id', epsilon => 10);
DO $$
DECLARE
	call text;
BEGIN
	FOR call IN SELECT statement FROM dp_noise.propose('people') WHERE statement IS NOT NULL LOOP
		EXECUTE call;
	END LOOP;
END
$$;
SELECT is((SELECT string_agg(column_name, ' ' ORDER BY column_name::text) FROM dp_noise_ledger.column_bounds), 'Wage age born clock less narrow seen share', 'bounds');
SELECT is((SELECT string_agg(column_name || column_values::text, ' ' ORDER BY column_name::text) FROM dp_noise_ledger.column_values), 'code{x,"y,)z",it''s} mark{a,b} sex{f,m} size{1,-2}', 'and values');
-- a superuser who calls it runs nothing of the owner's
SET ROLE pro_owner;
CREATE FUNCTION trap(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF current_user <> 'pro_owner' THEN RAISE EXCEPTION 'I am %', current_user; END IF; RETURN $1; END $$;
CREATE FUNCTION trap(int, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM trap($1); RETURN true; END $$;
CREATE OPERATOR >= (FUNCTION = trap, LEFTARG = int, RIGHTARG = int);
CREATE DOMAIN trapped AS int CHECK (trap(VALUE) > 0);
CREATE TABLE traps (
	a int CHECK (a OPERATOR(public.>=) 0 AND a <= 9), b int CHECK (b >= trap(1) AND b <= 5), c int CHECK (c >= '1'::trapped AND c <= 4), d trapped,
	e int CHECK (e >= 0 AND e <= 1 AND trap(e) > 0)
);
RESET ROLE;
SELECT is((SELECT string_agg(concat_ws('|', column_name, proposed), ' ') FROM dp_noise.propose('traps')), NULL, 'operators, functions and types of others are not understood, and not run');

-- columns by names as SQL has them
SET ROLE pro_owner;
CREATE TABLE "Odd" ("Person" int PRIMARY KEY, plain int, "a ""b" int, "plain>" int, "x->y" int);
RESET ROLE;
SELECT lives_ok($$SELECT dp_noise.protect('"Odd"', '"Person"', epsilon => 1)$$, 'a quoted unit');
SELECT is((SELECT unit::text FROM dp_noise_ledger.member WHERE relation = '"Odd"'::regclass), 'Person', 'is the column');
SELECT lives_ok($$SELECT dp_noise.protect('"Odd"', 'Person')$$, 'the exact name');
SELECT lives_ok($$SELECT dp_noise.set_bounds('"Odd"', 'PLAIN', 0, 1)$$, 'a folded name');
SELECT lives_ok($$SELECT dp_noise.set_values('"Odd"', '"a ""b"', '{1,2}')$$, 'a name with quotes');
SELECT is((SELECT string_agg(column_name, ',') FROM dp_noise_ledger.column_bounds JOIN dp_noise_ledger.member USING (member_id) WHERE relation = '"Odd"'::regclass), 'plain', 'bounds');
SELECT is((SELECT string_agg(column_name, ',') FROM dp_noise_ledger.column_values JOIN dp_noise_ledger.member USING (member_id) WHERE relation = '"Odd"'::regclass), 'a "b', 'values');
SELECT lives_ok($$SELECT dp_noise.set_bounds('"Odd"', '"plain"', NULL, NULL)$$, 'are taken back');
SELECT is((SELECT count(*) FROM dp_noise_ledger.column_bounds JOIN dp_noise_ledger.member USING (member_id) WHERE relation = '"Odd"'::regclass), 0::bigint, 'by such a name');
SELECT throws_ok($$SELECT dp_noise.set_bounds('"Odd"', 'person', 0, 1)$$, '42703', NULL, 'folded names are not quoted ones');
SELECT throws_ok($$SELECT dp_noise.set_bounds('"Odd"', '"PLAIN"', 0, 1)$$, '42703', NULL, 'nor the other way round');
SELECT throws_ok($$SELECT dp_noise.set_bounds('"Odd"', 'odd.plain', 0, 1)$$, '42703', NULL, 'one name');
SELECT throws_ok($$SELECT dp_noise.set_bounds('"Odd"', '"plain', 0, 1)$$, '42703', NULL, 'whole');
SELECT lives_ok($$SELECT dp_noise.protect('"Odd"', '"x->y"', max_rows_per_unit => 1)$$, 'a column named like a path');
SELECT is((SELECT unit::text FROM dp_noise_ledger.member WHERE relation = '"Odd"'::regclass), 'x->y', 'is no path');

-- suggest() leaves out what only names rows
SET ROLE pro_owner;
CREATE TABLE stays (stay int PRIMARY KEY, person int, ward int REFERENCES wards, number int UNIQUE, days int);
INSERT INTO stays SELECT i, i, NULL, i, i % 7 FROM generate_series(1, 100) AS i;
SELECT dp_noise.protect('stays', 'person', max_rows_per_unit => 2, epsilon => 10);
SELECT is((SELECT string_agg(setting || coalesce(' ' || column_name, ''), ', ') FROM dp_noise.suggest('stays')), 'max_rows_per_unit, bounds days', 'neither keys nor references');
SELECT is((SELECT string_agg(setting || coalesce(' ' || column_name, ''), ', ') FROM dp_noise.suggest('stays', columns => '{"\"number\""}', settings => '{bounds}')), 'bounds number', 'unless they are named, as SQL has them');
RESET ROLE;

SELECT * FROM finish();
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
SET client_min_messages = error;
DROP OWNED BY pro_owner, pro_other CASCADE;
DROP ROLE pro_owner, pro_other;
