-- What is known of the values of columns and keys: dp_noise.describe_question() shows it.
\ir support/gate.sql
SELECT no_plan();

SET ROLE gate_owner;
CREATE TABLE public.wards (name text PRIMARY KEY, beds integer);
GRANT SELECT ON public.wards TO PUBLIC;
CREATE TABLE public.stays (id integer NOT NULL, ward text, ref text REFERENCES public.wards, days integer, day date NOT NULL, at timestamp, price numeric, k integer, free integer, flag boolean NOT NULL);
SELECT dp_noise.protect('public.stays', privacy_unit => 'id', max_rows_per_unit => 5, epsilon => 10, delta => 0.1) \g /dev/null
SELECT dp_noise.set_bounds('stays', 'days', 0, 30), dp_noise.set_bounds('stays', 'price', -10, 100.5), dp_noise.set_bounds('stays', 'day', '2024-01-01', '2024-12-31'), dp_noise.set_values('stays', 'ward', '{a,b}') \g /dev/null
CREATE VIEW public.dear AS SELECT id, days, price * 2 AS price, k FROM public.stays WHERE k BETWEEN 1 AND 3;
SELECT dp_noise.protect('public.dear', privacy_unit => 'id', max_rows_per_unit => 5) \g /dev/null
SELECT dp_noise.set_bounds('dear', 'days', 1, 2) \g /dev/null
RESET ROLE;

-- What is known of a column that a sub-query puts out.
CREATE FUNCTION t.known(subquery text) RETURNS text LANGUAGE sql AS $$
	SELECT substring(columns, '(?:^|, )v([^,]*)') FROM dp_noise.describe_question(format('SELECT dp_count(v) FROM (%s) AS q', subquery)) WITH ORDINALITY AS d (node, columns, owner, equal, keys, facts, form, statement, place) ORDER BY place LIMIT 1 OFFSET 1
$$;
-- How the values of a key are known.
CREATE FUNCTION t.domain(key text, source text DEFAULT 'stays') RETURNS text LANGUAGE sql AS $$
	SELECT substring(facts, 'key #0 ([^;]*)') FROM dp_noise.describe_question(format('SELECT %s, dp_count(*) FROM %s GROUP BY 1', key, source)) AS d LIMIT 1
$$;

-- Bounds by interval arithmetic, of what each unit's groups have as keys.
SELECT is(t.known(format('SELECT DISTINCT id, %s AS v FROM stays', expression)), known, expression) FROM (VALUES
	('days', ' 0..30 null'), ('day', ' 8766..9131'), ('k', ' null'), ('flag', ''), ('days + 1', ' 1..31 null'), ('3 - days', ' -27..3 null'), ('-days', ' -30..0 null'),
	('days * price', ' -300..3015.0 null'), ('days / 7', ' 0..5 null'), ('7 / days', ' null'), ('100 / (days + 1)', ' 3..100 null'), ('abs(price)', ' 0..100.5 null'),
	('round(price)', ' -10..101 null'), ('round(price, 1)', ' -10..101 null'), ('round(price, -1)', ' null'), ('price::integer', ' -10..101 null'), ('days::double precision', ' 0..30 null'),
	('coalesce(days, 99)', ' 0..99'), ('coalesce(days, k)', ' null'), ('NULLIF(days, 3)', ' 0..30 null'), ('CASE WHEN flag THEN days ELSE -1 END', ' -1..30 null'), ('CASE WHEN flag THEN 5 ELSE -1 END', ' -1..5'), ('CASE WHEN flag THEN 5 END', ' 5..5 null'),
	('greatest(days, 10)', ' 10..30 null'), ('least(days, 10)', ' 0..10 null'), ('least(length(ward), 20)', ' 0..20 null'), ('length(ward)', ' null'), ('flag::integer', ' 0..1 null'),
	('day IS NULL', ''), ('day = date ''2024-02-01''', ''), ('days = 1', ' null'), ('ward || ''x''', ' null')) AS v (expression, known);

