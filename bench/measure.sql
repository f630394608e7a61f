-- Measures a set of questions: each is asked at its c and m in turns with the plain
-- query. Prints a line each: how much of what the plain query shows was released,
-- the error of all answers, the median of |asked - plain| as a part of plain, the
-- median time of both, and the median ratio.
--
--   psql -v schema=tpch -v repeats=3 -v epsilon=1 -f bench/measure.sql
--
-- The schema has the functions cells (cells.sql) and asked, which gives the text of
-- a question, and the view measurable (both of the set's questions.sql):
--
--   named_keys   as they are printed
--   keys         how many columns come before the answers
--   truth        the plain query that answers are compared with
--   shown        the one that is timed: perhaps only some of its rows
--   counted      how many answers of a row count as released; null: all

\if :{?repeats}
\else
\set repeats 3
\endif
\if :{?epsilon}
\else
\set epsilon 1
\endif

SET search_path = :schema, public;
SET dp_noise.epsilon = :epsilon;
SET dp_noise.delta = 1e-9;
CREATE TABLE measured (number integer, turn integer, asked_ms numeric, plain_ms numeric, error numeric, shown bigint, released bigint);

CREATE FUNCTION measure(q measurable, analyst text, repeats integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	query text;
	start timestamptz;
	asked_ms numeric;
	plain_ms numeric;
	line text;
BEGIN
	CREATE TEMPORARY TABLE plain AS SELECT * FROM cells(q.truth, q.keys);
	CREATE TEMPORARY TABLE shown AS SELECT * FROM cells(q.shown, q.keys) WHERE q.counted IS NULL OR place <= q.counted;
	PERFORM set_config('dp_noise.max_rows_per_unit', q.c::text, false), set_config('dp_noise.max_groups_per_unit', q.m::text, false);
	FOR turn IN 1 .. repeats LOOP
		PERFORM set_config('session_authorization', analyst, false);
		query := asked(q.number);
		start := clock_timestamp();
		CREATE TEMPORARY TABLE answers AS SELECT * FROM cells(query, q.keys);
		asked_ms := extract(epoch FROM clock_timestamp() - start) * 1000;
		GRANT SELECT ON answers TO PUBLIC;
		RESET SESSION AUTHORIZATION;
		start := clock_timestamp();
		PERFORM * FROM cells(q.shown, q.keys);
		plain_ms := extract(epoch FROM clock_timestamp() - start) * 1000;
		INSERT INTO measured SELECT q.number, turn, asked_ms, plain_ms,
			(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(a.value - p.value) / nullif(abs(p.value), 0)) FROM answers AS a JOIN plain AS p USING (key, place)),
			(SELECT count(*) FROM shown), (SELECT count(a.value) FROM shown JOIN answers AS a USING (key, place));
		DROP TABLE answers;
	END LOOP;
	DROP TABLE plain, shown;
	SELECT format('| %s | %s | %s | %s | %s | %s | %s of %s | %s %% | %s / %s = %s |', q.number, q.about, q.form, q.named_keys, q.c, q.m, round(avg(m.released)), max(m.shown),
		round(100 * percentile_cont(0.5) WITHIN GROUP (ORDER BY m.error)::numeric, 2), round(percentile_cont(0.5) WITHIN GROUP (ORDER BY m.asked_ms)::numeric), round(percentile_cont(0.5) WITHIN GROUP (ORDER BY m.plain_ms)::numeric),
		round(percentile_cont(0.5) WITHIN GROUP (ORDER BY m.asked_ms / m.plain_ms)::numeric, 2))
	INTO line FROM measured AS m WHERE m.number = q.number;
	RETURN line;
EXCEPTION WHEN OTHERS THEN
	RETURN format('| %s | %s | %s | %s | | | | | %s |', q.number, q.about, q.form, q.named_keys, SQLERRM);
END
$$;

\pset tuples_only on
\pset format unaligned
SELECT measure(q, :'schema' || '_analyst', :repeats) FROM measurable AS q ORDER BY number;
-- the sums of these medians, of the questions that were answered
SELECT format('| | sum of %s | | | | | | | %s / %s = %s |', count(*), round(sum(asked)), round(sum(plain)), round(sum(asked) / sum(plain), 2))
FROM (
	SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY asked_ms)::numeric AS asked, percentile_cont(0.5) WITHIN GROUP (ORDER BY plain_ms)::numeric AS plain
	FROM measured
	GROUP BY number
) AS m;
