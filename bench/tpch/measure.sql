-- Each question of questions.sql, asked at its c and m in turns with the plain
-- query: median time of each, the median ratio, and the error of all answers,
-- the median of |asked - plain| as a part of plain.
--
--   psql -v repeats=3 -v epsilon=1 -f bench/tpch/measure.sql

\if :{?repeats}
\else
\set repeats 3
\endif
\if :{?epsilon}
\else
\set epsilon 1
\endif

SET search_path = tpch, public;
SET dp_noise.epsilon = :epsilon;
SET dp_noise.delta = 1e-9;
CREATE TABLE tpch.measured (number integer, turn integer, asked_ms numeric, plain_ms numeric, error numeric, answers bigint, missing bigint);
GRANT ALL ON tpch.measured TO PUBLIC;

CREATE FUNCTION tpch.measure(question integer, repeats integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	q tpch.questions := (SELECT qs FROM tpch.questions AS qs WHERE number = question);
	text text;
	start timestamptz;
	asked_ms numeric;
	plain_ms numeric;
	line text;
BEGIN
	CREATE TEMPORARY TABLE plain AS SELECT * FROM tpch.cells(q.plain, q.keys);
	GRANT SELECT ON plain TO PUBLIC;
	PERFORM set_config('dp_noise.max_rows_per_unit', q.c::text, false), set_config('dp_noise.max_groups_per_unit', q.m::text, false);
	FOR turn IN 1 .. repeats LOOP
		PERFORM set_config('session_authorization', 'tpch_analyst', false);
		text := tpch.asked(question);
		start := clock_timestamp();
		CREATE TEMPORARY TABLE answers AS SELECT * FROM tpch.cells(text, q.keys);
		asked_ms := extract(epoch FROM clock_timestamp() - start) * 1000;
		GRANT SELECT ON answers TO PUBLIC;
		RESET SESSION AUTHORIZATION;
		start := clock_timestamp();
		PERFORM * FROM tpch.cells(q.plain, q.keys);
		plain_ms := extract(epoch FROM clock_timestamp() - start) * 1000;
		INSERT INTO tpch.measured SELECT question, turn, asked_ms, plain_ms,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(a.value - p.value) / nullif(abs(p.value), 0)), count(*), count(*) FILTER (WHERE a.value IS NULL)
		FROM plain AS p LEFT JOIN answers AS a USING (key, place);
		DROP TABLE answers;
	END LOOP;
	DROP TABLE plain;
	SELECT format('%s | %s | %s | %s | %s | %s | %s of %s | %s%% | %s | %s | %s', q.number, q.about, q.form, q.keys, q.c, q.m, max(answers) - round(avg(missing)), max(answers),
		round(100 * percentile_cont(0.5) WITHIN GROUP (ORDER BY error)::numeric, 2), round(percentile_cont(0.5) WITHIN GROUP (ORDER BY m.asked_ms)::numeric), round(percentile_cont(0.5) WITHIN GROUP (ORDER BY m.plain_ms)::numeric),
		round(percentile_cont(0.5) WITHIN GROUP (ORDER BY m.asked_ms / m.plain_ms)::numeric, 2))
	INTO line FROM tpch.measured AS m WHERE number = question;
	RETURN line;
EXCEPTION WHEN OTHERS THEN
	RETURN format('%s | %s | %s | | | | %s', q.number, q.about, q.form, SQLERRM);
END
$$;

\pset tuples_only on
\pset format unaligned
SELECT tpch.measure(number, :repeats) FROM tpch.questions WHERE asked IS NOT NULL ORDER BY number;
