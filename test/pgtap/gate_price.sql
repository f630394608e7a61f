-- dp_noise.price(): what statements would cost, one after another.
\ir support/gate.sql
SELECT no_plan();
SELECT dp_noise.alter_population('public.patients', on_repeat => 'replay');
SELECT dp_noise.set_budget('gate_ann', 'public.patients', 10, delta => 1e-5), dp_noise.set_budget('gate_bob', 'public.patients', 10);
ALTER ROLE gate_ann SET dp_noise.epsilon = 1;

-- Rows of a batch, as somebody: number, epsilon, answer, what is left.
CREATE FUNCTION t.priced(who text, VARIADIC sql text[]) RETURNS text LANGUAGE sql AS $$
	SELECT t.run(who, 'SELECT string_agg(concat_ws('' '', number, epsilon, answer, epsilon_left), ''; '' ORDER BY number) FROM dp_noise.price('
		|| (SELECT string_agg(quote_literal(s), ', ') FROM unnest(sql) AS s) || ')')
$$;
CREATE FUNCTION t.spent() RETURNS numeric LANGUAGE sql AS $$ SELECT sum(epsilon) FROM dp_noise.ledger $$;
SET dp_noise.epsilon = 1;

SELECT is(t.priced('gate_ann', 'SELECT count(*) FROM patients', 'SELECT count(*), avg(age) FROM patients WHERE smoker', 'SELECT count(*) FROM patients'),
	'1 1 charged 9; 2 2 charged 7; 3 0 replayed 7', 'prices, and what is left after each');
SELECT is(t.spent(), NULL, 'nothing is charged');
SELECT is(t.run('gate_ann', 'SELECT string_agg(errors::text, '' '' ORDER BY number) FROM dp_noise.price(''SELECT count(*), sum(age) FROM patients'', ''SELECT 1'')'), '{"count: 3","sum: 360"} {}', 'half widths');
SET dp_noise.choose_bounds = 0.2;
SELECT is(t.run('gate_ann', 'SELECT errors::text FROM dp_noise.price(''SELECT sum(big), sum(age), avg(big) FROM patients'')'), '{"sum: follows from the bounds","sum: 360","avg: follows from the bounds"}', 'where bounds are chosen');
RESET dp_noise.choose_bounds;
SELECT matches(t.run('gate_ann', 'EXPLAIN (COSTS off, FORMAT json) SELECT count(*), sum(age) FROM patients'), '"Expected Error \(95%\)": "3".*"Expected Error \(95%\)": "360"', 'as EXPLAIN has them');
-- a question asked before
SELECT t.run('gate_ann', 'SELECT count(*) FROM patients');
SELECT is(t.priced('gate_ann', 'SELECT count(*) FROM patients'), '1 0 replayed 9', 'replayed');
SELECT is(t.priced('gate_bob', 'SELECT count(*) FROM patients', 'SELECT count(*) FROM patients'), '1 1 shared 9; 2 0 replayed 9', 'shared with another, once');
-- two halves of a statement
SELECT is(t.priced('gate_ann', 'SELECT count(*), avg(age) FROM patients', 'SELECT avg(age) FROM patients', 'SELECT avg(age), sum(age) FROM patients'), '1 1 charged 8; 2 0 replayed 8; 3 1 charged 7', 'what a statement asks again is free');
SELECT is(t.priced('gate_ann', 'SELECT count(*), count(*) FROM patients WHERE age > 3'), '1 1 charged 8', 'also within it');
-- the budget
SELECT is(t.priced('gate_ann', 'SELECT count(*) FROM patients WHERE age > 1', 'SELECT dp_sum(age, 0, 1, 8.5) FROM patients', 'SELECT dp_sum(age, 0, 1, 8) FROM patients', 'SELECT count(*) FROM patients WHERE age > 2'),
	'1 1 charged 8; 2 8.5 refused 8; 3 8 charged 0; 4 1 refused 0', 'what the budget does not bear is refused, and costs nothing');
SELECT is(t.run('gate_ann', 'SELECT string_agg(reason, ''; '') FROM dp_noise.price(''SELECT count(*) FROM patients WHERE age > 1'', ''SELECT dp_sum(age, 0, 1, 8.5) FROM patients'', ''SELECT dp_sum(age, 0, 1, 100) FROM patients'')'),
	'insufficient privacy budget after the statements before; insufficient privacy budget for "patients"', 'and why');
