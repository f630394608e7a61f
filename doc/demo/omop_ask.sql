-- Asks :what :from as the analyst, and, for the truth, as a superuser; for omop.sql.
\echo
\echo :number. :question:
\echo '    SELECT' :what
\echo '   ' :from
SET SESSION AUTHORIZATION analyst;
SELECT :what AS answer, dp_low(:what) AS low, dp_high(:what) AS high :from \gset
RESET SESSION AUTHORIZATION;
-- of a median none is known
\if :{?low}
\else
\set low ''
\set high ''
\endif
SELECT :what AS truth :from \gset
INSERT INTO asked VALUES (:number, :'question', :'truth', nullif(:'low', '')::float8, :'answer', nullif(:'high', '')::float8);
