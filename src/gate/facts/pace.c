/*
 * pace.c
 *		From functions of dates and times to steps between them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "utils/builtins.h"
#include "utils/formatting.h"
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

/* Fields may end with an s, and be written in any case. */
static DpPace
pace_of_field(const char *name, bool is_extract, DpPace outer)
{
	size_t i;

	for (i = 0; i < lengthof(fields); i++)
	{
		if (pg_strcasecmp(fields[i].name, name) != 0 &&
			pg_strcasecmp(psprintf("%ss", fields[i].name), name) != 0)
			continue;
		if (!is_extract)
			return coarser_of(outer, fields[i].step);
		return fields[i].period < 0
				   ? every_value
				   : (DpPace){fields[i].step, fields[i].period};
	}
	return every_value;
}

static DpPace
pace_of_format(const char *format)
{
	const char *upper = asc_toupper(format, strlen(format));
	size_t i;

	for (i = 0; i < lengthof(finer); i++)
	{
		if (strstr(upper, finer[i]) != NULL)
			return every_value;
	}
	for (i = 0; i < lengthof(hours); i++)
	{
		if (strstr(upper, hours[i]) != NULL)
			return (DpPace){USECS_PER_HOUR, 0};
	}
	return (DpPace){DAYS(1), 0};
}

/* An argument that is a constant of this type, and not null; or NULL. */
static const DpExpr *
constant_of(const DpExpr *arg, Oid type)
{
	return arg->kind == DP_EXPR_CONSTANT && arg->type.oid == type &&
				   !arg->constant.isnull
			   ? arg
			   : NULL;
}

/*
 * The pace that an expression needs of its arguments, given the pace needed of
 * it.
 */
static DpPace
pace_within(const DpExpr *expr, DpPace outer)
{
	DpArithmetic does = dp_arithmetic_of(expr);
	const DpExpr *constant;
	const Interval *width;

	switch (does)
	{
		case DP_ARITHMETIC_TRUNCATE:
		case DP_ARITHMETIC_EXTRACT:
			constant = constant_of(expr->args[0], TEXTOID);
			return constant == NULL
					   ? every_value
					   : pace_of_field(
							 TextDatumGetCString(constant->constant.value),
							 does == DP_ARITHMETIC_EXTRACT, outer);
		case DP_ARITHMETIC_FORMAT:
			constant = constant_of(expr->args[1], TEXTOID);
			return constant == NULL ? every_value
									: pace_of_format(TextDatumGetCString(
										  constant->constant.value));
		case DP_ARITHMETIC_BIN:
			constant = constant_of(expr->args[0], INTERVALOID);
			if (constant == NULL)
				return every_value;
			width = DatumGetIntervalP(constant->constant.value);
			return width->month != 0
					   ? every_value
					   : coarser_of(outer,
									width->day * USECS_PER_DAY + width->time);
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
	if (search->column == NULL)
		search->pace = pace;
	search->has_several |=
		column->column.depth != 0 ||
		(search->column != NULL &&
		 search->column->column.number != column->column.number);
	search->column = column;
	search->pace.step = Min(search->pace.step, pace.step);
	search->pace.period = search->pace.period == 0 || pace.period == 0
							  ? 0
							  : Max(search->pace.period, pace.period);
}

static void
find_paces(const DpExpr *expr, DpPace pace, Search *search)
{
	DpPace inner = pace_within(expr, pace);
	int i;

	dp_stack_enter();
	if (expr->kind == DP_EXPR_COLUMN)
		add_column(search, expr, pace);
	search->has_several |=
		expr->kind == DP_EXPR_SUBQUERY || dp_expr_has_total(expr);
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

/* Finds what may change at any time of a day. */
static bool
is_unaligned(const DpExpr *expr, void *context)
{
	(void) context;
	return dp_arithmetic_of(expr) == DP_ARITHMETIC_BIN ||
		   (dp_arithmetic_of(expr) == DP_ARITHMETIC_SAME_TIME &&
			expr->nargs > 1);
}

DpPace
dp_pace_of_all(const List *exprs)
{
	static const int64 units[] = {USECS_PER_DAY, USECS_PER_HOUR,
								  USECS_PER_MINUTE, USECS_PER_SEC};
	int64 step = PG_INT64_MAX;
	size_t i;

	foreach_ptr (const DpExpr, expr, exprs)
	{
		const DpExpr *column;

		if (dp_expr_visit(expr, is_unaligned, NULL))
			return every_value;
		step = Min(step, dp_pace_of(expr, &column).step);
	}
	for (i = 0; i < lengthof(units); i++)
	{
		if (step >= units[i])
			return (DpPace){units[i], 0};
	}
	return every_value;
}
