-- Relations that share one purse: whatever is asked about any of them is charged
-- once, to its budgets, and nothing that was spent is lost when relations join,
-- leave, are dropped or renamed.
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
SELECT dp_noise.protect('public.customer', 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('public.other', 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('public.orders', 'customer', max_rows_per_unit => 5, population => 'public.customer');
SELECT dp_noise.protect('public.items', 'order_id -> orders', max_rows_per_unit => 20, population => 'public.customer');
SELECT dp_noise.protect('public.calls', 'customer', max_rows_per_unit => 4, population => 'public.customer');
SELECT dp_noise.set_budget('gate_ann', 'public.customer', 10, max_epsilon_per_query => 3);
SELECT dp_noise.set_budget('gate_ann', 'public.other', 10);
SELECT dp_noise.alter_population('public.customer', epsilon => 20, delta => 0);
RESET ROLE;

-- What is spent of the budgets of a relation: by everyone, and by gate_ann.
CREATE FUNCTION t.spent(relation regclass) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(trim_scale(b.epsilon_spent)::text, ' ' ORDER BY b.role NULLS FIRST), 'none')
	FROM dp_noise.budgets AS b WHERE b.relation = spent.relation AND coalesce(b.role, 'gate_ann') = 'gate_ann'
$$;
CREATE FUNCTION t.charge(relation text, epsilon numeric, question text) RETURNS text LANGUAGE sql AS $$
	SELECT t.run('gate_ann', format('SELECT replayed FROM dp_noise.charge(%L, %s, 0, %L)', relation, epsilon, question))
$$;
GRANT EXECUTE ON FUNCTION dp_noise.charge(regclass, numeric, numeric, bytea, bytea, numeric, numeric) TO gate_ann;

-- Runs as the owner; the error, or null.
CREATE FUNCTION t.own(command text) RETURNS text LANGUAGE sql AS $$ SELECT nullif(t.run('gate_owner', command), '') $$;

------------------------------------------------------------------------------
-- Charged once, to the digit

SET dp_noise.epsilon = 0.25;
SELECT is(t.spent('customer'), '0 0', 'nothing yet');
SELECT t.accept('SELECT dp_count(*) FROM items', 1);
SELECT is(t.spent('customer'), '0.25 0.25', 'one relation, and what its path leads to: once');
SELECT t.accept('SELECT dp_count(*) FROM items JOIN orders ON orders.id = order_id JOIN customer ON customer.id = customer', 1);
SELECT is(t.spent('customer'), '0.5 0.5', 'three relations of one purse: once');
SELECT t.accept('SELECT dp_count(*), dp_sum(price, 0, 9) FROM items JOIN orders ON orders.id = order_id JOIN calls ON calls.customer = orders.customer', 2);
SELECT is(t.spent('customer'), '1 1', 'two aggregates: each once');
SELECT t.accept('SELECT dp_count(*) FROM customer WHERE EXISTS (SELECT FROM calls WHERE calls.customer = customer.id)', 1);
SELECT is(t.spent('customer'), '1.25 1.25', 'a condition over another one: once');
SELECT t.accept('SELECT dp_count(*) FROM customer JOIN other ON other.id = customer.id', 2);
SELECT is(t.spent('customer') || ', ' || t.spent('other'), '1.5 1.5, 0.25 0.25', 'two purses: each once');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM items'), t.run('gate_ann', 'SELECT dp_count(*) FROM items'), 'replayed from the purse');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM items JOIN orders ON orders.id = order_id JOIN customer ON customer.id = customer') IS NOT NULL, true, 'and of several relations');
SELECT is(t.spent('customer'), '1.5 1.5', 'free');
SELECT t.accept('SELECT dp_count(*) FROM customer', 1);
SELECT is(t.run('gate_ann', 'SELECT abs(dp_count(*) - 100) < 80 FROM customer'), 'true', 'a question is one about its relation');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM calls') ~ '^-?[0-9]+$', true, 'a budget of the purse is one for all of its relations');
SELECT t.refuse('42501', 'SELECT customer FROM calls');
SELECT is(t.spent('customer'), '2 2');
SELECT is((SELECT count(*) FROM dp_noise.ledger WHERE population = 'public.customer'), 8::bigint, 'one row a charge, of the purse');
SELECT is((SELECT sum(epsilon) FROM dp_noise.ledger WHERE population = 'public.customer'), 2.0, 'which make up what is spent');
SELECT is((SELECT count(*) FROM dp_noise.ledger WHERE relation IN ('items'::regclass, 'orders'::regclass, 'calls'::regclass)), 0::bigint, 'none of the others');

