/*
 * expanded.c
 *		Reads calls that stand for several others.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/facts/text.h"
#include "gate/read/expanded.h"
#include "gate/read/operators.h"
#include "gate/read/parts.h"

/* Parts of what is written out: calls within calls double it each time. */
#define PARTS_MAX 20000

static const DpType text_type = {TEXTOID, -1, C_COLLATION_OID};
static const DpType integer_type = {INT4OID, -1, InvalidOid};
static const DpType boolean_type = {BOOLOID, -1, InvalidOid};

/*
 * How many parts an expression has; with_lists: if all comparisons with lists are
 * written out. A column costs no more than the value that it is compared to, and
 * constants that are listed nothing.
 */
static double
parts_of(const DpExpr *expr, bool with_lists)
{
	double parts = 1;
	int i;

	if (expr->kind == DP_EXPR_ARRAY && !with_lists)
		return parts;
	for (i = 0; i < expr->nargs; i++)
	{
		double part = parts_of(expr->args[i], with_lists);

		if (with_lists && i == 0 && expr->args[0]->kind != DP_EXPR_COLUMN &&
			(expr->kind == DP_EXPR_ANY || expr->kind == DP_EXPR_ALL) &&
			expr->args[1]->kind == DP_EXPR_ARRAY)
			part *= Max(expr->args[1]->nargs, 1);
		if (expr->kind != DP_EXPR_ARRAY ||
			expr->args[i]->kind != DP_EXPR_CONSTANT)
			parts += part;
	}
	return parts;
}

static const DpExpr *
check_call(const DpExpr *expr)
{
	if (parts_of(expr, false) > PARTS_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("an expression over a protected relation is too long"),
				 errdetail("Calls of concat and the like, and comparisons of "
						   "rows, are expanded, here into more than %d parts.",
						   PARTS_MAX),
				 errhint("Nest them less deeply: write a || b, for example.")));
	return expr;
}

const DpExpr *
dp_expanded_check_list(const DpExpr *comparison)
{
	dp_text_check_list(parts_of(comparison, true));
	return comparison;
}

/*
 * Parts
 */

static const DpExpr *
literal(const char *value, size_t length)
{
	return dp_expr_constant(
		text_type,
		PointerGetDatum(cstring_to_text_with_len(value, (int) length)), false);
}

static const DpExpr *
integer(int32 value)
{
	return dp_expr_constant(integer_type, Int32GetDatum(value), false);
}

static const DpExpr *
function(Oid oid, DpType type, const DpExpr *first, const DpExpr *second)
{
	List *args = list_make1((void *) first);
	DpExpr *call;

	if (second != NULL)
		args = lappend(args, (void *) second);
	call = dp_expr_over(DP_EXPR_CALL, type, args, -1);
	call->input_collation = C_COLLATION_OID;
	call->call.function = oid;
	return call;
}

/* a || b */
static const DpExpr *
joined(const DpExpr *left, const DpExpr *right)
{
	return left == NULL ? right : function(F_TEXTCAT, text_type, left, right);
}

/* CASE WHEN condition THEN result ELSE otherwise END */
static const DpExpr *
choice(const DpExpr *condition, const DpExpr *result, const DpExpr *otherwise)
{
	return dp_expr_over(
		DP_EXPR_CASE, result->type,
		list_make3((void *) condition, (void *) result, (void *) otherwise),
		-1);
}

static const DpExpr *
is_null(const DpExpr *value)
{
	return dp_expr_over(DP_EXPR_NULL_TEST, boolean_type,
						list_make1((void *) value), -1);
}

/*
 * Calls
 */

typedef struct Call
{
	DpScope *scope;
	const FuncExpr *written;
	int count;
	const DpExpr **values; /* of the arguments that have been read; else NULL */
} Call;

