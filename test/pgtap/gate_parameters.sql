-- Parameters as drivers send them: double precision for every number, the
-- smallest integer, texts, and those whose type the server finds out.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
SELECT dp_noise.set_bounds('public.patients', 'born', '1950-01-01', '1960-01-01'), dp_noise.set_bounds('public.patients', 'weight', 0::double precision, 100), dp_noise.set_bounds('public.patients', 'small', 0::smallint, 100::bigint) \g /dev/null
RESET ROLE;
SET dp_noise.epsilon = 10000;

CREATE FUNCTION t.executed(types text, query text, given text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('session_authorization', 'gate_ann', false);
	DEALLOCATE ALL;
	EXECUTE format('PREPARE asked%s AS %s', types, query);
	EXECUTE format('EXECUTE asked%s', given) INTO result;
	RESET SESSION AUTHORIZATION;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END
$$;
SELECT is(t.executed(types, query, given), answer, concat_ws(' ', types, query))
FROM (VALUES
	('(double precision)', 'SELECT dp_count(*) FROM patients WHERE weight > $1', '(60.5)', '725'),
	('(double precision)', 'SELECT dp_count(*) FROM patients WHERE age > $1', '(60.5)', '319'),
	('(double precision, double precision)', 'SELECT dp_sum(weight, $1, $2) FROM patients', '(0, 100)', '69500'),
	('(double precision, double precision)', 'SELECT dp_sum(age, $1, $2) FROM patients', '(0, 120)', '44110'),
	('(double precision, double precision)', 'SELECT dp_max(big, $1, $2) FROM patients', '(0, 500)', '500'),
	('(numeric, numeric)', 'SELECT dp_sum(bmi, $1, $2) FROM patients', '(0, 100)', '26985'),
	('(smallint, bigint)', 'SELECT dp_sum(weight, $1, $2) FROM patients', '(0, 100)', '69500'),
	('', 'SELECT dp_sum(weight, $1, $2, $3) FROM patients', '(0, 100, 9000)', '69500'),
	('', 'SELECT dp_max(born, $1, $2) FROM patients', '(''1950-01-01'', ''1951-01-01'')', '1951-01-01'),
	('(date, date)', 'SELECT dp_min(born, $1, $2) FROM patients', '(''1950-02-01'', ''1951-01-01'')', '1950-02-01'),
	('(double precision)', 'SELECT dp_quantile_exp(weight, $1, 0, 50) FROM patients', '(0.5)', '50'),
	('(numeric)', 'SELECT dp_quantile_exp(weight, $1, 0, 51) FROM patients', '(1)', '51'),
	('(bigint)', 'SELECT dp_count(*) FROM patients WHERE age = $1 AND weight > $1 AND bmi > $1', '(3)', '12'),
	('(bigint[])', 'SELECT dp_count(*) FROM patients WHERE age = ANY ($1)', '(''{1,2}'')', '24'),
	('(varchar)', 'SELECT dp_count(*) FROM patients WHERE name = $1', '(''name7'')', '1'),
	('(text)', 'SELECT dp_count(*) FROM patients WHERE name LIKE $1', '(''name7_'')', '10'),
	('(text)', 'SELECT dp_count(*) FROM patients WHERE born >= $1::date', '(''1951-01-05'')', '632'),
	('(text)', 'SELECT dp_count(*) FROM patients WHERE feeling = $1::mood', '(''ok'')', '1000'),
	('(text)', 'SELECT dp_count(*) FROM patients WHERE feeling::text = $1', '(''sad'')', '0'),
	('', 'SELECT dp_count(*) FROM patients WHERE token = $1 AND feeling = $2', '(''00000000-0000-0000-0000-000000000001'', ''ok'')', '1'),
	('(text)', 'SELECT dp_sum(weight, $1, $2) FROM patients', '(''0'', 1)', '42883: function dp_sum(numeric, text, unknown) does not exist'),
	('(double precision, double precision)', 'SELECT dp_sum(weight, $1, $2) FROM patients', '(0, ''NaN'')', '22023: bounds must be finite')) AS q (types, query, given, answer);
-- a pattern that is none, or may take too long, fails before it is charged
SELECT is(t.executed('(text)', format('SELECT dp_count(*) FROM patients WHERE name %s $1', operator), format('(%L)', pattern)) || t.charges(), answer || charges, operator || pattern)
FROM (SELECT t.charges() AS charges) AS c, (VALUES ('LIKE', 'a\', '22025: LIKE pattern must not end with escape character'), ('~', '(', '2201B: invalid regular expression: parentheses () not balanced'),
	('~', '(a)\1', '0A000: operator ~ cannot be used in this way over a protected relation'), ('= ''x'' AND born::text ~*', '[', '2201B: invalid regular expression: brackets [] not balanced')) AS p (operator, pattern, answer);
SELECT is(t.executed('(text)', 'SELECT dp_sum(CASE WHEN name ~ $1 THEN 1 ELSE 0 END, 0, 1) FROM patients', '(''('')'), '2201B: invalid regular expression: parentheses () not balanced', 'in what is added up');
SELECT is((SELECT string_agg(column_name || ' ' || lower || ' ' || upper, ', ' ORDER BY column_name) FROM dp_noise_ledger.column_bounds WHERE column_name IN ('weight', 'small')), 'small 0 100, weight 0 100', 'bounds of any type of numbers');

SELECT * FROM finish();
\ir support/gate_end.sql
