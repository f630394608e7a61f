/*
 * declared.sql
 *		Functions for owners of relations: bounds and values of columns, levels.
 */

CREATE FUNCTION dp_noise.bounded_kind(relation regclass, number smallint) RETURNS text LANGUAGE plpgsql
AS $$
DECLARE
	numbers CONSTANT oid[] := '{int2,int4,int8,float4,float8,numeric}'::regtype[];
	ordered CONSTANT oid[] := '{date,timestamp,timestamptz,time,interval}'::regtype[];
	found record;
	base oid;
BEGIN
	SELECT a.attname, a.atttypid INTO STRICT found FROM pg_attribute AS a
	WHERE a.attrelid = relation AND a.attnum = number;
	base := found.atttypid;
	WHILE EXISTS (SELECT FROM pg_type AS t WHERE t.oid = base AND t.typtype = 'd') LOOP
		base := (SELECT t.typbasetype FROM pg_type AS t WHERE t.oid = base);
	END LOOP;
	IF base = ANY (numbers) THEN
		RETURN 'number';
	ELSIF base = ANY (ordered) THEN
		RETURN format_type(base, NULL);
	END IF;
	RAISE EXCEPTION 'column % of relation %, of type %, cannot have bounds', quote_ident(found.attname), relation, format_type(base, NULL)
		USING ERRCODE = 'feature_not_supported', HINT = CASE base WHEN 'money'::regtype
				THEN 'What money is worth depends on a setting. Make the column numeric, with ALTER TABLE ... ALTER COLUMN ... TYPE numeric.'
				ELSE 'Bounds are for numbers, dates, times and intervals. dp_noise.set_values() declares the values of other columns.' END;
END
$$;
COMMENT ON FUNCTION dp_noise.bounded_kind(regclass, smallint) IS
'The kind of the bounds of a column, given by its number: number, or the name of the column''s type if that is a date, time or interval type. Errors: feature_not_supported for other types.';

CREATE FUNCTION dp_noise.do_set_bounds(relation regclass, column_name text, lower numeric, upper numeric)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.change_member(relation);
	kind text;
BEGIN
	column_name := dp_noise.column_name(relation, column_name);
	IF lower IS NULL AND upper IS NULL THEN
		DELETE FROM dp_noise_ledger.column_bounds AS b
		WHERE b.member_id = id AND b.column_name = column_name::name;
		RETURN;
	END IF;
	kind := dp_noise.bounded_kind(relation, dp_noise.column_number(relation, column_name));
	IF lower IS NULL OR upper IS NULL OR lower > upper OR lower IN ('NaN', '-Infinity', 'Infinity')
		OR upper IN ('NaN', '-Infinity', 'Infinity') THEN
		RAISE EXCEPTION 'bounds must be finite, and lower must not exceed upper'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write the least and the greatest value that a row can sensibly have; two nulls remove the bounds.';
	END IF;
	DELETE FROM dp_noise_ledger.column_bounds AS b
	WHERE b.member_id = id AND b.column_name = do_set_bounds.column_name::name;
	INSERT INTO dp_noise_ledger.column_bounds VALUES (id, column_name, lower, upper, kind);
END
$$;
COMMENT ON FUNCTION dp_noise.do_set_bounds(regclass, text, numeric, numeric) IS
'Body of dp_noise.set_bounds. Dates and times are numbers of days or microseconds.';
CREATE FUNCTION dp_noise.set_bounds(relation regclass, column_name text, lower anycompatible, upper anycompatible) RETURNS void
AS 'MODULE_PATHNAME', 'dp_set_bounds' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.set_bounds(regclass, text, anycompatible, anycompatible) IS
'Declares public bounds of a column, in its unit, so that aggregates need not repeat them; two nulls remove them. Bounds are numbers, dates, timestamps, times or intervals, or texts of these. For the relation''s owner and superusers. Errors: undefined_column, feature_not_supported (type), invalid_parameter_value, invalid_text_representation and others.';

