-- What `make try` begins with: the table of the README, and what to do next.
\set QUIET on
SET client_min_messages = warning;
\ir ../../test/documents/cps1988.sql
\echo 'The table cps1988 is here, and is not protected yet. Become its owner and protect'
\echo 'it as in the README, then become the analyst and ask:'
\echo
\echo '    \\c - owner'
\echo '    \\c - analyst'
\echo
\echo 'The server and all that is in it go when you leave (\\q).'