-- what one question may ask for is counted once, too
SELECT is(t.run('gate_ann', 'SELECT dp_count(kind, 2.5) FROM orders JOIN customer ON customer.id = customer WHERE kind = 1') ~ '^-?[0-9]+$', true, 'once below the most of a query');
SELECT is(t.run('gate_ann', 'SELECT dp_count(kind, 1.5), dp_count(day, 1.75) FROM orders JOIN customer ON customer.id = customer WHERE kind = 2'), '53400: query on "customer" asks for too much epsilon at once', 'not twice');
SELECT is(t.run('gate_ann', 'SELECT (SELECT dp_count(day, 1.5) FROM orders WHERE day = 7) + (SELECT dp_count(seconds, 1.75) FROM calls WHERE seconds = 7)'), '53400: query on "customer" asks for too much epsilon at once', 'over several relations');
SELECT is(t.spent('customer'), '4.5 4.5');
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_ann', 'customer', 4.75);
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM orders WHERE day = 3') ~ '^-?[0-9]+$', true, 'the last of it');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM ' || f), '53400: insufficient privacy budget for "customer"', 'nothing is left for ' || f) FROM unnest('{customer WHERE kind = 4,calls WHERE seconds = 1,items WHERE price = 1}'::text[]) AS f;
SET ROLE gate_owner;
SELECT dp_noise.alter_population('customer', on_repeat => 'refuse'), dp_noise.set_budget('gate_ann', 'customer', 100);
RESET ROLE;
SELECT t.refuse('53400', 'SELECT dp_count(*) FROM items');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM items'), '53400: this question about "items" was answered before', 'repeated questions are those of the purse');
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM items JOIN orders ON orders.id = order_id JOIN customer ON customer.id = customer'), '53400: this question about "items" was answered before', 'of several relations, too');
SELECT is(t.run('gate_ann', 'SELECT a + b FROM (SELECT dp_count(*) FROM orders WHERE day = 9) AS x (a), (SELECT dp_count(*) FROM orders WHERE day = 9) AS y (b)') ~ 'twice|^-?[0-9]+$', true, 'twice in a statement');
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_ann', 'customer', 100);
SELECT dp_noise.alter_population('customer', epsilon => 5, delta => 0);
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT dp_count(seconds, 1) FROM calls WHERE seconds = 2'), '53400: insufficient privacy budget for "customer"', 'the total of the purse');
SET ROLE gate_owner;
SELECT dp_noise.alter_population('customer', epsilon => 1e6, delta => 1);
RESET ROLE;

-- What is shown
SELECT is(t.explained('SELECT dp_count(*) FROM items WHERE price = 2', 'Budget Of'), 'customer', 'EXPLAIN names the purse');
SELECT is(t.explained('SELECT dp_count(*) FROM items JOIN orders ON orders.id = order_id WHERE price = 2', 'Budget'), 'gate_ann', 'whose budgets pay once');
SELECT is(t.explained('SELECT dp_count(*) FROM items JOIN orders ON orders.id = order_id WHERE price = 2', 'Epsilon to Pay'), '0.25', 'what they pay');
SELECT is(t.explained('SELECT dp_count(*) FROM items JOIN orders ON orders.id = order_id WHERE price = 2', 'Answer'), 'charged');
SELECT is(t.explained('SELECT dp_count(*) FROM items', 'Answer'), 'replayed');
SELECT is(t.explained('SELECT dp_count(*) FROM customer', 'Budget Of'), NULL, 'not of the purse itself');
SELECT is(t.explained('SELECT dp_count(*) FROM calls JOIN other ON other.id = customer', 'Budgets Of'), 'customer, other');
SELECT results_eq($$SELECT relation::text, budget_of::text FROM dp_noise.protected_relations WHERE relation <> 'patients'::regclass ORDER BY 1$$,
	$$VALUES ('calls', 'customer'), ('customer', NULL), ('items', 'customer'), ('orders', 'customer'), ('other', NULL)$$, 'protected_relations');
