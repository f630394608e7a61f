-- Protects the people of data.sql: a hit is its user's.  The analyst is
-- clickbench_analyst, the owner clickbench_owner; both are made.

CREATE ROLE clickbench_owner LOGIN;
CREATE ROLE clickbench_analyst LOGIN;
GRANT USAGE ON SCHEMA clickbench TO clickbench_owner, clickbench_analyst;
ALTER TABLE clickbench.hits OWNER TO clickbench_owner;

SET SESSION AUTHORIZATION clickbench_owner;
SET search_path = clickbench, public;
SELECT dp_noise.protect('hits', privacy_unit => 'userid', max_rows_per_unit => 20, max_groups_per_unit => 5, epsilon => 1e13, delta => 1);
SELECT dp_noise.set_bounds('hits', 'userid', 0, 1099511627775);
SELECT dp_noise.set_bounds('hits', 'resolutionwidth', 0, 2000);
SELECT dp_noise.set_bounds('hits', 'eventtime', timestamp '2013-07-01', timestamp '2013-07-31 23:59:59.999999');
SELECT dp_noise.set_bounds('hits', 'eventdate', date '2013-07-01', date '2013-07-31');
SELECT dp_noise.set_bounds('hits', 'advengineid', 0, 18);
SELECT dp_noise.set_bounds('hits', 'isrefresh', 0, 1);
SELECT dp_noise.set_values('hits', 'advengineid', ARRAY(SELECT i::text FROM generate_series(0, 18) AS i));
SELECT dp_noise.set_values('hits', 'searchengineid', ARRAY(SELECT i::text FROM generate_series(0, 30) AS i));
SELECT dp_noise.set_values('hits', 'regionid', ARRAY(SELECT i::text FROM generate_series(1, 200) AS i));
SELECT dp_noise.set_values('hits', 'mobilephone', ARRAY(SELECT i::text FROM generate_series(0, 20) AS i));
SELECT dp_noise.set_values('hits', 'traficsourceid', '{-1,0,1,2,3,6}');
SELECT dp_noise.alter_population('hits', on_repeat => 'answer'), dp_noise.set_budget('clickbench_analyst', 'hits', 1e12, delta => 1);
RESET SESSION AUTHORIZATION;
