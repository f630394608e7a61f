-- The demonstration: true and private answers over the same people.
--
-- Data: US Census Bureau, March 1988 Current Population Survey, men 18-70, as
-- analysed by Bierens and Ginther 2001; see test/data/README.md.

\set lower 0
\set upper 20000
\pset footer off
\pset linestyle unicode
\pset border 1

CREATE EXTENSION dp_noise;

\ir ../../test/data/cps1988.sql

SET dp_noise.epsilon = 1;

CREATE TEMPORARY TABLE truth AS
SELECT region,
	count(*) AS count,
	sum(wage) AS sum,
	avg(wage) AS mean,
	max(wage) AS max,
	percentile_cont(0.25) WITHIN GROUP (ORDER BY wage) AS quartile_1,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY wage) AS median,
	percentile_cont(0.75) WITHIN GROUP (ORDER BY wage) AS quartile_3
FROM cps1988
GROUP BY region;

CREATE TEMPORARY TABLE private AS
SELECT region,
	dp_count(*) AS count,
	dp_sum(wage, :lower, :upper) AS sum,
	dp_mean(wage, :lower, :upper) AS mean,
	dp_max(wage, :lower, :upper) AS max,
	dp_quantile_exp(wage, 0.25, :lower, :upper) AS quartile_1,
	dp_median_exp(wage, :lower, :upper) AS median,
	dp_quantile_exp(wage, 0.75, :lower, :upper) AS quartile_3
FROM cps1988
GROUP BY region;

-- The error of count, sum and mean follows from public facts. That of the
-- others depends on the data, so it is measured here over 200 draws.
CREATE TEMPORARY TABLE expected AS
SELECT t.region,
	(dp_expected_error('geometric', 1)).mean_absolute AS count,
	(dp_expected_error('staircase', 1, :upper)).mean_absolute AS sum,

	-- Laplace noise on two complementary sums: with p the position of the mean
	-- between the bounds, E|error| = (upper - lower) (1 - p + p^2) / (epsilon n)
	(:upper - :lower) * (1 - p + p * p) / t.count AS mean,
	d.max, d.quartile_1, d.median, d.quartile_3
FROM truth AS t
CROSS JOIN LATERAL (SELECT (t.mean - :lower) / (:upper - :lower) AS p) AS place
JOIN (
	SELECT region,
		avg(abs(draw.max - t.max)) AS max,
		avg(abs(draw.quartile_1 - t.quartile_1)) AS quartile_1,
		avg(abs(draw.median - t.median)) AS median,
		avg(abs(draw.quartile_3 - t.quartile_3)) AS quartile_3
	FROM (
		SELECT region,
			dp_max(wage, :lower, :upper) AS max,
			dp_quantile_exp(wage, 0.25, :lower, :upper) AS quartile_1,
			dp_median_exp(wage, :lower, :upper) AS median,
			dp_quantile_exp(wage, 0.75, :lower, :upper) AS quartile_3
		FROM cps1988, generate_series(1, 200) AS attempt
		GROUP BY region, attempt
	) AS draw
	JOIN truth AS t USING (region)
	GROUP BY region
) AS d USING (region);

\echo
\echo Weekly wages (USD) of 28,155 men, US Current Population Survey, March 1988.
\echo Private answers at epsilon 1 each, bounds 0 and 20000; the expected error is
\echo the mean of |private - true|.
\echo

SELECT t.region AS "region", a.aggregate,
	to_char(a.truth, 'FM999,999,990.00') AS "true",
	to_char(a.private, 'FM999,999,990.00') AS "private",
	to_char(a.expected, 'FM999,999,990.00') AS "expected error"
FROM truth AS t
JOIN private AS p USING (region)
JOIN expected AS e USING (region)
CROSS JOIN LATERAL (VALUES
	(1, 'count', t.count, p.count, e.count),
	(2, 'sum', t.sum, p.sum, e.sum),
	(3, 'mean', t.mean, p.mean, e.mean),
	(4, 'lower quartile', t.quartile_1, p.quartile_1, e.quartile_1),
	(5, 'median', t.median, p.median, e.median),
	(6, 'upper quartile', t.quartile_3, p.quartile_3, e.quartile_3),
	(7, 'max', t.max, p.max, e.max)
) AS a (place, aggregate, truth, private, expected)
ORDER BY t.region, a.place;

\echo
\echo The maximum hides the few who earn most: a lone extreme row cannot be released.
\echo
\echo Whoever can read a table, as the superuser does here, can ask again and again, and
\echo average the noise away. So the table is protected now, and questions are charged.
\echo

-- The same table, protected: an analyst without any privilege on it asks.
--
-- From here on, some statements fail on purpose.

\set ON_ERROR_STOP off
\set VERBOSITY default
SET client_min_messages = warning;

\echo
\echo -- The owner protects the table, says what may be learnt in all, and hands out epsilon.
\echo
\set ECHO queries
SELECT dp_noise.protect('cps1988', privacy_unit => 'person_id', epsilon => 10);
SELECT dp_noise.set_bounds('cps1988', 'wage', 0, 20000);
SELECT dp_noise.set_values('cps1988', 'region', '{midwest,northeast,south,west}');
CREATE ROLE analyst LOGIN;
SELECT dp_noise.set_budget('analyst', 'cps1988', epsilon => 6, max_epsilon_per_query => 3);
\set ECHO none

SET SESSION AUTHORIZATION analyst;

