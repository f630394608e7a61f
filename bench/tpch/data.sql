-- Customers, their orders and the orders' lines, with the parts and suppliers
-- that the lines name: tables, columns and distributions as the public
-- specification of TPC-H describes them, filled by SQL of our own.
--
--   psql -v scale=0.01 -f bench/tpch/data.sql
--
-- Each value is a hash of its row's number and its column, so that every run
-- makes the same rows.  At scale 1: 150,000 customers (a third of whom never
-- order), 1,500,000 orders, about 6,000,000 lines.  Makes the schema tpch.

\if :{?scale}
\else
\set scale 0.01
\endif

CREATE SCHEMA tpch;
SET search_path = tpch, public;

CREATE TABLE region (r_regionkey integer PRIMARY KEY, r_name text COLLATE "C" NOT NULL);
CREATE TABLE nation (n_nationkey integer PRIMARY KEY, n_name text COLLATE "C" NOT NULL, n_regionkey integer NOT NULL REFERENCES region);
CREATE TABLE part (
	p_partkey integer NOT NULL,
	p_name text COLLATE "C" NOT NULL,
	p_mfgr text COLLATE "C" NOT NULL,
	p_brand text COLLATE "C" NOT NULL,
	p_type text COLLATE "C" NOT NULL,
	p_size integer NOT NULL,
	p_container text COLLATE "C" NOT NULL,
	p_retailprice numeric(15, 2) NOT NULL
);
CREATE TABLE supplier (
	s_suppkey integer NOT NULL,
	s_name text COLLATE "C" NOT NULL,
	s_nationkey integer NOT NULL,
	s_phone text COLLATE "C" NOT NULL,
	s_acctbal numeric(15, 2) NOT NULL,
	s_comment text COLLATE "C" NOT NULL
);
CREATE TABLE partsupp (
	ps_partkey integer NOT NULL,
	ps_suppkey integer NOT NULL,
	ps_availqty integer NOT NULL,
	ps_supplycost numeric(15, 2) NOT NULL
);
CREATE TABLE customer (
	c_custkey integer NOT NULL,
	c_name text COLLATE "C" NOT NULL,
	c_nationkey integer NOT NULL,
	c_phone text COLLATE "C" NOT NULL,
	c_acctbal numeric(15, 2) NOT NULL,
	c_mktsegment text COLLATE "C" NOT NULL
);
CREATE TABLE orders (
	o_orderkey integer NOT NULL,
	o_custkey integer NOT NULL,
	o_orderstatus text COLLATE "C" NOT NULL,
	o_totalprice numeric(15, 2) NOT NULL,
	o_orderdate date NOT NULL,
	o_orderpriority text COLLATE "C" NOT NULL,
	o_shippriority integer NOT NULL,
	o_comment text COLLATE "C" NOT NULL
);
CREATE TABLE lineitem (
	l_orderkey integer NOT NULL,
	l_partkey integer NOT NULL,
	l_suppkey integer NOT NULL,
	l_linenumber integer NOT NULL,
	l_quantity numeric(15, 2) NOT NULL,
	l_extendedprice numeric(15, 2) NOT NULL,
	l_discount numeric(15, 2) NOT NULL,
	l_tax numeric(15, 2) NOT NULL,
	l_returnflag text COLLATE "C" NOT NULL,
	l_linestatus text COLLATE "C" NOT NULL,
	l_shipdate date NOT NULL,
	l_commitdate date NOT NULL,
	l_receiptdate date NOT NULL,
	l_shipinstruct text COLLATE "C" NOT NULL,
	l_shipmode text COLLATE "C" NOT NULL
);

-- A number between two, from a column's and a row's.
CREATE FUNCTION draw(which bigint, of bigint, low bigint, high bigint) RETURNS integer LANGUAGE sql IMMUTABLE AS
'SELECT (low + (hashint8extended(of, which) & 1152921504606846975) % (high - low + 1))::integer';
CREATE FUNCTION pick(which bigint, of bigint, words text[]) RETURNS text LANGUAGE sql IMMUTABLE AS
'SELECT words[draw(which, of, 1, cardinality(words))]';

