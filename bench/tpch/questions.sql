-- TPC-H's questions, in our words, with the constants with which the
-- specification validates answers. Makes the table tpch.questions:
--
--   number    as in TPC-H
--   form      as it is; changed: asked of groups of people instead of single
--             orders or customers; public: reads nothing that is protected
--   keys      how many columns come before the answers
--   c, m      rows of a customer in a group, groups of a customer
--   reach     for each answer how much one row can add to it; null: a quotient
--   first     what is asked before: its answer takes the place of $1
--   asked     with private aggregates
--   plain     the same without privacy, written by hand

CREATE TABLE tpch.questions (number integer, about text, form text, keys integer, c integer, m integer, reach numeric[], first text, asked text, plain text);
GRANT SELECT ON tpch.questions TO PUBLIC;
INSERT INTO tpch.questions VALUES
(1, 'lines by state', 'as it is', 2, 60, 4, '{50,105000,105000,113400,NULL,NULL,NULL,1}', NULL,
$$SELECT l_returnflag, l_linestatus, dp_sum(l_quantity, 0, 50), dp_sum(l_extendedprice, 0, 105000), dp_sum(l_extendedprice * (1 - l_discount), 0, 105000),
	dp_sum(l_extendedprice * (1 - l_discount) * (1 + l_tax), 0, 113400), dp_mean(l_quantity, 0, 50), dp_mean(l_extendedprice, 0, 105000), dp_mean(l_discount, 0, 0.1), dp_count(*)
FROM lineitem WHERE l_shipdate <= date '1998-09-02' GROUP BY l_returnflag, l_linestatus HAVING dp_count(*) > 0.5$$,
$$SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), sum(l_extendedprice * (1 - l_discount)),
	sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*)
FROM lineitem WHERE l_shipdate <= date '1998-09-02' GROUP BY l_returnflag, l_linestatus$$),

(2, 'the cheapest supplier of a part', 'public', NULL, NULL, NULL, NULL, NULL, NULL, NULL),

(3, 'revenue of what was not shipped yet', 'changed: by month, not by order', 1, 5, 3, '{105000}', NULL,
$$SELECT date_trunc('month', o_orderdate) AS month, dp_sum(l_extendedprice * (1 - l_discount), 0, 105000)
FROM customer JOIN orders ON o_custkey = c_custkey JOIN lineitem ON l_orderkey = o_orderkey
WHERE c_mktsegment = 'BUILDING' AND o_orderdate < date '1995-03-15' AND l_shipdate > date '1995-03-15' GROUP BY month HAVING dp_count(*) > 0.5$$,
$$SELECT date_trunc('month', o_orderdate) AS month, sum(l_extendedprice * (1 - l_discount))
FROM customer JOIN orders ON o_custkey = c_custkey JOIN lineitem ON l_orderkey = o_orderkey
WHERE c_mktsegment = 'BUILDING' AND o_orderdate < date '1995-03-15' AND l_shipdate > date '1995-03-15' GROUP BY month$$),

(4, 'late orders by priority', 'as it is', 1, 2, 3, '{1}', NULL,
$$SELECT o_orderpriority, dp_count(*) FROM orders
WHERE o_orderdate >= date '1993-07-01' AND o_orderdate < date '1993-10-01'
	AND EXISTS (SELECT FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate) GROUP BY o_orderpriority HAVING dp_count(*) > 0.5$$,
$$SELECT o_orderpriority, count(*) FROM orders
WHERE o_orderdate >= date '1993-07-01' AND o_orderdate < date '1993-10-01'
	AND EXISTS (SELECT FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate) GROUP BY o_orderpriority$$),

(5, 'revenue through suppliers at home', 'as it is', 1, 3, 1, '{105000}', NULL,
$$SELECT n_name, dp_sum(l_extendedprice * (1 - l_discount), 0, 105000)
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey
	AND n_regionkey = r_regionkey AND r_name = 'ASIA' AND o_orderdate >= date '1994-01-01' AND o_orderdate < date '1995-01-01'
GROUP BY n_name HAVING dp_count(*) > 0.5$$,
$$SELECT n_name, sum(l_extendedprice * (1 - l_discount))
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey
	AND n_regionkey = r_regionkey AND r_name = 'ASIA' AND o_orderdate >= date '1994-01-01' AND o_orderdate < date '1995-01-01'
GROUP BY n_name$$),

