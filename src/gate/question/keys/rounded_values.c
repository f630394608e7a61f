/*
 * rounded_values.c
 *		What lies between bounds that are rounded.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "aggregates/numeric_value.h"
#include "gate/question/keys/rounded_values.h"
#include "server/compat.h"

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/* Functions that round a number, and how many arguments they have. */
static const struct
{
	const char *name;
	int arguments;
} roundings[] = {
	{"floor", 1},		 {"ceil", 1},	  {"ceiling", 1},
	{"round", 1},		 {"trunc", 1},	  {"round", 2},
	{"trunc", 2},		 {"int2", 1},	  {"int4", 1},
	{"int8", 1},		 {"div", 2},	  {"numeric_div_trunc", 2},
	{"int2div", 2},		 {"int4div", 2},  {"int8div", 2},
	{"int24div", 2},	 {"int42div", 2}, {"int28div", 2},
	{"int82div", 2},	 {"int48div", 2}, {"int84div", 2},
	{"width_bucket", 4},
};

/* A call of the server's own; NULL: it is none. */
static const char *
name_of_call(Node *node, List **args)
{
	Oid function = InvalidOid;

	if (IsA(node, FuncExpr))
	{
		function = ((FuncExpr *) node)->funcid;
		*args = ((FuncExpr *) node)->args;
	}
	else if (IsA(node, OpExpr))
	{
		function = ((OpExpr *) node)->opfuncid;
		*args = ((OpExpr *) node)->args;
	}
	return OidIsValid(function) && function < FirstNormalObjectId
			   ? get_func_name(function)
			   : NULL;
}

static bool
is_constant(Node *node)
{
	return IsA(node, Const) && !((Const *) node)->constisnull;
}

static bool
is_rounding(const char *name, int arguments)
{
	size_t i;

	for (i = 0; i < lengthof(roundings); i++)
	{
		if (strcmp(roundings[i].name, name) == 0 &&
			roundings[i].arguments == arguments)
			return true;
	}
	return false;
}

/* True for a function that only grows, or only falls, with the column. */
static bool
is_monotone(Node *node)
{
	static const char *const operators[] = {"+", "-", "*", "/"};
	List *args = NIL;
	const char *name;
	char *operator;
	size_t i;

	if (IsA(node, Var))
		return true;
	if (IsA(node, RelabelType))
		return is_monotone((Node *) ((RelabelType *) node)->arg);
	name = name_of_call(node, &args);
	if (name == NULL || args == NIL)
		return false;
	if (list_length(args) == 1)
		return is_monotone(linitial(args)) &&
			   (is_rounding(name, 1) || strcmp(name, "numeric") == 0 ||
				strcmp(name, "float4") == 0 || strcmp(name, "float8") == 0);
	if (strcmp(name, "width_bucket") == 0)
		return list_length(args) == 4 && is_constant(lsecond(args)) &&
			   is_constant(lthird(args)) && is_constant(lfourth(args)) &&
			   is_monotone(linitial(args));
	if (list_length(args) != 2)
		return false;
	if (is_rounding(name, 2) || strcmp(name, "numeric") == 0)
		return is_constant(lsecond(args)) && is_monotone(linitial(args));
	operator= IsA(node, OpExpr) ? get_opname(((OpExpr *) node)->opno) : NULL;
	for (i = 0; operator!= NULL && i<lengthof(operators); i++)
	{
		if (strcmp(operator, operators[i]) != 0)
			continue;
		if (is_constant(lsecond(args)))
			return is_monotone(linitial(args));
		return i < 3 && is_constant(linitial(args)) &&
			   is_monotone(lsecond(args));
	}
	return false;
}

/* The number of decimals to which a call rounds. */
static bool
decimals_of(Node *node, int *decimals)
{
	List *args = NIL;
	const char *name = name_of_call(node, &args);
	Const *kept;

	if (name == NULL || args == NIL || !is_rounding(name, list_length(args)) ||
		!is_monotone(node))
		return false;
	*decimals = 0;
	if (strcmp(name, "round") != 0 && strcmp(name, "trunc") != 0)
		return true;
	if (list_length(args) == 1)
		return true;
	kept = lsecond_node(Const, args);
	*decimals = DatumGetInt32(kept->constvalue);
	return abs(*decimals) <= 12;
}

