/*
 * bounded.c
 *		A column between bounds, and what is computed from its values.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "aggregates/numeric_value.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/bounded.h"
#include "gate/facts/stated.h"
#include "gate/tree/kinds.h"
#include "server/compat.h"

/* How the bounds of a column are declared. */
static const char *
declaration_of(Oid relation, AttrNumber column)
{
	char *name = DatumGetCString(
		DirectFunctionCall1(regclassout, ObjectIdGetDatum(relation)));

	return psprintf("dp_noise.set_bounds(%s, %s, lower, upper)",
					quote_literal_cstr(name),
					quote_literal_cstr(get_attname(relation, column, false)));
}

/* The least or greatest integer within a bound. */
static int64
number_within(Datum bound, bool is_upper)
{
	bound = DirectFunctionCall1(is_upper ? numeric_floor : numeric_ceil, bound);
	bound = DirectFunctionCall2(
		numeric_larger, bound, NumericGetDatum(int64_to_numeric(PG_INT64_MIN)));
	bound =
		DirectFunctionCall2(numeric_smaller, bound,
							NumericGetDatum(int64_to_numeric(PG_INT64_MAX)));
	return DatumGetInt64(DirectFunctionCall1(numeric_int8, bound));
}

/* Conditions may state bounds of a wider type than the column's. */
static int64
within_type(Oid type, int64 number)
{
	if (type == INT2OID)
		return Min(Max(number, PG_INT16_MIN), PG_INT16_MAX);
	if (type == INT4OID)
		return Min(Max(number, PG_INT32_MIN), PG_INT32_MAX);
	return number;
}

static void
find_numbers(DpBounded *bounded)
{
	const DpColumnFact *fact = bounded->fact;
	Datum declared[2] = {fact->lower, fact->upper};
	int i;

	for (i = 0; i < 2; i++)
	{
		int64 stated = within_type(bounded->type, fact->stated[i]);
		int64 number = stated;

		if (fact->has_bounds)
		{
			number =
				within_type(bounded->type, number_within(declared[i], i == 1));
			if (fact->has_stated[i])
				number = i == 0 ? Max(number, stated) : Min(number, stated);
		}
		bounded->numbers[i] = number;
		bounded->ends[i] = dp_arithmetic_value(bounded->type, number);
	}
}

static void
find_ends(DpBounded *bounded)
{
	Datum declared[2] = {bounded->fact->lower, bounded->fact->upper};
	int i;

	for (i = 0; i < 2; i++)
	{
		double end = dp_numeric_to_double(declared[i]);

		bounded->ends[i] = bounded->type == FLOAT8OID ? Float8GetDatum(end)
						   : bounded->type == FLOAT4OID
							   ? Float4GetDatum((float4) end)
							   : declared[i];
	}
}

bool
dp_bounded_find(const DpExpr *column, const DpColumnFact *row,
				DpBounded *bounded, const char **missing)
{
	const DpColumnFact *fact = &row[column->column.number];

	*missing = NULL;
	memset(bounded, 0, sizeof(*bounded));
	bounded->column = column;
	bounded->fact = fact;
	bounded->type = getBaseType(column->type.oid);
	bounded->ordered = dp_ordered_type(bounded->type);
	bounded->has_numbers = dp_stated_can_bound(bounded->type);
	bounded->is_stated = fact->has_stated[0] && fact->has_stated[1];
	if (!dp_range_can_have_bounds(bounded->type))
		return false;
	if (!fact->has_bounds && !bounded->is_stated)
	{
		if (OidIsValid(fact->relation))
			*missing = declaration_of(fact->relation, fact->attribute);
		return false;
	}
	if (bounded->has_numbers)
		find_numbers(bounded);
	else
		find_ends(bounded);
	return true;
}

Const *
dp_bounded_constant(Oid type, int32 typmod, Datum value)
{
	int16 length;
	bool by_value;

	get_typlenbyval(type, &length, &by_value);
	return makeConst(type, typmod, get_typcollation(type), length, value, false,
					 by_value);
}

static Node *
write_value(const DpExpr *column, void *value)
{
	(void) column;
	return copyObject(value);
}

Node *
dp_bounded_image(const DpExpr *expr, const Node *value)
{
	DpWriter writer = {.column = write_value, .context = (void *) value};

	return dp_kinds_write(expr, &writer);
}
