-- The set-up of the guides: a clinic's patients, their visits and samples, the Panel
-- Study of Income Dynamics (test/data/README.md), and customers with their orders,
-- all of the role owner; and the roles analyst, ann, south, other_owner, backup and
-- patients_owner, without privileges.

CREATE EXTENSION dp_noise;
CREATE ROLE owner LOGIN;
CREATE ROLE analyst LOGIN;
CREATE ROLE ann LOGIN;
CREATE ROLE south LOGIN;
CREATE ROLE other_owner;
CREATE ROLE backup;
CREATE ROLE patients_owner;
GRANT CREATE ON SCHEMA public TO owner;

SET ROLE owner;
CREATE TABLE patients (
	patient_id integer PRIMARY KEY,
	age integer NOT NULL,
	smoker boolean NOT NULL,
	town text NOT NULL,
	city text NOT NULL,
	region text NOT NULL,
	income integer NOT NULL
);
INSERT INTO patients
SELECT i, 20 + i % 60, i % 4 = 0, 'town ' || i % 7, (ARRAY['Oslo', 'Rome'])[1 + i % 2],
	(ARRAY['north', 'south'])[1 + i % 2], 20000 + i % 50 * 1000 FROM generate_series(1, 7000) AS i;

CREATE TABLE visits (
	visit_id integer PRIMARY KEY,
	person_id integer NOT NULL REFERENCES patients,
	kind text NOT NULL,
	day date NOT NULL,
	cost numeric NOT NULL
);
CREATE TABLE lab (
	sample_id integer PRIMARY KEY,
	visit_id integer NOT NULL REFERENCES visits,
	value numeric NOT NULL
);
INSERT INTO visits
SELECT i, 1 + i % 7000, (ARRAY['check', 'urgent'])[1 + i % 2], '2024-01-01'::date + i % 366, i % 300 FROM generate_series(1, 20000) AS i;
INSERT INTO lab SELECT i, 1 + i % 20000, i % 100 FROM generate_series(1, 30000) AS i;

\ir ../data/psid7682.sql

CREATE TABLE nation (n_nationkey integer PRIMARY KEY, n_name text COLLATE "C" NOT NULL);
INSERT INTO nation VALUES (0, 'ALGERIA'), (1, 'BRAZIL'), (2, 'CANADA');
CREATE TABLE customer (
	c_custkey integer PRIMARY KEY,
	c_nationkey integer NOT NULL REFERENCES nation
);
INSERT INTO customer SELECT i, i % 3 FROM generate_series(1, 900) AS i;
CREATE TABLE orders (
	o_orderkey integer PRIMARY KEY,
	o_custkey integer NOT NULL REFERENCES customer
);
INSERT INTO orders SELECT i, 1 + i % 900 FROM generate_series(1, 3000) AS i;
CREATE TABLE lineitem (
	l_linekey integer PRIMARY KEY,
	l_orderkey integer NOT NULL REFERENCES orders,
	l_quantity integer NOT NULL
);
INSERT INTO lineitem SELECT i, 1 + i % 3000, 1 + i % 50 FROM generate_series(1, 9000) AS i;
GRANT SELECT ON nation TO analyst;
RESET ROLE;
