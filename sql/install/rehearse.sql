/*
 * rehearse.sql
 *		Invented rows for analysts to try their SQL on.
 *
 * They follow from what dp_columns shows the caller, and from the server's types: the
 * relation is not read, nor is anything of it known here that is not public. Columns
 * have the types beneath domains, whose constraints may call an owner's functions;
 * types of others than enums become text. So the caller runs nobody's code.
 */

CREATE FUNCTION dp_noise.invented_value(
	type oid, number integer, lower text, upper text, public_values text[], rows_per_unit integer
) RETURNS text LANGUAGE plpgsql STABLE
AS $$
DECLARE
	name CONSTANT text := format_type(type, NULL);
	-- i: the number of the row; different columns go round in different steps
	step CONSTANT text := format('((i * 7919 + %s) %% 1000)', number * 31);
	unit CONSTANT text := format('((i - 1) / %s + 1)', rows_per_unit);
	most CONSTANT text := CASE name WHEN 'smallint' THEN '32767' WHEN 'integer' THEN '2147483647' WHEN 'bigint' THEN '9223372036854775807'
		WHEN 'real' THEN '1e37' WHEN 'double precision' THEN '1e300' ELSE '1e300' END;
	is_number CONSTANT boolean := name IN ('smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric');
	-- an enum may have a cast from text that its owner has made: its values are read as literals
	is_enum CONSTANT boolean := (SELECT t.typtype = 'e' FROM pg_type AS t WHERE t.oid = type);
	low CONSTANT text := quote_literal(lower);
	high CONSTANT text := quote_literal(upper);
	value text;
