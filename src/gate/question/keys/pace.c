/*
 * pace.c
 *		From functions of dates and times to steps between them.
 *
 * A step is no longer than the shortest time for which a function returns one
 * value: for a month that is 28 days. A wrong step could only change which
 * groups are released, never what their answers reveal.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "gate/question/keys/pace.h"
#include "server/stack.h"

#define DAYS(count) ((count) *USECS_PER_DAY)

/*
 * The fields of date_trunc and extract, and the period after which extract has
 * returned all values.
 */
static const struct
{
	const char *name;
	int64 step;
	int64 period; /* -1: extract has too many values */
} fields[] = {
	{"microsecond", 1, -1},
	{"millisecond", 1000, -1},
	{"second", USECS_PER_SEC, -1},
	{"minute", USECS_PER_MINUTE, USECS_PER_HOUR + USECS_PER_MINUTE},
	{"hour", USECS_PER_HOUR, USECS_PER_DAY + USECS_PER_HOUR},
	{"day", DAYS(1), DAYS(62)},
	{"dow", DAYS(1), DAYS(8)},
	{"isodow", DAYS(1), DAYS(8)},
	{"doy", DAYS(1), DAYS(9 * 366)},
	{"week", DAYS(7), DAYS(28 * 366)},
	{"month", DAYS(28), DAYS(400)},
	{"quarter", DAYS(90), DAYS(460)},
	{"year", DAYS(365), 0},
	{"isoyear", DAYS(364), 0},
	{"decade", DAYS(3652), 0},
	{"century", DAYS(36524), 0},
	{"millennium", DAYS(365242), 0},
};

/* Formats of to_char with none of these distinguish days at most. */
static const char *const hours[] = {"HH", "AM", "PM", "A.M", "P.M"};
static const char *const finer[] = {"MI", "SS", "MS", "US", "FF"};

typedef struct Search
{
	Var *column;
	bool has_several; /* columns, or something that is not looked into */
	DpPace pace;
	bool is_found;
} Search;

static DpPace
coarser_of(DpPace outer, int64 step)
{
	outer.step = Max(outer.step, step);
	return outer;
}

/* A constant of a type; false where it is none, or null. */
static bool
constant_of(List *args, int argno, Oid type, Datum *value)
{
	Const *constant;

	if (argno >= list_length(args) || !IsA(list_nth(args, argno), Const))
		return false;
	constant = list_nth_node(Const, args, argno);
	*value = constant->constvalue;
	return constant->consttype == type && !constant->constisnull;
}

static DpPace
pace_of_field(const char *name, bool is_extract, DpPace outer)
{
	size_t length = strlen(name);
	size_t i;

	for (i = 0; i < lengthof(fields); i++)
	{
		size_t known = strlen(fields[i].name);

		if (pg_strncasecmp(fields[i].name, name, known) != 0 ||
			(length != known &&
			 (length != known + 1 || pg_tolower(name[known]) != 's')))
			continue;
		if (!is_extract)
			return coarser_of(outer, fields[i].step);
		if (fields[i].period >= 0)
			return (DpPace){fields[i].step, fields[i].period};
	}
	return (DpPace){0, 0};
}

static bool
has_any_of(const char *format, const char *const *patterns, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
	{
		if (strstr(format, patterns[i]) != NULL)
			return true;
	}
	return false;
}

static DpPace
pace_of_format(char *format)
{
	char *c;

	for (c = format; *c != '\0'; c++)
		*c = (char) pg_toupper((unsigned char) *c);
	if (has_any_of(format, finer, lengthof(finer)))
		return (DpPace){0, 0};
	if (has_any_of(format, hours, lengthof(hours)))
		return (DpPace){USECS_PER_HOUR, 0};
	return (DpPace){DAYS(1), 0};
}

/*
 * The pace that a call needs of its argument, given the pace needed of the
 * call.
 */
static DpPace
pace_of_call(Oid function, List *args, DpPace outer)
{
	const char *name =
		function < FirstNormalObjectId ? get_func_name(function) : NULL;
	Datum value;

	if (name == NULL)
		return (DpPace){0, 0};
	if (strcmp(name, "date_trunc") == 0 &&
		constant_of(args, 0, TEXTOID, &value))
		return pace_of_field(TextDatumGetCString(value), false, outer);
	if ((strcmp(name, "extract") == 0 || strcmp(name, "date_part") == 0) &&
		constant_of(args, 0, TEXTOID, &value))
		return pace_of_field(TextDatumGetCString(value), true, outer);
	if (strcmp(name, "to_char") == 0 && constant_of(args, 1, TEXTOID, &value))
		return pace_of_format(TextDatumGetCString(value));
	if (strcmp(name, "date_bin") == 0 &&
		constant_of(args, 0, INTERVALOID, &value) &&
		DatumGetIntervalP(value)->month == 0)
		return coarser_of(outer, DatumGetIntervalP(value)->day * USECS_PER_DAY +
									 DatumGetIntervalP(value)->time);
	if (strcmp(name, "date") == 0)
		return coarser_of(outer, DAYS(1));
	if (strcmp(name, "timestamp") == 0 || strcmp(name, "timestamptz") == 0 ||
		strcmp(name, "timezone") == 0 || strcmp(name, "time") == 0)
		return outer;
	return (DpPace){0, 0};
}

static void
add_column(Search *search, Var *column, DpPace pace)
{
	if (search->column != NULL && !equal(search->column, column))
		search->has_several = true;
	search->column = column;
	if (!search->is_found)
		search->pace = pace;
	search->pace.step = Min(search->pace.step, pace.step);
	search->pace.period = search->pace.period == 0 || pace.period == 0
							  ? 0
							  : Max(search->pace.period, pace.period);
	search->is_found = true;
}

/* The pace that an expression needs of its arguments. */
typedef struct Asked
{
	Search *search;
	DpPace pace;
} Asked;

static bool
pace_walker(Node *node, Asked *asked)
{
	Asked inner = {asked->search, {0, 0}};

	if (node == NULL)
		return false;
	dp_stack_enter();
	switch (nodeTag(node))
	{
		case T_Var:
			add_column(asked->search, (Var *) node, asked->pace);
			return false;
		case T_SubLink:
		case T_Query:
		case T_Aggref:
		case T_WindowFunc:
			asked->search->has_several = true;
			return true;
		case T_FuncExpr:
			inner.pace = pace_of_call(((FuncExpr *) node)->funcid,
									  ((FuncExpr *) node)->args, asked->pace);
			break;
		case T_RelabelType:
			inner.pace = asked->pace;
			break;
		default:
			break;
	}
	return expression_tree_walker(node, pace_walker, &inner);
}

DpPace
dp_gate_pace_of(Node *expression, Var **column)
{
	Search search = {NULL, false, {0, 0}, false};
	Asked asked = {&search, {0, 0}};

	(void) pace_walker(expression, &asked);
	*column = search.has_several ? NULL : search.column;
	return search.pace;
}
