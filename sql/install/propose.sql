/*
 * propose.sql
 *		Declarations that follow from what the catalogs say.
 *
 * Constraints and types are as public as the names of columns. Nothing of a row is
 * read, and whoever calls sees nothing that the catalogs do not show. An expression
 * is understood only as a whole: comparisons of the column with constants of the
 * server's types, joined by AND. In the search path of these functions operators
 * and types of others are printed with their schemas, and so are not understood.
 */

CREATE FUNCTION dp_noise.constant_text(expression text, type oid) RETURNS text LANGUAGE plpgsql STABLE
SET "DateStyle" = 'ISO, YMD'
SET "IntervalStyle" = 'postgres'
SET "TimeZone" = 'UTC'
AS $$
DECLARE
	result text;
BEGIN
	-- Constants alone: whoever calls could run any expression anyway.
	EXECUTE format('SELECT ((%s)::%s)::text', expression, format_type(type, NULL)) INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN NULL; -- of another type than the column's
END
$$;
COMMENT ON FUNCTION dp_noise.constant_text(text, oid) IS
'A constant as a value of a type of the server''s, in its output form: (constant as pg_get_expr prints it, type). Null where it is none.';

CREATE FUNCTION dp_noise.comparisons_in(expression text, name text, type text) RETURNS TABLE (operator text, constants text[]) LANGUAGE sql IMMUTABLE
AS $$
	WITH part AS (
		SELECT '(?:''(?:[^'']|'''')*''(?:::[a-z ]+(?:\([0-9,]+\))?)?|-?[0-9]+(?:\.[0-9]+)?|\(''?-?[0-9]+(?:\.[0-9]+)?''?(?:::[a-z ]+)?\)(?:::[a-z ]+)?)' AS constant,
			'\(*' || regexp_replace(name, '([^[:alnum:]_])', '\\\1', 'g') || '\)*' AS value
	), term AS (
		-- a cast of the value must not change its order: as text, 10 is below 9
		SELECT constant, value || '(?:::(?:numeric|double precision|' || type || '))? (>=|<=|>|<|=) (' || constant || ')' AS comparison,
			value || '(?:::text)? = ANY \(+ARRAY\[(' || constant || '(?:, ' || constant || ')*)\]\)?(?:::[a-z ]+\[\])?\)' AS list
		FROM part
	)
	SELECT m.part[1], ARRAY[m.part[2]]
	FROM term AS t CROSS JOIN LATERAL regexp_matches(expression, '\(' || t.comparison || '\)', 'g') AS m (part)
	WHERE expression ~ ('^\(*' || t.comparison || '\)(?: AND \(' || t.comparison || '\))*\)?$')
	UNION ALL
	SELECT 'in', ARRAY(SELECT c.part[1] FROM regexp_matches(m.part[1], '(' || t.constant || ')', 'g') WITH ORDINALITY AS c (part, number) ORDER BY c.number)
	FROM term AS t CROSS JOIN LATERAL regexp_match(expression, '^\(*' || t.list || '\)$') AS m (part)
	WHERE m.part IS NOT NULL
$$;
COMMENT ON FUNCTION dp_noise.comparisons_in(text, text, text) IS
'The comparisons that an expression consists of, as pg_get_expr prints it, joined by AND: (expression, the name of what is compared with constants, its type). "in": a list of constants. None where it is anything else.';

CREATE FUNCTION dp_noise.propose(relation regclass)
RETURNS TABLE (column_name name, setting text, proposed text, follows_from text, statement text) LANGUAGE sql STABLE
AS $$
	WITH RECURSIVE self AS (
		SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation
	), typed (attnum, attname, type) AS (
		-- columns, with domains down to what these are over
		SELECT a.attnum, a.attname, a.atttypid FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped
		UNION ALL
		SELECT d.attnum, d.attname, t.typbasetype FROM typed AS d JOIN pg_type AS t ON t.oid = d.type AND t.typtype = 'd'
	), base AS (
		SELECT d.attnum, d.attname, t.oid AS type, t.typtype, t.typcategory FROM typed AS d JOIN pg_type AS t ON t.oid = d.type AND t.typtype <> 'd'
	), said AS (
		SELECT b.*, format('constraint %I', k.conname) AS origin, c.operator, c.constants
		FROM base AS b
		JOIN pg_constraint AS k ON k.conrelid = relation AND k.contype = 'c' AND k.convalidated AND k.conkey = ARRAY[b.attnum]
		CROSS JOIN LATERAL dp_noise.comparisons_in(pg_get_expr(k.conbin, k.conrelid), quote_ident(b.attname), format_type(b.type, NULL)) AS c
		UNION ALL
		SELECT b.*, format('domain %s', d.type::regtype), c.operator, c.constants
		FROM base AS b
		JOIN typed AS d USING (attnum)
		JOIN pg_constraint AS k ON k.contypid = d.type AND k.contype = 'c' AND k.convalidated
		CROSS JOIN LATERAL dp_noise.comparisons_in(pg_get_expr(k.conbin, 0), 'VALUE', format_type(b.type, NULL)) AS c
	), bound AS (
		SELECT s.attnum, s.attname, s.origin, s.operator, dp_noise.constant_text(s.constants[1], CASE s.typcategory WHEN 'N' THEN 'numeric'::regtype ELSE s.type END) AS value,
			CASE WHEN s.type NOT IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) THEN 0 WHEN s.operator = '>' THEN 1 WHEN s.operator = '<' THEN -1 ELSE 0 END AS step
		FROM said AS s
		WHERE s.operator <> 'in' AND s.type = ANY ('{int2,int4,int8,float4,float8,numeric,date,timestamp,timestamptz,time}'::regtype[])
	), side AS (
		SELECT b.attnum, b.attname, b.origin, b.operator ^@ '>' AS is_lower, b.operator ^@ '<' AS is_upper,
			CASE WHEN b.step <> 0 THEN (b.value::numeric + b.step)::text ELSE b.value END AS value
		FROM bound AS b WHERE b.value IS NOT NULL AND b.value !~* '^-?infinity$|^nan$'
	), limits AS (
		-- the narrowest of each side: numbers by size, dates and times by their ISO form
		SELECT s.attnum, s.attname, string_agg(DISTINCT s.origin, ', ') AS origin,
			(array_agg(s.value ORDER BY CASE WHEN s.value ~ '^-?[0-9.]+$' THEN s.value::numeric END DESC, s.value COLLATE "C" DESC) FILTER (WHERE NOT s.is_upper))[1] AS lower,
			(array_agg(s.value ORDER BY CASE WHEN s.value ~ '^-?[0-9.]+$' THEN s.value::numeric END, s.value COLLATE "C") FILTER (WHERE NOT s.is_lower))[1] AS upper
		FROM side AS s GROUP BY 1, 2
	), listed AS (
		SELECT DISTINCT ON (s.attnum) s.attnum, s.attname, s.origin, ARRAY(
			SELECT dp_noise.constant_text(c, s.type) FROM unnest(s.constants) WITH ORDINALITY AS u (c, number) ORDER BY number) AS list
		FROM said AS s WHERE s.operator = 'in' AND s.type < 16384
		ORDER BY s.attnum, s.origin
	)
	SELECT p.attname, p.setting, p.proposed, p.origin, p.statement
	FROM (
		SELECT l.attnum, l.attname, 'bounds' AS setting, format('%s .. %s', coalesce(l.lower, '?'), coalesce(l.upper, '?')) AS proposed, l.origin,
			CASE WHEN l.lower IS NOT NULL AND l.upper IS NOT NULL
				THEN format('SELECT dp_noise.set_bounds(%L, %L, %L, %L)', s.name, quote_ident(l.attname), l.lower, l.upper) END AS statement
		FROM limits AS l, self AS s
		UNION ALL
		SELECT l.attnum, l.attname, 'values', l.list::text, l.origin, format('SELECT dp_noise.set_values(%L, %L, %L)', s.name, quote_ident(l.attname), l.list)
		FROM listed AS l, self AS s WHERE array_position(l.list, NULL) IS NULL
		UNION ALL
		SELECT b.attnum, b.attname, 'values', CASE b.typtype WHEN 'e' THEN ARRAY(SELECT e.enumlabel FROM pg_enum AS e WHERE e.enumtypid = b.type ORDER BY e.enumsortorder)::text ELSE '{f,t}' END,
			format('type %s: public as it is', b.type::regtype), NULL
		FROM base AS b WHERE b.typtype = 'e' OR b.type = 'boolean'::regtype
		UNION ALL
		SELECT DISTINCT b.attnum, b.attname, 'values', NULL, format('foreign key to %s: public for whoever may read that', k.confrelid::regclass), NULL
		FROM base AS b JOIN pg_constraint AS k ON k.conrelid = relation AND k.contype = 'f' AND k.conkey = ARRAY[b.attnum] AND k.convalidated
		WHERE NOT EXISTS (SELECT FROM dp_noise.protected_relations AS r WHERE r.relation = k.confrelid)
	) AS p
	ORDER BY p.attnum, p.setting, p.origin
$$;
COMMENT ON FUNCTION dp_noise.propose(regclass) IS
'Bounds and values of columns that the catalogs declare already: by CHECK constraints and domains (comparisons with constants, lists), enums, booleans, and foreign keys to tables that are not protected. A row for each, with what it follows from and the call of dp_noise.set_bounds() or dp_noise.set_values() to run by hand; statement null: nothing needs to be called, or the other bound is not declared. Reads no rows, changes nothing and costs nothing; dp_noise.suggest() finds what nobody has declared.';
