-- :debug_parallel_query, the setting that was called force_parallel_mode before
-- version 16.
\pset format unaligned
\pset tuples_only on
SELECT name AS debug_parallel_query FROM pg_settings
WHERE name IN ('debug_parallel_query', 'force_parallel_mode') \gset
