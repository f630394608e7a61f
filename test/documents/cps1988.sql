-- The set-up of the README: the men of test/data/cps1988.csv, a table of the role
-- owner, and an analyst without privileges.

CREATE EXTENSION dp_noise;
CREATE ROLE owner LOGIN;
CREATE ROLE analyst LOGIN;
CREATE TABLE cps1988 (
	person_id integer PRIMARY KEY,
	wage double precision NOT NULL,
	education integer NOT NULL,
	experience integer NOT NULL,
	ethnicity text NOT NULL,
	smsa boolean NOT NULL,
	region text NOT NULL,
	parttime boolean NOT NULL
);
\copy cps1988 FROM 'test/data/cps1988.csv' WITH (FORMAT csv, HEADER)
ALTER TABLE cps1988 OWNER TO owner;
