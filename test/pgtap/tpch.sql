-- TPC-H as questions about people (bench/tpch): what is asked is what a query
-- by hand gives, and one customer changes it by no more than the sensitivity.
\ir support/gate.sql
SELECT no_plan();
\ir ../../bench/tpch/data.sql
\ir ../../bench/tpch/protect.sql
\ir ../../bench/tpch/questions.sql
\set schema tpch
\ir ../../bench/cells.sql
\ir support/both_forms.sql
ANALYZE;
SET search_path = tpch, public;
SET extra_float_digits = 1;

-- Without noise and without bounds, but for the private groups of question 13,
-- where those of few customers are not released.
CREATE FUNCTION t.compare(question integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	q tpch.questions := (SELECT qs FROM tpch.questions AS qs WHERE number = question);
	wrong text;
	n bigint;
BEGIN
	PERFORM set_config('dp_noise.max_rows_per_unit', '1000', false), set_config('dp_noise.max_groups_per_unit', '200', false);
	PERFORM set_config('session_authorization', 'tpch_analyst', false);
	BEGIN
		CREATE TEMPORARY TABLE asked AS SELECT * FROM tpch.cells(tpch.asked(question), q.keys);
	EXCEPTION WHEN OTHERS THEN
		wrong := SQLERRM;
	END;
	RESET SESSION AUTHORIZATION;
	IF wrong IS NOT NULL THEN
		RETURN is(wrong, NULL, question || ' is answered');
	END IF;
	SELECT count(*), string_agg(format('%s: %s for %s', key, a.value, p.value), ', ') FILTER (WHERE a.value IS NULL AND (question <> 13 OR p.value > 9) OR p.value IS NULL OR abs(a.value - p.value) > 0.01 + 0.0001 * abs(p.value))
	INTO n, wrong FROM asked AS a FULL JOIN tpch.cells(q.plain, q.keys) AS p USING (key, place);
	DROP TABLE asked;
	RETURN is(CASE WHEN n = 0 THEN 'nothing' ELSE wrong END, NULL, format('%s, %s: as the plain query, %s answers', question, q.about, n));
END
$$;
SET dp_noise.epsilon = 1000000;
SET dp_noise.delta = 1e-6;
GRANT TEMPORARY ON DATABASE :DBNAME TO tpch_analyst;
SELECT t.compare(number) FROM tpch.questions WHERE asked IS NOT NULL ORDER BY number;

-- All rows of one customer less. Nobody's groups are chosen from: m is high.
CREATE TABLE t.whole (question integer, key text, place bigint, value numeric);
CREATE FUNCTION t.all_cells() RETURNS SETOF t.whole LANGUAGE plpgsql AS $$
DECLARE
	q tpch.questions;
BEGIN
	PERFORM set_config('session_authorization', 'tpch_analyst', false);
	PERFORM set_config('dp_noise.max_groups_per_unit', '200', false);
	FOR q IN SELECT * FROM tpch.questions AS qs WHERE qs.asked IS NOT NULL AND first IS NULL AND number <> 13 ORDER BY number LOOP
		PERFORM set_config('dp_noise.max_rows_per_unit', q.c::text, false);
		RETURN QUERY SELECT q.number, c.* FROM tpch.cells(q.asked, q.keys) AS c;
	END LOOP;
	RESET SESSION AUTHORIZATION;
END
$$;
INSERT INTO t.whole SELECT * FROM t.all_cells();
CREATE FUNCTION t.less(person integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	BEGIN
		DELETE FROM tpch.lineitem USING tpch.orders WHERE l_orderkey = o_orderkey AND o_custkey = person;
		DELETE FROM tpch.orders WHERE o_custkey = person;
		DELETE FROM tpch.customer WHERE c_custkey = person;
		SELECT string_agg(format('%s %s: %s', question, key, d), ', ') FILTER (WHERE d > q.c * q.reach[place] * 1.0001 + 0.01) || ''
			INTO result
		FROM (SELECT question, key, place, abs(coalesce(w.value, 0) - coalesce(l.value, 0)) AS d FROM t.whole AS w FULL JOIN t.all_cells() AS l USING (question, key, place)) AS c
		JOIN tpch.questions AS q ON number = question;
		RAISE EXCEPTION USING ERRCODE = 'P0099', MESSAGE = coalesce(result, 'none');
	EXCEPTION WHEN SQLSTATE 'P0099' THEN
		result := SQLERRM;
	END;
	RETURN is(result, 'none', 'without customer ' || person);
END
$$;
SELECT setseed(0.5);
SELECT t.less(c) FROM (SELECT o_custkey AS c FROM tpch.orders GROUP BY 1 ORDER BY random() LIMIT 3) AS c;

-- One customer alone counts no more often than c rows in each of m groups.
CREATE FUNCTION t.alone(person integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	q tpch.questions;
	most numeric;
	result text;
BEGIN
	BEGIN
		DELETE FROM tpch.lineitem USING tpch.orders WHERE l_orderkey = o_orderkey AND o_custkey <> person;
		DELETE FROM tpch.orders WHERE o_custkey <> person;
		DELETE FROM tpch.customer WHERE c_custkey <> person;
		PERFORM set_config('session_authorization', 'tpch_analyst', false);
		FOR q IN SELECT * FROM tpch.questions AS qs WHERE qs.asked IS NOT NULL AND first IS NULL AND number <> 13 AND reach[1] IS NOT NULL ORDER BY number LOOP
			PERFORM set_config('dp_noise.max_rows_per_unit', q.c::text, false), set_config('dp_noise.max_groups_per_unit', q.m::text, false);
			SELECT coalesce(sum(abs(value)), 0) INTO most FROM tpch.cells(q.asked, q.keys) WHERE place = 1;
			IF most > q.c * q.m * q.reach[1] * 1.0001 + 0.01 THEN
				result := concat_ws(', ', result, q.number || ': ' || most);
			END IF;
		END LOOP;
		RESET SESSION AUTHORIZATION;
		RAISE EXCEPTION USING ERRCODE = 'P0099', MESSAGE = coalesce(result, 'none');
	EXCEPTION WHEN SQLSTATE 'P0099' THEN
		result := SQLERRM;
	END;
	RETURN is(result, 'none', 'customer ' || person || ' alone');
END
$$;
SELECT t.alone(c) FROM (SELECT o_custkey AS c FROM tpch.orders GROUP BY 1 ORDER BY random() LIMIT 1) AS c;

SET ROLE tpch_owner;
SELECT dp_noise.set_bounds(relation::regclass, name, lower, upper) FROM (VALUES
	('lineitem', 'l_quantity', 0, 50), ('lineitem', 'l_extendedprice', 0, 105000), ('lineitem', 'l_discount', 0, 0.1), ('lineitem', 'l_tax', 0, 0.08),
	('orders', 'o_totalprice', 0, 600000), ('customer', 'c_acctbal', 0, 10000)) AS v (relation, name, lower, upper);
RESET ROLE;
SELECT t.same_question('tpch_analyst', number, replace(replace(query, 'dp_mean', 'avg'), 'dp_', ''), query)
FROM (SELECT number, regexp_replace(replace(asked, '$1', '5'), '(dp_[sm][a-z]*?\(.*?), -?[\d.]+?, -?[\d.]+?\)', '\1)', 'g') AS query FROM tpch.questions
	WHERE asked IS NOT NULL AND number <> 9) AS q -- 9: a public column has no declared bounds
ORDER BY number;

SELECT * FROM finish();
RESET search_path;
DROP SCHEMA tpch CASCADE;
DROP OWNED BY tpch_owner, tpch_analyst CASCADE;
DROP ROLE tpch_owner, tpch_analyst;
\ir support/gate_end.sql