BEGIN
	IF public_values <> '{}' THEN
		value := format('(%L::%s[])[1 + (i * 7919 + %s) %% %s]', public_values, CASE WHEN is_enum THEN name ELSE 'text' END, number * 31, cardinality(public_values));
	ELSIF rows_per_unit IS NOT NULL THEN
		value := CASE WHEN is_number THEN unit || CASE name WHEN 'smallint' THEN ' % 32768' ELSE '' END
			WHEN name = 'uuid' THEN format('lpad(to_hex(%s), 32, ''0'')', unit)
			WHEN name = 'date' THEN format('date ''2000-01-01'' + (%s)::integer', unit)
			WHEN name ^@ 'timestamp' THEN format('timestamp ''2000-01-01'' + (%s)::integer * interval ''1 hour''', unit)
			WHEN name IN ('text', 'character varying', 'character', 'name') THEN format('''p'' || %s', unit) END;
	ELSIF is_number AND lower IS NOT NULL THEN
		value := format('greatest(%1$s::numeric, -(%2$s::numeric)) + (least(%3$s::numeric, %2$s::numeric) - greatest(%1$s::numeric, -(%2$s::numeric))) * %4$s / 999', low, most, high, step);
		IF name IN ('smallint', 'integer', 'bigint') THEN
			value := format('floor(%s)', value);
		END IF;
	ELSIF is_number THEN
		value := step || CASE WHEN name IN ('real', 'double precision', 'numeric') THEN ' / 10.0' ELSE ' % 100' END;
	ELSIF name = 'date' OR name ^@ 'timestamp' THEN
		-- whole days, which are counted without overflow between any two dates
		value := CASE WHEN lower IS NULL THEN format('timestamp ''2000-01-01'' + %s * interval ''9 days''', step)
			ELSE format('least(greatest(%1$s::%2$s, ((%1$s::%2$s)::date + floor(((%3$s::%2$s)::date - (%1$s::%2$s)::date)::numeric * %4$s / 999)::integer)::%2$s), %3$s::%2$s)', low, name, high, step) END;
	ELSIF name IN ('time without time zone', 'interval') THEN
		value := format('%1$s::%2$s + (%3$s::%2$s - %1$s::%2$s) * (%4$s / 999.0)', coalesce(low, '''00:00'''), name, coalesce(high, '''23:00'''), step);
	ELSE
		value := CASE WHEN name IN ('text', 'character varying', 'character', 'name') THEN format('''text '' || %s %% 20', step)
			WHEN name = 'boolean' THEN step || ' < 500'
			WHEN name = 'uuid' THEN format('lpad(to_hex(%s), 32, ''0'')', step)
			WHEN name IN ('json', 'jsonb') THEN '''{}''' END;
	END IF;
	RETURN format('(%s)::%s', coalesce(value, 'NULL'), name);
END
$$;
COMMENT ON FUNCTION dp_noise.invented_value(oid, integer, text, text, text[], integer) IS
'An expression of row number i for an invented value: (type, number of the column, bounds as texts or nulls, public values or null, rows of a unit where it is one). The null of the type where there is no better one.';

CREATE FUNCTION dp_noise.rehearse(relation regclass, row_count integer DEFAULT 1000) RETURNS regclass LANGUAGE plpgsql
SET "DateStyle" = 'ISO, YMD'
SET "IntervalStyle" = 'postgres'
AS $$
#variable_conflict use_variable
DECLARE
	own_name CONSTANT text := (SELECT c.relname FROM pg_class AS c WHERE c.oid = relation);
	table_name text := own_name;
	definition text;
	expressions text;
BEGIN
	IF row_count IS NULL OR row_count NOT BETWEEN 1 AND 1000000 THEN
		RAISE EXCEPTION 'row_count must be between 1 and 1000000'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Leave it out for 1000.';
	END IF;
	WITH RECURSIVE shown AS (
		SELECT d.*, a.attnum, a.atttypid FROM dp_noise.read_own_columns() AS d
		JOIN pg_attribute AS a ON a.attrelid = d.relation AND a.attname = d.column_name
		WHERE d.relation = relation
	), typed (attnum, type) AS (
		SELECT s.attnum, s.atttypid FROM shown AS s
		UNION ALL
		SELECT b.attnum, t.typbasetype FROM typed AS b JOIN pg_type AS t ON t.oid = b.type AND t.typtype = 'd'
	), base AS (
		SELECT s.*, CASE WHEN t.oid < 16384 AND t.typtype IN ('b', 'r', 'm') THEN t.oid
				WHEN t.typtype = 'e' AND has_schema_privilege(t.typnamespace, 'USAGE') AND has_type_privilege(t.oid, 'USAGE') THEN t.oid
				ELSE 'text'::regtype END AS type
		FROM shown AS s JOIN typed AS b USING (attnum) JOIN pg_type AS t ON t.oid = b.type AND t.typtype <> 'd'
	)
	SELECT string_agg(format('%I %s', b.column_name, format_type(b.type, NULL)), ', ' ORDER BY b.attnum),
		string_agg(dp_noise.invented_value(b.type, b.attnum, b.lower, b.upper, b.public_values, CASE WHEN b.is_unit THEN b.max_rows_per_unit END), ', ' ORDER BY b.attnum)
	INTO definition, expressions FROM base AS b;
	IF definition IS NULL THEN
		RAISE EXCEPTION 'role % has no budget to ask about relation %', session_user, relation
			USING ERRCODE = 'insufficient_privilege', HINT = 'dp_columns lists what can be rehearsed. Write the schema, too, where a temporary table has the name.';
	END IF;
	FOR number IN 2 .. 1000 LOOP
		EXIT WHEN NOT EXISTS (SELECT FROM pg_class AS c WHERE c.relnamespace = pg_my_temp_schema() AND c.relname = table_name);
		table_name := left(own_name, 15) || '_' || number;
	END LOOP;
	EXECUTE format('CREATE TEMPORARY TABLE %I (%s)', table_name, definition);
	EXECUTE format('INSERT INTO pg_temp.%I SELECT %s FROM generate_series(1::bigint, %s) AS i', table_name, expressions, row_count);
	EXECUTE format('COMMENT ON TABLE pg_temp.%I IS %L', table_name, format('Invented rows in the shape of %s: dp_noise.rehearse().', relation));
	RETURN format('pg_temp.%I', table_name)::regclass;
END
$$;
COMMENT ON FUNCTION dp_noise.rehearse(regclass, integer) IS
'Makes a temporary table of the caller''s with invented rows in the shape of a protected relation, to try SQL on without privacy: (relation, row_count, 1 to 1000000). It is named like the relation, whose place it takes in the session wherever its schema is not written, until it is dropped; or with a number where a temporary table has that name. Columns have the relation''s names and types (those beneath domains; text for types of others), values between declared bounds, of declared values, enums and booleans, and a unit has max_rows_per_unit rows. Nothing of the relation is read, and nothing is charged: answers over such a table say nothing about people. For roles with a budget to ask about the relation. Errors: insufficient_privilege, invalid_parameter_value.';
