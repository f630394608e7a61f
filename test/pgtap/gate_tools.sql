-- Statements as tools write them, by somebody without privileges: quoted names,
-- sub-queries around everything, computed dates, LIMIT. Most are answered; each
-- of the others says what can be asked instead.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
CREATE TABLE public.products ("ID" integer PRIMARY KEY, "CATEGORY" text NOT NULL, "VENDOR" text);
INSERT INTO public.products SELECT i, 'category' || i % 4, 'vendor' || i % 7 FROM generate_series(1, 40) AS i;
GRANT SELECT ON public.products TO PUBLIC;
CREATE TABLE public.people ("ID" integer PRIMARY KEY, "STATE" text, "SOURCE" text NOT NULL, "AGE" integer, "CREATED_AT" timestamp NOT NULL);
INSERT INTO public.people
SELECT i, 'S' || i % 5, (ARRAY['Google', 'Twitter', 'Organic'])[1 + i % 3], 18 + i % 60, timestamp '2020-01-01' + i * interval '1 hour'
FROM generate_series(1, 2000) AS i;
CREATE TABLE public.orders (
	"ID" integer PRIMARY KEY, "USER_ID" integer NOT NULL REFERENCES public.people, "PRODUCT_ID" integer REFERENCES public.products, "STATUS" text NOT NULL,
	"SUBTOTAL" double precision, "TAX" numeric(10,2), "DISCOUNT" numeric, "QUANTITY" integer NOT NULL, "CREATED_AT" timestamp NOT NULL
);
INSERT INTO public.orders
SELECT i, 1 + i % 2000, 1 + i % 40, (ARRAY['paid', 'open', 'void'])[1 + i % 3], i % 100, i % 10, (i % 5) / 10.0, 1 + i % 9, timestamp '2020-01-01' + i * interval '1 hour'
FROM generate_series(1, 6000) AS i;
SELECT dp_noise.protect('public.people', privacy_unit => 'ID');
SELECT dp_noise.protect('public.orders', privacy_unit => 'USER_ID', max_rows_per_unit => 5, max_groups_per_unit => 3);
SELECT dp_noise.set_values('public.people', 'STATE', '{S0,S1,S2,S3,S4}');
SELECT dp_noise.set_values('public.people', 'SOURCE', '{Google,Twitter,Organic}');
SELECT dp_noise.set_values('public.orders', 'STATUS', '{paid,open,void}');
SELECT dp_noise.set_bounds('public.people', 'AGE', 0, 120);
SELECT dp_noise.set_bounds('public.orders', 'SUBTOTAL', 0, 100);
SELECT dp_noise.set_bounds('public.orders', 'TAX', 0, 10);
SELECT dp_noise.set_bounds('public.orders', 'DISCOUNT', 0, 1);
SELECT dp_noise.set_bounds('public.orders', 'QUANTITY', 0, 10);
SELECT dp_noise.set_budget('gate_ann', relation, 1000000, delta => 1, on_repeat => 'replay') FROM unnest('{public.people,public.orders}'::regclass[]) AS relation;
RESET ROLE;
SET dp_noise.delta = 1e-6;