(6, 'revenue without small discounts', 'as it is', 0, 4, 1, '{7350}', NULL,
$$SELECT dp_sum(l_extendedprice * l_discount, 0, 7350) FROM lineitem
WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24$$,
$$SELECT sum(l_extendedprice * l_discount) FROM lineitem
WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24$$),

(7, 'trade between two nations', 'as it is', 3, 3, 2, '{105000}', NULL,
$$SELECT supp_nation, cust_nation, year, dp_sum(volume, 0, 105000)
FROM (SELECT n1.n_name AS supp_nation, n2.n_name AS cust_nation, extract(year FROM l_shipdate) AS year, l_extendedprice * (1 - l_discount) AS volume
	FROM supplier, lineitem, orders, customer, nation AS n1, nation AS n2
	WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey AND c_custkey = o_custkey AND s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey
		AND (n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY' OR n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE')
		AND l_shipdate BETWEEN date '1995-01-01' AND date '1996-12-31') AS shipping
GROUP BY supp_nation, cust_nation, year HAVING dp_count(*) > 0.5$$,
$$SELECT n1.n_name, n2.n_name, extract(year FROM l_shipdate) AS year, sum(l_extendedprice * (1 - l_discount))
FROM supplier, lineitem, orders, customer, nation AS n1, nation AS n2
WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey AND c_custkey = o_custkey AND s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey
	AND (n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY' OR n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE')
	AND l_shipdate BETWEEN date '1995-01-01' AND date '1996-12-31'
GROUP BY 1, 2, 3$$),

(8, 'a nation''s share of a market', 'as it is', 1, 1, 1, '{NULL}', NULL,
$$SELECT year, dp_sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END, 0, 105000) / dp_sum(volume, 0, 105000)
FROM (SELECT extract(year FROM o_orderdate) AS year, l_extendedprice * (1 - l_discount) AS volume, n2.n_name AS nation
	FROM part, supplier, lineitem, orders, customer, nation AS n1, nation AS n2, region
	WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey AND l_orderkey = o_orderkey AND o_custkey = c_custkey AND c_nationkey = n1.n_nationkey
		AND n1.n_regionkey = r_regionkey AND r_name = 'AMERICA' AND s_nationkey = n2.n_nationkey
		AND o_orderdate BETWEEN date '1995-01-01' AND date '1996-12-31' AND p_type = 'ECONOMY ANODIZED STEEL') AS nations
GROUP BY year HAVING dp_count(*) > 0.5$$,
$$SELECT extract(year FROM o_orderdate) AS year, sum(CASE WHEN n2.n_name = 'BRAZIL' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) / sum(l_extendedprice * (1 - l_discount))
FROM part, supplier, lineitem, orders, customer, nation AS n1, nation AS n2, region
WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey AND l_orderkey = o_orderkey AND o_custkey = c_custkey AND c_nationkey = n1.n_nationkey
	AND n1.n_regionkey = r_regionkey AND r_name = 'AMERICA' AND s_nationkey = n2.n_nationkey
	AND o_orderdate BETWEEN date '1995-01-01' AND date '1996-12-31' AND p_type = 'ECONOMY ANODIZED STEEL'
GROUP BY year$$),

(9, 'profit by nation and year', 'as it is', 2, 1, 6, '{105000}', NULL,
$$SELECT nation, year, dp_sum(amount, -50000, 105000)
FROM (SELECT n_name AS nation, extract(year FROM o_orderdate) AS year, l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS amount
	FROM part, supplier, lineitem, partsupp, orders, nation
	WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey AND p_partkey = l_partkey AND o_orderkey = l_orderkey
		AND s_nationkey = n_nationkey AND p_name LIKE '%green%') AS profit
GROUP BY nation, year HAVING dp_count(*) > 0.5$$,
$$SELECT n_name, extract(year FROM o_orderdate) AS year, sum(l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity)
FROM part, supplier, lineitem, partsupp, orders, nation
WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey AND p_partkey = l_partkey AND o_orderkey = l_orderkey
	AND s_nationkey = n_nationkey AND p_name LIKE '%green%'
GROUP BY 1, 2$$),

