-- The set-up of doc/clickbench.md: the table of bench/clickbench, at a small scale.

CREATE EXTENSION dp_noise;
\set scale 0.001
\ir ../../bench/clickbench/data.sql
ALTER DATABASE examples SET search_path = clickbench, public;
