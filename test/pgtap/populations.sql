-- Relations of one population have the same people: whatever is asked about any of
-- them is charged once, to the budgets of the population and to its grant, and
-- nothing that was spent is lost when relations join, leave, are dropped or renamed.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.customer (id integer PRIMARY KEY, kind integer, nation integer);
CREATE TABLE public.orders (id integer PRIMARY KEY, customer integer REFERENCES public.customer, day integer);
CREATE TABLE public.items (order_id integer REFERENCES public.orders, price integer);
CREATE TABLE public.calls (customer integer, seconds integer);
CREATE TABLE public.words (customer text, words text);
CREATE TABLE public.other (id integer PRIMARY KEY);
CREATE TABLE public.rows_alone (x integer);
INSERT INTO public.customer SELECT i, i % 5, i % 3 FROM generate_series(1, 100) AS i;
INSERT INTO public.orders SELECT i, i % 100 + 1, i % 30 FROM generate_series(1, 300) AS i;
INSERT INTO public.items SELECT i % 300 + 1, i % 9 FROM generate_series(1, 900) AS i;
INSERT INTO public.calls SELECT i % 100 + 1, i % 60 FROM generate_series(1, 200) AS i;
SELECT dp_noise.create_population('shop', epsilon => 20);
SELECT dp_noise.protect('public.customer', 'id', population => 'shop');
SELECT dp_noise.protect('public.other', 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('public.orders', 'customer', max_rows_per_unit => 5, population => 'shop');
SELECT dp_noise.protect('public.items', 'order_id -> orders', max_rows_per_unit => 20);
SELECT dp_noise.protect('public.calls', 'customer', max_rows_per_unit => 4, population => 'public.customer');
SELECT dp_noise.set_budget('gate_ann', 'shop', 10, max_epsilon_per_query => 3);
SELECT dp_noise.set_budget('gate_ann', 'public.other', 10);
RESET ROLE;

-- What is spent of a population: by everyone, and by gate_ann.
CREATE FUNCTION t.spent(population text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(trim_scale(b.epsilon_spent)::text, ' ' ORDER BY b.role NULLS FIRST), 'none')
	FROM dp_noise.budgets AS b WHERE b.population = spent.population AND coalesce(b.role, 'gate_ann') = 'gate_ann'
$$;
CREATE FUNCTION t.charge(relation text, epsilon numeric, question text) RETURNS text LANGUAGE sql AS $$
	SELECT t.run('gate_ann', format('SELECT replayed FROM dp_noise.charge(%L, %s, 0, %L)', relation, epsilon, question))
$$;
GRANT EXECUTE ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) TO gate_ann;

-- Runs as the owner; the error, or null.
CREATE FUNCTION t.own(command text) RETURNS text LANGUAGE sql AS $$ SELECT nullif(t.run('gate_owner', command), '') $$;

SELECT is((SELECT members::text FROM dp_noise.populations WHERE population = 'shop'), '{customer,orders,items,calls}', 'the relations; along a path it is that of the target');

------------------------------------------------------------------------------
-- Charged once, to the digit

