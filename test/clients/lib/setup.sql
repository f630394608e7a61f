-- The table that the clients ask about, and whose owner says what is public.
-- Each client has a role of its own, made by lib/check.

\set ON_ERROR_STOP on
SET client_min_messages = warning;
CREATE EXTENSION dp_noise;
CREATE ROLE clients_owner;
CREATE ROLE analysts;
GRANT CREATE ON SCHEMA public TO clients_owner;
SET ROLE clients_owner;
CREATE TABLE people (
	id integer PRIMARY KEY,
	city text NOT NULL,
	smoker boolean NOT NULL,
	age integer NOT NULL,
	weight double precision,
	joined timestamp NOT NULL
);
INSERT INTO people
SELECT i, (ARRAY['Lima', 'Oslo', 'Rome'])[1 + i % 3], i % 4 = 0, 18 + i % 60, 40 + i % 61, timestamp '2024-01-01' + i * interval '2 hours'
FROM generate_series(1, 1300) AS i;
SELECT dp_noise.protect('people', privacy_unit => 'id', epsilon => 1e13, delta => 1), dp_noise.alter_population('people', on_repeat => 'answer');
SELECT dp_noise.set_values('people', 'city', '{Lima,Oslo,Rome}');
SELECT dp_noise.set_bounds('people', 'age', 0, 120);
-- one whose owner shows columns of no key to tools that read information_schema
CREATE TABLE guests (id integer PRIMARY KEY, city text NOT NULL, age integer);
SELECT dp_noise.protect('guests', privacy_unit => 'id', epsilon => 1e6, delta => 1);
GRANT REFERENCES (city, age) ON guests TO analysts;
RESET ROLE;
ANALYZE people;