Datum
dp_gate_rounded_value(Oid type, int64 number, int decimals)
{
	Datum value;

	switch (type)
	{
		case INT2OID:
			return Int16GetDatum((int16) number);
		case INT4OID:
			return Int32GetDatum((int32) number);
		case INT8OID:
			return Int64GetDatum(number);
		case FLOAT4OID:
			return Float4GetDatum((float4) number);
		case FLOAT8OID:
			return Float8GetDatum((float8) number);
		default:
			break;
	}
	value = NumericGetDatum(int64_to_numeric(number));
	if (decimals == 0)
		return value;
	value = DirectFunctionCall2(
		numeric_mul, value,
		DirectFunctionCall2(numeric_power,
							NumericGetDatum(int64_to_numeric(10)),
							NumericGetDatum(int64_to_numeric(-decimals))));
	return DirectFunctionCall2(numeric_round, value,
							   Int32GetDatum(Max(decimals, 0)));
}

/* A number of any of the types, in steps of 10^-decimals; false for others. */
static bool
number_of(Node *node, int decimals, int64 *number)
{
	Const *constant = (Const *) node;
	double value;

	if (!is_constant(node))
		return false;
	switch (constant->consttype)
	{
		case INT2OID:
			value = DatumGetInt16(constant->constvalue);
			break;
		case INT4OID:
			value = DatumGetInt32(constant->constvalue);
			break;
		case INT8OID:
			value = (double) DatumGetInt64(constant->constvalue);
			break;
		case FLOAT4OID:
			value = DatumGetFloat4(constant->constvalue);
			break;
		case FLOAT8OID:
			value = DatumGetFloat8(constant->constvalue);
			break;
		case NUMERICOID:
			value = dp_numeric_to_double(constant->constvalue);
			break;
		default:
			return false;
	}
	value = rint(value * pow(10, decimals));
	*number = (int64) fmin(fmax(value, -4e18), 4e18);
	return fabs(value) < 4e18;
}

/* The values of a monotone expression at the bounds. */
static bool
find_ends(Node *expression, const DpBounded *bounded, int decimals,
		  int64 ends[2])
{
	int i;

	for (i = 0; i < 2; i++)
	{
		Node *image = dp_gate_image_of(expression, bounded->column,
									   (Node *) dp_gate_bound_of(bounded, i));

		if (!number_of(eval_const_expressions(NULL, image), decimals, &ends[i]))
			return false;
	}
	return true;
}

/* The range of a remainder: less than the divisor, with the number's sign. */
static bool
find_rest(Node *expression, const DpBounded *bounded, int64 ends[2])
{
	List *args = NIL;
	const char *name = name_of_call(expression, &args);
	int64 signs[2];
	int64 divisor;

	if (name == NULL || list_length(args) != 2 || !is_integer(bounded->type) ||
		(strcmp(name, "mod") != 0 && strcmp(name, "int2mod") != 0 &&
		 strcmp(name, "int4mod") != 0 && strcmp(name, "int8mod") != 0) ||
		!is_integer(exprType(expression)) || !is_monotone(linitial(args)) ||
		!number_of(lsecond(args), 0, &divisor) || divisor == 0 ||
		!find_ends(linitial(args), bounded, 0, signs))
		return false;
	divisor = divisor < 0 ? -divisor : divisor;
	ends[0] = Min(signs[0], signs[1]) < 0 ? 1 - divisor : 0;
	ends[1] = Max(signs[0], signs[1]) > 0 ? divisor - 1 : 0;
	return true;
}

bool
dp_gate_rounded_ends(Node *expression, const DpBounded *bounded, int64 ends[2],
					 int *decimals)
{
	*decimals = 0;
	return find_rest(expression, bounded, ends) ||
		   (decimals_of(expression, decimals) &&
			find_ends(expression, bounded, *decimals, ends));
}
