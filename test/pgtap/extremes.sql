-- Extremes of every type: the ends of the integers, doubles near 1e308 and
-- denormal ones, real at its greatest, numeric of 1000 digits and beyond the
-- range of double precision. Each answer lies between its bounds, none is an
-- error or a crash, with little noise (epsilon 1000000) and with much (0.001).

BEGIN;
SELECT plan(59);

CREATE TEMP TABLE integers (i2 smallint, i4 integer, i8 bigint);
INSERT INTO integers VALUES (-32768, -2147483648, -9223372036854775808), (0, 0, 0), (32767, 2147483647, 9223372036854775807),
	(-32768, -2147483648, -9223372036854775808), (32767, 2147483647, 9223372036854775807);
CREATE TEMP TABLE reals (f4 real, f8 double precision, n numeric);
INSERT INTO reals VALUES ('3.4028235e38', '1.7976931348623157e308', '1e1000'), ('-3.4028235e38', '-1.7976931348623157e308', '-1e1000'),
	('1.4e-45', '5e-324', '1e-1000'), ('-1.4e-45', '-5e-324', '-1e-1000'), (0, 0, 0), ('-0', '-0', 0),
	('Infinity', 'Infinity', 'Infinity'), ('-Infinity', '-Infinity', '-Infinity'), ('NaN', 'NaN', 'NaN'),
	(1, 1, repeat('9', 1000)::numeric), (1, 1, ('0.' || repeat('9', 1000))::numeric);

