/*
 * functions.c
 *		The functions that may see protected values, and what is known of them.
 *
 * The rule for adding one: for every value of its argument types, extremes,
 * NaN and infinities included, it returns normally; it is immutable, and null
 * for nulls alone; it reads no table and no setting that an analyst may change; what it
 * returns is fixed by its arguments. Functions that can fail are in
 * expressions/wrapped_list.c, and run as their wrapped forms. Whether bounds of
 * arguments give bounds of the result is said in gate/facts/range_expr.c.
 * test/pgtap/gate_total.sql calls each over the extremes of its types.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/tree/functions.h"
#include "server/plain_type.h"

/* The six comparisons of one or two types. */
#define COMPARISONS(type) \
	type##EQ, type##NE, type##LT, type##LE, type##GT, type##GE

static const Oid total_functions[] = {
	/* comparisons of integers, across widths */
	COMPARISONS(F_INT2),
	COMPARISONS(F_INT4),
	COMPARISONS(F_INT8),
	COMPARISONS(F_INT24),
	COMPARISONS(F_INT42),
	COMPARISONS(F_INT28),
	COMPARISONS(F_INT82),
	COMPARISONS(F_INT48),
	COMPARISONS(F_INT84),

	/* of floating-point numbers and numeric; NaN is equal to itself */
	COMPARISONS(F_FLOAT4),
	COMPARISONS(F_FLOAT8),
	COMPARISONS(F_FLOAT48),
	COMPARISONS(F_FLOAT84),
	COMPARISONS(F_NUMERIC_),

	/* of booleans, dates and times, uuids */
	COMPARISONS(F_BOOL),
	COMPARISONS(F_DATE_),
	COMPARISONS(F_TIMESTAMP_),
	COMPARISONS(F_TIMESTAMPTZ_),
	COMPARISONS(F_TIME_),
	COMPARISONS(F_INTERVAL_),
	COMPARISONS(F_UUID_),

	COMPARISONS(F_TIMETZ_),

	/* of addresses: all of their bits decide */
	COMPARISONS(F_NETWORK_),
	COMPARISONS(F_MACADDR_),

	/* equality of texts, of one collation that is deterministic, and enums */
	F_TEXTEQ,
	F_TEXTNE,
	F_BPCHAREQ,
	F_BPCHARNE,
	F_NAMEEQ,
	F_NAMENE,
	F_TEXTEQNAME,
	F_TEXTNENAME,
	F_NAMEEQTEXT,
	F_NAMENETEXT,
	F_ENUM_EQ,
	F_ENUM_NE,

	/* periods of dates and times; not strict, but null only for nulls */
	F_OVERLAPS_TIMESTAMP_TIMESTAMP_TIMESTAMP_TIMESTAMP,
	F_OVERLAPS_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ,
	F_OVERLAPS_TIME_TIME_TIME_TIME,

	/* conversions to a wider type */
	F_INT4_INT2,
	F_INT8_INT2,
	F_INT8_INT4,
	F_FLOAT8_FLOAT4,
	F_FLOAT8_INT2,
	F_FLOAT8_INT4,
	F_FLOAT8_INT8,
	F_FLOAT4_INT2,
	F_FLOAT4_INT4,
	F_FLOAT4_INT8,
	F_NUMERIC_INT2,
	F_NUMERIC_INT4,
	F_NUMERIC_INT8,
	F_TEXT_NAME,
};

/*
 * The server's own aggregates over a unit's rows. Why those that are listed
 * cannot fail: counts and sums of integers have room for more rows than there
 * can be (of bigint they are numeric); numeric and floating-point values are
 * bounded first (aggregates.c), so that 10^18 of them, squared where the
 * average needs that, stay within their type; the rest only compares values,
 * of types whose order knows no setting and no catalog. min and max of texts
 * are left out: they would follow a locale's order.
 */
