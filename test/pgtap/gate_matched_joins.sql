-- Public rows LEFT JOIN protected ones: every public group is there, and what counts
-- skips public rows without a match, which would tell of people.
\ir support/gate.sql
SELECT no_plan();
SET dp_noise.empty_groups = show;
SET ROLE gate_owner;
CREATE TABLE public.shops (shop integer PRIMARY KEY, city text COLLATE "C", open boolean NOT NULL, code integer);
INSERT INTO public.shops VALUES (1, 'x', true, 10), (2, 'y', true, 20), (3, 'z', false, 30), (4, NULL, true, NULL), (5, 'x', true, NULL), (6, 'empty', true, 60);
CREATE TABLE public.sales (pid integer NOT NULL, shop integer, code integer, amount integer);
INSERT INTO public.sales SELECT 1 + i % 300, 1 + i % 5, 10 * (1 + i % 4), CASE WHEN i % 7 > 0 THEN i % 11 END FROM generate_series(1, 900) AS i;
CREATE TABLE public.buyers (pid integer PRIMARY KEY, shop integer, age integer NOT NULL);
INSERT INTO public.buyers SELECT i, 1 + i % 5, i % 80 FROM generate_series(1, 300) AS i;
GRANT SELECT ON public.shops TO gate_ann;
SELECT dp_noise.create_population('trade', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('public.sales', privacy_unit => 'pid', population => 'trade', max_rows_per_unit => 16, max_groups_per_unit => 5);
SELECT dp_noise.protect('public.buyers', privacy_unit => 'pid', population => 'trade');
SELECT dp_noise.set_bounds('public.sales', 'amount', 0, 12), dp_noise.set_bounds('public.buyers', 'age', 0, 100);
SELECT dp_noise.alter_population('trade', on_repeat => 'answer'), dp_noise.set_budget('gate_ann', 'trade', 1e12, delta => 1);
RESET ROLE;
CREATE SCHEMA plain;
CREATE TABLE plain.shops AS TABLE public.shops;
CREATE TABLE plain.sales AS TABLE public.sales;
CREATE TABLE plain.buyers AS TABLE public.buyers;

SET dp_noise.epsilon = 1000;
CREATE FUNCTION t.same(command text, meant text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text;
	asked CONSTANT text := 'SELECT string_agg(a::text, '' '' ORDER BY a::text COLLATE "C") FROM (SELECT %s) AS a';
BEGIN
	PERFORM set_config('search_path', 'plain, public', false);
	EXECUTE format(asked, coalesce(meant, command)) INTO plain;
	RESET search_path;
	RETURN is(t.run('gate_ann', format(asked, command)), plain, 'as in SQL: ' || command);
END
$$;
SELECT t.same(q) FROM unnest(ARRAY[
	'city, count(pid) FROM shops LEFT JOIN sales USING (shop) GROUP BY city',
	'city, count(amount), coalesce(sum(amount), 0) AS s FROM shops LEFT JOIN sales USING (shop) GROUP BY city',
	'shops.shop, count(pid) FROM shops LEFT JOIN sales ON shops.shop = sales.shop GROUP BY shops.shop',
	'shops.shop, city, count(sales.pid) FROM shops LEFT JOIN sales ON shops.shop = sales.shop GROUP BY 1, 2',
	-- the other way round
	'city, count(pid) FROM sales RIGHT JOIN shops USING (shop) GROUP BY city',
	-- what the join asks of the public side leaves its groups there
	'city, count(pid) FROM shops LEFT JOIN sales ON shops.shop = sales.shop AND open GROUP BY city',
	'shops.shop, count(pid) FROM shops LEFT JOIN sales ON shops.shop = sales.shop AND shops.shop > 2 AND amount > 5 GROUP BY 1',
	'shops.shop, count(pid) FROM shops LEFT JOIN sales ON shops.shop = sales.shop AND shops.shop IN (2, 3) GROUP BY 1',
	-- keys that are joined, and null: their groups are there
	'shops.code, count(pid) FROM shops LEFT JOIN sales USING (code) GROUP BY shops.code',
	'shops.code, count(pid) FROM shops LEFT JOIN sales ON shops.code = sales.code AND shops.shop < 3 GROUP BY shops.code',
	-- WHERE does narrow them
	'city, count(pid) FROM shops LEFT JOIN sales USING (shop) WHERE open GROUP BY city',
	'city, count(pid) FROM shops LEFT JOIN sales USING (shop) WHERE shops.shop IN (1, 6) GROUP BY city',
	-- filters, expressions
	'city, count(*) FILTER (WHERE amount > 3) AS n FROM shops LEFT JOIN sales USING (shop) GROUP BY city',
	'city, count(*) FILTER (WHERE pid IS NOT NULL AND amount IS NULL) AS n, count(amount * 2 + code) AS m FROM shops LEFT JOIN (SELECT pid, shop, amount FROM sales) AS s USING (shop) GROUP BY city',
	'city, count(DISTINCT pid) AS n FROM shops LEFT JOIN sales USING (shop) GROUP BY city',
	'count(pid), sum(amount) FROM shops LEFT JOIN sales USING (shop)',
	-- one row of a buyer's, one row of a shop's
	'city, count(pid), sum(age) FILTER (WHERE age > 0) > 0 AS any FROM shops LEFT JOIN buyers USING (shop) WHERE shop < 6 GROUP BY city',
	-- more joins
	'city, count(sales.pid) FROM shops LEFT JOIN buyers USING (shop) LEFT JOIN sales ON sales.pid = buyers.pid GROUP BY city',
	'city, count(b.pid) FROM shops LEFT JOIN (sales AS a JOIN buyers AS b USING (pid)) ON a.shop = shops.shop GROUP BY city',
	'a.city, count(pid) FROM shops AS a LEFT JOIN sales USING (shop) LEFT JOIN shops AS b ON b.shop = a.shop + 1 GROUP BY a.city',
	'DISTINCT city FROM shops LEFT JOIN sales USING (shop)',
	'city, count(pid), grouping(city) AS g FROM shops LEFT JOIN sales USING (shop) GROUP BY ROLLUP (city)']) AS q;
-- FULL JOIN, either way round: rows of people without a match are there, shops without one are groups
SELECT t.same(q) FROM unnest(ARRAY[
	'city, count(pid) FROM sales FULL JOIN shops ON sales.shop = shops.shop GROUP BY city',
	'shops.shop, count(pid) FROM sales FULL JOIN shops ON sales.shop = shops.shop WHERE shops.shop IS NOT NULL GROUP BY shops.shop',
	'city, count(pid) FROM shops FULL JOIN sales ON sales.shop = shops.shop GROUP BY city',
	'city, count(amount), coalesce(sum(amount), 0) AS s FROM shops FULL JOIN sales USING (code) GROUP BY city',
	'shops.code, count(pid) FROM sales FULL JOIN shops USING (code) GROUP BY shops.code',
	'city, count(*) FILTER (WHERE pid IS NOT NULL AND amount IS NULL) AS n FROM (SELECT pid, code, amount FROM sales) AS s FULL JOIN shops USING (code) GROUP BY city',
	'city, count(pid) FROM shops FULL JOIN buyers USING (shop) WHERE open GROUP BY city',
	'count(pid), sum(amount) FROM shops FULL JOIN sales USING (code)',
	'a.city, count(pid) FROM sales FULL JOIN shops AS a USING (code) LEFT JOIN shops AS b ON b.shop = a.shop + 1 GROUP BY a.city',
	'count(pid) FROM shops FULL JOIN sales ON sales.shop = shops.shop WHERE amount > 5']) AS q;
SELECT is(t.explained('SELECT city, count(pid) FROM shops FULL JOIN sales USING (code) GROUP BY city', 'Question'), t.explained('SELECT city, count(pid) FROM sales LEFT JOIN shops USING (code) GROUP BY city', 'Question'), 'the question of a LEFT JOIN');
SELECT alike(t.run('gate_ann', 'SELECT ' || q), '0A000: an aggregate that counts public rows without a match cannot be used %', 'refused: ' || q) FROM unnest(ARRAY[
	'count(*) FROM shops FULL JOIN sales ON sales.shop = shops.shop', 'city, count(*) FROM sales FULL JOIN shops USING (code) GROUP BY city', 'count(city) FROM sales FULL JOIN shops USING (code)',
	'count(code) FROM sales FULL JOIN shops USING (code)', 'count(*) FROM sales FULL JOIN shops ON sales.shop = shops.shop WHERE city = ''x''', 'count(*) FILTER (WHERE pid IS NULL) FROM sales FULL JOIN shops USING (code)',
	'dp_sum(coalesce(amount, 5), 0, 9) FROM shops FULL JOIN sales USING (shop)', 'count(*) FROM sales FULL JOIN shops ON sales.shop = shops.shop',
	'count(b.shop) FROM sales FULL JOIN shops AS a USING (code) LEFT JOIN shops AS b ON b.shop = a.shop']) AS q;
SELECT t.refuse('0A000', q) FROM unnest(ARRAY[
	'SELECT count(sales.pid) FROM sales FULL JOIN buyers ON sales.pid = buyers.pid', 'SELECT count(pid) FROM sales, shops AS a FULL JOIN shops AS b USING (shop)',
	'SELECT count(n) FROM (SELECT pid, count(*) AS n FROM sales FULL JOIN shops USING (code) GROUP BY pid) AS s',
	'SELECT count(*) FROM buyers AS b WHERE EXISTS (SELECT FROM sales FULL JOIN shops USING (code) WHERE sales.pid = b.pid)',
	'SELECT count(b.pid) FROM buyers AS b LEFT JOIN (SELECT sales.pid, city FROM sales FULL JOIN shops USING (code) OFFSET 0) AS s ON s.pid = b.pid',
	'SELECT city, count(pid) FROM sales FULL JOIN shops ON sales.shop = shops.shop AND shops.shop > 2 GROUP BY city', 'SELECT city, count(pid) FROM sales FULL JOIN shops ON sales.shop = shops.shop AND sales.shop > 2 GROUP BY city',
	'SELECT count(pid) FROM shops AS c, sales FULL JOIN shops AS d USING (code)']) AS q;
-- a WHERE on people is no reason for a group to go
SELECT t.same('city, count(pid) FROM shops LEFT JOIN sales USING (shop) WHERE amount > 5 GROUP BY city', 'city, count(pid) FILTER (WHERE amount > 5) FROM shops LEFT JOIN sales USING (shop) GROUP BY city');
SELECT t.same('city, count(pid) FROM shops LEFT JOIN sales USING (shop) WHERE pid IS NULL GROUP BY city', 'DISTINCT city, 0 FROM shops');

-- A buyer has one row, and so no cap is needed, as in a join.
SELECT is(t.explained('SELECT city, count(pid) FROM shops LEFT JOIN buyers USING (shop) GROUP BY city', 'Sensitivity'), t.explained('SELECT city, count(pid) FROM shops JOIN buyers USING (shop) GROUP BY city', 'Sensitivity'), 'the same sensitivity');

-- Whether somebody has a match changes nothing else: with all who buy at a shop gone,
-- only what they count for is.
SELECT t.run('gate_ann', 'SELECT count(pid) FROM shops LEFT JOIN sales USING (shop) WHERE city = ''x''') AS before \gset
BEGIN;
DELETE FROM public.sales WHERE shop = 5;
COMMIT;
SELECT is(:before - t.run('gate_ann', 'SELECT count(pid) FROM shops LEFT JOIN sales USING (shop) WHERE city = ''x''')::integer, (SELECT count(*)::integer FROM plain.sales WHERE shop = 5), 'no row takes their place');

-- Refused: what would count rows of nobody
SELECT alike(t.run('gate_ann', 'SELECT ' || q), '0A000: an aggregate that counts public rows without a match cannot be used %', 'refused: ' || q) FROM unnest(ARRAY[
	'city, count(*) FROM shops LEFT JOIN sales USING (shop) GROUP BY city', 'count(*) FROM shops LEFT JOIN sales USING (shop) WHERE pid IS NULL',
	'count(shops.shop) FROM shops LEFT JOIN sales USING (shop)', 'dp_sum(shops.shop, 0, 9) FROM shops LEFT JOIN sales USING (shop)',
	'dp_sum(coalesce(amount, 5), 0, 9) FROM shops LEFT JOIN sales USING (shop)', 'count(1) FROM shops LEFT JOIN sales USING (shop)',
	'count(CASE WHEN pid IS NULL THEN 1 END) FROM shops LEFT JOIN sales USING (shop)', 'count(*) FILTER (WHERE pid IS NULL) FROM shops LEFT JOIN sales USING (shop)',
	'count(*) FILTER (WHERE pid IS NOT NULL OR open) FROM shops LEFT JOIN sales USING (shop)', 'count(*) FILTER (WHERE amount IS DISTINCT FROM 3) FROM shops LEFT JOIN sales USING (shop)',
	'count(pid IS NULL) FROM shops LEFT JOIN sales USING (shop)', 'count(num_nulls(pid)) FROM shops LEFT JOIN sales USING (shop)', 'count(concat(pid)) FROM shops LEFT JOIN sales USING (shop)',
	'city, count(pid) FROM shops LEFT JOIN sales USING (shop) GROUP BY city HAVING count(*) > 3', 'city, count(pid) FROM shops LEFT JOIN sales USING (shop) GROUP BY city ORDER BY count(*)',
	'count(b.shop) FROM shops LEFT JOIN sales USING (shop) LEFT JOIN shops AS b ON b.shop = shops.shop',
	'count(buyers.pid) + count(*) FROM shops LEFT JOIN buyers USING (shop) LEFT JOIN sales ON sales.pid = buyers.pid']) AS q;
-- and in what others could count
SELECT alike(t.run('gate_ann', 'SELECT ' || q), '0A000: an outer join that adds to the protected relation''s rows cannot be used %', 'refused: ' || q) FROM unnest(ARRAY[
	'count(pid) FROM (SELECT pid, row_number() OVER (PARTITION BY pid) AS n FROM shops LEFT JOIN sales USING (shop)) AS s',
	'count(n) FROM (SELECT pid, count(*) AS n FROM shops LEFT JOIN sales USING (shop) GROUP BY pid) AS s',
	'count(*) FROM buyers WHERE EXISTS (SELECT FROM shops LEFT JOIN sales ON sales.shop = shops.shop WHERE sales.pid = buyers.pid)',
	'count(pid) FROM buyers LEFT JOIN (SELECT DISTINCT a.pid AS p FROM shops LEFT JOIN sales AS a USING (shop)) AS s ON p = pid']) AS q;

SELECT * FROM finish();
\ir support/gate_end.sql
