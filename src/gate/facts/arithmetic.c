/*
 * arithmetic.c
 *		What functions do to the size and the order of their arguments.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "gate/facts/arithmetic.h"
#include "gate/tree/kinds.h"
#include "server/compat.h"
#include "server/ordered_type.h"
#include "server/plain_type.h"

/*
 * By the names of operators, and of functions that are called by their names, and
 * the least and the greatest number of arguments.
 */
static const struct
{
	const char *name;
	int least;
	int most;
	DpArithmetic does;
} functions[] = {
	{"+", 1, 1, DP_ARITHMETIC_SAME},
	{"-", 1, 1, DP_ARITHMETIC_NEGATE},
	{"@", 1, 1, DP_ARITHMETIC_ABSOLUTE},
	{"abs", 1, 1, DP_ARITHMETIC_ABSOLUTE},
	{"+", 2, 2, DP_ARITHMETIC_ADD},
	{"-", 2, 2, DP_ARITHMETIC_SUBTRACT},
	{"*", 2, 2, DP_ARITHMETIC_MULTIPLY},
	{"/", 2, 2, DP_ARITHMETIC_DIVIDE},
	{"%", 2, 2, DP_ARITHMETIC_REMAINDER},
	{"mod", 2, 2, DP_ARITHMETIC_REMAINDER},
	{"div", 2, 2, DP_ARITHMETIC_WHOLE_QUOTIENT},
	{"floor", 1, 1, DP_ARITHMETIC_ROUND},
	{"ceil", 1, 1, DP_ARITHMETIC_ROUND},
	{"ceiling", 1, 1, DP_ARITHMETIC_ROUND},
	{"round", 1, 2, DP_ARITHMETIC_ROUND},
	{"trunc", 1, 2, DP_ARITHMETIC_ROUND},
	{"int2", 1, 1, DP_ARITHMETIC_CAST},
	{"int4", 1, 1, DP_ARITHMETIC_CAST},
	{"int8", 1, 1, DP_ARITHMETIC_CAST},
	{"float4", 1, 1, DP_ARITHMETIC_CAST},
	{"float8", 1, 1, DP_ARITHMETIC_CAST},
	{"numeric", 1, 2, DP_ARITHMETIC_CAST},
	{"width_bucket", 4, 4, DP_ARITHMETIC_BUCKET},
	{"length", 1, 1, DP_ARITHMETIC_LENGTH},
	{"char_length", 1, 1, DP_ARITHMETIC_LENGTH},
	{"character_length", 1, 1, DP_ARITHMETIC_LENGTH},
	{"octet_length", 1, 1, DP_ARITHMETIC_LENGTH},
	{"textlen", 1, 1, DP_ARITHMETIC_LENGTH},
	{"cardinality", 1, 1, DP_ARITHMETIC_LENGTH},
	{"array_length", 2, 2, DP_ARITHMETIC_LENGTH},
	{"json_array_length", 1, 1, DP_ARITHMETIC_LENGTH},
	{"jsonb_array_length", 1, 1, DP_ARITHMETIC_LENGTH},
	{"date_trunc", 2, 3, DP_ARITHMETIC_TRUNCATE},
	{"extract", 2, 2, DP_ARITHMETIC_EXTRACT},
	{"date_part", 2, 2, DP_ARITHMETIC_EXTRACT},
	{"to_char", 2, 2, DP_ARITHMETIC_FORMAT},
	{"date_bin", 3, 3, DP_ARITHMETIC_BIN},
	{"age", 1, 2, DP_ARITHMETIC_AGE},
	{"date", 1, 1, DP_ARITHMETIC_DAY},
	{"timestamp", 1, 2, DP_ARITHMETIC_SAME_TIME},
	{"timestamptz", 1, 2, DP_ARITHMETIC_SAME_TIME},
	{"timezone", 1, 2, DP_ARITHMETIC_SAME_TIME},
	{"time", 1, 2, DP_ARITHMETIC_SAME_TIME},
};

DpArithmetic
dp_arithmetic_of(const DpExpr *expr)
{
	const char *name;
	size_t i;

	/* An operator of a user's could call one of the server's functions. */
	if (expr->kind != DP_EXPR_CALL ||
		expr->call.function >= FirstGenbkiObjectId ||
		expr->call.operator>= FirstGenbkiObjectId)
		return DP_ARITHMETIC_UNKNOWN;
	name = OidIsValid(expr->call.operator) ? get_opname(expr->call.operator)
										   : get_func_name(expr->call.function);
	for (i = 0; name != NULL && i < lengthof(functions); i++)
	{
		if (expr->nargs < functions[i].least ||
			expr->nargs > functions[i].most ||
			strcmp(functions[i].name, name) != 0)
			continue;
		if (functions[i].does == DP_ARITHMETIC_CAST &&
			expr->args[0]->type.oid == BOOLOID)
			return DP_ARITHMETIC_FROM_BOOL;
		return functions[i].does;
	}
	return DP_ARITHMETIC_UNKNOWN;
}

