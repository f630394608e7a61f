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
SELECT dp_noise.protect('public.people', privacy_unit => 'ID', epsilon => 1e6, delta => 1);
SELECT dp_noise.protect('public.orders', privacy_unit => 'USER_ID', max_rows_per_unit => 5, max_groups_per_unit => 3, epsilon => 1e6, delta => 1);
SELECT dp_noise.set_values('public.people', 'STATE', '{S0,S1,S2,S3,S4}');
SELECT dp_noise.set_values('public.people', 'SOURCE', '{Google,Twitter,Organic}');
SELECT dp_noise.set_values('public.orders', 'STATUS', '{paid,open,void}');
SELECT dp_noise.set_bounds('public.people', 'AGE', 0, 120);
SELECT dp_noise.set_bounds('public.people', 'CREATED_AT', timestamp '2020-01-01', timestamp '2020-06-30');
SELECT dp_noise.set_bounds('public.orders', 'SUBTOTAL', 0, 100);
SELECT dp_noise.set_bounds('public.orders', 'TAX', 0, 10);
SELECT dp_noise.set_bounds('public.orders', 'DISCOUNT', 0, 1);
SELECT dp_noise.set_bounds('public.orders', 'QUANTITY', 0, 10);
SELECT dp_noise.set_budget('gate_ann', relation::text, 1000000, delta => 1) FROM unnest('{public.people,public.orders}'::regclass[]) AS relation;
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
metabase		SELECT COUNT(*) AS "count" FROM "public"."people" WHERE "public"."people"."CREATED_AT" >= DATE_TRUNC('month', NOW() + INTERVAL '-12 month') AND "public"."people"."CREATED_AT" < DATE_TRUNC('month', NOW())
metabase		SELECT (CAST(DATE_TRUNC('week', (CAST("public"."people"."CREATED_AT" AS timestamp) + INTERVAL '1 day')) AS timestamp) + INTERVAL '-1 day') AS "CREATED_AT", COUNT(*) AS "count" FROM "public"."people" WHERE "public"."people"."CREATED_AT" < timestamp '2020-04-01' AND "public"."people"."CREATED_AT" >= timestamp '2020-01-01' GROUP BY 1 ORDER BY 1 ASC
metabase		SELECT CAST("public"."people"."CREATED_AT" AS date) AS "day", COUNT(*) AS "count" FROM "public"."people" WHERE CAST("public"."people"."CREATED_AT" AS date) BETWEEN date '2020-01-01' AND date '2020-01-31' GROUP BY CAST("public"."people"."CREATED_AT" AS date) ORDER BY 1
metabase		SELECT "public"."people"."SOURCE" AS "SOURCE", COUNT(*) AS "count", AVG("public"."people"."AGE") AS "avg" FROM "public"."people" WHERE ("public"."people"."STATE" = 'S1') OR ("public"."people"."STATE" = 'S2') GROUP BY "public"."people"."SOURCE" ORDER BY "avg" DESC, "public"."people"."SOURCE" ASC
metabase		SELECT COUNT(*) AS "count" FROM "public"."people" WHERE (("public"."people"."STATE" <> 'S1') OR ("public"."people"."STATE" IS NULL))
metabase		SELECT CAST(COUNT(*) AS float) / CAST(NULLIF(COUNT(DISTINCT "public"."orders"."USER_ID"), 0) AS float) AS "per_user" FROM "public"."orders"
metabase		SELECT "source"."month" AS "month", SUM("source"."count") OVER (ORDER BY "source"."month" ASC ROWS UNBOUNDED PRECEDING) AS "cumulative" FROM (SELECT DATE_TRUNC('month', "public"."people"."CREATED_AT") AS "month", COUNT(*) AS "count" FROM "public"."people" WHERE "public"."people"."CREATED_AT" BETWEEN '2020-01-01' AND '2020-06-30' GROUP BY 1) AS "source"
metabase		SELECT "public"."people"."STATE" AS "STATE", SUM(COUNT(*)) OVER (ORDER BY "public"."people"."STATE" ASC ROWS UNBOUNDED PRECEDING) AS "count" FROM "public"."people" GROUP BY "public"."people"."STATE" ORDER BY "public"."people"."STATE" ASC
metabase		SELECT COUNT(*) AS "count" FROM "public"."people" WHERE (LOWER("public"."people"."STATE") LIKE LOWER('s1%')) AND ("public"."people"."STATE" IS NOT NULL) AND (("public"."people"."STATE" <> '') OR ("public"."people"."STATE" IS NULL))
metabase		SELECT SUM(CASE WHEN "public"."people"."AGE" >= 65 THEN 1 ELSE 0.0 END) AS "old", MAX("public"."people"."CREATED_AT") AS "last" FROM "public"."people" WHERE "public"."people"."CREATED_AT" >= '2020-01-01'
metabase		SELECT "people__via__USER_ID"."SOURCE" AS "SOURCE", SUM("public"."orders"."SUBTOTAL") AS "sum" FROM "public"."orders" LEFT JOIN "public"."people" AS "people__via__USER_ID" ON "public"."orders"."USER_ID" = "people__via__USER_ID"."ID" GROUP BY "people__via__USER_ID"."SOURCE" ORDER BY "people__via__USER_ID"."SOURCE" ASC
metabase		SELECT count(*) FROM (SELECT "public"."people"."STATE" FROM "public"."people" GROUP BY "public"."people"."STATE") AS "source"
metabase		SELECT TRUE AS "_" FROM "public"."people" WHERE 1 <> 1 LIMIT 0
metabase		SELECT CAST(EXTRACT(dow FROM "public"."orders"."CREATED_AT") AS integer) + 1 AS "dow", COUNT(*) AS "count" FROM "public"."orders" GROUP BY 1 ORDER BY 1
metabase		SELECT COUNT(DISTINCT "public"."people"."STATE") AS "distinct", COUNT("public"."people"."STATE") AS "values" FROM "public"."people"
superset		SELECT "STATE" AS "STATE", SUM("AGE") * 1.0 / NULLIF(COUNT(*), 0) AS ratio FROM public.people WHERE "CREATED_AT" >= TO_TIMESTAMP('2020-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND "CREATED_AT" < TO_TIMESTAMP('2020-03-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') GROUP BY "STATE" ORDER BY ratio DESC LIMIT 10000
superset		SELECT DATE_TRUNC('day', "CREATED_AT") AS "CREATED_AT", "SOURCE" AS "SOURCE", COUNT(*) AS count FROM public.people WHERE "CREATED_AT" >= '2020-01-01' AND "CREATED_AT" < '2020-02-01' AND "SOURCE" IN ('Google', 'Organic') GROUP BY DATE_TRUNC('day', "CREATED_AT"), "SOURCE" ORDER BY count DESC LIMIT 10000
superset		SELECT COUNT(*) AS count FROM public.people WHERE "STATE" ILIKE '%1%' AND "AGE" BETWEEN 20 AND 40 LIMIT 50000
superset		SELECT "SOURCE" AS "SOURCE", "STATE" AS "STATE", count(*) AS count, sum(count(*)) OVER () AS total FROM public.people GROUP BY "SOURCE", "STATE" ORDER BY count DESC LIMIT 100 OFFSET 0
superset		SELECT COUNT(*) AS rowcount FROM (SELECT "STATE" AS "STATE", "SOURCE" AS "SOURCE", COUNT(*) AS count FROM public.people GROUP BY "STATE", "SOURCE") AS rowcount_qry
superset		SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY "AGE") AS q1, percentile_cont(0.75) WITHIN GROUP (ORDER BY "AGE") AS q3 FROM public.people
superset		SELECT CASE WHEN "AGE" < 30 THEN 'young' WHEN "AGE" < 60 THEN 'middle' ELSE 'old' END AS grp, COUNT(*) AS count FROM public.people GROUP BY CASE WHEN "AGE" < 30 THEN 'young' WHEN "AGE" < 60 THEN 'middle' ELSE 'old' END LIMIT 100
superset		WITH base AS (SELECT "SOURCE", "AGE" FROM public.people) SELECT "SOURCE", stddev("AGE") AS spread FROM base GROUP BY "SOURCE" LIMIT 100
superset		SELECT "STATE" AS "STATE", COUNT(*) AS count FROM public.people GROUP BY "STATE" HAVING COUNT(*) > 100 AND AVG("AGE") > 10 ORDER BY count DESC LIMIT 10
superset		SELECT DATE_TRUNC('quarter', "CREATED_AT") AS __timestamp, AVG("AGE") AS avg FROM public.people WHERE "CREATED_AT" >= '2020-01-01' AND "CREATED_AT" < '2021-01-01' GROUP BY 1
tableau		SELECT COUNT(1) AS "cnt" FROM "public"."people" "people" WHERE (NOT ("people"."STATE" IN ('S1', 'S2')))
tableau		SELECT "people"."SOURCE" AS "SOURCE", AVG(CAST("people"."AGE" AS DOUBLE PRECISION)) AS "avg:AGE:ok", STDDEV_SAMP("people"."AGE") AS "std:AGE:ok" FROM "public"."people" "people" WHERE (("people"."AGE" >= 18) AND ("people"."AGE" <= 65)) GROUP BY 1
tableau		SELECT MIN("people"."CREATED_AT") AS "lower", MAX("people"."CREATED_AT") AS "upper", COUNT(1) AS "n" FROM "public"."people" "people" HAVING (COUNT(1) > 0)
tableau		SELECT (CASE WHEN ("people"."AGE" > 40) THEN TRUE WHEN NOT ("people"."AGE" > 40) THEN FALSE ELSE NULL END) AS "io", SUM(1) AS "n" FROM "public"."people" "people" GROUP BY 1
tableau		SELECT CAST(TRUNC(EXTRACT(QUARTER FROM "people"."CREATED_AT")) AS INTEGER) AS "qr", SUM(1) AS "n" FROM "public"."people" "people" GROUP BY 1
tableau		SELECT DATE_TRUNC('DAY', CAST("people"."CREATED_AT" AS TIMESTAMP)) AS "tdy", SUM("people"."AGE") AS "sum" FROM "public"."people" "people" WHERE ("people"."CREATED_AT" >= TIMESTAMP '2020-01-05 00:00:00.000' AND "people"."CREATED_AT" < TIMESTAMP '2020-01-15 00:00:00.000') GROUP BY 1
tableau		SELECT "people"."STATE" AS "STATE", "people"."SOURCE" AS "SOURCE", (CASE WHEN SUM("people"."AGE") = 0 THEN NULL ELSE COUNT(1) / SUM("people"."AGE") END) AS "c" FROM "public"."people" "people" GROUP BY 1, 2
tableau		SELECT COUNT(DISTINCT "people"."STATE") AS "ctd" FROM "public"."people" "people" HAVING (COUNT(1) > 0)
tableau		SELECT "t0"."SOURCE", AVG("t0"."n") AS "a" FROM (SELECT "people"."SOURCE" AS "SOURCE", "people"."STATE" AS "STATE", COUNT(1) AS "n" FROM "public"."people" "people" GROUP BY 1, 2) "t0" GROUP BY 1
powerbi		select count(distinct("rows"."SOURCE")) + max(case when "rows"."SOURCE" is null then 1 else 0 end) as "a0" from (select "SOURCE" from "public"."people" "$Table") "rows"
powerbi		select "rows"."year" as "year", count(*) as "a0" from (select "_"."AGE", cast(extract(year from "_"."CREATED_AT") as integer) as "year" from "public"."people" "_") "rows" group by "year" order by "year"
powerbi		select "_"."SOURCE", "_"."a0", "_"."a1" from (select "rows"."SOURCE" as "SOURCE", avg(cast("rows"."AGE" as double precision)) as "a0", count("rows"."AGE") as "a1" from (select "_"."SOURCE", "_"."AGE" from "public"."people" "_" where "_"."STATE" in ('S1', 'S2')) "rows" group by "SOURCE") "_" where not "_"."a0" is null order by "_"."SOURCE" limit 1000001
powerbi		select top."STATE", top."a0" from (select "STATE", sum("AGE") as "a0" from "public"."people" group by "STATE" order by "a0" desc limit 3) top
powerbi		select "_"."STATE" from (select distinct "STATE" from "public"."people") "_" where not "_"."STATE" is null order by 1 limit 501
powerbi		select count(1) as "a0" from "public"."people" "_" where "_"."CREATED_AT" >= timestamp '2020-01-01 00:00:00' and "_"."CREATED_AT" < timestamp '2020-02-01 00:00:00'
powerbi		select "basetable0"."SOURCE" as "c0", sum("basetable1"."QUANTITY") as "a0" from "public"."orders" "basetable1" left outer join "public"."people" "basetable0" on ("basetable1"."USER_ID" = "basetable0"."ID") group by "basetable0"."SOURCE" limit 1000001
powerbi	42501	select 1 as "c" from "public"."people" "_" limit 1
grafana		SELECT $$x$$ AS metric, now() AS "time", count(*) FROM people
grafana		SELECT floor(extract(epoch from "CREATED_AT")/3600)*3600 AS "time", "SOURCE" AS metric, count(*) AS value FROM people WHERE "CREATED_AT" BETWEEN '2020-01-01T00:00:00Z' AND '2020-01-03T00:00:00Z' GROUP BY 1, 2 ORDER BY 1, 2
grafana		SELECT date_bin('6 hours', "CREATED_AT", timestamp '2000-01-01') AS "time", count(*) FROM people WHERE "CREATED_AT" >= '2020-01-01' AND "CREATED_AT" < '2020-01-08' GROUP BY 1 ORDER BY 1
grafana		SELECT t AS "time", coalesce(n, 0) AS n FROM generate_series(timestamp '2020-01-01', timestamp '2020-01-10', interval '1 day') AS t LEFT JOIN (SELECT date_trunc('day', "CREATED_AT") AS d, count(*) AS n FROM people WHERE "CREATED_AT" >= '2020-01-01' AND "CREATED_AT" < '2020-01-11' GROUP BY 1) AS c ON c.d = t ORDER BY 1
grafana		SELECT "SOURCE" AS __text, "SOURCE" AS __value FROM people GROUP BY 1 ORDER BY 1
grafana		SELECT max("CREATED_AT") AS "time" FROM people
grafana		SELECT avg("AGE") FILTER (WHERE "SOURCE" = 'Google') - avg("AGE") FILTER (WHERE "SOURCE" = 'Organic') AS difference FROM people
cube		SELECT "people"."SOURCE" "people__source", avg("people"."AGE") "people__age", count(distinct "people"."ID") "people__ids" FROM public.people AS "people" WHERE ("people"."CREATED_AT" >= '2020-01-01T00:00:00.000Z'::timestamptz AND "people"."CREATED_AT" <= '2020-03-31T23:59:59.999Z'::timestamptz) GROUP BY 1 ORDER BY 2 DESC LIMIT 10000
cube		SELECT date_trunc('day', ("people"."CREATED_AT"::timestamptz AT TIME ZONE 'UTC')) "people__day", count("people"."ID") "people__count" FROM public.people AS "people" WHERE ("people"."CREATED_AT" >= '2020-01-01T00:00:00.000Z'::timestamptz AND "people"."CREATED_AT" <= '2020-01-07T23:59:59.999Z'::timestamptz) GROUP BY 1 ORDER BY 1 ASC LIMIT 10000
cube		SELECT count(*) "total_count" FROM (SELECT "people"."STATE" "people__state", count("people"."ID") "people__count" FROM public.people AS "people" GROUP BY 1) AS "t"
cube		SELECT "people"."SOURCE" "people__source", 1.0 * count(CASE WHEN ("people"."AGE" > 40) THEN "people"."ID" END) / NULLIF(count("people"."ID"), 0) "people__share" FROM public.people AS "people" GROUP BY 1
cube		SELECT CASE WHEN "people"."STATE" = 'S1' THEN 'first' ELSE 'other' END "people__kind", sum("people"."AGE") "s" FROM public.people AS "people" GROUP BY 1 HAVING (sum("people"."AGE") > 100) LIMIT 50
cube		SELECT min("people"."AGE") "min", max("people"."AGE") "max" FROM public.people AS "people" WHERE ("people"."STATE" IS NOT NULL)
cube		SELECT EXTRACT(EPOCH FROM max("people"."CREATED_AT")) FROM public.people AS "people"
dbplyr		SELECT "STATE", COUNT(*) AS "n" FROM "people" GROUP BY "STATE" ORDER BY "n" DESC LIMIT 3
dbplyr		SELECT COUNT(DISTINCT "STATE") AS "k", COUNT(*) AS "n" FROM "people"
dbplyr		SELECT "year", COUNT(*) AS "n" FROM (SELECT "people".*, EXTRACT(YEAR FROM "CREATED_AT") AS "year" FROM "people") AS "q01" GROUP BY "year"
dbplyr		SELECT "SOURCE", MIN("AGE") AS "lo", MAX("AGE") AS "hi" FROM "people" WHERE (NOT(("STATE" IS NULL))) GROUP BY "SOURCE"
dbplyr		SELECT "SOURCE", AVG(CASE WHEN ("STATE" IN ('S1', 'S2')) THEN 1.0 ELSE 0.0 END) AS "p" FROM "people" GROUP BY "SOURCE"
dbplyr		SELECT "q01".*, "n" * 1.0 / SUM("n") OVER () AS "share" FROM (SELECT "SOURCE", COUNT(*) AS "n" FROM "people" GROUP BY "SOURCE") AS "q01"
dbplyr		SELECT "LHS"."SOURCE" AS "SOURCE", "n.x", "n.y" FROM (SELECT "SOURCE", COUNT(*) AS "n.x" FROM "people" GROUP BY "SOURCE") AS "LHS" INNER JOIN (SELECT "SOURCE", COUNT(*) AS "n.y" FROM "people" WHERE ("AGE" > 40.0) GROUP BY "SOURCE") AS "RHS" ON ("LHS"."SOURCE" = "RHS"."SOURCE")
dbplyr		SELECT "SOURCE", "n", RANK() OVER (ORDER BY "n" DESC) AS "r" FROM (SELECT "SOURCE", COUNT(*) AS "n" FROM "people" GROUP BY "SOURCE") AS "q01"
dbplyr	0A000	SELECT AVG("AGE") AS "m" FROM (SELECT "people".*, AVG("AGE") OVER (PARTITION BY "STATE") AS "mean" FROM "people") AS "q01" WHERE ("AGE" > "mean")
dbplyr		SELECT DISTINCT "SOURCE" FROM "people" ORDER BY "SOURCE" LIMIT 6
dbplyr		SELECT "b", COUNT(*) AS "n" FROM (SELECT FLOOR("AGE" / 10.0) * 10.0 AS "b" FROM "people") AS "q01" GROUP BY "b" ORDER BY "b"
looker		SELECT CAST(t0."CREATED_AT" AS DATE) AS qt_1, COUNT(1) AS qt_2 FROM (SELECT * FROM public.people) AS t0 WHERE (t0."CREATED_AT" >= '2020-01-01' AND t0."CREATED_AT" <= '2020-01-28') GROUP BY qt_1 ORDER BY qt_1 ASC
looker		SELECT t0."SOURCE" AS qt_1, SUM(t0."AGE") AS qt_2, COUNT(1) AS qt_3 FROM (SELECT * FROM public.people) AS t0 GROUP BY qt_1 ORDER BY qt_2 DESC LIMIT 2000001
looker		SELECT COUNT(1) FROM (SELECT t0."STATE" FROM (SELECT * FROM public.people) AS t0 GROUP BY t0."STATE") AS x
looker		SELECT COUNT(DISTINCT t0."ID") AS qt_1 FROM (SELECT * FROM public.people WHERE "AGE" > 18) AS t0
looker		SELECT TO_CHAR(t0."CREATED_AT", 'YYYYMM') AS qt_1, AVG(t0."AGE") AS qt_2 FROM public.people AS t0 WHERE t0."CREATED_AT" >= '2020-01-01' AND t0."CREATED_AT" < '2020-07-01' GROUP BY 1
looker		SELECT people."SOURCE" AS "people.source", COUNT(DISTINCT people."ID") AS "people.count", COALESCE(SUM(orders."SUBTOTAL"), 0) AS "orders.total" FROM public.orders AS orders LEFT JOIN public.people AS people ON orders."USER_ID" = people."ID" GROUP BY 1 ORDER BY 2 DESC LIMIT 500
looker		SELECT DATE(people."CREATED_AT") AS "d", COUNT(*) AS "n" FROM people WHERE ((people."CREATED_AT" >= (TIMESTAMP '2020-01-01') AND people."CREATED_AT" < (TIMESTAMP '2020-01-08'))) GROUP BY 1 ORDER BY 1 DESC FETCH NEXT 500 ROWS ONLY
looker		SELECT * FROM (SELECT *, DENSE_RANK() OVER (ORDER BY z___min_rank) AS z___pivot FROM (SELECT *, MIN(z___rank) OVER (PARTITION BY "s") AS z___min_rank FROM (SELECT *, RANK() OVER (ORDER BY "n" DESC) AS z___rank FROM (SELECT "SOURCE" AS "s", COUNT(*) AS "n" FROM people GROUP BY 1) ww) bb) aa) xx WHERE z___pivot <= 50
redash		SELECT count(0) FROM people
redash		SELECT "STATE", count(*) AS total, round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS percent FROM people GROUP BY "STATE" ORDER BY total DESC
redash		SELECT date_trunc('month', "CREATED_AT")::date AS month, count(*), lag(count(*)) OVER (ORDER BY date_trunc('month', "CREATED_AT")::date) AS before FROM people WHERE "CREATED_AT" >= '2020-01-01' AND "CREATED_AT" < '2020-07-01' GROUP BY 1 ORDER BY 1
redash		SELECT 'people' AS t, count(*) FROM people UNION ALL SELECT 'orders', count(*) FROM orders
redash		SELECT to_char("CREATED_AT", 'YYYY-MM') AS month, sum("QUANTITY") FROM orders WHERE "CREATED_AT" >= '2020-01-01' AND "CREATED_AT" < '2020-04-01' GROUP BY month ORDER BY month
redash		WITH a AS (SELECT "SOURCE", count(*) AS n FROM people GROUP BY 1), b AS (SELECT sum(n) AS total FROM a) SELECT a."SOURCE", a.n / b.total AS share FROM a CROSS JOIN b
redash		SELECT coalesce("STATE", 'unknown') AS state, count(*) FROM people GROUP BY 1 ORDER BY 2 DESC
redash		SELECT "SOURCE", count(*) FROM people GROUP BY ROLLUP ("SOURCE")
redash		SELECT "SOURCE", mode() WITHIN GROUP (ORDER BY "STATE") FROM people GROUP BY 1
redash		SELECT avg(n) FROM (SELECT "USER_ID", count(*) AS n FROM orders GROUP BY "USER_ID") AS per_user
redash		SELECT count(*) FROM (SELECT "USER_ID" FROM orders GROUP BY "USER_ID" HAVING count(*) > 2) AS t
redash		SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM orders o WHERE o."USER_ID" = p."ID" AND o."STATUS" = 'paid')
redash		SELECT count(*) FROM people WHERE "ID" IN (SELECT "USER_ID" FROM orders WHERE "QUANTITY" > 5)
redash		SELECT corr("AGE", 2 * "AGE"), regr_slope("AGE", 2 * "AGE") FROM people
redash	42501	SELECT string_agg(DISTINCT "STATE", ', ') FROM people
redash	42501	SELECT "STATE", array_agg(DISTINCT "SOURCE") FROM people GROUP BY 1
redash	42501	SELECT bool_or("AGE" > 100) FROM people
redash		SELECT extract(year FROM age(timestamp '2024-01-01', "CREATED_AT")) AS years, count(*) FROM people GROUP BY 1
redash		SELECT count(*) FROM people WHERE false
redash		SELECT sum("AGE") FROM people WHERE 1 = 0
orm	42501	SELECT 1 AS one FROM "people" LIMIT 1
orm	42501	SELECT EXISTS (SELECT 1 FROM people)
orm	42501	SELECT (1) AS "a" FROM "people" WHERE "people"."STATE" = 'S1' LIMIT 1
orm		SELECT AVG("people"."AGE") AS "AGE__avg", COUNT("people"."ID") AS "ID__count" FROM "people" WHERE "people"."CREATED_AT"::date = '2020-01-05'
orm		SELECT DATE_TRUNC('month', "people"."CREATED_AT" AT TIME ZONE 'UTC') AS "m", COUNT("people"."ID") AS "c" FROM "people" WHERE "people"."CREATED_AT" BETWEEN '2020-01-01' AND '2020-03-31 23:59:59' GROUP BY 1 ORDER BY "m" ASC
orm		SELECT COUNT(*) FROM (SELECT DISTINCT "people"."STATE" AS "col1" FROM "people") subquery
orm		SELECT COUNT(DISTINCT("people"."ID")) AS "cnt" FROM "people" "people" WHERE "people"."AGE" > 20
orm		SELECT sum("AGE") AS "sum" FROM "people" AS "people" WHERE ("people"."STATE" = 'S1' AND "people"."AGE" >= 18)
\.
SELECT is(CASE WHEN result ~ '^[0-9A-Z]{5}: ' THEN left(result, 5) ELSE '' END, state, concat_ws(' ', tool, number, statement))
FROM (SELECT s.*, t.run('gate_ann', statement) AS result FROM t.statements AS s OFFSET 0) AS s;
SELECT is(count(*) FILTER (WHERE state = '') || ' of ' || count(*), '185 of 200', 'are answered, as doc/clients.md says') FROM t.statements;
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
