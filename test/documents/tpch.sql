-- The set-up of doc/tpch.md: the tables of bench/tpch, at a small scale.

CREATE EXTENSION dp_noise;
\set scale 0.001
\ir ../../bench/tpch/data.sql
ALTER DATABASE examples SET search_path = tpch, public;