SET dp_noise.epsilon = 0.25;
SELECT is(t.spent('shop'), '0 0', 'nothing yet');
SELECT t.accept('SELECT dp_count(*) FROM items', 1);
SELECT is(t.spent('shop'), '0.25 0.25', 'one relation, and what its path leads to: once');
SELECT t.accept('SELECT dp_count(*) FROM items JOIN orders ON orders.id = order_id JOIN customer ON customer.id = customer', 1);
SELECT is(t.spent('shop'), '0.5 0.5', 'three relations of one population: once');
SELECT t.accept('SELECT dp_count(*), dp_sum(price, 0, 9) FROM items JOIN orders ON orders.id = order_id JOIN calls ON calls.customer = orders.customer', 2);
SELECT is(t.spent('shop'), '1 1', 'two aggregates: each once');
SELECT t.accept('SELECT dp_count(*) FROM customer WHERE EXISTS (SELECT FROM calls WHERE calls.customer = customer.id)', 1);
SELECT is(t.spent('shop'), '1.25 1.25', 'a condition over another one: once');
SELECT t.accept('SELECT dp_count(*) FROM customer JOIN other ON other.id = customer.id', 2);
SELECT is(t.spent('shop') || ', ' || t.spent('public.other'), '1.5 1.5, 0.25 0.25', 'two populations: each once');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM items'), t.run('gate_ann', 'SELECT dp_count(*) FROM items'), 'replayed');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM items JOIN orders ON orders.id = order_id JOIN customer ON customer.id = customer') IS NOT NULL, true, 'and of several relations');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM customer JOIN other ON other.id = customer.id') IS NOT NULL, true, 'and of two populations');
SELECT is(t.spent('shop') || ', ' || t.spent('public.other'), '1.5 1.5, 0.25 0.25', 'free');
SELECT t.accept('SELECT dp_count(*) FROM customer', 1);
SELECT is(t.run('gate_ann', 'SELECT abs(dp_count(*) - 100) < 80 FROM customer'), 'true', 'a question is one about its relation');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM calls') ~ '^-?[0-9]+$', true, 'a budget is one for all relations of the population');
SELECT t.refuse('42501', 'SELECT customer FROM calls');
SELECT is(t.spent('shop'), '2 2');
SELECT is((SELECT count(*) FROM dp_noise.ledger WHERE population = 'shop'), 8::bigint, 'one row a charge');
SELECT is((SELECT sum(epsilon) FROM dp_noise.ledger WHERE population = 'shop'), 2.0, 'which make up what is spent');
SELECT results_eq($$SELECT asked_about::text, count(*) FROM dp_noise.ledger WHERE population = 'shop' GROUP BY 1 ORDER BY 1$$, $$VALUES ('calls', 1::bigint), ('customer', 3), ('items', 4)$$, 'with what was asked about first');

-- what one question may ask for is counted once, too
SELECT is(t.run('gate_ann', 'SELECT dp_count(kind, 2.5) FROM orders JOIN customer ON customer.id = customer WHERE kind = 1') ~ '^-?[0-9]+$', true, 'once below the most of a query');
SELECT is(t.run('gate_ann', 'SELECT dp_count(kind, 1.5), dp_count(day, 1.75) FROM orders JOIN customer ON customer.id = customer WHERE kind = 2'), '53400: query on "orders" asks for too much epsilon at once', 'not twice');
SELECT is(t.run('gate_ann', 'SELECT (SELECT dp_count(day, 1.5) FROM orders WHERE day = 7) + (SELECT dp_count(seconds, 1.75) FROM calls WHERE seconds = 7)') ~ '^53400: query on "\w+" asks for too much epsilon at once', true, 'over several relations');
SELECT is(t.spent('shop'), '4.5 4.5');
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_ann', 'shop', 4.75);
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM orders WHERE day = 3') ~ '^-?[0-9]+$', true, 'the last of it');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM ' || f) ~ '^53400: insufficient privacy budget', true, 'nothing is left for ' || f) FROM unnest('{customer WHERE kind = 4,calls WHERE seconds = 1,items WHERE price = 1}'::text[]) AS f;
SET ROLE gate_owner;
SELECT dp_noise.alter_population('shop', on_repeat => 'refuse'), dp_noise.set_budget('gate_ann', 'shop', 100);
RESET ROLE;
SELECT t.refuse('53400', 'SELECT dp_count(*) FROM items');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM items'), '53400: this question about "items" was answered before', 'repeated questions are those of the population');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM items JOIN orders ON orders.id = order_id JOIN customer ON customer.id = customer'), '53400: this question about "items" was answered before', 'of several relations, too');
SELECT is(t.run('gate_ann', 'SELECT a + b FROM (SELECT dp_count(*) FROM orders WHERE day = 9) AS x (a), (SELECT dp_count(*) FROM orders WHERE day = 9) AS y (b)') ~ 'twice|^-?[0-9]+$', true, 'twice in a statement');
-- of two populations the stricter rule
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM customer JOIN other ON other.id = customer.id') ~ '^53400: this question about "\w+" was answered before', true, 'of two populations the stricter rule');
SET ROLE gate_owner;
SELECT dp_noise.alter_population('shop', on_repeat => 'answer');
RESET ROLE;
SELECT t.accept('SELECT dp_count(*) FROM other JOIN customer ON other.id = customer.id WHERE kind > 2', 2);
SELECT t.accept('SELECT dp_count(*) FROM other JOIN customer ON other.id = customer.id WHERE kind > 2', 0);
SET ROLE gate_owner;
SELECT dp_noise.alter_population('shop', on_repeat => 'replay', epsilon => 5.25);
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT dp_count(seconds, 1) FROM calls WHERE seconds = 2') ~ '^53400: insufficient privacy budget', true, 'the grant of the population');
SET ROLE gate_owner;
SELECT dp_noise.alter_population('shop', epsilon => 1e6, delta => 1);
RESET ROLE;

