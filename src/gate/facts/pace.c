/*
 * pace.c
 *		From functions of dates and times to steps between them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "gate/facts/arithmetic.h"
#include "gate/facts/pace.h"
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

static const DpPace every_value = {0, 0};

static DpPace
coarser_of(DpPace outer, int64 step)
{
	outer.step = Max(outer.step, step);
	return outer;
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
	return every_value;
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
		return every_value;
	if (has_any_of(format, hours, lengthof(hours)))
		return (DpPace){USECS_PER_HOUR, 0};
	return (DpPace){DAYS(1), 0};
}

static DpPace
pace_of_bin(const Interval *width, DpPace outer)
{
	return width->month != 0
			   ? every_value
			   : coarser_of(outer, width->day * USECS_PER_DAY + width->time);
}

/* Whether an argument is a constant of this type, and not null. */
static bool
is_constant(const DpExpr *arg, Oid type)
{
	return arg->kind == DP_EXPR_CONSTANT && arg->type.oid == type &&
		   !arg->constant.isnull;
}

/*
 * The pace that an expression needs of its arguments, given the pace needed of
 * it.
 */
static DpPace
pace_within(const DpExpr *expr, DpPace outer)
{
	DpArithmetic does = dp_arithmetic_of(expr);

	switch (does)
	{
		case DP_ARITHMETIC_TRUNCATE:
		case DP_ARITHMETIC_EXTRACT:
			if (!is_constant(expr->args[0], TEXTOID))
				return every_value;
			return pace_of_field(
				TextDatumGetCString(expr->args[0]->constant.value),
				does == DP_ARITHMETIC_EXTRACT, outer);
		case DP_ARITHMETIC_FORMAT:
			if (!is_constant(expr->args[1], TEXTOID))
				return every_value;
			return pace_of_format(
				TextDatumGetCString(expr->args[1]->constant.value));
		case DP_ARITHMETIC_BIN:
			if (!is_constant(expr->args[0], INTERVALOID))
				return every_value;
			return pace_of_bin(DatumGetIntervalP(expr->args[0]->constant.value),
							   outer);
		case DP_ARITHMETIC_DAY:
			return coarser_of(outer, DAYS(1));
		case DP_ARITHMETIC_SAME_TIME:
			return outer;
		default:
			return expr->kind == DP_EXPR_RELABEL ? outer : every_value;
	}
}

typedef struct Search
{
	const DpExpr *column;
	bool has_several; /* columns, or something that is not looked into */
	DpPace pace;
} Search;

static void
add_column(Search *search, const DpExpr *column, DpPace pace)
{
	bool is_first = search->column == NULL;

	if (column->column.depth != 0 ||
		(!is_first && search->column->column.number != column->column.number))
		search->has_several = true;
	search->column = column;
	search->pace.step =
		is_first ? pace.step : Min(search->pace.step, pace.step);
	search->pace.period = is_first ? pace.period
						  : search->pace.period == 0 || pace.period == 0
							  ? 0
							  : Max(search->pace.period, pace.period);
}

static void
find_paces(const DpExpr *expr, DpPace pace, Search *search)
{
	DpPace inner;
	int i;

	dp_stack_enter();
	switch (expr->kind)
	{
		case DP_EXPR_COLUMN:
			add_column(search, expr, pace);
			return;
		case DP_EXPR_SUBQUERY:
		case DP_EXPR_AGGREGATE:
		case DP_EXPR_WINDOW_CALL:
			search->has_several = true;
			return;
		default:
			break;
	}
	inner = pace_within(expr, pace);
	for (i = 0; i < expr->nargs; i++)
		find_paces(expr->args[i], inner, search);
}

DpPace
dp_pace_of(const DpExpr *expr, const DpExpr **column)
{
	Search search = {NULL, false, every_value};

	find_paces(expr, every_value, &search);
	*column = search.has_several ? NULL : search.column;
	return search.pace;
}