(10, 'revenue lost by returns', 'changed: by nation, not by customer', 1, 5, 1, '{105000}', NULL,
$$SELECT n_name, dp_sum(l_extendedprice * (1 - l_discount), 0, 105000)
FROM customer, orders, lineitem, nation
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= date '1993-10-01' AND o_orderdate < date '1994-01-01'
	AND l_returnflag = 'R' AND c_nationkey = n_nationkey GROUP BY n_name HAVING dp_count(*) > 0.5$$,
$$SELECT n_name, sum(l_extendedprice * (1 - l_discount))
FROM customer, orders, lineitem, nation
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= date '1993-10-01' AND o_orderdate < date '1994-01-01'
	AND l_returnflag = 'R' AND c_nationkey = n_nationkey GROUP BY n_name$$),

(11, 'stock of some value', 'public', NULL, NULL, NULL, NULL, NULL, NULL, NULL),

(12, 'late lines by mode of shipping', 'as it is', 1, 2, 2, '{1,1}', NULL,
$$SELECT l_shipmode, dp_count(*) FILTER (WHERE o_orderpriority IN ('1-URGENT', '2-HIGH')), dp_count(*) FILTER (WHERE o_orderpriority NOT IN ('1-URGENT', '2-HIGH'))
FROM orders JOIN lineitem ON o_orderkey = l_orderkey
WHERE l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate AND l_receiptdate >= date '1994-01-01' AND l_receiptdate < date '1995-01-01'
GROUP BY l_shipmode HAVING dp_count(*) > 0.5$$,
$$SELECT l_shipmode, sum(CASE WHEN o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END), sum(CASE WHEN o_orderpriority NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END)
FROM orders JOIN lineitem ON o_orderkey = l_orderkey
WHERE l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate AND l_receiptdate >= date '1994-01-01' AND l_receiptdate < date '1995-01-01'
GROUP BY l_shipmode$$),

(13, 'customers by number of orders', 'as it is', 1, 1, 1, '{1}', NULL,
$$SELECT n, dp_count(*) FROM (SELECT c_custkey, count(o_orderkey) AS n FROM customer LEFT JOIN orders ON o_custkey = c_custkey AND o_comment NOT LIKE '%special%requests%' GROUP BY c_custkey) AS c GROUP BY n$$,
$$SELECT n, count(*) FROM (SELECT c_custkey, count(o_orderkey) AS n FROM customer LEFT JOIN orders ON o_custkey = c_custkey AND o_comment NOT LIKE '%special%requests%' GROUP BY c_custkey) AS c GROUP BY n$$),

(14, 'what promotions are worth', 'as it is', 0, 3, 1, '{NULL}', NULL,
$$SELECT 100 * dp_sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END, 0, 105000) / dp_sum(l_extendedprice * (1 - l_discount), 0, 105000)
FROM lineitem, part WHERE l_partkey = p_partkey AND l_shipdate >= date '1995-09-01' AND l_shipdate < date '1995-10-01'$$,
$$SELECT 100 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) / sum(l_extendedprice * (1 - l_discount))
FROM lineitem, part WHERE l_partkey = p_partkey AND l_shipdate >= date '1995-09-01' AND l_shipdate < date '1995-10-01'$$),

(15, 'the supplier with most revenue', 'changed: suppliers'' nations, not suppliers', 1, 1, 7, '{105000}', NULL,
$$SELECT n_name, dp_sum(l_extendedprice * (1 - l_discount), 0, 105000)
FROM lineitem JOIN supplier ON s_suppkey = l_suppkey JOIN nation ON n_nationkey = s_nationkey
WHERE l_shipdate >= date '1996-01-01' AND l_shipdate < date '1996-04-01' GROUP BY n_name HAVING dp_count(*) > 0.5$$,
$$SELECT n_name, sum(l_extendedprice * (1 - l_discount))
FROM lineitem JOIN supplier ON s_suppkey = l_suppkey JOIN nation ON n_nationkey = s_nationkey
WHERE l_shipdate >= date '1996-01-01' AND l_shipdate < date '1996-04-01' GROUP BY n_name$$),