static const DpExpr *
value_of(Call *call, int argno)
{
	if (call->values[argno] == NULL)
		call->values[argno] =
			dp_parts_read(call->scope, list_nth(call->written->args, argno));
	return call->values[argno];
}

/* A value as its output function prints it. */
static const DpExpr *
text_of(Call *call, int argno)
{
	const DpExpr *value = value_of(call, argno);
	Oid type = getBaseType(value->type.oid);
	CoerceViaIO *cast;

	if (type == TEXTOID || type == VARCHAROID || type == BPCHAROID)
		return dp_expr_relabel(value, text_type);
	if (type == BOOLOID)
		return choice(value, literal("t", 1), literal("f", 1));
	cast = makeNode(CoerceViaIO);
	cast->arg = list_nth(call->written->args, argno);
	cast->resulttype = TEXTOID;
	cast->resultcollid = C_COLLATION_OID;
	cast->location = value->location;
	return dp_operators_read_cast(call->scope, cast, value);
}

/* The same, with another text for null. */
static const DpExpr *
piece_of(Call *call, int argno)
{
	return choice(is_null(value_of(call, argno)), literal("", 0),
				  text_of(call, argno));
}

static const DpExpr *
expanded_concat(Call *call)
{
	const DpExpr *result = NULL;
	int i;

	for (i = 0; i < call->count; i++)
		result = joined(result, piece_of(call, i));
	return result;
}

/* The values joined by a separator; nulls are left out. */
static const DpExpr *
expanded_concat_ws(Call *call)
{
	const DpExpr *separator = text_of(call, 0);
	const DpExpr *result = literal("", 0);
	int i;

	for (i = 1; i < call->count; i++)
		result =
			joined(result, choice(is_null(value_of(call, i)), literal("", 0),
								  joined(separator, text_of(call, i))));
	return function(
		F_SUBSTR_TEXT_INT4, text_type, result,
		function(F_INT4PL, integer_type,
				 function(F_LENGTH_TEXT, integer_type, separator, NULL),
				 integer(1)));
}

/* How many values are null, or not null. */
static const DpExpr *
expanded_count(Call *call)
{
	bool of_nulls = call->written->funcid == F_NUM_NULLS;
	const DpExpr *result = NULL;
	int i;

	for (i = 0; i < call->count; i++)
	{
		const DpExpr *one =
			choice(is_null(value_of(call, i)), integer(of_nulls ? 1 : 0),
				   integer(of_nulls ? 0 : 1));

		result = result == NULL ? one
								: function(F_INT4PL, integer_type, result, one);
	}
	return result;
}

/*
 * The number of the argument that a format names after its %: the one after the
 * last, or that of a number, as in %2$s. 0 for all but %s, or if there is none.
 */
static int
next_argument(const Call *call, const char **format, int last)
{
	const char *at = *format;
	int number = 0;

	while (*at >= '0' && *at <= '9' && number < FUNC_MAX_ARGS)
		number = number * 10 + *at++ - '0';
	if (at == *format)
		number = last + 1;
	else if (*at++ != '$')
		return 0;
	*format = at + 1;
	return *at == 's' && number < call->count ? number : 0;
}

static const DpExpr *
expanded_format(Call *call)
{
	const Const *constant = linitial(call->written->args);
	const DpExpr *result = literal("", 0);
	const char *format;
	int argno = 0;

	if (!IsA(constant, Const) || constant->constisnull ||
		constant->consttype != TEXTOID)
		return NULL;
	format = TextDatumGetCString(constant->constvalue);
	while (*format != '\0')
	{
		size_t plain = strcspn(format, "%");

		if (plain > 0)
			result = joined(result, literal(format, plain));
		format += plain;
		if (*format == '\0')
			break;
		if (*++format == '%')
		{
			result = joined(result, literal(format++, 1));
			continue;
		}
		argno = next_argument(call, &format, argno);
		if (argno == 0)
			return NULL;
		result = joined(result, piece_of(call, argno));
	}
	return result;
}