static const Oid total_aggregates[] = {
	F_COUNT_,		 F_COUNT_ANY,		F_SUM_INT2,		 F_SUM_INT4,
	F_SUM_INT8,		 F_SUM_FLOAT4,		F_SUM_FLOAT8,	 F_SUM_NUMERIC,
	F_AVG_INT2,		 F_AVG_INT4,		F_AVG_INT8,		 F_AVG_FLOAT4,
	F_AVG_FLOAT8,	 F_AVG_NUMERIC,		F_MIN_INT2,		 F_MIN_INT4,
	F_MIN_INT8,		 F_MIN_FLOAT4,		F_MIN_FLOAT8,	 F_MIN_NUMERIC,
	F_MIN_DATE,		 F_MIN_TIME,		F_MIN_TIMESTAMP, F_MIN_TIMESTAMPTZ,
	F_MAX_INT2,		 F_MAX_INT4,		F_MAX_INT8,		 F_MAX_FLOAT4,
	F_MAX_FLOAT8,	 F_MAX_NUMERIC,		F_MAX_DATE,		 F_MAX_TIME,
	F_MAX_TIMESTAMP, F_MAX_TIMESTAMPTZ, F_BOOL_AND,		 F_BOOL_OR,
	F_EVERY,
};

static const Oid total_window_functions[] = {
	F_ROW_NUMBER,
	F_RANK_,
	F_DENSE_RANK_,
	F_PERCENT_RANK_,
	F_CUME_DIST_,
	F_FIRST_VALUE,
	F_LAST_VALUE,
	F_LAG_ANYELEMENT,
	F_LEAD_ANYELEMENT,
	F_LAG_ANYELEMENT_INT4,
	F_LEAD_ANYELEMENT_INT4,
	F_LAG_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE,
	F_LEAD_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE,
};

static bool
is_listed(Oid function, const Oid *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
	{
		if (list[i] == function)
			return true;
	}
	return false;
}

bool
dp_functions_is_total(Oid function)
{
	return is_listed(function, total_functions, lengthof(total_functions));
}

bool
dp_functions_is_enum_order(Oid function)
{
	return function == F_ENUM_LT || function == F_ENUM_LE ||
		   function == F_ENUM_GT || function == F_ENUM_GE;
}

bool
dp_functions_is_total_aggregate(Oid function)
{
	return is_listed(function, total_aggregates, lengthof(total_aggregates));
}

bool
dp_functions_is_total_window(Oid function)
{
	return dp_functions_is_total_aggregate(function) ||
		   is_listed(function, total_window_functions,
					 lengthof(total_window_functions));
}

bool
dp_functions_adds_floats(Oid function)
{
	return function == F_SUM_FLOAT4 || function == F_SUM_FLOAT8 ||
		   function == F_AVG_FLOAT4 || function == F_AVG_FLOAT8;
}

bool
dp_functions_picks_one(Oid function)
{
	return function == F_MIN_NUMERIC || function == F_MAX_NUMERIC ||
		   function == F_MIN_FLOAT4 || function == F_MAX_FLOAT4 ||
		   function == F_MIN_FLOAT8 || function == F_MAX_FLOAT8;
}

const DpWrapped *
dp_functions_wrapped(const DpExpr *call)
{
	if (call->kind == DP_EXPR_CAST_BY_TEXT)
		return dp_wrapped_find_cast(getBaseType(call->args[0]->type.oid),
									call->type.oid);
	if (call->kind != DP_EXPR_CALL ||
		dp_functions_is_total(call->call.function))
		return NULL;
	return dp_wrapped_find(call->call.function);
}

static bool
knows_zone(const DpExpr *expr, void *context)
{
	const DpWrapped *wrapped = dp_functions_wrapped(expr);

	(void) context;
	return wrapped != NULL && (wrapped->rules & DP_RULE_TIMEZONE) != 0;
}

bool
dp_functions_depends_on_zone(const DpExpr *expr)
{
	return dp_expr_visit(expr, knows_zone, NULL);
}

bool
dp_functions_is_sortable(Oid type)
{
	return dp_plain_type_is(getBaseType(type), DP_PLAIN_SORTABLE);
}

bool
dp_functions_can_be_long(Oid type)
{
	switch (getBaseType(type))
	{
		case NUMERICOID:
		case INETOID:
		case CIDROID:
			return false;
		default:
			return get_typlen(type) < 0;
	}
}

PG_FUNCTION_INFO_V1(dp_total_functions);

/* The list, as regprocedure[]. */
Datum
dp_total_functions(PG_FUNCTION_ARGS)
{
	Datum values[lengthof(total_functions)];
	size_t i;

	(void) fcinfo;
	for (i = 0; i < lengthof(total_functions); i++)
		values[i] = ObjectIdGetDatum(total_functions[i]);
	PG_RETURN_ARRAYTYPE_P(construct_array(values, lengthof(total_functions),
										  REGPROCEDUREOID, sizeof(Oid), true,
										  TYPALIGN_INT));
}