(16, 'suppliers by kinds of parts', 'public', NULL, NULL, NULL, NULL, NULL, NULL, NULL),

(17, 'revenue of small quantities', 'changed: below a fifth of all such lines'' average, not of each part''s; asked in two steps', 0, 1, 1, '{15000}', $$SELECT dp_mean(l_quantity, 0, 50) FROM lineitem, part WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container = 'MED BOX'$$,
$$SELECT dp_sum(l_extendedprice, 0, 105000) / 7.0 FROM lineitem, part
WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container = 'MED BOX'
	AND l_quantity < 0.2 * $1$$,
$$SELECT sum(l_extendedprice) / 7.0 FROM lineitem, part
WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container = 'MED BOX'
	AND l_quantity < 0.2 * (SELECT avg(l_quantity) FROM lineitem, part WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container = 'MED BOX')$$),

(18, 'large orders', 'changed: by nation, not by order', 1, 1, 1, '{1,600000}', NULL,
$$SELECT n_name, dp_count(*), dp_sum(o_totalprice, 0, 600000)
FROM customer JOIN orders ON o_custkey = c_custkey JOIN nation ON n_nationkey = c_nationkey
WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 250) GROUP BY n_name HAVING dp_count(*) > 0.5$$,
$$SELECT n_name, count(*), sum(o_totalprice)
FROM customer JOIN orders ON o_custkey = c_custkey JOIN nation ON n_nationkey = c_nationkey
WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 250) GROUP BY n_name$$),

(19, 'revenue with a discount', 'as it is', 0, 1, 1, '{105000}', NULL,
$$SELECT dp_sum(l_extendedprice * (1 - l_discount), 0, 105000) FROM lineitem JOIN part ON p_partkey = l_partkey
WHERE l_shipmode IN ('AIR', 'REG AIR') AND l_shipinstruct = 'DELIVER IN PERSON'
	AND (p_brand = 'Brand#12' AND p_container LIKE 'SM%' AND l_quantity BETWEEN 1 AND 11 AND p_size BETWEEN 1 AND 5
		OR p_brand = 'Brand#23' AND p_container LIKE 'MED%' AND l_quantity BETWEEN 10 AND 20 AND p_size BETWEEN 1 AND 10
		OR p_brand = 'Brand#34' AND p_container LIKE 'LG%' AND l_quantity BETWEEN 20 AND 30 AND p_size BETWEEN 1 AND 15)$$,
$$SELECT sum(l_extendedprice * (1 - l_discount)) FROM lineitem JOIN part ON p_partkey = l_partkey
WHERE l_shipmode IN ('AIR', 'REG AIR') AND l_shipinstruct = 'DELIVER IN PERSON'
	AND (p_brand = 'Brand#12' AND p_container LIKE 'SM%' AND l_quantity BETWEEN 1 AND 11 AND p_size BETWEEN 1 AND 5
		OR p_brand = 'Brand#23' AND p_container LIKE 'MED%' AND l_quantity BETWEEN 10 AND 20 AND p_size BETWEEN 1 AND 10
		OR p_brand = 'Brand#34' AND p_container LIKE 'LG%' AND l_quantity BETWEEN 20 AND 30 AND p_size BETWEEN 1 AND 15)$$),

(20, 'demand against stock', 'changed: quantities by suppliers'' nations, of parts by name', 1, 1, 1, '{50}', NULL,
$$SELECT n_name, dp_sum(l_quantity, 0, 50)
FROM lineitem JOIN supplier ON s_suppkey = l_suppkey JOIN nation ON n_nationkey = s_nationkey
WHERE l_partkey IN (SELECT p_partkey FROM part WHERE p_name LIKE 'forest%') AND l_shipdate >= date '1994-01-01' AND l_shipdate < date '1995-01-01' GROUP BY n_name HAVING dp_count(*) > 0.5$$,
$$SELECT n_name, sum(l_quantity)
FROM lineitem JOIN supplier ON s_suppkey = l_suppkey JOIN nation ON n_nationkey = s_nationkey
WHERE l_partkey IN (SELECT p_partkey FROM part WHERE p_name LIKE 'forest%') AND l_shipdate >= date '1994-01-01' AND l_shipdate < date '1995-01-01' GROUP BY n_name$$),