const DpExpr *
dp_expanded_call(DpScope *scope, const FuncExpr *written)
{
	Call call = {scope, written, list_length(written->args),
				 palloc0((list_length(written->args) + 1) * sizeof(DpExpr *))};
	const DpExpr *result;

	if (written->funcvariadic)
		return NULL;
	switch (written->funcid)
	{
		case F_CONCAT:
			result = expanded_concat(&call);
			break;
		case F_CONCAT_WS:
			result = expanded_concat_ws(&call);
			break;
		case F_FORMAT_TEXT:
		case F_FORMAT_TEXT_ANY:
			result = expanded_format(&call);
			break;
		case F_NUM_NULLS:
		case F_NUM_NONNULLS:
			return check_call(expanded_count(&call));
		default:
			return NULL;
	}
	return result == NULL
			   ? NULL
			   : check_call(dp_expr_relabel(
					 result, (DpType){TEXTOID, -1, written->funccollid}));
}

/*
 * Orders of rows
 */

/* The comparison of two columns, by an operator of the same family. */
static const DpExpr *
compare(DpScope *scope, const RowCompareExpr *order, int argno, Oid operator,
		const DpExpr * const * values)
{
	OpExpr *op = makeNode(OpExpr);
	List *read;

	op->opno = operator;
	op->opfuncid = get_opcode(operator);
	op->opresulttype = BOOLOID;
	op->inputcollid = list_nth_oid(order->inputcollids, argno);
	op->args = list_make2(list_nth(order->largs, argno),
						  list_nth(order->rargs, argno));
	op->location = -1;
	read =
		list_make2((void *) values[2 * argno], (void *) values[2 * argno + 1]);
	return dp_operators_make(scope, op, DP_EXPR_CALL, &read);
}

/* a < 1 OR a = 1 AND (the same of the rest) */
static const DpExpr *
order_from(DpScope *scope, const RowCompareExpr *order, int argno,
		   const DpExpr *const *values)
{
	Oid operator= list_nth_oid(order->opnos, argno);
	Oid family = list_nth_oid(order->opfamilies, argno);
	int strategy = get_op_opfamily_strategy(operator, family);
	bool is_less = strategy == BTLessStrategyNumber ||
				   strategy == BTLessEqualStrategyNumber;
	Oid left;
	Oid right;
	Oid strict;
	Oid equal;
	const DpExpr *rest;

	if (argno == list_length(order->opnos) - 1)
		return compare(scope, order, argno, operator, values);
	op_input_types(operator, & left, &right);
	strict = get_opfamily_member(family, left, right,
								 is_less ? BTLessStrategyNumber
										 : BTGreaterStrategyNumber);
	equal = get_opfamily_member(family, left, right, BTEqualStrategyNumber);
	rest = order_from(scope, order, argno + 1, values);
	if (!OidIsValid(strict) || !OidIsValid(equal) || rest == NULL)
		return NULL;
	rest = dp_expr_over(
		DP_EXPR_AND, boolean_type,
		list_make2((void *) compare(scope, order, argno, equal, values),
				   (void *) rest),
		-1);
	return dp_expr_over(
		DP_EXPR_OR, boolean_type,
		list_make2((void *) compare(scope, order, argno, strict, values),
				   (void *) rest),
		-1);
}

const DpExpr *
dp_expanded_row_order(DpScope *scope, const RowCompareExpr *order)
{
	int count = list_length(order->opnos);
	const DpExpr **values = palloc(2 * count * sizeof(DpExpr *));
	const DpExpr *result;
	int i;

	for (i = 0; i < count; i++)
	{
		values[2 * i] = dp_parts_read(scope, list_nth(order->largs, i));
		values[2 * i + 1] = dp_parts_read(scope, list_nth(order->rargs, i));
	}
	result = order_from(scope, order, 0, values);
	return result == NULL ? NULL : check_call(result);
}