-- What is shown
SELECT is(t.explained('SELECT dp_count(*) FROM items WHERE price = 2', 'Budget'), 'gate_ann', 'EXPLAIN names who pays');
SELECT is(t.explained('SELECT dp_count(*) FROM items JOIN orders ON orders.id = order_id WHERE price = 2', 'Epsilon to Pay'), '0.25', 'what its budgets pay');
SELECT is(t.explained('SELECT dp_count(*) FROM items JOIN orders ON orders.id = order_id WHERE price = 2', 'Answer'), 'charged');
SELECT is(t.explained('SELECT dp_count(*) FROM items', 'Answer'), 'replayed');
SELECT is(t.explained('SELECT dp_count(*) FROM calls JOIN other ON other.id = customer', 'Population'), 'shop public.other', 'of two populations');
SELECT results_eq($$SELECT relation::text, population FROM dp_noise.protected_relations WHERE relation <> 'patients'::regclass ORDER BY 1$$,
	$$VALUES ('calls', 'shop'), ('customer', 'shop'), ('items', 'shop'), ('orders', 'shop'), ('other', 'public.other')$$, 'protected_relations');
SELECT results_eq($$SELECT DISTINCT population FROM dp_noise.budgets WHERE population <> 'public.patients' ORDER BY 1$$, $$VALUES ('public.other'), ('shop')$$, 'budgets');
SELECT is(t.run('gate_ann', $$SELECT string_agg(DISTINCT relation || ' ' || population, ', ' ORDER BY relation || ' ' || population) FROM dp_columns WHERE relation <> 'patients'::regclass$$),
	'calls shop, customer shop, items shop, orders shop, other public.other', 'dp_columns tells of all that may be asked about');
SELECT is(t.run('gate_ann', $$SELECT string_agg(concat_ws(' ', population, relations), ', ' ORDER BY population) FROM dp_budget WHERE population <> 'public.patients'$$), 'public.other {other}, shop {customer,orders,items,calls}', 'dp_budget');
SELECT is(t.run('gate_ann', 'SELECT string_agg(DISTINCT asked_about::text, '', '') FROM dp_history WHERE population = ''shop'''), 'calls, customer, items, orders', 'dp_history says what was asked about');
SELECT is((SELECT count(*) FROM dp_noise.asker WHERE relation = 'items'::regclass AND role = 'gate_ann'::regrole), 1::bigint, 'check() knows who may ask');

-- what is suggested is charged once
SELECT split_part(t.spent('shop'), ' ', 1)::numeric AS total \gset
SELECT matches(t.run('gate_owner', 'SELECT statement FROM dp_noise.suggest(''public.items'', 0.5, settings => ''{max_rows_per_unit}'')'), 'dp_noise.protect', 'suggestions');
SELECT is(split_part(t.spent('shop'), ' ', 1)::numeric, :total + 0.5, 'are charged once');

