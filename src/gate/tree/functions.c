/*
 * functions.c
 *		The functions that may see protected values, and what is known of them.
 *
 * The rule for adding one: for every value of its argument types, extremes,
 * NaN and infinities included, it returns normally; it is immutable, and null
 * for nulls alone; it reads no table and no setting that an analyst may change; what it
 * returns is fixed by its arguments. Functions that can fail are in
 * expressions/wrapped_list.c, and run as their wrapped forms.
 * test/pgtap/gate_total.sql calls each over the extremes of its types.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/tree/functions.h"

static const Oid total_functions[] = {
	/* comparisons of integers, across widths */
	F_INT2EQ,
	F_INT2NE,
	F_INT2LT,
	F_INT2LE,
	F_INT2GT,
	F_INT2GE,
	F_INT4EQ,
	F_INT4NE,
	F_INT4LT,
	F_INT4LE,
	F_INT4GT,
	F_INT4GE,
	F_INT8EQ,
	F_INT8NE,
	F_INT8LT,
	F_INT8LE,
	F_INT8GT,
	F_INT8GE,
	F_INT24EQ,
	F_INT24NE,
	F_INT24LT,
	F_INT24LE,
	F_INT24GT,
	F_INT24GE,
	F_INT42EQ,
	F_INT42NE,
	F_INT42LT,
	F_INT42LE,
	F_INT42GT,
	F_INT42GE,
	F_INT28EQ,
	F_INT28NE,
	F_INT28LT,
	F_INT28LE,
	F_INT28GT,
	F_INT28GE,
	F_INT82EQ,
	F_INT82NE,
	F_INT82LT,
	F_INT82LE,
	F_INT82GT,
	F_INT82GE,
	F_INT48EQ,
	F_INT48NE,
	F_INT48LT,
	F_INT48LE,
	F_INT48GT,
	F_INT48GE,
	F_INT84EQ,
	F_INT84NE,
	F_INT84LT,
	F_INT84LE,
	F_INT84GT,
	F_INT84GE,

	/* of floating-point numbers and numeric; NaN is equal to itself */
	F_FLOAT4EQ,
	F_FLOAT4NE,
	F_FLOAT4LT,
	F_FLOAT4LE,
	F_FLOAT4GT,
	F_FLOAT4GE,
	F_FLOAT8EQ,
	F_FLOAT8NE,
	F_FLOAT8LT,
	F_FLOAT8LE,
	F_FLOAT8GT,
	F_FLOAT8GE,
	F_FLOAT48EQ,
	F_FLOAT48NE,
	F_FLOAT48LT,
	F_FLOAT48LE,
	F_FLOAT48GT,
	F_FLOAT48GE,
	F_FLOAT84EQ,
	F_FLOAT84NE,
	F_FLOAT84LT,
	F_FLOAT84LE,
	F_FLOAT84GT,
	F_FLOAT84GE,
	F_NUMERIC_EQ,
	F_NUMERIC_NE,
	F_NUMERIC_LT,
	F_NUMERIC_LE,
	F_NUMERIC_GT,
	F_NUMERIC_GE,

	/* of booleans, dates and times, uuids */
	F_BOOLEQ,
	F_BOOLNE,
	F_BOOLLT,
	F_BOOLLE,
	F_BOOLGT,
	F_BOOLGE,
	F_DATE_EQ,
	F_DATE_NE,
	F_DATE_LT,
	F_DATE_LE,
	F_DATE_GT,
	F_DATE_GE,
	F_TIMESTAMP_EQ,
	F_TIMESTAMP_NE,
	F_TIMESTAMP_LT,
	F_TIMESTAMP_LE,
	F_TIMESTAMP_GT,
	F_TIMESTAMP_GE,
	F_TIMESTAMPTZ_EQ,
	F_TIMESTAMPTZ_NE,
	F_TIMESTAMPTZ_LT,
	F_TIMESTAMPTZ_LE,
	F_TIMESTAMPTZ_GT,
	F_TIMESTAMPTZ_GE,
	F_TIME_EQ,
	F_TIME_NE,
	F_TIME_LT,
	F_TIME_LE,
	F_TIME_GT,
	F_TIME_GE,
	F_INTERVAL_EQ,
	F_INTERVAL_NE,
	F_INTERVAL_LT,
	F_INTERVAL_LE,
	F_INTERVAL_GT,
	F_INTERVAL_GE,
	F_UUID_EQ,
	F_UUID_NE,
	F_UUID_LT,
	F_UUID_LE,
	F_UUID_GT,
	F_UUID_GE,

	F_TIMETZ_EQ,
	F_TIMETZ_NE,
	F_TIMETZ_LT,
	F_TIMETZ_LE,
	F_TIMETZ_GT,
	F_TIMETZ_GE,

	/* of addresses: all of their bits decide */
	F_NETWORK_EQ,
	F_NETWORK_NE,
	F_NETWORK_LT,
	F_NETWORK_LE,
	F_NETWORK_GT,
	F_NETWORK_GE,
	F_MACADDR_EQ,
	F_MACADDR_NE,
	F_MACADDR_LT,
	F_MACADDR_LE,
	F_MACADDR_GT,
	F_MACADDR_GE,

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
	switch (getBaseType(type))
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case UUIDOID:
		case OIDOID:
			return true;
		default:
			return false;
	}
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
