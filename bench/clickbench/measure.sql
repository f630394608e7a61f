-- Each question of questions.sql, asked at its c and m in turns with the plain
-- query: median time of each, the median ratio, how many of the plain query's rows
-- were answered, and the error of all answers, the median of |asked - plain| as
-- a part of plain.
--
--   psql -v repeats=3 -v epsilon=1 -f bench/clickbench/measure.sql

\if :{?repeats}
\else
\set repeats 3
\endif
\if :{?epsilon}
\else
\set epsilon 1
\endif

SET search_path = clickbench, public;
SET dp_noise.epsilon = :epsilon;
SET dp_noise.delta = 1e-9;
CREATE TABLE clickbench.measured (number integer, turn integer, asked_ms numeric, plain_ms numeric, error numeric, rows bigint, released bigint);
GRANT ALL ON clickbench.measured TO PUBLIC;

CREATE FUNCTION clickbench.measure(q clickbench.questions, repeats integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz;
	asked_ms numeric;
	plain_ms numeric;
	line text;
BEGIN
	CREATE TEMPORARY TABLE plain AS SELECT * FROM clickbench.cells(q.sql, q.keys);
	CREATE TEMPORARY TABLE shown AS SELECT * FROM clickbench.cells(concat_ws(' ', q.sql, q.tail), q.keys);
	PERFORM set_config('dp_noise.max_rows_per_unit', q.c::text, false), set_config('dp_noise.max_groups_per_unit', q.m::text, false);
	FOR turn IN 1 .. repeats LOOP
		PERFORM set_config('session_authorization', 'clickbench_analyst', false);
		start := clock_timestamp();
		CREATE TEMPORARY TABLE answers AS SELECT * FROM clickbench.cells(concat_ws(' ', q.private, q.tail), q.keys);
		asked_ms := extract(epoch FROM clock_timestamp() - start) * 1000;
		GRANT SELECT ON answers TO PUBLIC;
		RESET SESSION AUTHORIZATION;
		start := clock_timestamp();
		PERFORM * FROM clickbench.cells(concat_ws(' ', q.sql, q.tail), q.keys);
		plain_ms := extract(epoch FROM clock_timestamp() - start) * 1000;
		INSERT INTO clickbench.measured SELECT q.number, turn, asked_ms, plain_ms,
			(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(a.value - p.value) / nullif(abs(p.value), 0)) FROM answers AS a JOIN plain AS p USING (key, place)),
			(SELECT count(*) FROM shown WHERE place = 1), (SELECT count(*) FROM shown AS s JOIN answers AS a USING (key, place) WHERE place = 1);
		DROP TABLE answers;
	END LOOP;
	DROP TABLE plain, shown;
	SELECT format('| %s | %s | %s | %s | %s | %s | %s of %s | %s %% | %s / %s = %s |', q.number, q.about, q.form, q.public, q.c, q.m, round(avg(m.released)), max(m.rows),
		round(100 * percentile_cont(0.5) WITHIN GROUP (ORDER BY m.error)::numeric, 2), round(percentile_cont(0.5) WITHIN GROUP (ORDER BY m.asked_ms)::numeric), round(percentile_cont(0.5) WITHIN GROUP (ORDER BY m.plain_ms)::numeric),
		round(percentile_cont(0.5) WITHIN GROUP (ORDER BY m.asked_ms / m.plain_ms)::numeric, 2))
	INTO line FROM clickbench.measured AS m WHERE m.number = q.number;
	RETURN line;
EXCEPTION WHEN OTHERS THEN
	RETURN format('| %s | %s | %s | | | | | | %s |', q.number, q.about, q.form, SQLERRM);
END
$$;

\pset tuples_only on
\pset format unaligned
SELECT clickbench.measure(q, :repeats) FROM clickbench.questions AS q WHERE private IS NOT NULL ORDER BY number;
