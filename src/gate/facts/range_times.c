/*
 * range_times.c
 *		Bounds of what is computed with dates, times and intervals.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "core/int128.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/interval_fields.h"
#include "gate/facts/range_times.h"
#include "server/ordered_type.h"

static Oid
type_of(const DpExpr *expr)
{
	return getBaseType(expr->type.oid);
}

/* The bounds as whole numbers; false where there are none. */
static bool
read_span(const DpColumnFact *fact, DpSpan *span)
{
	if (!fact->has_bounds)
		return false;
	span->ends[0] =
		dp_arithmetic_nearest(DirectFunctionCall1(numeric_floor, fact->lower));
	span->ends[1] =
		dp_arithmetic_nearest(DirectFunctionCall1(numeric_ceil, fact->upper));
	return true;
}

/* Sets bounds that are values of the type. */
static void
set_span(DpColumnFact *range, Oid type, DpSpan span)
{
	const DpOrderedType *ordered = dp_ordered_type(type);
	int64 least = ordered == NULL ? PG_INT64_MIN : ordered->least;
	int64 greatest = ordered == NULL ? PG_INT64_MAX : ordered->greatest;

	range->has_bounds = true;
	range->lower = dp_arithmetic_whole(
		(int64) dp_int128_clamp(span.ends[0], least, greatest));
	range->upper = dp_arithmetic_whole(
		(int64) dp_int128_clamp(span.ends[1], least, greatest));
}

static dp_int128
floor_of(dp_int128 x, dp_int128 divisor)
{
	return x / divisor - (x % divisor < 0 ? 1 : 0);
}

static DpSpan
widened(DpSpan span, dp_int128 by)
{
	return (DpSpan){{span.ends[0] - by, span.ends[1] + by}};
}

/*
 * Sums and differences
 */

static const struct
{
	DpArithmetic does;
	Oid left;
	Oid right;
	Oid result;
} exact[] = {
	{DP_ARITHMETIC_SUBTRACT, DATEOID, DATEOID, INT4OID},
	{DP_ARITHMETIC_SUBTRACT, DATEOID, INT4OID, DATEOID},
	{DP_ARITHMETIC_SUBTRACT, TIMESTAMPOID, TIMESTAMPOID, INTERVALOID},
	{DP_ARITHMETIC_SUBTRACT, TIMESTAMPTZOID, TIMESTAMPTZOID, INTERVALOID},
	{DP_ARITHMETIC_SUBTRACT, TIMEOID, TIMEOID, INTERVALOID},
	{DP_ARITHMETIC_SUBTRACT, INTERVALOID, INTERVALOID, INTERVALOID},
	{DP_ARITHMETIC_ADD, DATEOID, INT4OID, DATEOID},
	{DP_ARITHMETIC_ADD, INT4OID, DATEOID, DATEOID},
	{DP_ARITHMETIC_ADD, INTERVALOID, INTERVALOID, INTERVALOID},
};

/* The fields of a sum or difference of intervals, or of the difference of times. */
static const DpIntervalFields *
fields_of(const DpColumnFact *args, DpArithmetic does, Oid type, DpSpan span)
{
	if (type == INTERVALOID)
		return dp_interval_fields_sum(args[0].fields, args[1].fields,
									  does == DP_ARITHMETIC_SUBTRACT);
	if (type == TIMEOID)
		return dp_interval_fields_of_times(span);
	return dp_interval_fields_of_timestamps(span);
}

static void
combine(const DpExpr *call, DpArithmetic does, const DpColumnFact *args,
		DpColumnFact *range)
{
	DpSpan left;
	DpSpan right;
	size_t i;

	if (!read_span(&args[0], &left) || !read_span(&args[1], &right))
		return;
	if (does == DP_ARITHMETIC_SUBTRACT)
		right = (DpSpan){{-right.ends[1], -right.ends[0]}};
	left =
		(DpSpan){{left.ends[0] + right.ends[0], left.ends[1] + right.ends[1]}};
	for (i = 0; i < lengthof(exact); i++)
	{
		if (exact[i].does != does || exact[i].left != type_of(call->args[0]) ||
			exact[i].right != type_of(call->args[1]) ||
			exact[i].result != type_of(call))
			continue;
		set_span(range, exact[i].result, left);
		if (exact[i].result == INTERVALOID)
			range->fields = fields_of(args, does, exact[i].left, left);
	}
}