bool
dp_arithmetic_keeps_value(const DpExpr *conversion)
{
	if (conversion->kind == DP_EXPR_RELABEL)
		return getBaseType(conversion->type.oid) != BPCHAROID ||
			   getBaseType(conversion->args[0]->type.oid) == BPCHAROID;
	if (conversion->kind != DP_EXPR_CALL)
		return false;
	switch (conversion->call.function)
	{
		case F_INT4_INT2:
		case F_INT8_INT2:
		case F_INT8_INT4:
		case F_FLOAT8_FLOAT4:
		case F_FLOAT8_INT2:
		case F_FLOAT8_INT4:
		case F_FLOAT4_INT2:
		case F_NUMERIC_INT2:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
			return true;
		default:
			return false;
	}
}

bool
dp_arithmetic_is_same_type(Oid one, Oid other)
{
	one = getBaseType(one);
	other = getBaseType(other);
	return (one == VARCHAROID ? TEXTOID : one) ==
		   (other == VARCHAROID ? TEXTOID : other);
}

bool
dp_arithmetic_is_of_bytes(const DpExpr *length)
{
	const char *name = get_func_name(length->call.function);

	return name != NULL && strcmp(name, "octet_length") == 0;
}

int
dp_arithmetic_variable(const DpExpr *call)
{
	int variable = -1;
	int i;

	for (i = 0; i < call->nargs; i++)
	{
		if (call->args[i]->kind == DP_EXPR_CONSTANT)
			continue;
		if (variable >= 0)
			return -1;
		variable = i;
	}
	return variable;
}

bool
dp_arithmetic_is_integer(Oid type)
{
	type = getBaseType(type);
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

bool
dp_arithmetic_is_number(Oid type)
{
	return dp_plain_type_is(getBaseType(type), DP_PLAIN_NUMBER);
}

/* With all its digits: the shortest decimal that is read as it. */
static Datum
of_double(float8 value)
{
	char text[DOUBLE_SHORTEST_DECIMAL_LEN];

	(void) double_to_shortest_decimal_buf(value, text);
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

bool
dp_arithmetic_number(Oid type, Datum value, Datum *number)
{
	const DpOrderedType *ordered = dp_ordered_type(getBaseType(type));

	switch (getBaseType(type))
	{
		case INT2OID:
			*number = DirectFunctionCall1(int2_numeric, value);
			return true;
		case INT4OID:
			*number = DirectFunctionCall1(int4_numeric, value);
			return true;
		case INT8OID:
			*number = DirectFunctionCall1(int8_numeric, value);
			return true;
		case FLOAT4OID:
			*number = of_double(DatumGetFloat4(value));
			return true;
		case FLOAT8OID:
			*number = of_double(DatumGetFloat8(value));
			return true;
		case NUMERICOID:
			*number = value;
			return true;
		default:
			if (ordered == NULL)
				return false;
			*number = dp_arithmetic_whole(ordered->number_of(value));
			return true;
	}
}

Datum
dp_arithmetic_whole(int64 number)
{
	return NumericGetDatum(int64_to_numeric(number));
}

bool
dp_arithmetic_is_less(Datum one, Datum other)
{
	return DatumGetBool(DirectFunctionCall2(numeric_lt, one, other));
}

int64
dp_arithmetic_nearest(Datum number)
{
	number = DirectFunctionCall2(numeric_larger, number,
								 dp_arithmetic_whole(PG_INT64_MIN));
	number = DirectFunctionCall2(numeric_smaller, number,
								 dp_arithmetic_whole(PG_INT64_MAX));
	return DatumGetInt64(DirectFunctionCall1(numeric_int8, number));
}

Datum
dp_arithmetic_value(Oid type, int64 number)
{
	const DpOrderedType *ordered = dp_ordered_type(type);

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
			return ordered == NULL ? dp_arithmetic_whole(number)
								   : dp_ordered_value(ordered, number);
	}
}

Const *
dp_arithmetic_constant(Oid type, int32 typmod, Datum value)
{
	int16 length;
	bool by_value;

	get_typlenbyval(type, &length, &by_value);
	return makeConst(type, typmod, get_typcollation(type), length, value, false,
					 by_value);
}

int
dp_arithmetic_compare(const Const *one, const Const *other)
{
	Size size;
	Size of_other;
	int result;

	if (one->constisnull || other->constisnull)
		return (int) one->constisnull - (int) other->constisnull;
	if (one->constbyval)
		return one->constvalue < other->constvalue	 ? -1
			   : one->constvalue > other->constvalue ? 1
													 : 0;
	size = datumGetSize(one->constvalue, false, one->constlen);
	of_other = datumGetSize(other->constvalue, false, other->constlen);
	result = memcmp(DatumGetPointer(one->constvalue),
					DatumGetPointer(other->constvalue), Min(size, of_other));
	if (result != 0)
		return result;
	return size < of_other ? -1 : size > of_other ? 1 : 0;
}

static Node *
write_value(const DpExpr *column, void *value)
{
	(void) column;
	return copyObject(value);
}

Node *
dp_arithmetic_image(const DpExpr *expr, const Node *value)
{
	DpWriter writer = {.column = write_value, .context = (void *) value};

	return dp_kinds_write(expr, &writer);
}

List *
dp_arithmetic_images(const List *exprs, const Node *value)
{
	List *images = NIL;

	foreach_ptr (const DpExpr, expr, exprs)
		images = lappend(images, dp_arithmetic_image(expr, value));
	return images;
}