-- state: in which a statement is refused; empty: it is answered.
CREATE TABLE t.statements (number serial, tool text, state text, statement text);
COPY t.statements (tool, state, statement) FROM stdin;
metabase		SELECT COUNT(*) AS "count" FROM "public"."orders"
metabase		SELECT SUM("public"."orders"."SUBTOTAL") AS "sum" FROM "public"."orders"
metabase		SELECT "public"."orders"."STATUS" AS "STATUS", COUNT(*) AS "count" FROM "public"."orders" GROUP BY "public"."orders"."STATUS" ORDER BY "public"."orders"."STATUS" ASC
metabase		SELECT DATE_TRUNC('month', "public"."orders"."CREATED_AT") AS "CREATED_AT", COUNT(*) AS "count" FROM "public"."orders" GROUP BY DATE_TRUNC('month', "public"."orders"."CREATED_AT") ORDER BY DATE_TRUNC('month', "public"."orders"."CREATED_AT") ASC
metabase		SELECT "source"."CATEGORY" AS "CATEGORY", COUNT(*) AS "count" FROM (SELECT "public"."orders"."ID" AS "ID", "public"."orders"."PRODUCT_ID" AS "PRODUCT_ID", "Products"."CATEGORY" AS "CATEGORY" FROM "public"."orders" LEFT JOIN "public"."products" AS "Products" ON "public"."orders"."PRODUCT_ID" = "Products"."ID") AS "source" GROUP BY "source"."CATEGORY" ORDER BY "source"."CATEGORY" ASC
metabase		SELECT COUNT(DISTINCT "public"."orders"."USER_ID") AS "count" FROM "public"."orders"
metabase		SELECT AVG("public"."orders"."TAX") AS "avg", MAX("public"."orders"."TAX") AS "max", MIN("public"."orders"."TAX") AS "min" FROM "public"."orders" WHERE "public"."orders"."STATUS" = 'paid'
metabase		SELECT "source"."STATUS" AS "STATUS", "source"."count" AS "count" FROM (SELECT "public"."orders"."STATUS" AS "STATUS", COUNT(*) AS "count" FROM "public"."orders" GROUP BY "public"."orders"."STATUS") AS "source" WHERE "source"."count" > 100 LIMIT 1048575
metabase		SELECT AVG("source"."count") AS "avg" FROM (SELECT "public"."orders"."STATUS" AS "STATUS", COUNT(*) AS "count" FROM "public"."orders" GROUP BY "public"."orders"."STATUS") AS "source"
metabase		SELECT PERCENTILE_CONT(0.5) within group (order by "public"."orders"."SUBTOTAL") AS "median" FROM "public"."orders"
metabase		SELECT STDDEV_SAMP("public"."people"."AGE") AS "stddev" FROM "public"."people"
metabase		SELECT (CAST(FLOOR((("public"."people"."AGE" - 0) / 10.0)) AS INTEGER) * 10) AS "AGE", COUNT(*) AS "count" FROM "public"."people" GROUP BY 1 ORDER BY 1 ASC
metabase		SELECT SUM(CASE WHEN "public"."orders"."STATUS" = 'paid' THEN 1 ELSE 0.0 END) / CASE WHEN COUNT(*) = 0 THEN NULL ELSE COUNT(*) END AS "share" FROM "public"."orders"
metabase		SELECT SUM(CASE WHEN "public"."orders"."STATUS" = 'paid' THEN "public"."orders"."SUBTOTAL" ELSE 0.0 END) AS "paid" FROM "public"."orders"
metabase		SELECT "public"."people"."STATE" AS "STATE" FROM "public"."people" GROUP BY "public"."people"."STATE" ORDER BY "public"."people"."STATE" ASC LIMIT 1000
metabase	42501	SELECT "public"."people"."ID" AS "ID", "public"."people"."STATE" AS "STATE" FROM "public"."people" LIMIT 2000
metabase		SELECT COUNT(*) AS "count" FROM "public"."orders" WHERE ("public"."orders"."CREATED_AT" >= CAST('2020-01-01 00:00:00.000' AS timestamp)) AND ("public"."orders"."CREATED_AT" < CAST('2020-02-01' AS timestamp))
metabase		SELECT EXTRACT(hour FROM "public"."orders"."CREATED_AT") AS "CREATED_AT", COUNT(*) AS "count" FROM "public"."orders" GROUP BY EXTRACT(hour FROM "public"."orders"."CREATED_AT") ORDER BY 1
metabase		SELECT COUNT(*) AS "count" FROM "public"."people" WHERE (LOWER("public"."people"."STATE") LIKE '%s%')
metabase		SELECT COUNT(DISTINCT "public"."orders"."ID") AS "count" FROM "public"."orders"
metabase		SELECT COUNT(DISTINCT "public"."people"."SOURCE") AS "count" FROM "public"."people"
superset		SELECT "STATUS" AS "STATUS", COUNT(*) AS "count" FROM public.orders GROUP BY "STATUS" ORDER BY "count" DESC LIMIT 100
superset		SELECT DATE_TRUNC('week', "CREATED_AT") AS __timestamp, sum("QUANTITY") AS "SUM(QUANTITY)" FROM public.orders GROUP BY DATE_TRUNC('week', "CREATED_AT") ORDER BY "SUM(QUANTITY)" DESC LIMIT 50000
superset		SELECT DATE_TRUNC('day', "CREATED_AT") AS __timestamp, "STATUS" AS "STATUS", COUNT(*) AS count FROM public.orders JOIN (SELECT "STATUS" AS "STATUS__", COUNT(*) AS "mme_inner__" FROM public.orders GROUP BY "STATUS" ORDER BY "mme_inner__" DESC LIMIT 2) AS anon_1 ON "STATUS" = "STATUS__" GROUP BY DATE_TRUNC('day', "CREATED_AT"), "STATUS" LIMIT 1000
superset		SELECT COUNT(*) AS rowcount FROM (SELECT "STATE" AS "STATE", AVG("AGE") AS "AVG(AGE)" FROM public.people GROUP BY "STATE" LIMIT 1000) AS rowcount_qry LIMIT 1
superset		SELECT COUNT(*) FROM (SELECT * FROM public.people) AS virtual_table
superset		SELECT "STATE", AVG("AGE") AS "AVG(AGE)" FROM (SELECT * FROM people WHERE "AGE" > 20) AS virtual_table WHERE "SOURCE" IN ('Google', 'Twitter') GROUP BY "STATE" ORDER BY "AVG(AGE)" DESC LIMIT 10
superset		SELECT max("AGE") AS "MAX(AGE)", min("AGE") AS "MIN(AGE)" FROM public.people
superset		SELECT DISTINCT "SOURCE" AS "SOURCE" FROM public.people LIMIT 1000
superset		SELECT COUNT(DISTINCT "USER_ID") AS "COUNT_DISTINCT(USER_ID)", "STATUS" FROM public.orders GROUP BY "STATUS" LIMIT 50
superset	42501	SELECT * FROM public.people LIMIT 101
superset		SELECT sum("SUBTOTAL" * (1 - "DISCOUNT"::float)) AS net, "STATUS" FROM public.orders GROUP BY "STATUS" HAVING sum("SUBTOTAL") > 0 ORDER BY net DESC LIMIT 5
superset		SELECT COUNT(*) AS count FROM public.people HAVING ((COUNT(*) > 3))
tableau		SELECT 1 AS "one" FROM "public"."orders" "orders" LIMIT 0
tableau		SELECT * FROM "public"."orders" "orders" WHERE 1=0
tableau		SELECT * FROM (SELECT * FROM "public"."people") "Custom SQL Query" LIMIT 0
tableau		SELECT "orders"."STATUS" AS "STATUS", SUM("orders"."SUBTOTAL") AS "sum:SUBTOTAL:ok" FROM "public"."orders" "orders" GROUP BY 1
tableau		SELECT SUM(1) AS "sum:Number of Records:ok" FROM "public"."orders" "orders" HAVING (COUNT(1) > 0)
tableau		SELECT DATE_TRUNC( 'MONTH', CAST("orders"."CREATED_AT" AS TIMESTAMP) ) AS "tmn:CREATED_AT:ok", COUNT(1) AS "cnt" FROM "public"."orders" "orders" GROUP BY 1
tableau		SELECT CAST(EXTRACT(YEAR FROM "orders"."CREATED_AT") AS BIGINT) AS "yr:CREATED_AT:ok", AVG(CAST("orders"."QUANTITY" AS DOUBLE PRECISION)) AS "avg:QUANTITY:ok" FROM "public"."orders" "orders" GROUP BY 1
tableau		SELECT MIN("people"."AGE") AS "min", MAX("people"."AGE") AS "max" FROM "public"."people" "people" HAVING (COUNT(1) > 0)
tableau		SELECT CAST("people"."STATE" AS TEXT) AS "STATE" FROM "public"."people" "people" GROUP BY 1 ORDER BY 1 ASC
tableau		SELECT CAST("people"."SOURCE" AS TEXT) AS "SOURCE", COUNT(DISTINCT "people"."ID") AS "ctd:ID:ok" FROM "public"."people" "people" GROUP BY 1
tableau		SELECT "t0"."STATUS" AS "STATUS", "t0"."x" AS "x" FROM (SELECT "orders"."STATUS" AS "STATUS", SUM("orders"."QUANTITY") AS "x" FROM "public"."orders" "orders" GROUP BY 1) "t0" ORDER BY "t0"."x" DESC LIMIT 2
tableau		SELECT "orders"."STATUS" AS "STATUS", COUNT("orders"."ID") AS "cnt" FROM "public"."orders" "orders" INNER JOIN (SELECT "orders"."STATUS" AS "STATUS", SUM("orders"."QUANTITY") AS "__alias__0" FROM "public"."orders" "orders" GROUP BY 1 ORDER BY 2 DESC LIMIT 2) "t0" ON ("orders"."STATUS" = "t0"."STATUS") GROUP BY 1
tableau		SELECT SUM(CASE WHEN ("orders"."STATUS" = 'paid') THEN "orders"."QUANTITY" ELSE NULL END) AS "x" FROM "public"."orders" "orders" HAVING (COUNT(1) > 0)
tableau		SELECT CAST(FLOOR(CAST("people"."AGE" AS DOUBLE PRECISION) / 10) AS BIGINT) AS "bin", SUM(1) AS "n" FROM "public"."people" "people" GROUP BY 1
powerbi		select "$Table"."STATUS" as "STATUS", sum(cast("$Table"."QUANTITY" as decimal)) as "a0" from "public"."orders" "$Table" group by "STATUS" order by "STATUS" limit 1000001
powerbi		select count(*) as "a0" from "public"."orders" "$Table"
powerbi		select "rows"."STATUS" as "STATUS", sum("rows"."SUBTOTAL") as "a0" from (select "STATUS", "SUBTOTAL" from "public"."orders" "$Table") "rows" group by "STATUS"
powerbi		select * from (select "_"."STATUS", "_"."a0" from (select "rows"."STATUS" as "STATUS", count(1) as "a0" from (select "_"."STATUS" from "public"."orders" "_") "rows" group by "STATUS") "_" where not "_"."a0" is null) "_" order by "_"."a0" desc limit 1001
powerbi		select min("rows"."AGE") as "a0", max("rows"."AGE") as "a1" from (select "AGE" from "public"."people" "$Table") "rows"
powerbi		select "STATE" from "public"."people" "$Table" group by "STATE" order by "STATE" limit 101
powerbi	42501	select * from "public"."people" "$Table" limit 4096
powerbi		select count(distinct "rows"."USER_ID") + max(case when "rows"."USER_ID" is null then 1 else 0 end) as "a0" from (select "USER_ID" from "public"."orders" "$Table") "rows"
powerbi		select * from (select "ID", "STATE" from "public"."people" "$Table") "_" where 1 = 0
powerbi		select "$Outer"."CATEGORY", sum("$Inner"."QUANTITY") as "a0" from "public"."orders" "$Inner" inner join "public"."products" "$Outer" on ("$Inner"."PRODUCT_ID" = "$Outer"."ID") group by "$Outer"."CATEGORY"
grafana		SELECT date_trunc('hour', "CREATED_AT") AS "time", count(*) AS "value" FROM orders WHERE "CREATED_AT" BETWEEN '2020-01-01T00:00:00Z' AND '2020-02-01T00:00:00Z' GROUP BY 1 ORDER BY 1
grafana		SELECT floor(extract(epoch from "CREATED_AT")/86400)*86400 AS "time", avg("SUBTOTAL") AS "subtotal" FROM orders WHERE "CREATED_AT" BETWEEN '2020-01-01T00:00:00Z' AND '2020-06-01T00:00:00Z' GROUP BY 1 ORDER BY 1
grafana		SELECT count(*) FILTER (WHERE "STATUS" = 'paid') AS paid, count(*) FILTER (WHERE "STATUS" = 'open') AS open FROM orders
grafana		SELECT "STATUS" AS metric, count("ID") AS value FROM orders GROUP BY "STATUS" ORDER BY 1,2
grafana		SELECT percentile_disc(0.95) WITHIN GROUP (ORDER BY "SUBTOTAL") AS p95 FROM orders
grafana		SELECT DISTINCT "STATUS" FROM orders
grafana	42501	SELECT "CREATED_AT" AS "time", "SUBTOTAL" FROM orders WHERE "CREATED_AT" > '2020-01-01' ORDER BY 1 LIMIT 50
grafana		SELECT percentile_cont(array[0.5, 0.9, 0.99]) WITHIN GROUP (ORDER BY "SUBTOTAL") FROM orders
grafana		SELECT width_bucket("AGE", 0, 120, 12) AS bucket, count(*) FROM people GROUP BY 1 ORDER BY 1
cube		SELECT count(*) "orders__count" FROM public.orders AS "orders" LIMIT 10000
cube		SELECT "orders"."STATUS" "orders__status", count("orders"."ID") "orders__count" FROM public.orders AS "orders" GROUP BY 1 ORDER BY 2 DESC LIMIT 10000
cube		SELECT date_trunc('month', ("orders"."CREATED_AT"::timestamptz AT TIME ZONE 'UTC')) "orders__created_at_month", sum("orders"."SUBTOTAL") "orders__total" FROM public.orders AS "orders" GROUP BY 1 ORDER BY 1 ASC LIMIT 10000
cube		SELECT count(distinct "orders"."USER_ID") "orders__users" FROM public.orders AS "orders" WHERE ("orders"."STATUS" = 'paid') LIMIT 10000
cube		SELECT avg("people"."AGE") "people__age" FROM public.people AS "people" WHERE ("people"."STATE" ILIKE '%' || 's1' || '%') LIMIT 10000
cube		SELECT "products"."CATEGORY" "products__category", count("orders"."ID") "orders__count" FROM public.orders AS "orders" LEFT JOIN public.products AS "products" ON "orders"."PRODUCT_ID" = "products"."ID" GROUP BY 1 ORDER BY 2 DESC LIMIT 10000
cube		SELECT "people"."STATE" "people__state" FROM public.people AS "people" GROUP BY 1 ORDER BY 1 ASC LIMIT 10000
cube		SELECT "people"."STATE" "people__state", count("orders"."ID") "orders__count" FROM public.orders AS "orders" LEFT JOIN public.people AS "people" ON "orders"."USER_ID" = "people"."ID" GROUP BY 1 ORDER BY 2 DESC LIMIT 10000
cube		SELECT sum(CASE WHEN "orders"."STATUS" = 'paid' THEN "orders"."SUBTOTAL" END) "a", count(CASE WHEN ("orders"."QUANTITY" > 3) THEN 1 END) "b" FROM public.orders AS "orders"
cube		SELECT q_0."orders__status", "orders__count", "orders__users" FROM (SELECT "orders"."STATUS" "orders__status", count(*) "orders__count" FROM public.orders AS "orders" GROUP BY 1) as q_0 INNER JOIN (SELECT "orders"."STATUS" "orders__status", count(distinct "orders"."USER_ID") "orders__users" FROM public.orders AS "orders" GROUP BY 1) as q_1 ON (q_0."orders__status" = q_1."orders__status") ORDER BY 2 DESC LIMIT 10000
dbplyr		SELECT * FROM "orders" AS "q01" WHERE (0 = 1)
dbplyr		SELECT COUNT(*) AS "n" FROM "orders"
dbplyr		SELECT "STATUS", COUNT(*) AS "n" FROM "orders" GROUP BY "STATUS"
dbplyr		SELECT "STATUS", AVG("SUBTOTAL") AS "m", SUM("QUANTITY") AS "q", COUNT(*) AS "n" FROM "orders" GROUP BY "STATUS" ORDER BY "n" DESC
dbplyr		SELECT "STATE", AVG("AGE") AS "a" FROM (SELECT "people".*, "AGE" * 2.0 AS "twice" FROM "people") AS "q01" WHERE ("AGE" > 30.0) GROUP BY "STATE" LIMIT 11
dbplyr		SELECT AVG("twice") AS "m" FROM (SELECT "people".*, "AGE" * 2.0 AS "twice" FROM "people") AS "q01"
dbplyr		SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY "AGE") AS "median" FROM "people"
dbplyr		SELECT "q01".* FROM (SELECT "STATUS", COUNT(*) AS "n" FROM "orders" GROUP BY "STATUS") AS "q01" WHERE ("n" > 100.0)
dbplyr		SELECT "STATUS", COUNT(*) AS "n" FROM "orders" GROUP BY "STATUS" HAVING (COUNT(*) > 100.0)
dbplyr		SELECT STDDEV_SAMP("AGE") AS "sd", VARIANCE("AGE") AS "v" FROM "people"
dbplyr		SELECT "CATEGORY", COUNT(*) AS "n" FROM (SELECT "orders".*, "CATEGORY", "VENDOR" FROM "orders" LEFT JOIN "products" ON ("orders"."PRODUCT_ID" = "products"."ID")) AS "q01" GROUP BY "CATEGORY"
dbplyr		SELECT DISTINCT "STATE", "SOURCE" FROM "people"
dbplyr	42501	SELECT * FROM "people" LIMIT 11
dbplyr		SELECT SUM(CASE WHEN ("STATUS" = 'paid') THEN 1.0 WHEN NOT ("STATUS" = 'paid') THEN 0.0 END) AS "paid" FROM "orders"
dbplyr		SELECT "old", COUNT(*) AS "n" FROM (SELECT "people".*, CASE WHEN ("AGE" > 50.0) THEN 'old' ELSE 'young' END AS "old" FROM "people") AS "q01" GROUP BY "old"
orm		SELECT count(*) AS count_1 FROM (SELECT orders."ID" AS "orders_ID", orders."STATUS" AS "orders_STATUS" FROM orders WHERE orders."QUANTITY" > 3) AS anon_1
orm		SELECT COUNT(*) AS "__count" FROM "people" WHERE NOT ("people"."STATE" = 'S1' AND "people"."STATE" IS NOT NULL)
orm		SELECT "orders"."STATUS", COUNT("orders"."ID") AS "n" FROM "orders" GROUP BY "orders"."STATUS" ORDER BY "n" DESC
orm	42501	SELECT 1 AS one FROM "orders" WHERE "orders"."STATUS" = 'paid' LIMIT 1
orm	42501	SELECT EXISTS (SELECT 1 FROM "orders" WHERE "STATUS" = 'paid')
orm		SELECT AVG("orders"."SUBTOTAL") AS "avg", (SELECT COUNT(*) FROM "people") AS "people" FROM "orders"
\.
SELECT is(CASE WHEN result ~ '^[0-9A-Z]{5}: ' THEN left(result, 5) ELSE '' END, state, concat_ws(' ', tool, number, statement))
FROM (SELECT s.*, t.run('gate_ann', statement) AS result FROM t.statements AS s OFFSET 0) AS s;
SELECT ok(count(*) FILTER (WHERE state = '') > count(*) * 0.89, 'most of them are answered') FROM t.statements;
SELECT unalike(t.run('gate_ann', statement), '%permission denied%', 'in words: ' || statement) FROM t.statements WHERE state <> '';

-- The columns are those that the tool expects: of the same names and types.
CREATE FUNCTION t.columns(who text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text := t.run(who, 'CREATE TABLE typed AS ' || query);
BEGIN
	IF result IS NULL THEN
		SELECT string_agg(format('%s %s %s', attname, format_type(atttypid, atttypmod), attcollation), ', ' ORDER BY attnum) INTO result
		FROM pg_attribute WHERE attrelid = format('%I.typed', who)::regclass AND attnum > 0;
		EXECUTE format('DROP TABLE %I.typed', who);
	END IF;
	RETURN result;
END
$$;
SELECT is(t.columns('gate_ann', statement), t.columns('gate_owner', statement), 'columns of ' || number) FROM t.statements WHERE state = '';

-- Asked again, nothing is charged.
CREATE TABLE t.before AS SELECT t.charges() AS n;
SELECT t.run('gate_ann', statement) FROM t.statements WHERE state = '' AND statement !~* 'limit 0' \g /dev/null
SELECT is(t.charges() - n, 0::bigint, 'a refreshed dashboard is free') FROM t.before;
SELECT * FROM finish();
\ir support/gate_end.sql