-- refusals
SELECT is(t.run('gate_ann', 'SELECT answer || '' '' || reason || '' '' || (hint <> '''') || coalesce(epsilon, 0) FROM dp_noise.price(''SELECT * FROM patients'')'), 'refused rows of protected relation "patients" cannot be shown true0', 'what EXPLAIN refuses');
SELECT is(t.priced('gate_ann', 'SELECT nothing', 'SELECT count(*) FROM patients', '', 'SELECT 1; DELETE FROM public.numbers', 'DROP TABLE public.numbers', 'EXPLAIN SELECT 1', 'SELECT 1', 'SELECT $1'),
	'1 refused; 2 0 replayed 9; 3 refused; 4 refused; 5 refused; 6 refused; 7 0 free; 8 refused', 'each for itself');
SELECT is(t.run('gate_ann', 'SELECT string_agg(reason, ''; '') FROM dp_noise.price(NULL, ''SELECT 1; SELECT 2'', ''SHOW all'')'), 'a text must be one statement; a text must be one statement; only a query has a price', 'not one query');
SELECT is(t.priced('gate_ann', 'CREATE TABLE mine AS SELECT count(*) FROM patients', 'DECLARE c CURSOR FOR SELECT count(*) FROM patients'), '1 0 replayed 9; 2 0 replayed 9', 'what a table or a cursor is made of');
SELECT is(to_regclass('gate_ann.mine'), NULL, 'which is not made');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM dp_noise.price()'), '42883: function dp_noise.price() does not exist', 'of nothing');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM dp_noise.price(VARIADIC ''{}'')'), '0', 'an empty list');
-- on_repeat
SELECT dp_noise.alter_population('public.patients', on_repeat => 'refuse');
SELECT is(t.run('gate_ann', 'SELECT string_agg(answer || coalesce('' '' || reason, ''''), ''; '') FROM dp_noise.price(''SELECT count(*) FROM patients WHERE age > 1'', ''SELECT count(*) FROM patients WHERE age > 1'')'),
	'charged; refused the question was asked before in this batch', 'refused where repeats are');
SELECT dp_noise.alter_population('public.patients', on_repeat => 'answer');
SELECT is(t.priced('gate_ann', 'SELECT count(*) FROM patients WHERE age > 1', 'SELECT count(*) FROM patients WHERE age > 1'), '1 1 charged 8; 2 1 charged 7', 'charged again where they are answered anew');
SELECT dp_noise.alter_population('public.patients', on_repeat => 'replay');
-- private keys: the selection of groups, too
SELECT is(t.run('gate_ann', 'SELECT string_agg(concat_ws('' '', answer, epsilon, delta, delta_left), ''; '' ORDER BY number) FROM (SELECT set_config(''dp_noise.delta'', ''1e-6'', true)) AS s, LATERAL dp_noise.price(''SELECT city, count(*) FROM patients GROUP BY 1'', ''SELECT city, count(*) FROM patients GROUP BY 1'', ''SELECT city, avg(age) FROM patients GROUP BY 1'')'),
	'charged 1 0.000001 0.000009; replayed 0 0 0.000009; charged 2 0.000001 0.000008', 'groups that are selected');
-- two populations
SET ROLE gate_owner;
CREATE TABLE public.staff (id int PRIMARY KEY, city text);
SELECT dp_noise.protect('public.staff', 'id', epsilon => 20), dp_noise.set_budget('gate_ann', 'public.staff', 3);
RESET ROLE;
SELECT is(t.priced('gate_ann', 'SELECT count(*) FROM staff', 'SELECT count(*) FROM patients WHERE age > 1', 'SELECT count(*) FROM staff WHERE id > 1'), '1 1 charged 2; 2 1 charged 8; 3 1 charged 1', 'each population has its own');
-- zcdp
SET ROLE gate_owner;
SELECT dp_noise.create_population('z', 1, 1e-6, 'zcdp');
CREATE TABLE public.zs (id int PRIMARY KEY);
SELECT dp_noise.protect('public.zs', 'id', population => 'z'), dp_noise.set_budget('gate_ann', 'z', 1, 1e-6);
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT bool_and(epsilon_left IS NULL AND rho > 0 AND rho_left > 0) AND max(rho_left) = min(rho_left) + max(rho) FROM (SELECT set_config(''dp_noise.epsilon'', ''0.1'', true)) AS s, LATERAL dp_noise.price(''SELECT count(*) FROM zs'', ''SELECT count(*) FROM zs WHERE id > 1'')'), 'true', 'rho under zcdp');
SELECT is(t.spent(), 1::numeric, 'nothing was charged');

