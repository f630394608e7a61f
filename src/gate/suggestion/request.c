/*
 * request.c
 *		What dp_noise.suggest() is asked for.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "gate/suggestion/request.h"
#include "ledger/charge.h"
#include "ledger/numeric_amount.h"

const char *const dp_setting_names[DP_SETTINGS] = {
	"max_rows_per_unit", "max_groups_per_unit", "bounds"};

/* The elements of an array of texts, none of which is null or comes twice. */
static List *
texts_of(Datum array, const char *parameter)
{
	List *texts = NIL;
	Datum *elements;
	bool *nulls;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false,
					  TYPALIGN_INT, &elements, &nulls, &count);
	for (i = 0; i < count; i++)
	{
		char *name = nulls[i] ? NULL : TextDatumGetCString(elements[i]);
		ListCell *cell;

		if (name == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s must not have nulls", parameter),
					 errhint("Leave %s out for its default.", parameter)));
		foreach (cell, texts)
		{
			if (strcmp(lfirst(cell), name) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("%s names \"%s\" twice", parameter, name),
						 errhint("Each suggestion is charged: name it once.")));
		}
		texts = lappend(texts, name);
	}
	return texts;
}

/* Columns by their names, as integers. */
static List *
columns_of(Oid relation, Datum names, const char *parameter)
{
	List *columns = NIL;
	ListCell *cell;

	foreach (cell, texts_of(names, parameter))
	{
		AttrNumber column = get_attnum(relation, lfirst(cell));

		if (column <= 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of relation \"%s\" does not exist",
							(char *) lfirst(cell), get_rel_name(relation)),
					 errhint("Write the name of a column of the relation.")));
		columns = lappend_int(columns, column);
	}
	return columns;
}

static double
read_later(Datum value)
{
	DpEpsilon epsilon;

	if (!dp_amount_to_epsilon(
			dp_amount_of_numeric(value, false, "epsilon_later"), &epsilon))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon_later is out of range"),
				 errhint("Write the epsilon that questions will have, from %g "
						 "to %g.",
						 DP_EPSILON_MIN, DP_EPSILON_MAX)));
	return dp_epsilon_to_double(epsilon);
}

static void
read_epsilon(Datum value, DpSuggesting *s)
{
	s->asked = dp_amount_of_numeric(value, true, "epsilon");
	if (!dp_amount_to_epsilon(s->asked, &s->epsilon) || s->epsilon.ticks < 2)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon is out of range"),
						errhint("Write what each suggestion may cost, such as "
								"0.1.")));
}

/* Error: invalid_parameter_value, where no setting has that name. */
static DpSetting
setting_of(const char *name)
{
	int i;

	for (i = 0; i < DP_SETTINGS; i++)
	{
		if (strcmp(dp_setting_names[i], name) == 0)
			return (DpSetting) i;
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("\"%s\" cannot be suggested", name),
					errhint("Write %s, %s or %s.",
							dp_setting_names[DP_SETTING_MAX_ROWS],
							dp_setting_names[DP_SETTING_MAX_GROUPS],
							dp_setting_names[DP_SETTING_BOUNDS])));
}

static void
read_settings(Datum names, DpSuggesting *s)
{
	ListCell *cell;

	foreach (cell, texts_of(names, "settings"))
		s->wants[setting_of(lfirst(cell))] = true;
}

/* Groups are counted by the server: their columns need an equality. */
static void
check_groups(const DpSuggesting *s)
{
	ListCell *cell;

	foreach (cell, s->group_by)
	{
		Oid type = get_atttype(s->relation, lfirst_int(cell));

		if (!OidIsValid(lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of type %s cannot be grouped by",
							get_attname(s->relation, lfirst_int(cell), false),
							format_type_be(type)),
					 errhint("Name columns that questions are grouped by.")));
	}
}

