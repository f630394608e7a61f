/*
 * bounded_column.c
 *		A column between bounds, and what is computed from its values.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "aggregates/numeric_value.h"
#include "gate/question/expressions/calls.h"
#include "gate/question/expressions/compare_bytes.h"
#include "gate/question/keys/bounded_column.h"
#include "gate/question/keys/stated_values.h"
#include "gate/question/relations/declared.h"
#include "gate/question/relations/protection.h"
#include "server/compat.h"

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/* The least or greatest integer of a type within a bound. */
static int64
number_within(Datum bound, bool is_upper, Oid type)
{
	double least = type == INT2OID	 ? PG_INT16_MIN
				   : type == INT4OID ? PG_INT32_MIN
									 : -9.2e18;
	double number = dp_numeric_to_double(bound);

	number = is_upper ? floor(number) : ceil(number);
	return (int64) fmin(fmax(number, least),
						is_integer(type) ? -least : 9.2e18);
}

/* How the bounds of a column are declared. */
static char *
declaration_of(Oid relation, AttrNumber column)
{
	char *name = DatumGetCString(
		DirectFunctionCall1(regclassout, ObjectIdGetDatum(relation)));

	return psprintf("dp_noise.set_bounds(%s, %s, lower, upper)",
					quote_literal_cstr(name),
					quote_literal_cstr(get_attname(relation, column, false)));
}

/* What the owner declared as integers of the column's type. */
static void
find_declared_numbers(DpBounded *bounded)
{
	int i;

	for (i = 0; i < 2; i++)
		bounded->numbers[i] =
			bounded->ordered != NULL
				? DatumGetInt64(
					  DirectFunctionCall1(numeric_int8, bounded->bounds[i]))
				: number_within(bounded->bounds[i], i == 1, bounded->type);
}

/* The least and the greatest integer of a type. */
static int64
integer_end(Oid type, bool is_upper)
{
	switch (type)
	{
		case INT2OID:
			return is_upper ? PG_INT16_MAX : PG_INT16_MIN;
		case INT4OID:
			return is_upper ? PG_INT32_MAX : PG_INT32_MIN;
		default:
			return is_upper ? PG_INT64_MAX : PG_INT64_MIN;
	}
}

/*
 * A stated integer may be of a wider type than the column; it is clamped to
 * the column's.
 */
static int64
within_type(Oid type, int64 number)
{
	return Min(Max(number, integer_end(type, false)), integer_end(type, true));
}

/* The integers between stated and declared bounds. */
static void
find_numbers(DpBounded *bounded, const DpRelations *relations)
{
	int64 stated[2] = {0, 0};
	bool has_stated[2] = {false, false};
	int i;

	if (!bounded->has_numbers)
		return;
	if (bounded->is_declared)
		find_declared_numbers(bounded);
	dp_gate_stated_bounds(bounded->column, bounded->ordered, relations, stated,
						  has_stated);
	for (i = 0; i < 2 && is_integer(bounded->type); i++)
		stated[i] = within_type(bounded->type, stated[i]);
	bounded->is_stated = has_stated[0] && has_stated[1];
	bounded->is_null_out = has_stated[0] || has_stated[1];
	if (has_stated[0] &&
		(!bounded->is_declared || stated[0] > bounded->numbers[0]))
		bounded->numbers[0] = stated[0];
	if (has_stated[1] &&
		(!bounded->is_declared || stated[1] < bounded->numbers[1]))
		bounded->numbers[1] = stated[1];
}

bool
dp_gate_find_bounds(Var *column, const DpRelations *relations,
					DpBounded *bounded, char **missing)
{
	Oid relation;
	AttrNumber number;

	memset(bounded, 0, sizeof(*bounded));
	bounded->column = column;
	bounded->type = getBaseType(column->vartype);
	bounded->ordered = dp_ordered_type(bounded->type);
	bounded->has_numbers =
		is_integer(bounded->type) || bounded->ordered != NULL;
	if ((!bounded->has_numbers && bounded->type != NUMERICOID &&
		 bounded->type != FLOAT4OID && bounded->type != FLOAT8OID) ||
		!dp_gate_declared_origin(relations, column, &relation, &number))
		return false;
	bounded->is_declared =
		dp_gate_bounds(relation, number, bounded->type, &bounded->bounds[0],
					   &bounded->bounds[1]);
	find_numbers(bounded, relations);
	if (bounded->is_declared || bounded->is_stated)
		return true;
	*missing = declaration_of(relation, number);
	return false;
}

Datum
dp_gate_bounded_value(const DpBounded *bounded, int64 number)
{
	if (bounded->ordered != NULL)
		return dp_ordered_value(bounded->ordered, number);
	return bounded->type == INT2OID	  ? Int16GetDatum((int16) number)
		   : bounded->type == INT4OID ? Int32GetDatum((int32) number)
									  : Int64GetDatum(number);
}

Const *
dp_gate_constant_of(Oid type, int32 typmod, Datum value)
{
	int16 length;
	bool by_value;

	get_typlenbyval(type, &length, &by_value);
	return makeConst(type, typmod, get_typcollation(type), length, value, false,
					 by_value);
}

typedef struct Replacement
{
	const Var *column;
	Node *value;
} Replacement;

static Node *
replace(Node *node, void *context)
{
	const Replacement *replacement = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return (Node *) copyObject(replacement->value);
	return expression_tree_mutator(node, replace, context);
}

Node *
dp_gate_image_of(Node *expression, const Var *column, Node *value)
{
	Replacement replacement = {column, value};
	Node *image = replace(expression, &replacement);

	image = dp_gate_wrap_expression(image);
	dp_gate_compare_bytes_of(image);
	return image;
}

Const *
dp_gate_bound_of(const DpBounded *bounded, int side)
{
	Datum value = bounded->bounds[side];

	if (bounded->has_numbers)
		value = dp_gate_bounded_value(bounded, bounded->numbers[side]);
	else if (bounded->type == FLOAT8OID)
		value = Float8GetDatum(dp_numeric_to_double(value));
	else if (bounded->type == FLOAT4OID)
		value = Float4GetDatum((float4) dp_numeric_to_double(value));
	return dp_gate_constant_of(bounded->type, -1, value);
}