SELECT results_eq($$SELECT DISTINCT relation::text FROM dp_noise.budgets WHERE relation <> 'patients'::regclass ORDER BY 1$$, $$VALUES ('customer'), ('other')$$, 'budgets are those of purses');
SELECT is(t.run('gate_ann', $$SELECT string_agg(DISTINCT relation || ' ' || coalesce(budget_of::text, '-'), ', ' ORDER BY relation || ' ' || coalesce(budget_of::text, '-')) FROM dp_columns WHERE relation <> 'patients'::regclass$$),
	'calls customer, customer -, items customer, orders customer, other -', 'dp_columns tells of all that may be asked about');
SELECT is(t.run('gate_ann', $$SELECT string_agg(relation::text, ', ' ORDER BY relation::text) FROM dp_budget WHERE relation <> 'patients'::regclass$$), 'customer, other', 'dp_budget shows purses');
SELECT is(t.run('gate_ann', 'SELECT count(*) FROM dp_history WHERE relation NOT IN (''customer''::regclass, ''other''::regclass)'), '0', 'and dp_history');
SELECT is(t.run('gate_ann', 'SELECT string_agg(DISTINCT asked_about::text, '', '') FROM dp_history WHERE population = ''public.customer'''), 'calls, customer, items, orders', 'with what was asked about');
SELECT is((SELECT string_agg(DISTINCT asked_about::text, ', ') FROM dp_noise.ledger WHERE population = 'public.customer'), 'calls, customer, items, orders', 'as does the ledger');
SELECT is((SELECT count(*) FROM dp_noise.asker WHERE relation = 'items'::regclass AND role = 'gate_ann'::regrole), 1::bigint, 'check() knows who may ask');

-- Budgets are those of the purse
SELECT is(t.own(c), '55000: relation public.items has no budgets of its own', 'refused: ' || c) FROM unnest(ARRAY[
	'SELECT dp_noise.set_budget(''gate_ann'', ''items'', 1)',
	'SELECT dp_noise.alter_population(''items'', epsilon => 1, delta => 0)',
	'SELECT dp_noise.drop_budget(''gate_ann'', ''items'')',
	'SELECT dp_noise.alter_population(''items'', epsilon => 1e6, delta => 1)',
	'SELECT dp_noise.forfeit(''items'', ''gate_ann'', 1)']) AS c;
SELECT is(t.own('SELECT dp_noise.set_bounds(''items'', ''price'', 0, 9)'), NULL, 'all else is each relation''s own');
SELECT is(t.own('SELECT dp_noise.forget_answers(''calls'', now())'), NULL, 'answers, too');
SELECT is(t.explained('SELECT dp_count(*) FROM calls', 'Answer'), 'charged', 'one forgets those of a relation');
SELECT is(t.explained('SELECT dp_count(*) FROM items', 'Answer'), 'replayed', 'not those of others');

-- what is suggested stays in the purse, and is charged once there
SELECT split_part(t.spent('customer'), ' ', 1)::numeric AS total \gset
SELECT matches(t.run('gate_owner', 'SELECT statement FROM dp_noise.suggest(''public.items'', 0.5, settings => ''{max_rows_per_unit}'')'), $$, budget_of => 'public.customer'\);$$, 'suggestions keep the purse');
SELECT is(split_part(t.spent('customer'), ' ', 1)::numeric, :total + 0.5, 'and are charged once');