/*
 * Of so many microseconds, in years of 12 months of 30 days: a year has 366 days at
 * most, and a month lacks or exceeds up to 2.
 */
static DpSpan
age_of(DpSpan span)
{
	int i;

	for (i = 0; i < 2; i++)
	{
		dp_int128 less = span.ends[i] - span.ends[i] / 50;

		span.ends[i] =
			i == 0 ? Min(less, span.ends[i]) : Max(less, span.ends[i]);
	}
	span = (DpSpan){{floor_of(span.ends[0], USECS_PER_DAY) * USECS_PER_DAY,
					 -floor_of(-span.ends[1], USECS_PER_DAY) * USECS_PER_DAY}};
	return widened(span, 3 * USECS_PER_DAY);
}

/*
 * Other types and fields
 */

/* As microseconds. */
static DpSpan
in_microseconds(DpSpan span, Oid type)
{
	if (type == DATEOID)
		return (DpSpan){
			{span.ends[0] * USECS_PER_DAY, span.ends[1] * USECS_PER_DAY}};
	return span;
}

/* To another type of times, perhaps in another time zone. */
static void
convert(const DpExpr *call, Oid from, DpSpan span, DpColumnFact *range)
{
	Oid to = type_of(call);

	if ((from != DATEOID && from != TIMESTAMPOID && from != TIMESTAMPTZOID) ||
		(to != DATEOID && to != TIMESTAMPOID && to != TIMESTAMPTZOID))
		return;
	span = in_microseconds(span, from);
	if (from == TIMESTAMPTZOID || to == TIMESTAMPTZOID || call->nargs > 1)
		span = widened(span, USECS_PER_DAY);
	if (to == DATEOID)
		span = (DpSpan){{floor_of(span.ends[0], USECS_PER_DAY),
						 floor_of(span.ends[1], USECS_PER_DAY)}};
	set_span(range, to, span);
}

/* Fields that have the same values again and again. */
static const struct
{
	const char *name;
	int least;
	int greatest;
} cyclic[] = {
	{"second", 0, 60}, {"minute", 0, 59}, {"hour", 0, 23},	 {"day", 1, 31},
	{"dow", 0, 6},	   {"isodow", 1, 7},  {"doy", 1, 366},	 {"week", 1, 53},
	{"month", 1, 12},  {"quarter", 1, 4}, {"isoyear", 0, 0}, {"year", 0, 0},
	{"epoch", 0, 0},
};

static bool
has_year(dp_int128 microseconds)
{
	dp_int128 day = floor_of(microseconds, USECS_PER_DAY);

	return day >= -POSTGRES_EPOCH_JDATE &&
		   day < TIMESTAMP_END_JULIAN - POSTGRES_EPOCH_JDATE;
}

static int
year_of(dp_int128 microseconds)
{
	int year;
	int month;
	int day;

	j2date((int) floor_of(microseconds, USECS_PER_DAY) + POSTGRES_EPOCH_JDATE,
		   &year, &month, &day);
	return year > 0 ? year : year - 1;
}

