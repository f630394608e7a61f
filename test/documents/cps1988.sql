-- The set-up of the README: the men of test/data/cps1988.csv, a table of the role
-- owner, and an analyst without privileges.

CREATE EXTENSION dp_noise;
CREATE ROLE owner LOGIN;
CREATE ROLE analyst LOGIN;
\ir ../data/cps1988.sql
ALTER TABLE cps1988 OWNER TO owner;