-- default_epsilon, rho
SET ROLE gate_owner;
CREATE TABLE public.z (id integer PRIMARY KEY);
CREATE TABLE public.y (z integer, x integer);
SELECT dp_noise.protect('public.z', 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('public.y', 'z', max_rows_per_unit => 5, population => 'public.z');
SELECT dp_noise.alter_population('z', delta => 1e-6, accountant => 'zcdp'), dp_noise.set_budget('gate_ann', 'z', 100, 1e-6, default_epsilon => 0.125);
RESET ROLE;
RESET dp_noise.epsilon;
SELECT is(t.explained('SELECT dp_count(*) FROM y', 'Epsilon'), '0.125', 'the default is the purse''s');
SELECT is(t.explained('SELECT dp_count(*) FROM y', 'Epsilon From'), 'default_epsilon of a budget');
SELECT is(t.explained('SELECT dp_count(*) FROM y', 'Rho to Pay') IS NOT NULL, true, 'and the accountant');
SELECT t.accept('SELECT dp_count(*) FROM y JOIN z ON y.z = z.id', 1);
SELECT is(rho_spent, (SELECT rho FROM dp_noise.ledger ORDER BY at DESC LIMIT 1), 'rho, once') FROM dp_noise.budgets WHERE population = 'public.z' AND role = 'gate_ann';
-- a plan knows when the purse's budgets change
PREPARE p AS SELECT dp_count(*) FROM y WHERE x = 33;
SELECT is(t.run('gate_ann', 'EXPLAIN (FORMAT json) EXECUTE p')::jsonb #>> '{0,Plan,Private Aggregates,0,Epsilon}', '0.125', 'a prepared question');
SET ROLE gate_owner;
SELECT dp_noise.alter_population('z', delta => 1e-6, accountant => 'zcdp'), dp_noise.set_budget('gate_ann', 'z', 100, 1e-6, default_epsilon => 0.5);
RESET ROLE;
SELECT is(t.run('gate_ann', 'EXPLAIN (FORMAT json) EXECUTE p')::jsonb #>> '{0,Plan,Private Aggregates,0,Epsilon}', '0.5', 'is planned anew for other budgets of the purse');
DEALLOCATE p;
SET dp_noise.epsilon = 0.25;

------------------------------------------------------------------------------
-- Not everything can be a purse

SELECT alike(t.own(format('SELECT dp_noise.protect(%L, %s, population => %L)', r, u, p)), m, format('%s (%s) in %s', r, u, p)) FROM (VALUES
	('customer', '''id''', 'customer', '22023: relation public.customer cannot be its own budget_of'),
	('customer', '''id''', 'other', '22023: other relations share the budgets of public.customer'),
	('other', '''id''', 'orders', '22023: relation public.orders has no budgets of its own'),
	('words', '''customer'', max_rows_per_unit => 3', 'customer', '42804: the privacy units of public.words and public.customer are of different types'),
	('items', '''order_id'', max_rows_per_unit => 20, replace_unit => true', 'customer', '22023: column order_id refers to public.orders, whose privacy unit is another'),
	('rows_alone', 'NULL', 'customer', '22023: the privacy units of public.rows_alone are not those of public.customer'),
	('calls', '''customer'', ''substitute'', max_rows_per_unit => 4, replace_unit => true', 'customer', '22023: the neighbours of public.calls are not those of public.customer'),
	('calls', '''customer'', max_rows_per_unit => 4', 'numbers', '55000: relation public.numbers is not protected'),
	('calls', '''customer'', max_rows_per_unit => 4', 'rows_alone', '55000: relation public.rows_alone is not protected')) AS v (r, u, p, m);
SET ROLE gate_bob;
CREATE TABLE public.bobs (id integer PRIMARY KEY);
SELECT dp_noise.protect('public.bobs', 'id', epsilon => 1e6, delta => 1);
RESET ROLE;
SELECT is(t.own('SELECT dp_noise.protect(''calls'', ''customer'', max_rows_per_unit => 4, population => ''bobs'')'), '42501: relation public.bobs belongs to another role', 'another owner''s purse');
SELECT is(t.run('gate_bob', 'SELECT dp_noise.protect(''bobs'', ''id'', population => ''customer'')'), '42501: relation public.customer belongs to another role', 'nor is it to be had by others');
SELECT dp_noise.protect('public.bobs', 'id');
SELECT is(t.run('gate_ann', 'SELECT dp_noise.protect(''calls'', ''customer'', max_rows_per_unit => 4, epsilon => 1e6, delta => 1)'), '42501: must be owner of relation calls', 'analysts change nothing');
SELECT is((SELECT count(*) FROM dp_noise.protected_relations WHERE budget_of = 'customer'::regclass), 3::bigint, 'all is as it was');

-- a unit that others rely on
SELECT is(t.own('SELECT dp_noise.protect(''orders'', ''day'', max_rows_per_unit => 5, population => ''customer'')'), '55000: relation public.orders has been queried with another privacy unit or other neighbours', 'units stay once the purse was charged');
SELECT is(t.own('SELECT dp_noise.protect(''customer'', ''kind'', max_rows_per_unit => 50)'), '55000: relation public.customer has been queried with another privacy unit or other neighbours', 'those of the purse, too');
SET ROLE gate_owner;
CREATE TABLE public.a (id integer PRIMARY KEY, clerk integer);
CREATE TABLE public.b (a integer REFERENCES public.a, x integer);
CREATE TABLE public.c (a integer, x integer);
SELECT dp_noise.protect('public.a', 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('public.b', 'a -> a', max_rows_per_unit => 5, population => 'public.a');
SELECT is(dp_noise.protect('public.a', 'clerk', max_rows_per_unit => 5)::text, '', 'along a path units change together');
SELECT dp_noise.protect('public.a', 'id');
SELECT dp_noise.protect('public.c', 'a', max_rows_per_unit => 5, population => 'public.a');
RESET ROLE;
SELECT is(t.own('SELECT dp_noise.protect(''a'', ''clerk'', max_rows_per_unit => 5)'), '55000: relations that share budgets would no longer have the same privacy units', 'what was declared to be the same units was not these');
SELECT is(t.own('SELECT dp_noise.protect(''a'', ''id'', ''substitute'')'), '22023: the neighbours of public.b are not those of public.a', 'nor neighbours');
SET ROLE gate_owner;
CREATE TABLE public.d (b integer, x integer);
CREATE UNIQUE INDEX ON public.b (x);
SELECT dp_noise.protect('public.d', 'b -> b (x)', max_rows_per_unit => 5, population => 'public.a');
RESET ROLE;
SELECT is(t.own('SELECT dp_noise.protect(''b'', ''x'', population => ''a'')'), '55000: relations that share budgets would no longer have the same privacy units', 'nor along a path in the middle');

------------------------------------------------------------------------------
-- What was charged before counts in the purse

SET ROLE gate_owner;
CREATE TABLE public.letters (customer integer, x integer);
SELECT dp_noise.protect('public.letters', 'customer', max_rows_per_unit => 4, epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('gate_ann', 'public.letters', 10);
SELECT dp_noise.set_budget('gate_bob', 'public.letters', 10);
RESET ROLE;
SELECT is(t.charge('letters', 3, 'q1'), 'false');
SELECT t.spent('customer') AS before \gset
SELECT split_part(:'before', ' ', 1)::numeric AS total, split_part(:'before', ' ', 2)::numeric AS ann \gset
SELECT is(t.own('SELECT dp_noise.protect(''letters'', ''customer'', max_rows_per_unit => 4, population => ''customer'')'), NULL, 'one that has budgets of its own joins');
SELECT is(t.spent('customer'), trim_scale(:total + 3)::text || ' ' || trim_scale(:ann + 3)::text, 'with what was charged to them');
SELECT is(t.charge('letters', 1, 'q1'), '53400: this question about "letters" was answered before', 'and the questions that were asked');
SELECT is(t.run('gate_bob', 'SELECT replayed FROM dp_noise.charge(''letters'', 1, 0, ''q1'')'), '42501: permission denied for function charge', 'a budget of its own');
SELECT is(t.run('gate_bob', 'SELECT dp_count(*) FROM letters'), '42501: role "gate_bob" has no privacy budget for "customer"', 'is none any more');
SELECT is(t.own('SELECT dp_noise.set_budget(''gate_ann'', ''customer'', 200)'), NULL);
SELECT is(t.spent('customer'), trim_scale(:total + 3)::text || ' ' || trim_scale(:ann + 3)::text, 'counted once');

-- Leaving does not give it back
SELECT is(t.own('SELECT dp_noise.protect(''letters'', ''customer'', max_rows_per_unit => 4)'), '55000: what was spent of the budgets of public.customer would no longer count for public.letters', 'nobody leaves a purse that has paid');
SELECT is(t.own('SELECT dp_noise.protect(''letters'', ''customer'', max_rows_per_unit => 4, population => ''other'')'), '55000: what was spent of the budgets of public.customer would no longer count for public.letters', 'nor for another one');
SELECT is(t.own('SELECT dp_noise.unprotect(''letters'')'), NULL);
SELECT is(t.run('gate_ann', 'SELECT dp_count(*) FROM letters'), '42501: permission denied for table letters', 'unprotected: nothing is answered');
SELECT is(t.own('SELECT dp_noise.protect(''letters'', ''customer'', max_rows_per_unit => 4)'), '55000: what was spent of the budgets of public.customer would no longer count for public.letters', 'nor by way of unprotect');
SELECT is(t.own('SELECT dp_noise.protect(''letters'', ''customer'', max_rows_per_unit => 4, population => ''customer'')'), NULL, 'back');
SELECT is(t.own('ALTER TABLE letters RENAME TO post'), NULL);
SELECT is(t.own('SELECT dp_noise.protect(''post'', ''customer'', max_rows_per_unit => 4, epsilon => 1e6, delta => 1)'), '55000: what was spent of the budgets of public.customer would no longer count for public.post', 'nor by another name');
SELECT is(t.charge('post', 0.5, 'q2'), 'false', 'charged');
SELECT is(t.spent('customer'), trim_scale(:total + 3.5)::text || ' ' || trim_scale(:ann + 3.5)::text, 'in the purse');
BEGIN;
SET LOCAL ROLE gate_owner;
SELECT dp_noise.unprotect('post');
DROP TABLE post;
ROLLBACK;
SELECT is(t.charge('post', 0.5, 'q3'), 'false', 'a transaction that is rolled back');
SELECT is(t.spent('customer'), trim_scale(:total + 4)::text || ' ' || trim_scale(:ann + 4)::text, 'changes nothing');

-- dropped, and made again
SET ROLE gate_owner;
SELECT dp_noise.alter_population('customer', epsilon => 500, delta => 0);
DROP TABLE post;
CREATE TABLE public.post (customer integer, x integer);
SELECT dp_noise.protect('public.post', 'customer', max_rows_per_unit => 4);
SELECT dp_noise.set_budget('gate_ann', 'public.post', 200);
RESET ROLE;
SELECT is(t.spent('post'), t.spent('customer'), 'a namesake with budgets of its own has spent what the purse has');
SELECT is((SELECT trim_scale(epsilon) FROM dp_noise.budgets WHERE population = 'public.post' AND role IS NULL), 500.0, 'and the limit on its total');
SELECT is(t.own('SELECT dp_noise.protect(''post'', ''customer'', max_rows_per_unit => 4, population => ''customer'')'), NULL);
SELECT is(t.spent('customer'), trim_scale(:total + 4)::text || ' ' || trim_scale(:ann + 4)::text, 'which counts once where it goes back');
SET ROLE gate_owner;
DROP TABLE post;
CREATE TABLE public.letters (customer integer, x integer);
SELECT dp_noise.protect('public.letters', 'customer', max_rows_per_unit => 4);
SELECT dp_noise.set_budget('gate_ann', 'public.letters', 200);
RESET ROLE;
SELECT is(t.spent('letters'), t.spent('customer'), 'by an earlier name');
SET ROLE gate_owner;
DROP TABLE letters;
CREATE TABLE public.elsewhere (customer integer, x integer);
SELECT dp_noise.protect('public.elsewhere', 'customer', max_rows_per_unit => 4, population => 'public.other');
SELECT dp_noise.set_budget('gate_ann', 'public.other', 200);
RESET ROLE;
SELECT is(t.spent('other'), '0.25 0.25');
SELECT is(t.own('ALTER TABLE elsewhere RENAME TO letters'), NULL, 'one in another purse takes the name');
SELECT is(t.charge('letters', 0.5, 'q4'), 'false', 'and is charged');
SELECT is(t.spent('other'), trim_scale(:total + 4.75)::text || ' ' || trim_scale(:ann + 4.75)::text, 'with all that was spent by that name: in its purse');
SET ROLE gate_bob;
SELECT t.run('gate_owner', 'DROP TABLE letters');
CREATE TABLE public.letters (customer integer, x integer);
SELECT dp_noise.protect('public.letters', 'customer', max_rows_per_unit => 4);
RESET ROLE;
SELECT cmp_ok(split_part(t.spent('letters'), ' ', 1)::numeric, '>=', :total + 4.75, 'another owner''s namesake, too');
DROP TABLE letters;

-- names that a member of a purse has, or had for a while
SET ROLE gate_owner;
CREATE TABLE public.w (id integer PRIMARY KEY);
CREATE TABLE public.v (id integer PRIMARY KEY);
CREATE TABLE public.u (id integer PRIMARY KEY);
CREATE TABLE public.p (id integer PRIMARY KEY);
SELECT dp_noise.protect(r, 'id', epsilon => 1e6, delta => 1), dp_noise.set_budget('gate_ann', r::text, 100) FROM unnest('{public.w,public.v,public.p}'::regclass[]) AS r;
RESET ROLE;
SELECT is(t.charge('w', 1, 'q1'), 'false');
SELECT is(t.charge('v', 2, 'q1'), 'false');
SET ROLE gate_owner;
ALTER TABLE w RENAME TO w_old;
CREATE TABLE public.w (id integer PRIMARY KEY);
SELECT dp_noise.protect('public.w', 'id', population => 'public.p');
SELECT dp_noise.protect('public.u', 'id', population => 'public.p');
RESET ROLE;
SELECT is(t.charge('w', 0.5, 'q2'), 'false');
SELECT is(t.spent('p'), '0.5 0.5', 'the name is somebody else''s, who has it no more');
SELECT is(t.own('DROP TABLE w_old'), NULL);
SELECT is(t.charge('p', 0.5, 'q3'), 'false');
SELECT is(t.spent('p'), '2 2', 'once that is dropped what it has spent is inherited');
SELECT is(t.own('DROP TABLE v'), NULL);
SELECT is(t.own('ALTER TABLE u RENAME TO v'), NULL);
SELECT is(t.own('ALTER TABLE v RENAME TO u'), NULL);
SELECT is(t.charge('u', 0.5, 'q4'), 'false');
SELECT is(t.spent('p'), '4.5 4.5', 'a name that one had for a moment');
SELECT is(t.run('gate_ann', 'SELECT replayed FROM dp_noise.charge(''w'', 0.5, 0, ''q5'', ''answer'')'), 'false');
SET ROLE gate_owner;
SELECT dp_noise.protect('public.p', 'id', epsilon => 1e6, delta => 1);
CREATE TABLE public.s (id integer PRIMARY KEY);
SELECT dp_noise.protect('public.s', 'id', population => 'public.p');
RESET ROLE;
SELECT is(t.run('gate_ann', 'SELECT replayed FROM dp_noise.charge(''s'', 0.5, 0, ''q6'', ''answer'')'), 'false');
SET ROLE gate_owner;
SELECT dp_noise.forget_answers('s', 'infinity');
DROP TABLE s;
CREATE TABLE public.s (id integer PRIMARY KEY);
SELECT dp_noise.protect('public.s', 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('gate_ann', 'public.s', 100);
RESET ROLE;
SELECT is(t.spent('s'), t.spent('p'), 'one whose answers were forgotten is not');

-- what was never charged leaves nothing, and goes as it came
SET ROLE gate_owner;
CREATE TABLE public.e (id integer PRIMARY KEY);
CREATE TABLE public.f (id integer PRIMARY KEY);
SELECT dp_noise.protect('public.e', 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('public.f', 'id', population => 'public.e');
SELECT dp_noise.protect('public.f', 'id', epsilon => 1e6, delta => 1);
SELECT dp_noise.set_budget('gate_ann', 'public.f', 5);
SELECT dp_noise.set_budget('gate_ann', 'public.e', 5);
RESET ROLE;
SELECT is(t.charge('f', 1, 'q1'), 'false');
SELECT is(t.own('SELECT dp_noise.set_budget(''gate_ann'', ''e'', 5)'), NULL);
SELECT is(t.spent('e') || ', ' || t.spent('f'), '0 0, 1 1', 'left before anything was spent: on its own');
SELECT is(t.own('SELECT dp_noise.protect(''f'', ''id'', population => ''e'')'), NULL);
SELECT is(t.spent('e'), '1 1', 'and back, with what it has spent meanwhile');
SET ROLE gate_owner;
BEGIN;
SELECT dp_noise.protect('public.b', 'a -> a', max_rows_per_unit => 5);
ROLLBACK;
RESET ROLE;
SELECT is((SELECT budget_of FROM dp_noise.protected_relations WHERE relation = 'b'::regclass), 'a'::regclass, 'nothing happens in a transaction that is rolled back');

-- the purse is gone, unprotected, or somebody else's: nothing is answered
SET ROLE gate_owner;
SELECT dp_noise.set_budget('gate_ann', 'public.e', 5);
SELECT dp_noise.unprotect('public.e');
RESET ROLE;
SELECT is(t.charge('f', 1, 'q2'), '55000: the relation whose budgets pay for "f" is not protected, or not of the same owner', 'unprotected');
SELECT is(t.own('SELECT dp_noise.protect(''f'', ''id'')'), '55000: what was spent of the budgets of public.e would no longer count for public.f', 'which lets nobody go');
SET ROLE gate_owner;
SELECT dp_noise.protect('public.e', 'id');
SELECT dp_noise.set_budget('gate_ann', 'public.e', 5);
RESET ROLE;
SELECT is(t.charge('f', 1, 'q2'), 'false');
SELECT is(t.spent('e'), '2 2', 'protected again: as before');
ALTER TABLE e OWNER TO gate_bob;
SELECT is(t.charge('f', 1, 'q3'), '55000: the relation whose budgets pay for "f" is not protected, or not of the same owner', 'somebody else''s');
SELECT is(t.own('SELECT dp_noise.protect(''f'', ''id'')'), NULL, 'then it may leave');
SELECT is(t.spent('f'), '2', 'and has spent what the purse has');
ALTER TABLE e OWNER TO gate_owner;
SELECT is(t.own('SELECT dp_noise.protect(''f'', ''id'', population => ''e'')'), NULL);
SELECT is(t.spent('e'), '2 2', 'once');
SELECT is(t.own('DROP TABLE e'), NULL);
SELECT is(t.charge('f', 1, 'q3'), '55000: the relation whose budgets pay for "f" is not protected, or not of the same owner', 'gone');
SELECT is((SELECT budget_of::text FROM dp_noise.protected_relations WHERE relation = 'f'::regclass), '-', 'as is shown');
SET ROLE gate_owner;
SELECT dp_noise.protect('public.f', 'id');
SELECT dp_noise.set_budget('gate_ann', 'public.f', 2.5);
RESET ROLE;
SELECT is(split_part(t.spent('f'), ' ', 1), '2', 'what was spent is its own');
SELECT is(t.charge('f', 1, 'q4'), '53400: insufficient privacy budget for "f"', 'by each');
SET ROLE gate_owner;
CREATE TABLE public.e (id integer PRIMARY KEY);
SELECT dp_noise.protect('public.e', 'id');
SELECT dp_noise.set_budget('gate_ann', 'public.e', 5);
SELECT dp_noise.protect('public.f', 'id', population => 'public.e');
RESET ROLE;
SELECT is(t.spent('e'), '2 2', 'also of a purse that is made again, once');
SELECT is(t.charge('f', 1, 'q5'), 'false');
SELECT is(t.spent('e'), '3 3');

-- a statement that was planned before
CREATE FUNCTION t.stale(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	c refcursor := 'stale';
	result text;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	OPEN c FOR EXECUTE 'SELECT dp_count(*) FROM b WHERE x = 1';
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
SELECT dp_noise.protect('public.b', 'a -> a', max_rows_per_unit => 5, population => 'public.a');
SELECT dp_noise.set_budget('gate_ann', 'public.a', 5);
RESET ROLE;
SELECT matches(t.stale('SELECT dp_noise.protect(''b'', ''a -> a'', max_rows_per_unit => 5)'), '^55', 'a cursor does not outlive who pays');
SELECT is(t.spent('a'), '0 0');

SELECT * FROM finish();
\ir support/gate_end.sql