static void
extract_of_time(const char *field, Oid type, DpSpan span, DpColumnFact *range)
{
	const dp_int128 epoch =
		(dp_int128) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
	size_t i;

	span = in_microseconds(span, type);
	for (i = 0; i < lengthof(cyclic); i++)
	{
		if (pg_strcasecmp(field, cyclic[i].name) != 0)
			continue;
		if (cyclic[i].greatest > 0)
			span = (DpSpan){{cyclic[i].least, cyclic[i].greatest}};
		else if (pg_strcasecmp(field, "epoch") == 0)
			span =
				(DpSpan){{floor_of(span.ends[0], USECS_PER_SEC) + epoch,
						  floor_of(span.ends[1], USECS_PER_SEC) + 1 + epoch}};
		else
		{
			int around = pg_strcasecmp(field, "isoyear") == 0 ? 1 : 0;

			if (type == TIMESTAMPTZOID)
				span = widened(span, USECS_PER_DAY);
			if (!has_year(span.ends[0]) || !has_year(span.ends[1]))
				return;
			span = (DpSpan){{year_of(span.ends[0]) - around,
							 year_of(span.ends[1]) + around}};
		}
		set_span(range, INT8OID, span);
	}
}

static void
extract(const DpExpr *call, const DpColumnFact *args, DpColumnFact *range)
{
	const DpExpr *field = call->args[0];
	Oid type = type_of(call->args[1]);
	const char *name;
	DpSpan span;

	if (field->kind != DP_EXPR_CONSTANT || field->constant.isnull ||
		field->type.oid != TEXTOID || !read_span(&args[1], &span))
		return;
	name = TextDatumGetCString(field->constant.value);
	if (type == INTERVALOID &&
		dp_interval_fields_extract(args[1].fields, span, name, &span))
		set_span(range, INT8OID, span);
	else if (type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID)
		extract_of_time(name, type, span, range);
}

/*
 * The whole
 */

void
dp_range_of_moment(const DpExpr *moment, DpColumnFact *range)
{
	Oid type = moment->type.oid;
	int year = year_of(GetCurrentTransactionStartTimestamp());
	DpSpan span = {{date2j(year, 1, 1) - POSTGRES_EPOCH_JDATE,
					date2j(year + 2, 1, 1) - POSTGRES_EPOCH_JDATE}};

	if (type == TIMESTAMPOID || type == TIMESTAMPTZOID)
		set_span(range, type, in_microseconds(span, DATEOID));
	else if (type == DATEOID)
		set_span(range, type, span);
}

/* An age, of one moment or between two. */
static void
age(const DpExpr *call, const DpColumnFact *args, DpColumnFact *range)
{
	Oid type = type_of(call->args[0]);
	DpColumnFact today = {0};
	DpSpan later;
	DpSpan earlier;

	if (type != TIMESTAMPOID && type != TIMESTAMPTZOID)
		return;
	if (call->nargs == 1)
	{
		DpExpr moment = {.kind = DP_EXPR_MOMENT,
						 .type = {type, -1, InvalidOid}};

		dp_range_of_moment(&moment, &today);
	}
	if (!read_span(call->nargs == 1 ? &today : &args[0], &later) ||
		!read_span(&args[call->nargs - 1], &earlier))
		return;
	later = age_of((DpSpan){
		{later.ends[0] - earlier.ends[1], later.ends[1] - earlier.ends[0]}});
	set_span(range, INTERVALOID, later);
	range->fields = dp_interval_fields_of_age(later);
}

void
dp_range_of_times(const DpExpr *call, const DpColumnFact *args,
				  DpColumnFact *range)
{
	DpArithmetic does = dp_arithmetic_of(call);
	DpSpan span;
	int time;

	switch (does)
	{
		case DP_ARITHMETIC_ADD:
		case DP_ARITHMETIC_SUBTRACT:
			combine(call, does, args, range);
			break;
		case DP_ARITHMETIC_EXTRACT:
			extract(call, args, range);
			break;
		case DP_ARITHMETIC_AGE:
			age(call, args, range);
			break;
		case DP_ARITHMETIC_DAY:
		case DP_ARITHMETIC_SAME_TIME: /* a zone comes before the time */
			time = call->nargs > 1 && type_of(call->args[0]) == TEXTOID ? 1 : 0;
			if (read_span(&args[time], &span))
				convert(call, type_of(call->args[time]), span, range);
			break;
		default:
			break;
	}
}