INSERT INTO region VALUES (0, 'AFRICA'), (1, 'AMERICA'), (2, 'ASIA'), (3, 'EUROPE'), (4, 'MIDDLE EAST');
INSERT INTO nation VALUES
	(0, 'ALGERIA', 0), (1, 'ARGENTINA', 1), (2, 'BRAZIL', 1), (3, 'CANADA', 1), (4, 'EGYPT', 4),
	(5, 'ETHIOPIA', 0), (6, 'FRANCE', 3), (7, 'GERMANY', 3), (8, 'INDIA', 2), (9, 'INDONESIA', 2),
	(10, 'IRAN', 4), (11, 'IRAQ', 4), (12, 'JAPAN', 2), (13, 'JORDAN', 4), (14, 'KENYA', 0),
	(15, 'MOROCCO', 0), (16, 'MOZAMBIQUE', 0), (17, 'PERU', 1), (18, 'CHINA', 2), (19, 'ROMANIA', 3),
	(20, 'SAUDI ARABIA', 4), (21, 'VIETNAM', 2), (22, 'RUSSIA', 3), (23, 'UNITED KINGDOM', 3), (24, 'UNITED STATES', 1);

-- Suppliers: so many that none of a part's four is another, see supplier_of
SELECT n + (n % 3 = 0)::integer AS suppliers, greatest(:scale * 200000, 100)::integer AS parts,
	greatest(:scale * 150000, 30)::integer AS customers, greatest(:scale * 1500000, 300)::integer AS orders
FROM CAST(greatest(:scale * 10000, 80) AS integer) AS n \gset

INSERT INTO part
SELECT i,
	(SELECT string_agg(coalesce(('{almond,azure,beige,blue,chocolate,coral,cream,forest,frosted,ghost,green,honeydew,indian,ivory,khaki,lemon,linen,maroon,mint,navy,olive,peru,plum,red,rose,salmon,sky,tan,violet,white}'::text[])[n], 'shade' || n), ' ') FROM generate_series(1, 5) AS w, draw(10 + w, i, 1, 92) AS n),
	'Manufacturer#' || m, 'Brand#' || m || draw(2, i, 1, 5),
	pick(3, i, '{STANDARD,SMALL,MEDIUM,LARGE,ECONOMY,PROMO}') || ' ' || pick(4, i, '{ANODIZED,BURNISHED,PLATED,POLISHED,BRUSHED}') || ' ' || pick(5, i, '{TIN,NICKEL,BRASS,STEEL,COPPER}'),
	draw(6, i, 1, 50),
	pick(7, i, '{SM,LG,MED,JUMBO,WRAP}') || ' ' || pick(8, i, '{CASE,BOX,BAG,JAR,PKG,PACK,CAN,DRUM}'),
	(90000 + i / 10 % 20001 + 100 * (i % 1000)) / 100.0
FROM generate_series(1, :parts) AS i, draw(1, i, 1, 5) AS m;

INSERT INTO supplier
SELECT i, 'Supplier#' || lpad(i::text, 9, '0'), n, n + 10 || '-' || draw(21, i, 1000000, 9999999), draw(22, i, -99999, 999999) / 100.0,
	CASE draw(23, i, 1, 1000) WHEN 1 THEN 'Customer Complaints' WHEN 2 THEN 'Customer Recommends' ELSE 'on time' END
FROM generate_series(1, :suppliers) AS i, draw(20, i, 0, 24) AS n;

-- Four suppliers a part, spread so that each has as many parts.
CREATE FUNCTION supplier_of(part bigint, which bigint, suppliers bigint) RETURNS integer LANGUAGE sql IMMUTABLE AS
'SELECT ((part + which * (suppliers / 4 + (part - 1) / suppliers)) % suppliers + 1)::integer';
INSERT INTO partsupp
SELECT p, supplier_of(p, s, :suppliers), draw(31, p * 4 + s, 1, 9999), draw(32, p * 4 + s, 100, 100000) / 100.0
FROM generate_series(1, :parts) AS p, generate_series(0, 3) AS s;