CREATE FUNCTION dp_noise.plain_values(relation oid, number smallint, column_values text[]) RETURNS text[]
AS 'MODULE_PATHNAME', 'dp_plain_values' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.plain_values(oid, smallint, text[]) IS
'Values of the type of a column, given by its number, in the type''s own output form. Only functions of the server are used. Errors: invalid_text_representation and the like, invalid_parameter_value (repeated, null, none), feature_not_supported (type).';

CREATE FUNCTION dp_noise.do_set_values(relation regclass, column_name text, column_values text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET "DateStyle" = 'ISO, YMD'
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.change_member(relation);
	number smallint;
BEGIN
	column_name := dp_noise.column_name(relation, column_name);
	DELETE FROM dp_noise_ledger.column_values AS v
	WHERE v.member_id = id AND v.column_name = do_set_values.column_name::name;
	IF column_values IS NULL THEN
		RETURN;
	END IF;
	number := dp_noise.column_number(relation, column_name);
	INSERT INTO dp_noise_ledger.column_values VALUES (id, column_name, dp_noise.plain_values(relation, number, column_values));
END
$$;
CALL dp_noise.add_entry('set_values');
COMMENT ON FUNCTION dp_noise.set_values(regclass, text, text[]) IS
'Declares the values of a column as public (public partitions). GROUP BY the column then returns a row for each of them, in this order, without dp_noise.delta; rows with other values are in no group. Null removes them. For the relation''s owner and superusers. Errors: undefined_column, invalid_text_representation, invalid_parameter_value (repeated, null, none), feature_not_supported (type).';

CREATE FUNCTION dp_noise.do_set_levels(relation regclass, levels numeric[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
#variable_conflict use_variable
DECLARE
	id CONSTANT integer := dp_noise.change_member(relation);
	sorted numeric[] := ARRAY(SELECT DISTINCT l FROM unnest(levels) AS l ORDER BY l DESC);
BEGIN
	IF levels IS NOT NULL AND (array_ndims(levels) IS DISTINCT FROM 1 OR array_position(levels, NULL) IS NOT NULL
		OR cardinality(levels) > 16 OR cardinality(sorted) < cardinality(levels)
		OR EXISTS (SELECT FROM unnest(levels) AS l WHERE l = 'NaN' OR l < 0.000001 OR l > 1000000 OR scale(trim_scale(l)) > 15)) THEN
		RAISE EXCEPTION 'invalid privacy levels: %', levels
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Write 1 to 16 different epsilons from 0.000001 to 1000000, such as ''{0.1,0.5,1}''; null removes the levels.';
	END IF;
	-- The grant pays for the highest level, whatever the budgets of those who ask are.
	IF levels IS NOT NULL AND EXISTS (
		SELECT FROM dp_noise_ledger.member AS m JOIN dp_noise_ledger.population AS p USING (population_id) JOIN pg_class AS c ON c.oid = m.relation
		WHERE m.member_id = id AND p.owner <> c.relowner) THEN
		RAISE EXCEPTION 'relation % cannot have privacy levels in a population of another owner', relation
			USING ERRCODE = 'insufficient_privilege', HINT = 'The population''s grant pays for the highest level: protect the relation in a population of its owner''s.';
	END IF;
	UPDATE dp_noise_ledger.member AS m SET levels = CASE WHEN do_set_levels.levels IS NOT NULL THEN sorted END WHERE m.member_id = id;
END
$$;
CALL dp_noise.add_entry('set_levels');
COMMENT ON FUNCTION dp_noise.set_levels(regclass, numeric[]) IS
'Declares privacy levels of a relation: the only epsilons at which dp_count, and dp_sum of integers and numerics, are answered. A question is drawn once, at all levels, for all roles. Each role pays for its level and sees its answer; the population''s grant pays for the highest level, once until stored answers expire. Together, all roles learn no more than the highest level reveals. Null removes them. For the relation''s owner and superusers, where that owner has the population, too. Errors: invalid_parameter_value (none, more than 16, repeated, null, outside 0.000001 to 1000000), insufficient_privilege (the population is another owner''s). Sources: Chen, Pal, Golubchik, 5.3; Gupte and Sundararajan 2010.';
