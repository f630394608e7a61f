--
-- The settings dp_noise.epsilon, dp_noise.delta and dp_noise.mechanism: defaults,
-- ranges, values that are refused, what they decide. The test settings.pl has those
-- that are set before the library is loaded.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dp_noise;
LOAD 'dp_noise';

SHOW dp_noise.epsilon;
SHOW dp_noise.delta;
SHOW dp_noise.mechanism;
SELECT name, setting, unit, context, vartype, min_val, max_val, boot_val, short_desc, extra_desc
FROM pg_settings WHERE name IN ('dp_noise.epsilon', 'dp_noise.delta', 'dp_noise.mechanism') ORDER BY name \gx

-- epsilon
SET dp_noise.epsilon = 0;
SET dp_noise.epsilon = -1;
SET dp_noise.epsilon = 9.5e-7;
SET dp_noise.epsilon = 1000000.1;
SET dp_noise.epsilon = 'NaN';
SET dp_noise.epsilon = 'Infinity';
SET dp_noise.epsilon = 'one';
SET dp_noise.epsilon = '';
SET dp_noise.epsilon = '1 kB';
SELECT set_config('dp_noise.epsilon', '1e400', false);
SHOW dp_noise.epsilon;
SET dp_noise.epsilon = 9.5367431640625e-7;
SHOW dp_noise.epsilon;
SET dp_noise.epsilon = 1000000;
SHOW dp_noise.epsilon;
RESET dp_noise.epsilon;

-- delta
SET dp_noise.delta = -1e-6;
SET dp_noise.delta = 1.1;
SET dp_noise.delta = 'NaN';
SET dp_noise.delta = 'none';
SHOW dp_noise.delta;
SET dp_noise.delta = 1;
SHOW dp_noise.delta;
SET dp_noise.delta = 1e-24;
SHOW dp_noise.delta;
RESET dp_noise.delta;

-- mechanism
SET dp_noise.mechanism = 'gauss';
SET dp_noise.mechanism = '';
SET dp_noise.mechanism = 'staircase(gamma=2)';
SET dp_noise.mechanism = 'laplace(';
SET dp_noise.mechanism = 'Laplace';
SET dp_noise.mechanism TO DEFAULT;
SHOW dp_noise.mechanism;
SET dp_noise.mechanism = 'staircase(gamma=0.5)';
SHOW dp_noise.mechanism;
-- a mechanism that only some aggregates have
SET dp_noise.mechanism = exponential;
SELECT dp_max(x, 0, 10, 1000000) BETWEEN 0 AND 10 AS offered FROM generate_series(1, 4) AS x;
SELECT dp_sum(x, 0, 10) FROM generate_series(1, 4) AS x;
SELECT dp_count(*) FROM generate_series(1, 4) AS x;
-- an argument goes before the setting; medians have no choice
SELECT dp_sum(x, 0, 10, 1000000, 'laplace') FROM generate_series(1, 4) AS x;
SELECT dp_median_exp(x, 0, 10, 1000000) FROM generate_series(1, 3) AS x;
SET dp_noise.mechanism = gaussian;
SELECT dp_count(*) FROM generate_series(1, 4) AS x;
RESET dp_noise.mechanism;

-- epsilon decides the noise
SET dp_noise.epsilon = 1000000;
SELECT dp_count(*), dp_sum(x, 0, 10), dp_median_exp(x, 0, 10) FROM generate_series(1, 3) AS x;
-- P(|X| < 1000) is below 1e-9 for a sum of sensitivity 10^15 at epsilon 0.001
SET dp_noise.epsilon = 0.001;
SELECT abs(dp_sum(x, 0, 1000000000000000)) > 1000 AS noisy FROM generate_series(1, 3) AS x;
RESET dp_noise.epsilon;

-- in transactions, functions, roles and databases
BEGIN;
SET LOCAL dp_noise.epsilon = 1000000;
SELECT dp_count(*) FROM generate_series(1, 5);
COMMIT;
SHOW dp_noise.epsilon;
CREATE FUNCTION pg_temp.exact() RETURNS bigint LANGUAGE sql SET dp_noise.epsilon = 1000000 AS 'SELECT dp_count(*) FROM generate_series(1, 5)';
SELECT pg_temp.exact();
SHOW dp_noise.epsilon;
CREATE ROLE regress_dp_noise_user;
ALTER ROLE regress_dp_noise_user SET dp_noise.epsilon = -3;
ALTER ROLE regress_dp_noise_user SET dp_noise.mechanism = 'bogus';
ALTER ROLE regress_dp_noise_user SET dp_noise.epsilon = 3;
DROP ROLE regress_dp_noise_user;

-- the prefix is reserved
SET dp_noise.epsilonn = 1;
SELECT set_config('dp_noise.anything', 'x', false);