\echo
\echo -- The analyst may not read a row:
\echo
\set ECHO queries
SELECT wage FROM cps1988 LIMIT 1;
\set ECHO none

\echo
\echo -- but sees the price of a question, free,
\echo
\set ECHO queries
EXPLAIN (COSTS off) SELECT dp_count(*), dp_mean(wage) FROM cps1988 WHERE education >= 16 AND NOT parttime;
\set ECHO none

\echo
\echo -- and gets answers.
\echo
\set ECHO queries
SELECT dp_count(*), dp_mean(wage) FROM cps1988 WHERE education >= 16 AND NOT parttime;
\set ECHO none

\echo
\echo -- Grouped by a key whose values are public, each value gets an answer; that costs no more.
\echo
\set ECHO queries
SELECT region, dp_mean(wage) AS mean, dp_median_exp(wage) AS median FROM cps1988 WHERE parttime GROUP BY region ORDER BY mean DESC;
\set ECHO none

\echo
\echo -- The same question, in other words, gets the same answer, free:
\echo
\set ECHO queries
SELECT dp_count(1) AS again FROM cps1988 AS c WHERE NOT c.parttime AND 16 <= c.education;
\set ECHO none

\echo
\echo -- ROLLBACK gives nothing back:
\echo
\set ECHO queries
BEGIN;
SELECT dp_median_exp(wage) FROM cps1988 WHERE region = 'south';
ROLLBACK;
SELECT population, granted, spent, remaining, queries_left FROM dp_budget;
\set ECHO none

\echo
\echo -- and when the budget is spent, questions are refused.
\echo
\set ECHO queries
SELECT dp_count(*), dp_sum(wage), dp_max(wage) FROM cps1988 WHERE smsa;
\set ECHO none

SET SESSION AUTHORIZATION postgres;
\echo
\echo -- What the owner sees:
\echo
\set ECHO queries
SELECT role, aggregate, mechanism, epsilon FROM dp_noise.ledger;
\set ECHO none

-- A table with several rows a person: the Panel Study of Income Dynamics, 595
-- people, 7 years each; see test/data/README.md.

SET client_min_messages = warning;
\ir ../../test/data/psid7682.sql

\echo
\echo -- 595 people with 7 rows each, weekly wages 1976-1982: the noise hides all rows of a person.
\echo -- Budgets belong to these people, whatever tables hold data about them.
\echo
\set ECHO queries
SELECT dp_noise.create_population('panel', epsilon => 20);
SELECT dp_noise.protect('psid7682', privacy_unit => 'person_id', population => 'panel', max_rows_per_unit => 7, max_groups_per_unit => 2);
SELECT dp_noise.set_bounds('psid7682', 'wage', 0, 4000);
SELECT dp_noise.set_budget('analyst', 'panel', epsilon => 10);
\set ECHO none

SET SESSION AUTHORIZATION analyst;
\echo
\echo -- How the contribution of each person is bounded:
\echo
\set ECHO queries
EXPLAIN (COSTS off) SELECT dp_count(*), dp_sum(wage), dp_median(wage) FROM psid7682;
\set ECHO none

SET SESSION AUTHORIZATION postgres;
\echo
\echo -- The truth, which the owner may see,
\echo
\set ECHO queries
SELECT count(DISTINCT person_id) AS people, count(*) AS rows, round(avg(wage)) AS mean,
	percentile_disc(0.5) WITHIN GROUP (ORDER BY wage) AS median FROM psid7682;
SELECT unionized, count(*) AS rows, round(avg(wage)) AS mean FROM psid7682 GROUP BY unionized ORDER BY unionized;
\set ECHO none

SET SESSION AUTHORIZATION analyst;
\echo
\echo -- and what an analyst gets. Some people joined a union or left it: they count in both groups.
\echo
\set ECHO queries
SELECT dp_count_distinct(person_id) AS people, dp_count(*) AS rows, round(dp_mean(wage)) AS mean,
	round(dp_median(wage)) AS median FROM psid7682;
SELECT unionized, dp_count(*) AS rows, round(dp_mean(wage)) AS mean FROM psid7682 GROUP BY unionized ORDER BY unionized;
\set ECHO none

SET SESSION AUTHORIZATION postgres;
CREATE TABLE psid_people AS SELECT person_id, max(gender) AS gender, max(education) AS education FROM psid7682 GROUP BY person_id;
ALTER TABLE psid_people ADD PRIMARY KEY (person_id), ALTER gender SET NOT NULL;
\echo
\echo -- What is known about the people themselves is in a table of its own, of the same population:
\echo
\set ECHO queries
SELECT dp_noise.protect('psid_people', privacy_unit => 'person_id', population => 'panel');
SELECT dp_noise.set_values('psid_people', 'gender', '{female,male}');
SELECT p.gender, count(*) AS rows, round(avg(wage)) AS mean FROM psid_people AS p JOIN psid7682 AS w USING (person_id) GROUP BY p.gender ORDER BY p.gender;
\set ECHO none

SET SESSION AUTHORIZATION analyst;
\echo
\echo -- A question about both tables is charged once, and what each person adds to it is bounded after the join.
\echo
\set ECHO queries
SELECT p.gender, dp_count(*) AS rows, round(dp_mean(wage)) AS mean FROM psid_people AS p JOIN psid7682 AS w USING (person_id) GROUP BY p.gender ORDER BY p.gender;
SELECT population, granted, spent, remaining FROM dp_budget ORDER BY population;
\set ECHO none