-- Every aggregate over every column: the answer, which is to lie between the
-- bounds (means, maxima, minima, quantiles) or to be no error (sums).
CREATE FUNCTION answers(source text, col text, lower text, upper text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
	epsilon text;
	mechanism text;
	answer text;
	inside boolean;
BEGIN
	FOREACH epsilon IN ARRAY ARRAY['1000000', '1', '0.001', '0.00000095367431640625'] LOOP
		FOREACH mechanism IN ARRAY ARRAY['auto', 'laplace', 'staircase', 'gaussian(delta=1e-6)', 'truncated_laplace'] LOOP
			-- half of the least epsilon is too little for a mean by staircase, and a gaussian may be too wide
			CONTINUE WHEN epsilon::float8 < 1e-6 AND mechanism <> 'auto';
			EXECUTE format('SELECT dp_sum(%s, %s, %s, %s, %L) IS NOT NULL, dp_mean(%1$s, %2$s, %3$s, %4$s, %5$L) BETWEEN %2$s AND %3$s FROM %6$s',
				col, lower, upper, epsilon, mechanism, source) INTO answer, inside;
			IF NOT coalesce(answer::boolean AND inside, false) THEN
				RETURN NEXT format('sum or mean of %s in %s, %s, epsilon %s, %s', col, lower, upper, epsilon, mechanism);
			END IF;
		END LOOP;
		FOREACH mechanism IN ARRAY ARRAY['auto', 'laplace', 'staircase', 'exponential', 'exponential(rank=0)', 'above_threshold', 'truncated_staircase'] LOOP
			CONTINUE WHEN epsilon::float8 < 1e-6 AND mechanism <> 'auto';
			EXECUTE format('SELECT dp_max(%s, %s, %s, %s, %L) BETWEEN %2$s AND %3$s AND dp_min(%1$s, %2$s, %3$s, %4$s, %5$L) BETWEEN %2$s AND %3$s FROM %6$s',
				col, lower, upper, epsilon, mechanism, source) INTO inside;
			IF NOT coalesce(inside, false) THEN
				RETURN NEXT format('max or min of %s in %s, %s, epsilon %s, %s', col, lower, upper, epsilon, mechanism);
			END IF;
		END LOOP;
		EXECUTE format('SELECT dp_median_exp(%s, %s, %s, %s) BETWEEN %2$s AND %3$s
			AND dp_quantile_exp(%1$s, 0, %2$s, %3$s, %4$s) BETWEEN %2$s AND %3$s
			AND dp_quantile_exp(%1$s, 1, %2$s, %3$s, %4$s) BETWEEN %2$s AND %3$s
			AND dp_quantile_exp(%1$s, 0.1, %2$s, %3$s, %4$s) BETWEEN %2$s AND %3$s FROM %5$s',
			col, lower, upper, epsilon, source) INTO inside;
		IF NOT coalesce(inside, false) THEN
			RETURN NEXT format('median or quantile of %s in %s, %s, epsilon %s', col, lower, upper, epsilon);
		END IF;
	END LOOP;
END
$$;

SELECT is_empty(format('SELECT answers(%L, %L, %L, %L)', source, col, lower, upper), format('%s between %s and %s', col, lower, upper))
FROM (VALUES
	('integers', 'i2', '-32768', '32767'),
	('integers', 'i2', '32767', '32767'),
	('integers', 'i2', '-32768', '-32768'),
	('integers', 'i2', '-32768', '-32767'),
	('integers', 'i4', '-2147483648', '2147483647'),
	('integers', 'i4', '2147483646', '2147483647'),
	('integers', 'i4', '-2147483648', '-2147483648'),
	('integers', 'i8', '-9223372036854775808', '9223372036854775807'),
	('integers', 'i8', '-9223372036854775808', '-9223372036854775808'),
	('integers', 'i8', '9223372036854775807', '9223372036854775807'),
	('integers', 'i8', '9223372036854775800', '9223372036854775807'),
	('integers', 'i8', '-9223372036854775808', '-9223372036854775800'),
	('integers', 'i8', '-9223372036854775808', '0'),
	('integers', 'i8', '0', '9223372036854775807'),
	('integers', 'i8', '-9223372036854775808', '-9223000000000000000'),
	('integers', 'i8', '9223000000000000000', '9223372036854775807'),
	('integers', 'i8', '-1e300', '1e300'),
	('reals', 'f4', '''-3.4028235e38''::real', '''3.4028235e38''::real'),
	('reals', 'f4', '''1e-45''::real', '''1e38''::real'),
	('reals', 'f4', '0::float8', '''1e-40''::float8'),
	('reals', 'f8', '''-1e308''::float8', '''1e308''::float8'),
	('reals', 'f8', '''-1.7976931348623157e308''::float8', '''1.7976931348623157e308''::float8'),
	('reals', 'f8', '''1.7976931348623155e308''::float8', '''1.7976931348623157e308''::float8'),
	('reals', 'f8', '0::float8', '''1.7976931348623157e308''::float8'),
	('reals', 'f8', '0::float8', '''5e-324''::float8'),
	('reals', 'f8', '''-5e-324''::float8', '''5e-324''::float8'),
	('reals', 'f8', '''-1e-308''::float8', '''1e-308''::float8'),
	('reals', 'f8', '''1''::float8', '''1.0000000000000002''::float8'),
	('reals', 'n', '''-1e308''::numeric', '''1e308''::numeric'),
	('reals', 'n', '''-1e-300''::numeric', '''1e-300''::numeric'),
	('reals', 'n', '0::numeric', '1::numeric')
) AS c (source, col, lower, upper);
SELECT is_empty($$SELECT answers('(SELECT * FROM integers WHERE false) AS none', 'i8', '-9223372036854775808', '9223372036854775807')$$, 'bigint: no rows');
SELECT is_empty($$SELECT answers('(SELECT * FROM reals WHERE false) AS none', 'f8', '''-1e308''::float8', '''1e308''::float8')$$, 'double precision: no rows');

-- the state of a minimum, on a machine that stores the lowest byte first
SELECT is(dp_noise.min_state(i8, -9223372036854775808, -9223372036854775800),
	'\x00000000000000800000000000000080080000000000008008000000000000800800000000000080'::bytea, 'state of a minimum at the end of bigint')
FROM integers;

-- Bounds between which the grid has no point: its steps are at least 2^-1022,
-- and 2^-40 of bounds that are equal in double precision. Then the one point
-- nearest to the bounds is the answer.
SELECT ok(dp_mean(f8, '1e-310', '2e-310') BETWEEN 0 AND 2.3e-308 AND dp_max(f8, '1e-310', '2e-310') BETWEEN 0 AND 2.3e-308
	AND dp_median_exp(f8, '1e-310', '2e-310') BETWEEN 0 AND 2.3e-308, 'denormal bounds closer than a step') FROM reals;
SELECT ok(abs(m / 123456789012345678901234567890 - 1) < 1e-12, 'numeric bounds closer than double precision') FROM (
	SELECT dp_mean(n, 123456789012345678901234567890, 123456789012345678901234567891) FROM reals UNION ALL
	SELECT dp_max(n, 123456789012345678901234567890, 123456789012345678901234567891) FROM reals UNION ALL
	SELECT dp_median_exp(n, 123456789012345678901234567890, 123456789012345678901234567891) FROM reals) AS a (m);
SELECT ok(abs(dp_max(f8, 0.1, 0.1) - 0.1) < 1e-12, 'equal bounds that are no dyadic number') FROM reals;

-- with hardly any noise the extremes are themselves
SET LOCAL dp_noise.epsilon = 1000000;
SELECT is(dp_min(i2, -32768, 32767), '-32768'::smallint, 'min of smallint') FROM integers;
SELECT is(dp_max(i2, -32768, 32767), 32767::smallint, 'max of smallint') FROM integers;
SELECT is(dp_min(i4, -2147483648, 2147483647), '-2147483648'::integer, 'min of integer') FROM integers;
SELECT is(dp_max(i4, -2147483648, 2147483647), 2147483647, 'max of integer') FROM integers;
SELECT is(dp_min(i8, -9223372036854775808, -9223372036854775800), '-9223372036854775808'::bigint, 'min of bigint, at the end') FROM integers;
SELECT is(dp_max(i8, 9223372036854775800, 9223372036854775807), 9223372036854775807, 'max of bigint, at the end') FROM integers;
SELECT is(dp_median_exp(i8, -9223372036854775808, -9223372036854775800), '-9223372036854775800'::bigint, 'median of bigint, at the end') FROM integers;
SELECT is(dp_sum(i2, -32768, 32767), '-2'::bigint, 'sum of smallint') FROM integers;
SELECT is(dp_sum(i4, -2147483648, 2147483647), '-2'::bigint, 'sum of integer') FROM integers;
-- on a grid of 2^23
SELECT ok(abs(dp_sum(i8, -9223372036854775808, 9223372036854775807)) <= 5 * 2 ^ 24, 'sum of bigint cannot overflow') FROM integers;
SELECT ok(dp_sum(i8, -9223372036854775808, 9223372036854775807) > 18e18, 'sum of bigint beyond bigint') FROM integers WHERE i8 > 0;
SELECT is(dp_sum(i4, 9223372036854775807, 9223372036854775807), 9223372036854775807, 'a sum of integers beyond bigint is the greatest bigint') FROM integers;
SELECT is(dp_sum(i4, -9223372036854775808, -9223372036854775808), '-9223372036854775808'::bigint, 'a sum of integers below bigint is the least bigint') FROM integers;
SELECT is(dp_sum(f8, 0, '1.7976931348623157e308'), 'Infinity'::float8, 'a sum beyond double precision is infinite') FROM reals;
SELECT is(dp_sum(f4, 0, '3.4028235e38'::float8), 'Infinity'::real, 'a sum beyond real is infinite') FROM reals;
SELECT ok(dp_max(f4, 0, '1e300'::float8) <= '3.4028235e38'::real, 'max of real stays in the type though the bounds do not') FROM reals;
SELECT ok(abs(dp_sum(n, 0, 10) - 31) < 0.01, 'numeric beyond double precision is clamped') FROM reals;
SELECT ok(abs(dp_max(n, 0, ('1e300')::numeric) / 1e300 - 1) < 1e-5, 'numeric of 1000 digits is clamped') FROM reals;
SELECT ok(dp_min(f8, 1, 2) = 1 AND dp_min(f4, 1, 2) = 1, 'negative zero and denormals are clamped') FROM reals;

-- a value stored out of line and compressed
CREATE TEMP TABLE toasted (n numeric);
ALTER TABLE toasted ALTER n SET STORAGE extended;
INSERT INTO toasted SELECT (repeat('7', 100000) || '.5')::numeric FROM generate_series(1, 3);
INSERT INTO toasted SELECT string_agg((random() * 1e9)::integer::text, '')::numeric FROM generate_series(1, 10000);
SELECT is(dp_noise.sum_state(n, 0, 1)::text, '(4398046511104,4)', 'values out of line') FROM toasted;

SELECT * FROM finish();
ROLLBACK;
