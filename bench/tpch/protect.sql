-- Protects the people of data.sql: whoever is a customer owns the orders and
-- their lines, and all three tables are one population.  Parts, suppliers, nations
-- and regions are public.  The analyst is tpch_analyst, the owner tpch_owner; both
-- are made.

CREATE ROLE tpch_owner LOGIN;
CREATE ROLE tpch_analyst LOGIN;
GRANT USAGE ON SCHEMA tpch TO tpch_owner, tpch_analyst;
GRANT SELECT ON tpch.region, tpch.nation, tpch.part, tpch.supplier, tpch.partsupp TO tpch_owner, tpch_analyst;
ALTER TABLE tpch.customer OWNER TO tpch_owner;
ALTER TABLE tpch.orders OWNER TO tpch_owner;
ALTER TABLE tpch.lineitem OWNER TO tpch_owner;

SET SESSION AUTHORIZATION tpch_owner;
SET search_path = tpch, public;
SELECT dp_noise.protect('customer', privacy_unit => 'c_custkey', epsilon => 1e13, delta => 1);
SELECT dp_noise.protect('orders', privacy_unit => 'o_custkey', max_rows_per_unit => 25, max_groups_per_unit => 5, population => 'customer');
SELECT dp_noise.protect('lineitem', privacy_unit => 'l_orderkey -> orders', max_rows_per_unit => 100, max_groups_per_unit => 5, population => 'customer');
SELECT dp_noise.set_values('lineitem', 'l_returnflag', '{A,N,R}');
SELECT dp_noise.set_values('lineitem', 'l_linestatus', '{F,O}');
SELECT dp_noise.set_values('lineitem', 'l_shipmode', '{REG AIR,AIR,RAIL,SHIP,TRUCK,MAIL,FOB}');
SELECT dp_noise.set_values('orders', 'o_orderpriority', '{1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECIFIED,5-LOW}');
SELECT dp_noise.set_values('orders', 'o_orderdate', ARRAY(SELECT d::date::text FROM generate_series('1992-01-01'::date, '1998-08-02', '1 day') AS d));
SELECT dp_noise.set_values('lineitem', 'l_shipdate', ARRAY(SELECT d::date::text FROM generate_series('1992-01-02'::date, '1998-12-01', '1 day') AS d));
SELECT dp_noise.alter_population('customer', on_repeat => 'answer'), dp_noise.set_budget('tpch_analyst', 'customer', 1e12, delta => 1);
RESET SESSION AUTHORIZATION;
