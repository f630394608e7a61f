-- What `make try` begins with: the tables of the README, and what to do next.
\set QUIET on
SET client_min_messages = warning;
\ir ../../test/documents/readme.sql
\echo 'The tables of the README are here, and are not protected yet. Become their owner and'
\echo 'protect them as in the README, then become the analyst and ask:'
\echo
\echo '    \\c - owner'
\echo '    \\c - analyst'
\echo
\echo 'The server and all that is in it go when you leave (\\q).'
