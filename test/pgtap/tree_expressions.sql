-- How expressions over protected rows are read: one form for several ways of
-- writing one thing. #0 is the first column of the relation that the question
-- names, ^#0 that of the row around a sub-query.
\ir support/gate.sql
SELECT no_plan();
SET ROLE gate_owner;
CREATE TABLE public.things (id integer PRIMARY KEY, a integer, b bigint, n numeric(10, 2), f double precision, s text, v varchar(10), c character(5), d date, e public.mood, ok boolean, nums integer[], doc jsonb);
SELECT dp_noise.protect('public.things', privacy_unit => 'id', epsilon => 10);
RESET ROLE;
CREATE FUNCTION t.read(condition text) RETURNS text LANGUAGE sql AS
$$ SELECT substr(ltrim(node), 8) FROM dp_noise.describe_question('SELECT dp_count(*) FROM public.things AS t WHERE ' || condition) WHERE node LIKE '  filter %' $$;

-- comparisons, and lists
SELECT is(t.read(condition), expected, condition) FROM (VALUES
	('a BETWEEN 2 AND 3', '(#0 >= ''2''), (#0 <= ''3'')'),
	('NOT (a > 2 AND ok)', 'or((#0 <= ''2''), not(#1))'),
	('a IN (1,2,3)', 'any(#0, array(''1'', ''2'', ''3''))'),
	('a NOT IN (1,2)', 'all(#0, array(''1'', ''2''))'),
	('a = ANY (nums)', 'any(#0, #1)'),
	('s LIKE ''a%''', '(#0 ~~ ''a%'')'),
	('s LIKE ANY (ARRAY[''a'',''b''])', 'or((#0 ~~ ''a''), (#0 ~~ ''b''))'),
	('(a, b) < (1, 2)', 'or((#0 < ''1''), and((#0 = ''1''), (#1 < ''2'')))'),
	('(a, b) = (1, 2)', '(#0 = ''1''), (#1 = ''2'')')) AS v (condition, expected);

-- calls, and what is written out
SELECT is(t.read(condition), expected, condition) FROM (VALUES
	('a + b > 3', '((#0 + #1) > ''3'')'),
	('doc ->> ''a'' = ''b''', '((#0 ->> ''a'') = ''b'')'),
	('extract(year FROM d) = 2020', '(extract(''year'', #0) = ''2020'')'),
	('round(n, 1) = 2', '(round(#0, ''1'') = ''2'')'),
	('concat(s, a) = ''x''', '(relabel(textcat(case(null(#1), '''', relabel(#1)), case(null(#0), '''', cast(#0)))) = ''x'')'),
	('format(''%s-%s'', s, a) = ''x''', '(relabel(textcat(textcat(textcat('''', case(null(#1), '''', relabel(#1))), ''-''), case(null(#0), '''', cast(#0)))) = ''x'')'),
	('num_nulls(a, s) = 1', '(int4pl(case(null(#0), ''1'', ''0''), case(null(#1), ''1'', ''0'')) = ''1'')')) AS v (condition, expected);

-- casts, and enums, whose labels are compared
SELECT is(t.read(condition), expected, condition) FROM (VALUES
	('a::numeric = 2', '(numeric(#0) = ''2'')'),
	('s::integer = 3', '(cast(#0) = ''3'')'),
	('f::text = ''x''', '(cast(#0) = ''x'')'),
	('v = ''a''', '(relabel(#0) = ''a'')'),
	('c = ''a''', '(#0 = ''a'')'),
	('e < ''ok''', 'any(relabel(#0), array(''sad''))'),
	('e::text = ''ok''', '(relabel(case(relabel(#0), (subject() = ''sad''), ''sad'', (subject() = ''ok''), ''ok'', (subject() = ''happy''), ''happy'', null)) = ''ok'')'),
	('s::mood = ''ok''', '(relabel(case(relabel(#0), (subject() = ''sad''), ''sad'', (subject() = ''ok''), ''ok'', (subject() = ''happy''), ''happy'', null)) = ''ok'')')) AS v (condition, expected);

-- constants, and what has one value in an execution
SELECT is(t.read(condition), expected, condition) FROM (VALUES
	('1 + 1 = 2 AND a = 1 + 1', '(#0 = ''2'')'),
	('d >= now()', '(#0 >= moment())'),
	('d > current_date - 7', '(#0 > (moment() - ''7''))'),
	('s = current_user', '(#0 = $1)'),
	('a = (SELECT 3)', '(#0 = $1)')) AS v (condition, expected);

-- other forms
SELECT is(t.read(condition), expected, condition) FROM (VALUES
	('a = 1 OR (b = 2 OR ok)', 'or((#0 = ''1''), (#1 = ''2''), #2)'),
	('coalesce(a, 1) = 1', '(coalesce(#0, ''1'') = ''1'')'),
	('nullif(a, 2) = 1', '(nullif(#0, ''2'') = ''1'')'),
	('a IS DISTINCT FROM 3', 'distinct(#0, ''3'')'),
	('ok IS NULL', 'null(#0)'),
	('s IS NOT NULL', 'not_null(#0)'),
	('greatest(a, 3) = 3', '(greatest(#0, ''3'') = ''3'')'),
	('nums[1] = 2', '(element(#0, ''1'') = ''2'')'),
	('(ARRAY[a, 2])[1] = 1', '(element(array(#0, ''2''), ''1'') = ''1'')'),
	('CASE a WHEN 1 THEN ok ELSE s = ''x'' END', 'case(#0, (subject() = ''1''), #2, (#1 = ''x''))')) AS v (condition, expected);

-- sub-queries
SELECT is(t.read(condition), expected, condition) FROM (VALUES
	('a = (SELECT max(i) FROM generate_series(1, 3) AS i)', '(#0 = value() of [public dp_public])'),
	('EXISTS (SELECT FROM public.things AS o WHERE o.id = t.id AND o.a > 3)', 'exists() of [project ''1'' of filter (#0 = ^#0), (#1 > ''3'') of scan things]'),
	('a IN (SELECT i FROM generate_series(1, 3) AS i)', 'any((#0 = compared())) of [public dp_public]')) AS v (condition, expected);

-- a sub-query in an operand that is repeated stays one
SELECT is((SELECT array_agg(DISTINCT m[1]) FROM regexp_matches(t.read('concat(s, (SELECT random()), (SELECT random())) = ''x'''), '\$\d+', 'g') AS m), '{$1,$2}', 'two sub-queries');

SELECT * FROM finish();
\ir support/gate_end.sql
