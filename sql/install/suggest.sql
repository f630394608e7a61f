/*
 * suggest.sql
 *		Caps and bounds for owners, found privately.
 */

CREATE FUNCTION dp_noise.suggest(
	relation regclass, epsilon numeric DEFAULT 0.1, epsilon_later numeric DEFAULT 1, group_by text[] DEFAULT NULL,
	columns text[] DEFAULT NULL, settings text[] DEFAULT NULL
) RETURNS TABLE (setting text, column_name name, suggested text, epsilon numeric, statement text)
AS 'MODULE_PATHNAME', 'dp_suggest' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION dp_noise.suggest(regclass, numeric, numeric, text[], text[], text[]) IS
'Suggests caps and bounds of a protected relation, found privately: (relation, epsilon of each suggestion, epsilon_later of the questions that they are for, group_by: columns that these group by, columns whose bounds are wanted, settings: some of max_rows_per_unit, max_groups_per_unit and bounds; null: all that apply, with bounds of the columns that have none). Returns one row per suggestion, with the call of dp_noise.protect() or dp_noise.set_bounds() to run by hand. Each is charged to the population''s grant before anything is read, and again whenever it is asked for; nothing is stored. Epsilon-DP for one privacy unit, by a one-sided sparse vector over public candidates. For the relation''s owner and superusers. Errors: object_not_in_prerequisite_state (not protected), configuration_limit_exceeded (budget), undefined_column, feature_not_supported (type), invalid_parameter_value.';