-- default_epsilon, rho
SET ROLE gate_owner;
CREATE TABLE public.z (id integer PRIMARY KEY);
CREATE TABLE public.y (z integer, x integer);
SELECT dp_noise.create_population('zoo', 1e6, 1e-6, accountant => 'zcdp');
SELECT dp_noise.protect('public.z', 'id', population => 'zoo');
SELECT dp_noise.protect('public.y', 'z', max_rows_per_unit => 5, population => 'zoo');
SELECT dp_noise.set_budget('gate_ann', 'zoo', 100, 1e-6, default_epsilon => 0.125);
RESET ROLE;
RESET dp_noise.epsilon;
SELECT is(t.explained('SELECT dp_count(*) FROM y', 'Epsilon'), '0.125', 'the default of the population''s budget');
SELECT is(t.explained('SELECT dp_count(*) FROM y', 'Epsilon From'), 'default_epsilon of a budget');
SELECT is(t.explained('SELECT dp_count(*) FROM y', 'Rho to Pay') IS NOT NULL, true, 'and the accountant');
SELECT t.accept('SELECT dp_count(*) FROM y JOIN z ON y.z = z.id', 1);
SELECT is(rho_spent, (SELECT rho FROM dp_noise.ledger ORDER BY at DESC LIMIT 1), 'rho, once') FROM dp_noise.budgets WHERE population = 'zoo' AND role = 'gate_ann';
-- a plan knows when budgets change
PREPARE p AS SELECT dp_count(*) FROM y WHERE x = 33;
SELECT is(t.run('gate_ann', 'EXPLAIN (FORMAT json) EXECUTE p')::jsonb #>> '{0,Plan,Private Aggregates,0,Epsilon}', '0.125', 'a prepared question');
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_ann', 'zoo', 100, 1e-6, default_epsilon => 0.5);
RESET ROLE;
SELECT is(t.run('gate_ann', 'EXPLAIN (FORMAT json) EXECUTE p')::jsonb #>> '{0,Plan,Private Aggregates,0,Epsilon}', '0.5', 'is planned anew for other budgets of the population');
DEALLOCATE p;
SET dp_noise.epsilon = 0.25;

------------------------------------------------------------------------------
-- Budgets for some of the relations: a right to ask, and who pays is the same

SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_bob', 'shop', 10, relations => '{calls,items}');
RESET ROLE;
SELECT is(t.run('gate_bob', 'SELECT count(*) FROM ' || f) ~ '^-?\d+$', true, 'bob may ask about ' || f) FROM unnest('{calls,items}'::text[]) AS f;
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM ' || f), format('42501: role "gate_bob" has no privacy budget for "%s"', substring(f FROM '^\w+')), 'bob may not ask about ' || f)
FROM unnest('{customer,orders,orders WHERE day = 1}'::text[]) AS f;
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM ' || f) ~ '^42501: role "gate_bob" has no privacy budget for "\w+"$', true, 'all that is named must be among them: ' || f)
FROM unnest('{items JOIN orders ON orders.id = order_id,calls WHERE EXISTS (SELECT FROM customer AS c WHERE c.id = calls.customer),calls JOIN customer AS c ON c.id = calls.customer}'::text[]) AS f;
SELECT is(t.run('gate_bob', 'SELECT count(*) FROM items JOIN calls ON true') ~ '^42501|^0A000', true);
SELECT is((SELECT trim_scale(epsilon_spent) FROM dp_noise.budgets WHERE population = 'shop' AND role = 'gate_bob'), 0.5);
SELECT is(t.charge('customer', 0.5, 'c'), 'false', 'others may');
SET ROLE gate_owner;
SELECT is(t.own('SELECT dp_noise.unprotect(''calls'')'), NULL);
RESET ROLE;
SELECT is(t.run('gate_bob', 'SELECT count(*) FROM calls WHERE seconds > 1'), '42501: permission denied for table calls', 'what is not protected any more');
SELECT is(t.own('SELECT dp_noise.protect(''calls'', ''customer'', max_rows_per_unit => 4, population => ''shop'')'), NULL);
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM calls WHERE seconds > 1'), '42501: role "gate_bob" has no privacy budget for "calls"', 'and comes back is another member');
SELECT is(t.own('SELECT dp_noise.set_budget(''gate_bob'', ''shop'', 10)'), NULL);
SELECT is(t.run('gate_bob', 'SELECT count(*) FROM customer') ~ '^-?\d+$', true, 'null: all');

------------------------------------------------------------------------------
-- Not everything has the same people

SELECT alike(t.own(format('SELECT dp_noise.protect(%L, %s, population => %L)', r, u, p)), m, format('%s (%s) in %s', r, u, p)) FROM (VALUES
	('words', '''customer'', max_rows_per_unit => 3', 'shop', '42804: the privacy units of public.words and public.% are of different types'),
	('items', '''order_id'', max_rows_per_unit => 20, replace_unit => true', 'shop', '22023: column order_id refers to public.orders, whose privacy unit is another'),
	('rows_alone', 'NULL', 'shop', '22023: the privacy units of public.rows_alone are not those of public.%'),
	('calls', '''customer'', ''substitute'', max_rows_per_unit => 4, replace_unit => true', 'shop', '22023: the neighbours of public.calls are not those of public.%'),
	('items', '''order_id -> orders'', max_rows_per_unit => 20', 'public.other', '22023: %'),
	('calls', '''customer'', max_rows_per_unit => 4', 'numbers', '42704: %'),
	('calls', '''customer'', max_rows_per_unit => 4', 'rows_alone', '42704: %'),
	('calls', '''customer'', max_rows_per_unit => 4', 'nowhere', '42704: %')) AS v (r, u, p, m);
SET ROLE gate_bob;
CREATE TABLE public.bobs (id integer PRIMARY KEY);
SELECT dp_noise.protect('public.bobs', 'id', epsilon => 10);
RESET ROLE;
SELECT alike(t.own('SELECT dp_noise.protect(''calls'', ''customer'', max_rows_per_unit => 4, population => ''bobs'')'), '42501: %', 'another owner''s population');
SELECT alike(t.run('gate_bob', 'SELECT dp_noise.protect(''bobs'', ''id'', population => ''shop'')'), '42501: %', 'nor is it to be had by others');
SELECT alike(t.run('gate_bob', 'SELECT dp_noise.protect(''bobs'', ''id'', population => ''customer'')'), '42501: %', 'by whatever name');
SELECT is(t.run('gate_ann', 'SELECT dp_noise.protect(''calls'', ''customer'', max_rows_per_unit => 4)'), '42501: must be owner of relation calls', 'analysts change nothing');
SELECT is((SELECT members::text FROM dp_noise.populations WHERE population = 'shop'), '{customer,orders,items,calls}', 'all is as it was');

-- a unit that others rely on
SELECT is(t.own('SELECT dp_noise.protect(''orders'', ''day'', max_rows_per_unit => 5)'), '55000: relation public.orders has been queried with another privacy unit or other neighbours', 'units stay once the population was charged');
SELECT is(t.own('SELECT dp_noise.protect(''customer'', ''kind'', max_rows_per_unit => 50)'), '55000: relation public.customer has been queried with another privacy unit or other neighbours');
SET ROLE gate_owner;
CREATE TABLE public.a (id integer PRIMARY KEY, clerk integer);
CREATE TABLE public.b (a integer REFERENCES public.a, x integer);
CREATE TABLE public.c (a integer, x integer);
SELECT dp_noise.protect('public.a', 'id', epsilon => 100);
SELECT dp_noise.protect('public.b', 'a -> a', max_rows_per_unit => 5);
SELECT is(dp_noise.protect('public.a', 'clerk', max_rows_per_unit => 5)::text, '', 'along a path units change together');
SELECT dp_noise.protect('public.a', 'id');
SELECT dp_noise.protect('public.c', 'a', max_rows_per_unit => 5, population => 'public.a');
RESET ROLE;
SELECT matches(t.own('SELECT dp_noise.protect(''a'', ''id'', ''substitute'')'), '^22023: the neighbours of', 'nor neighbours');
-- two tables of the same people in two populations: each of them pays for itself
SET ROLE gate_owner;
CREATE TABLE public.copy AS SELECT * FROM public.customer;
SELECT dp_noise.protect('public.copy', 'id', max_rows_per_unit => 1, epsilon => 100), dp_noise.set_budget('gate_ann', 'copy', 50);
RESET ROLE;
SELECT t.spent('shop') AS before \gset
SELECT t.accept('SELECT dp_count(*) FROM copy', 1);
SELECT is(t.spent('shop') = :'before', true, 'a copy that is declared to be of other people');
SELECT t.accept('SELECT dp_count(*) FROM customer JOIN copy USING (id)', 2);
SELECT is(t.spent('public.copy'), '0.5 0.5', 'and joined, both pay');
SELECT t.refuse('0A000', 'SELECT dp_count(*) FROM customer JOIN copy ON copy.kind = customer.kind');

------------------------------------------------------------------------------
-- Joining and leaving

SET ROLE gate_owner;
CREATE TABLE public.letters (customer integer, x integer);
SELECT dp_noise.protect('public.letters', 'customer', max_rows_per_unit => 4, epsilon => 100);
SELECT dp_noise.set_budget('gate_ann', 'public.letters', 10);
SELECT dp_noise.protect('public.letters', 'customer', max_rows_per_unit => 4, population => 'shop');
RESET ROLE;
SELECT is(t.spent('public.letters'), '0 0', 'before anything is spent, a relation goes where it is put');
SELECT is(t.charge('letters', 3, 'q1'), 'false');
SELECT is(t.spent('public.letters'), '0 0', 'and pays there');
SELECT alike(t.own(format('SELECT dp_noise.protect(''letters'', ''customer'', max_rows_per_unit => 4, population => %L)', p)), '55000: %', 'nobody leaves a population that has paid: for ' || p) FROM unnest('{public.letters,public.other}'::text[]) AS p;
SELECT is(t.own('SELECT dp_noise.protect(''letters'', ''customer'', max_rows_per_unit => 7)'), NULL, 'the caps may change');
SELECT is((SELECT population FROM dp_noise.protected_relations WHERE relation = 'letters'::regclass), 'shop', 'in the present population');
SELECT is(t.own('ALTER TABLE letters RENAME TO post'), NULL);
SELECT is(t.own('SELECT dp_noise.protect(''post'', ''customer'', max_rows_per_unit => 4)'), NULL);
SELECT is((SELECT population FROM dp_noise.protected_relations WHERE relation = 'post'::regclass), 'shop', 'under another name, too');
SELECT split_part(t.spent('shop'), ' ', 1)::numeric AS total \gset
SELECT is(t.charge('post', 0.5, 'q2'), 'false', 'charged');
SELECT is(split_part(t.spent('shop'), ' ', 1)::numeric - :total, 0.5);
BEGIN;
SET LOCAL ROLE gate_owner;
SELECT dp_noise.unprotect('post');
DROP TABLE post;
ROLLBACK;
SELECT is(t.charge('post', 0.5, 'q3'), 'false', 'a transaction that is rolled back');
SELECT is(split_part(t.spent('shop'), ' ', 1)::numeric - :total, 1.0, 'changes nothing');
SELECT is(t.own('SELECT dp_noise.unprotect(''post'')'), NULL);
SELECT is(t.charge('post', 0.5, 'q4'), '55000: relation is not protected by dp_noise', 'unprotected: nothing is answered');
SELECT is(t.own('DROP TABLE post'), NULL);
SELECT is(split_part(t.spent('shop'), ' ', 1)::numeric - :total, 1.0, 'dropped: what was spent of the population is');
-- dropping all of a population's tables frees nothing
SET ROLE gate_owner;
DROP TABLE items, orders, calls, customer, copy CASCADE;
CREATE TABLE public.customer (id integer PRIMARY KEY, kind integer);
SELECT dp_noise.protect('public.customer', 'id', population => 'shop');
RESET ROLE;
SELECT is(split_part(t.spent('shop'), ' ', 1)::numeric - :total, 1.0, 'the same people in another table');
SELECT is(t.charge('customer', 0.5, 'q1'), '53400: this question about "customer" was answered before', 'what was asked was asked');
-- a path to a member that is gone
SET ROLE gate_owner;
CREATE TABLE public.e (id integer PRIMARY KEY);
CREATE TABLE public.f (e integer);
SELECT dp_noise.protect('public.e', 'id', population => 'shop');
SELECT dp_noise.protect('public.f', 'e -> e', max_rows_per_unit => 3);
SELECT dp_noise.unprotect('public.e');
RESET ROLE;
SELECT matches(t.run('gate_ann', 'SELECT dp_count(*) FROM f'), '^55000: ', 'a path to what is not protected any more');
SET ROLE gate_owner;
SELECT dp_noise.protect('public.e', 'id', epsilon => 5);
RESET ROLE;
SELECT matches(t.run('gate_ann', 'SELECT dp_count(*) FROM f'), '^55000: ', 'or is in another population');

-- a statement that was planned before
CREATE FUNCTION t.stale(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	c refcursor := 'stale';
	result text;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	OPEN c FOR EXECUTE 'SELECT dp_count(*) FROM c WHERE x = 1';
	RESET SESSION AUTHORIZATION;
	PERFORM t.own(change);
	PERFORM set_config('session_authorization', 'gate_ann', false);
	BEGIN
		FETCH c INTO result;
	EXCEPTION WHEN OTHERS THEN
		result := SQLSTATE || ': ' || SQLERRM;
	END;
	RESET SESSION AUTHORIZATION;
	RETURN result;
END
$$;
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_ann', 'public.a', 5);
RESET ROLE;
SELECT matches(t.stale('SELECT dp_noise.protect(''c'', ''a'', max_rows_per_unit => 5, population => ''shop'')'), '^55', 'a cursor does not outlive who pays');
SELECT is(t.spent('public.a'), '0 0');

------------------------------------------------------------------------------
-- Who has the name of a dropped population has nothing of it

SET ROLE gate_owner;
CREATE TABLE public.anew (id integer PRIMARY KEY);
SELECT dp_noise.create_population('again', epsilon => 3);
SELECT dp_noise.protect('public.anew', 'id', population => 'again');
SELECT dp_noise.set_budget('gate_ann', 'again', 2);
RESET ROLE;
SELECT t.accept('SELECT dp_count(*) FROM anew', 1);
SELECT is(t.spent('again'), '0.25 0.25', 'a charge');
CREATE TEMP TABLE former AS SELECT population_id FROM dp_noise_ledger.population WHERE name = 'again';
CREATE FUNCTION t.charges_of_former() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM dp_noise_ledger.charge JOIN former USING (population_id)';
SELECT isnt(t.own('SELECT dp_noise.drop_population(''again'')'), NULL, 'not while it has members');
SELECT is(t.own('SELECT dp_noise.unprotect(''public.anew'')'), NULL);
SELECT is(t.own('SELECT dp_noise.drop_population(''again'')'), NULL);
SELECT is(t.own('SELECT dp_noise.create_population(''again'', epsilon => 3)'), NULL);
SELECT ok((SELECT p.population_id > f.population_id FROM dp_noise_ledger.population AS p, former AS f WHERE p.name = 'again' AND NOT p.is_dropped), 'the number is a new one');
SELECT is(t.charges_of_former(), 1::bigint, 'the charge stays with the former one');
SELECT is(t.own('SELECT dp_noise.protect(''public.anew'', ''id'', population => ''again'')'), NULL);
SELECT matches(t.run('gate_ann', 'SELECT dp_count(*) FROM anew'), '^42501: ', 'the former budget pays no more');
SELECT is(t.own('SELECT dp_noise.set_budget(''gate_ann'', ''again'', 2)'), NULL);
SELECT is(t.spent('again'), '0 0', 'nothing is spent of the new one');
SELECT t.accept('SELECT dp_count(*) FROM anew', 1);
SELECT is(t.spent('again'), '0.25 0.25');
SELECT is(t.charges_of_former(), 1::bigint, 'and that is all that the former one ever has');

SELECT * FROM finish();
\ir support/gate_end.sql