(21, 'suppliers who kept orders waiting', 'as it is', 1, 1, 1, '{1}', NULL,
$$SELECT s_name, dp_count(*) FROM supplier JOIN lineitem AS l1 ON s_suppkey = l1.l_suppkey JOIN orders ON o_orderkey = l1.l_orderkey JOIN nation ON n_nationkey = s_nationkey
WHERE o_orderstatus = 'F' AND l1.l_receiptdate > l1.l_commitdate AND n_name = 'SAUDI ARABIA'
	AND EXISTS (SELECT FROM lineitem AS l2 WHERE l2.l_orderkey = l1.l_orderkey AND l2.l_suppkey <> l1.l_suppkey)
	AND NOT EXISTS (SELECT FROM lineitem AS l3 WHERE l3.l_orderkey = l1.l_orderkey AND l3.l_suppkey <> l1.l_suppkey AND l3.l_receiptdate > l3.l_commitdate)
GROUP BY s_name HAVING dp_count(*) > 0.5$$,
$$SELECT s_name, count(*) FROM supplier JOIN lineitem AS l1 ON s_suppkey = l1.l_suppkey JOIN orders ON o_orderkey = l1.l_orderkey JOIN nation ON n_nationkey = s_nationkey
WHERE o_orderstatus = 'F' AND l1.l_receiptdate > l1.l_commitdate AND n_name = 'SAUDI ARABIA'
	AND EXISTS (SELECT FROM lineitem AS l2 WHERE l2.l_orderkey = l1.l_orderkey AND l2.l_suppkey <> l1.l_suppkey)
	AND NOT EXISTS (SELECT FROM lineitem AS l3 WHERE l3.l_orderkey = l1.l_orderkey AND l3.l_suppkey <> l1.l_suppkey AND l3.l_receiptdate > l3.l_commitdate)
GROUP BY s_name$$),

(22, 'customers with money who never order', 'as it is, in two steps', 1, 1, 1, '{1,10000}', $$SELECT dp_mean(c_acctbal, 0, 10000) FROM customer WHERE c_acctbal > 0 AND substring(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17')$$,
$$SELECT code, dp_count(*), dp_sum(c_acctbal, 0, 10000)
FROM (SELECT substring(c_phone FROM 1 FOR 2) AS code, c_acctbal FROM customer
	WHERE substring(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17')
		AND c_acctbal > $1
		AND NOT EXISTS (SELECT FROM orders WHERE o_custkey = c_custkey)) AS sale
GROUP BY code HAVING dp_count(*) > 0.5$$,
$$SELECT code, count(*), sum(c_acctbal)
FROM (SELECT substring(c_phone FROM 1 FOR 2) AS code, c_acctbal FROM customer
	WHERE substring(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17')
		AND c_acctbal > (SELECT avg(c_acctbal) FROM customer WHERE c_acctbal > 0 AND substring(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17'))
		AND NOT EXISTS (SELECT FROM orders WHERE o_custkey = c_custkey)) AS sale
GROUP BY code$$);

-- A question's text, with what is asked before in it.
CREATE FUNCTION tpch.asked(question integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	q tpch.questions := (SELECT qs FROM tpch.questions AS qs WHERE number = question);
	answer text;
BEGIN
	IF q.first IS NOT NULL THEN
		EXECUTE q.first INTO answer;
	END IF;
	RETURN replace(q.asked, '$1', coalesce(answer, ''));
END
$$;

-- What ../measure.sql measures. Every answer is shown, and counts.
CREATE VIEW tpch.measurable AS
SELECT number, about, form, keys::text AS named_keys, c, m, keys, plain AS truth, plain AS shown, NULL::integer AS counted
FROM tpch.questions WHERE asked IS NOT NULL;
