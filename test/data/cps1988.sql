-- The table of cps1988.csv (README.md). Run from the top of the repository.

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