INSERT INTO customer
SELECT i, 'Customer#' || lpad(i::text, 9, '0'), n, n + 10 || '-' || draw(41, i, 1000000, 9999999), draw(42, i, -99999, 999999) / 100.0,
	pick(43, i, '{AUTOMOBILE,BUILDING,FURNITURE,MACHINERY,HOUSEHOLD}')
FROM generate_series(1, :customers) AS i, draw(40, i, 0, 24) AS n;

-- Of 32 numbers of orders 8 are used; a customer whose number is a multiple of
-- three has none.
CREATE TEMPORARY TABLE dates AS
SELECT i / 8 * 32 + i % 8 AS key, draw(50, i, 0, :customers / 3 * 2 - 1) AS customer, date '1992-01-01' + draw(51, i, 0, 2405) AS day
FROM generate_series(1, :orders) AS i;
INSERT INTO lineitem
SELECT key, p, supplier_of(p, draw(61, line, 0, 3), :suppliers), l, quantity, quantity * (90000 + p / 10 % 20001 + 100 * (p % 1000)) / 100.0,
	draw(62, line, 0, 10) / 100.0, draw(63, line, 0, 8) / 100.0,
	CASE WHEN received > date '1995-06-17' THEN 'N' ELSE pick(64, line, '{R,A}') END,
	CASE WHEN shipped > date '1995-06-17' THEN 'O' ELSE 'F' END,
	shipped, day + draw(65, line, 30, 90), received,
	pick(66, line, '{DELIVER IN PERSON,COLLECT COD,NONE,TAKE BACK RETURN}'), pick(67, line, '{REG AIR,AIR,RAIL,SHIP,TRUCK,MAIL,FOB}')
FROM dates, draw(60, key, 1, 7) AS lines, generate_series(1, lines) AS l, LATERAL (SELECT key * 8::bigint + l AS line) AS n,
	draw(68, line, 1, :parts) AS p, draw(69, line, 1, 50) AS quantity,
	LATERAL (SELECT day + draw(70, line, 1, 121) AS shipped) AS s, LATERAL (SELECT shipped + draw(71, line, 1, 30) AS received) AS r;
INSERT INTO orders
SELECT key, customer / 2 * 3 + customer % 2 + 1, status, total, day, pick(81, key, '{1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECIFIED,5-LOW}'), 0,
	CASE WHEN draw(82, key, 1, 90) = 1 THEN 'has special requests' ELSE 'as always' END
FROM dates JOIN (SELECT l_orderkey AS key, CASE WHEN min(l_linestatus) = max(l_linestatus) THEN min(l_linestatus) ELSE 'P' END AS status,
	sum(l_extendedprice * (1 + l_tax) * (1 - l_discount)) AS total FROM lineitem GROUP BY l_orderkey) AS l USING (key);
DROP TABLE dates;
DROP FUNCTION pick, draw, supplier_of;

ALTER TABLE part ADD PRIMARY KEY (p_partkey);
ALTER TABLE supplier ADD PRIMARY KEY (s_suppkey), ADD FOREIGN KEY (s_nationkey) REFERENCES nation;
ALTER TABLE partsupp ADD PRIMARY KEY (ps_partkey, ps_suppkey), ADD FOREIGN KEY (ps_partkey) REFERENCES part, ADD FOREIGN KEY (ps_suppkey) REFERENCES supplier;
ALTER TABLE customer ADD PRIMARY KEY (c_custkey), ADD FOREIGN KEY (c_nationkey) REFERENCES nation;
ALTER TABLE orders ADD PRIMARY KEY (o_orderkey), ADD FOREIGN KEY (o_custkey) REFERENCES customer;
ALTER TABLE lineitem ADD PRIMARY KEY (l_orderkey, l_linenumber), ADD FOREIGN KEY (l_orderkey) REFERENCES orders,
	ADD FOREIGN KEY (l_partkey, l_suppkey) REFERENCES partsupp;
CREATE INDEX ON orders (o_custkey);