-- Conditions bound the columns that they compare.
SELECT is(t.known('SELECT DISTINCT id, k AS v FROM stays WHERE ' || condition), known, condition) FROM (VALUES
	('k BETWEEN 2 AND 5', ' stated 2..5 null'), ('k > 2', ' stated 3.. null'), ('9 > k', ' stated ..8 null'), ('k = 4', ' stated 4..4 null'), ('k > 2 AND (k < 9 AND k < 7)', ' stated 3..6 null'), ('k > 2 OR flag', ' null'), ('k <> 2', ' null'), ('NOT k > 2', ' stated ..2 null'), ('k > 2::bigint', ' stated 3.. null'), ('k > days', ' null'), ('k + 1 > 2', ' null')) AS v (condition, known);
SELECT is(t.known('SELECT DISTINCT s.id, w.v FROM stays AS s LEFT JOIN (SELECT id, k AS v FROM stays WHERE k > 2) AS w ON w.id = s.id AND w.v < 9'), ' null', 'not on the nullable side');
SELECT is(t.known('SELECT id, k AS v FROM stays WHERE k > 2 UNION ALL SELECT id, k FROM stays'), ' null', 'not of one part of a union alone');
SELECT is(t.known('SELECT id, days AS v FROM stays UNION ALL SELECT id, 99 FROM stays'), ' 0..99 null', 'but the bounds of all parts');

-- A protected view's own declarations go first; its conditions are not told.
SELECT is(t.known(format('SELECT DISTINCT id, %s AS v FROM dear', name)), known, name || ' of a view') FROM (VALUES ('days', ' 1..2 null'), ('price', ' -20..201.0 null'), ('k', ' null')) AS v (name, known);

-- Domains.
SELECT is(t.domain(key, coalesce('stays WHERE ' || condition, 'stays')), domain, concat_ws(' where ', key, condition)) FROM (VALUES
	('ward', NULL, 'declared values'), ('ref', NULL, 'foreign key to wards'), ('flag', NULL, 'boolean'), ('days > 3', NULL, 'boolean'), ('k', NULL, 'private'), ('days', NULL, 'declared bounds'), ('price', NULL, 'private'), ('greatest(days, 5)', NULL, 'declared bounds'), ('CASE WHEN days > 3 THEN days ELSE k END', NULL, 'private'), ('days + 1', NULL, 'declared bounds'), ('days % 7', NULL, 'declared bounds'), ('floor(price / 7)', NULL, 'declared bounds'), ('date_trunc(''month'', day)', NULL, 'declared bounds'), ('extract(dow FROM day)', NULL, 'declared bounds'), ('k % 7', NULL, 'private'),
	('CASE WHEN k > 3 THEN ''x'' ELSE ward END', NULL, 'declared values'), ('CASE WHEN k > 3 THEN ''x'' ELSE ''y'' END', NULL, 'constants'), ('coalesce(ward, ''x'')', NULL, 'declared values'), ('upper(ward)', NULL, 'declared values'), ('upper(ref)', NULL, 'private'), ('ward || ref', NULL, 'private'),
	('k', 'k IN (1, 2)', 'values of the conditions'), ('k', 'k = 1 OR k = 2 AND flag', 'values of the conditions'), ('k', 'k = 1 OR flag', 'private'), ('k', 'k BETWEEN 1 AND 9', 'bounds of the conditions'), ('k', 'k BETWEEN 1 AND 99999', 'private'), ('days + 1', 'days > 3', 'declared bounds'), ('k % 7', 'k % 7 = 3', 'values of the conditions'), ('ref', 'k = 1', 'foreign key to wards')) AS v (key, condition, domain);
SELECT is(t.domain(key, source), domain, key || ' of ' || source) FROM (VALUES
	('beds', 'stays LEFT JOIN wards ON ref = name', 'column of wards'),
	('v', '(SELECT DISTINCT id, k AS v FROM stays WHERE k IN (1, 2)) AS q', 'values of the conditions'), ('v + 1', '(SELECT id, k AS v, count(*) FROM stays WHERE k IN (1, 2) GROUP BY 1, 2) AS q', 'values of the conditions'),
	('v', '(SELECT id, ward AS v, row_number() OVER (PARTITION BY id ORDER BY day, at, price, k, free, flag) FROM stays) AS q', 'declared values'),
	('v', '(SELECT id, k AS v FROM stays UNION ALL SELECT id, free FROM stays) AS q WHERE v IN (1, 2)', 'values of the conditions'),
	('k', 'dear', 'private'), ('ward', 'stays JOIN wards ON ref = name AND ward = ''a''', 'values of the conditions')) AS v (key, source, domain);

SELECT * FROM finish();
\ir support/gate_end.sql