static void
add_suggestion(DpSuggesting *s, DpSetting setting, AttrNumber column)
{
	DpSuggestion *suggestion = palloc0(sizeof(DpSuggestion));

	suggestion->setting = setting;
	suggestion->column = column;
	s->suggestions = lappend(s->suggestions, suggestion);
}

/* Columns of numbers and dates that have no bounds yet, nor tell whose a row is. */
static List *
columns_without_bounds(const DpSuggesting *s)
{
	Relation relation = relation_open(s->relation, NoLock);
	List *columns = NIL;
	int i;

	for (i = 0; i < RelationGetNumberOfAttributes(relation); i++)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(relation), i);

		if (!column->attisdropped &&
			dp_candidates_type(getBaseType(column->atttypid)) != NULL &&
			!bms_is_member(column->attnum, s->units.is_about_units) &&
			!bms_is_member(column->attnum, s->units.has_bounds))
			columns = lappend_int(columns, column->attnum);
	}
	relation_close(relation, NoLock);
	return columns;
}

static void
list_bounds(DpSuggesting *s, List *columns)
{
	ListCell *cell;

	foreach (cell, columns)
	{
		Oid type = get_atttype(s->relation, lfirst_int(cell));

		if (dp_candidates_type(getBaseType(type)) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("bounds of column \"%s\" of type %s cannot be "
							"suggested",
							get_attname(s->relation, lfirst_int(cell), false),
							format_type_be(type)),
					 errhint("Suggestions are for numbers, dates and "
							 "timestamps. dp_noise.set_bounds() takes what is "
							 "known of the others.")));
		add_suggestion(s, DP_SETTING_BOUNDS, (AttrNumber) lfirst_int(cell));
	}
}

/* What is asked for: everything that is refused is refused here, uncharged. */
static void
list_suggestions(DpSuggesting *s, bool has_columns, List *columns)
{
	if (!s->units.several_rows &&
		(s->wants[DP_SETTING_MAX_ROWS] || s->wants[DP_SETTING_MAX_GROUPS]))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a privacy unit of \"%s\" has one row",
						get_rel_name(s->relation)),
				 errhint("There is nothing to suggest: its caps are 1.")));
	if (s->wants[DP_SETTING_MAX_GROUPS] && s->group_by == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s depends on what questions are grouped by",
						dp_setting_names[DP_SETTING_MAX_GROUPS]),
				 errhint("Name the columns, such as group_by => '{city}'.")));
	check_groups(s);
	if (s->units.several_rows &&
		(s->wants_all || s->wants[DP_SETTING_MAX_ROWS]))
		add_suggestion(s, DP_SETTING_MAX_ROWS, InvalidAttrNumber);
	if (s->units.several_rows && s->group_by != NIL &&
		(s->wants_all || s->wants[DP_SETTING_MAX_GROUPS]))
		add_suggestion(s, DP_SETTING_MAX_GROUPS, InvalidAttrNumber);
	if (s->wants_all || s->wants[DP_SETTING_BOUNDS])
		list_bounds(s, has_columns ? columns : columns_without_bounds(s));
	if (list_length(s->suggestions) > DP_CHARGES_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many suggestions at once"),
						errhint("Name fewer columns.")));
}

void
dp_suggestion_read(FunctionCallInfo fcinfo, DpSuggesting *s)
{
	List *columns = NIL;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("epsilon and epsilon_later must not be null"),
						errhint("Leave them out for their defaults.")));
	read_epsilon(PG_GETARG_DATUM(1), s);
	s->later = read_later(PG_GETARG_DATUM(2));
	if (!PG_ARGISNULL(3))
		s->group_by = columns_of(s->relation, PG_GETARG_DATUM(3), "group_by");
	if (!PG_ARGISNULL(4))
		columns = columns_of(s->relation, PG_GETARG_DATUM(4), "columns");
	s->wants_all = PG_ARGISNULL(5);
	if (!s->wants_all)
		read_settings(PG_GETARG_DATUM(5), s);
	list_suggestions(s, !PG_ARGISNULL(4), columns);
}
