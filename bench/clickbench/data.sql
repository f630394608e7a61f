-- Hits of a web site's counter: a table with the columns of ClickBench's that
-- its aggregate questions read, filled by SQL of our own.
--
--   psql -v scale=0.01 -f bench/clickbench/data.sql
--
-- Each value is a hash of its row's number and its column, or of its user's, so
-- that every run makes the same rows.  At scale 1: 1,000,000 hits of 150,000
-- people, a hundredth of ClickBench's.  Few people, pages and phrases make most
-- hits: what is drawn is u^k for a uniform u.  Makes the schema clickbench.

\if :{?scale}
\else
\set scale 0.01
\endif

CREATE SCHEMA clickbench;
SET search_path = clickbench, public;

CREATE TABLE hits (
	watchid bigint NOT NULL,
	userid bigint NOT NULL,
	eventtime timestamp NOT NULL,
	eventdate date NOT NULL,
	counterid integer NOT NULL,
	clientip integer NOT NULL,
	regionid integer NOT NULL,
	resolutionwidth smallint NOT NULL,
	windowclientwidth smallint NOT NULL,
	windowclientheight smallint NOT NULL,
	mobilephone smallint NOT NULL,
	mobilephonemodel text COLLATE "C" NOT NULL,
	advengineid smallint NOT NULL,
	searchengineid smallint NOT NULL,
	searchphrase text COLLATE "C" NOT NULL,
	traficsourceid smallint NOT NULL,
	url text COLLATE "C" NOT NULL,
	urlhash bigint NOT NULL,
	title text COLLATE "C" NOT NULL,
	referer text COLLATE "C" NOT NULL,
	refererhash bigint NOT NULL,
	isrefresh smallint NOT NULL,
	islink smallint NOT NULL,
	isdownload smallint NOT NULL,
	dontcounthits smallint NOT NULL
);

-- A number from 0 up to one, evenly, and from 0 to n - 1, low ones more often.
CREATE FUNCTION even(which bigint, of bigint) RETURNS double precision LANGUAGE sql IMMUTABLE AS
'SELECT (hashint8extended(of, which) & 4503599627370495) / 4503599627370496.0::double precision';
CREATE FUNCTION skewed(which bigint, of bigint, n bigint, k double precision) RETURNS bigint LANGUAGE sql IMMUTABLE AS
'SELECT floor(n * power(even(which, of), k))::bigint';
CREATE FUNCTION pick(which bigint, of bigint, words text[]) RETURNS text LANGUAGE sql IMMUTABLE AS
'SELECT words[1 + skewed(which, of, cardinality(words), 1.5)]';

SELECT greatest(:scale * 150000, 300)::bigint AS people, greatest(:scale * 1000000, 2000)::bigint AS hits \gset

CREATE TEMPORARY TABLE people AS
SELECT i AS person, hashint8extended(i, 1) & 1099511627775 AS userid,
	(167772160 + skewed(2, i, 20000, 3) * 256 + skewed(3, i, 250, 3))::integer AS clientip, (1 + skewed(4, i, 200, 2))::integer AS regionid,
	('{1366,1920,1280,1024,1440,1600,320,768}'::smallint[])[1 + skewed(5, i, 8, 1.5)] AS width, phone,
	CASE phone WHEN 0 THEN '' ELSE pick(7, i, '{pocket,pad,talk,view,mini}') || ' ' || 1 + skewed(8, i, 9, 2) END AS model
FROM generate_series(1, :people) AS i, LATERAL (SELECT CASE WHEN even(9, i) < 0.85 THEN 0 ELSE 1 + skewed(6, i, 20, 2) END AS phone) AS p;

INSERT INTO hits
SELECT hashint8extended(i, 20), userid, at, at::date, counter, clientip, regionid, width, width - skewed(21, i, 40, 2), width / 2 + skewed(22, i, 60, 2), phone, model,
	adv, engine, CASE engine WHEN 0 THEN '' ELSE pick(23, i, '{cheap,new,old,used,best,local}') || ' ' || pick(24, i, '{car,phone,flat,recipe,film,song,game,job,shoe,map}') || repeat(' ' || skewed(25, i, 300, 3), (even(26, i) < 0.4)::integer) END,
	CASE WHEN adv > 0 THEN 2 WHEN engine > 0 THEN 3 ELSE ('{0,-1,1,6}'::integer[])[1 + skewed(27, i, 4, 1.2)] END,
	'http://' || host || '/' || page, hashtextextended(host || page, 0), 'Page ' || page || ' of ' || CASE counter % 7 WHEN 3 THEN 'Mapshop' ELSE 'site ' END || counter,
	CASE WHEN from_ < 0 THEN '' ELSE 'http://' || CASE from_ % 3 WHEN 0 THEN 'www.' ELSE '' END || 'from' || from_ || '.example/' || skewed(28, i, 50, 3) END, from_,
	(even(29, i) < 0.12)::integer, (even(30, i) < 0.07)::integer, (even(31, i) < 0.01)::integer, (even(32, i) < 0.05)::integer
FROM generate_series(1, :hits) AS i
JOIN people ON person = 1 + skewed(33, i, :people, 1.5),
	LATERAL (SELECT timestamp '2013-07-01' + even(34, i) * interval '31 days' AS at, (1 + skewed(35, i, 500, 3))::integer AS counter, CASE WHEN even(36, i) < 0.98 THEN 0 ELSE 1 + skewed(37, i, 18, 2) END AS adv,
		CASE WHEN even(38, i) < 0.87 THEN 0 ELSE 1 + skewed(39, i, 30, 2) END AS engine, CASE WHEN even(40, i) < 0.2 THEN -1 ELSE skewed(41, i, 3000, 3) END AS from_, skewed(42, i, 400, 4) AS page) AS v,
	LATERAL (SELECT CASE counter % 9 WHEN 4 THEN 'mapshop' ELSE 'site' END || counter || '.example' AS host) AS h;
DROP TABLE people;
DROP FUNCTION pick, skewed, even;
