-- The table of psid7682.csv (README.md). Run from the top of the repository.

CREATE TABLE psid7682 (
	person_id integer NOT NULL,
	year integer NOT NULL,
	wage double precision NOT NULL,
	weeks integer NOT NULL,
	experience integer NOT NULL,
	education integer NOT NULL,
	occupation text NOT NULL,
	industry boolean NOT NULL,
	south boolean NOT NULL,
	smsa boolean NOT NULL,
	married boolean NOT NULL,
	gender text NOT NULL,
	unionized boolean NOT NULL,
	ethnicity text NOT NULL
);
\copy psid7682 FROM 'test/data/psid7682.csv' WITH (FORMAT csv, HEADER)