-- attacks
-- an analyst's own code is planned as by EXPLAIN, as the analyst
SET ROLE gate_bob;
CREATE FUNCTION gate_bob.who() RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'I am %', current_user; END $$;
GRANT USAGE ON SCHEMA gate_bob TO PUBLIC;
CREATE VIEW gate_bob.trap AS SELECT gate_bob.who() AS x;
GRANT SELECT ON gate_bob.trap TO PUBLIC;
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT reason FROM dp_noise.price(''SELECT gate_bob.who()'')'), 'I am gate_ann', 'a function');
SELECT is(t.run('gate_bob', 'SELECT reason FROM dp_noise.price(''SELECT count(*) FROM patients WHERE name = gate_bob.who()'')'), t.run('gate_bob', 'SELECT split_part(x.m, '': '', 2) FROM (SELECT $x$' || t.run('gate_bob', 'EXPLAIN SELECT count(*) FROM patients WHERE name = gate_bob.who()') || '$x$) AS x (m)'), 'or in a question, refused as in EXPLAIN');
-- nobody's rights but the caller's
SELECT is(t.run('gate_ann', 'SELECT reason FROM dp_noise.price(''SELECT count(*) FROM dp_noise_ledger.charge'')'), 'permission denied for schema dp_noise_ledger', 'no other rights');
SELECT is(t.run('gate_ann', 'SELECT reason FROM dp_noise.price(''DELETE FROM patients'')'), t.run('gate_ann', 'SELECT substr($x$' || t.run('gate_ann', 'EXPLAIN DELETE FROM patients') || '$x$, 8)'), 'nor to write');
GRANT INSERT ON public.numbers TO gate_ann;
SELECT is(t.run('gate_ann', 'SELECT answer FROM dp_noise.price(''INSERT  INTO public.numbers SELECT count(*) FROM patients'')'), 'replayed', 'writes');
SELECT is((SELECT count(*) FROM public.numbers), 10::bigint, 'are not done');
-- what is planned cannot be asked from beneath a question
SET ROLE gate_owner;
CREATE FUNCTION public.spy(x integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT x';
CREATE INDEX ON public.patients (age) WHERE public.spy(1) = 1;
CREATE OR REPLACE FUNCTION public.spy(x integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM * FROM dp_noise.price('SELECT count(*) FROM public.patients WHERE age > 1');
	RAISE EXCEPTION 'priced';
END $$;
RESET ROLE;
SELECT isnt(t.run('gate_ann', 'SELECT count(*) FROM patients WHERE age > 40'), 'P0001: priced', 'the owner''s index cannot price while it is planned with');
SELECT ok(t.spent() <= 2, 'and spends nothing');

-- an error that goes through it leaves no transaction, and nobody's rights, behind
CREATE FUNCTION t.costs(sql text) RETURNS numeric SECURITY DEFINER SET search_path = pg_catalog LANGUAGE sql AS 'SELECT sum(epsilon) FROM dp_noise.price(sql)';
CREATE FUNCTION t.fails() RETURNS integer IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'fails' USING ERRCODE = 'XX000'; END $$;
CREATE FUNCTION t.lasts() RETURNS integer IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN 1; END $$;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA t TO PUBLIC;
CREATE TEMP TABLE heard (who name, error text);
GRANT ALL ON heard TO PUBLIC;
SET SESSION AUTHORIZATION gate_ann;
CREATE FUNCTION pg_temp.price_of(sql text, times integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. times LOOP
		BEGIN
			PERFORM t.costs(sql);
		EXCEPTION WHEN OTHERS OR query_canceled THEN
			INSERT INTO heard VALUES (current_user, SQLSTATE);
		END;
	END LOOP;
END
$$;
SELECT pg_temp.price_of('SELECT t.fails()', 3);
SET statement_timeout = '300ms';
SELECT pg_temp.price_of('SELECT t.lasts()', 1);
RESET statement_timeout;
RESET SESSION AUTHORIZATION;
SELECT is(string_agg(who || ' ' || error, ', '), 'gate_ann XX000, gate_ann XX000, gate_ann XX000, gate_ann 57014', 'who asked is who hears of it') FROM heard;
BEGIN;
SELECT throws_ok('SELECT * FROM dp_noise.price(''SELECT t.fails()'')', 'XX000', 'fails', 'the same in a transaction');
SELECT is((SELECT count(*) FROM heard), 4::bigint, 'which goes on');
COMMIT;
SELECT is(pg_current_xact_id_if_assigned(), NULL, 'and ends');

SELECT * FROM finish();
\ir support/gate_end.sql
