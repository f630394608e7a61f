/*
 * derived_bounds.c
 *		Bounds of expressions that follow from those of their columns.
 *
 * Computed in numeric, which is exact except for quotients. Where the result
 * would leave the range in which bounds are useful, there are none. Dates and
 * times are numbers as in server/ordered_type.h; they can be chosen between,
 * but are not computed with.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "aggregates/numeric_value.h"
#include "expressions/guards.h"
#include "gate/question/expressions/derived_bounds.h"
#include "gate/question/relations/declared.h"
#include "gate/question/relations/protection.h"
#include "server/ordered_type.h"
#include "server/stack.h"

/* The greatest size of a bound. */
#define MOST 1e300

/* Locations of nodes are offsets in a text, or -1. */
#define DERIVED_LOCATION (-2)

/*
 * A range with all values of an expression except null; its ends are numeric.
 */
typedef struct Range
{
	bool is_empty; /* it is always null */
	Datum lower;
	Datum upper;
} Range;

static bool find(const DpRelations *relations, Node *node, Range *range);

static Datum
call(PGFunction function, Datum one, Datum other)
{
	return DirectFunctionCall2(function, one, other);
}

static bool
is_less(Datum one, Datum other)
{
	return DatumGetBool(call(numeric_lt, one, other));
}

static Datum
lesser(Datum one, Datum other)
{
	return is_less(other, one) ? other : one;
}

static Datum
greater(Datum one, Datum other)
{
	return is_less(one, other) ? other : one;
}

static Datum
zero(void)
{
	return NumericGetDatum(int64_to_numeric(0));
}

static bool
is_number(Oid type)
{
	switch (getBaseType(type))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return true;
		default:
			return false;
	}
}

bool
dp_gate_can_have_bounds(Oid type)
{
	return is_number(type) || dp_ordered_type(type) != NULL;
}

static bool
is_integer(Oid type)
{
	type = getBaseType(type);
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/* Neither NaN nor so great that the next step could fail. */
static bool
is_usable(Datum value)
{
	return fabs(dp_numeric_to_double(value)) < MOST;
}

/* A constant number, date or time. */
static bool
find_constant(const Const *constant, Range *range)
{
	const DpOrderedType *ordered =
		dp_ordered_type(getBaseType(constant->consttype));
	Datum value;

	range->is_empty = constant->constisnull;
	if (constant->constisnull)
		return true;
	switch (getBaseType(constant->consttype))
	{
		case INT2OID:
			value = DirectFunctionCall1(int2_numeric, constant->constvalue);
			break;
		case INT4OID:
			value = DirectFunctionCall1(int4_numeric, constant->constvalue);
			break;
		case INT8OID:
			value = DirectFunctionCall1(int8_numeric, constant->constvalue);
			break;
		case FLOAT4OID:
			value = DirectFunctionCall1(float4_numeric, constant->constvalue);
			break;
		case FLOAT8OID:
			value = DirectFunctionCall1(float8_numeric, constant->constvalue);
			break;
		case NUMERICOID:
			value = constant->constvalue;
			break;
		default:
			if (ordered == NULL)
				return false;
			value = NumericGetDatum(
				int64_to_numeric(ordered->number_of(constant->constvalue)));
	}
	range->lower = range->upper = value;
	return is_usable(value);
}

static bool
find_declared(const DpRelations *relations, Node *node, Range *range)
{
	Oid type = getBaseType(exprType(node));
	Oid relation;
	AttrNumber column;

	range->is_empty = false;
	return dp_gate_can_have_bounds(type) &&
		   dp_gate_declared_origin(relations, (Var *) node, &relation,
								   &column) &&
		   dp_gate_bounds(relation, column, type, &range->lower,
						  &range->upper) &&
		   is_usable(range->lower) && is_usable(range->upper);
}

/* Widens an interval by another. */
static void
add(Range *range, const Range *other)
{
	if (other->is_empty)
		return;
	if (range->is_empty)
	{
		*range = *other;
		return;
	}
	range->lower = lesser(range->lower, other->lower);
	range->upper = greater(range->upper, other->upper);
}

/* The range of all values of several expressions. */
static bool
find_any(const DpRelations *relations, List *nodes, Range *range)
{
	ListCell *cell;

	range->is_empty = true;
	foreach (cell, nodes)
	{
		Range one;

		if (!find(relations, lfirst(cell), &one))
			return false;
		add(range, &one);
	}
	return true;
}

static bool
find_of_case(const DpRelations *relations, const CaseExpr *expr, Range *range)
{
	List *results = NIL;
	ListCell *cell;

	foreach (cell, expr->args)
		results = lappend(results, lfirst_node(CaseWhen, cell)->result);
	if (expr->defresult != NULL)
		results = lappend(results, expr->defresult);
	return find_any(relations, results, range);
}

/*
 * The range of a length: not below zero, and no longer than the longest value
 * that the function is called for (expressions/guards.h). That is of use only
 * to LEAST.
 */
static bool
find_of_length(Node *node, Range *range)
{
	static const char *const functions[] = {
		"length",		"char_length",		  "character_length",
		"octet_length", "cardinality",		  "array_length",
		"textlen",		"jsonb_array_length", "json_array_length"};
	const char *name = NULL;
	size_t i;

	if (IsA(node, FuncExpr) &&
		((FuncExpr *) node)->funcid < FirstGenbkiObjectId)
		name = get_func_name(((FuncExpr *) node)->funcid);
	for (i = 0; name != NULL && i < lengthof(functions); i++)
	{
		if (strcmp(name, functions[i]) != 0)
			continue;
		*range = (Range){
			false, zero(),
			NumericGetDatum(int64_to_numeric((int64) 8 * DP_GUARD_VALUE))};
		return true;
	}
	return false;
}

/*
 * GREATEST is never below a constant among its arguments, and LEAST never
 * above one.
 */
static bool
find_of_choice(const DpRelations *relations, const MinMaxExpr *expr,
			   Range *range)
{
	ListCell *cell;

	range->is_empty = true;
	foreach (cell, expr->args)
	{
		Range one;

		if (!find(relations, lfirst(cell), &one) &&
			(expr->op != IS_LEAST || !find_of_length(lfirst(cell), &one)))
			return false;
		add(range, &one);
	}
	if (range->is_empty)
		return false;
	foreach (cell, expr->args)
	{
		Range constant;

		if (!IsA(lfirst(cell), Const) ||
			!find_constant(lfirst(cell), &constant) || constant.is_empty)
			continue;
		if (expr->op == IS_GREATEST)
			range->lower = greater(range->lower, constant.lower);
		else
			range->upper = lesser(range->upper, constant.upper);
	}
	return true;
}

/* The hull of what a function gives for the ends of two intervals. */
static void
combine(PGFunction function, const Range *left, const Range *right,
		Range *result)
{
	Datum ends[4] = {call(function, left->lower, right->lower),
					 call(function, left->lower, right->upper),
					 call(function, left->upper, right->lower),
					 call(function, left->upper, right->upper)};
	int i;

	result->lower = result->upper = ends[0];
	for (i = 1; i < 4; i++)
	{
		result->lower = lesser(result->lower, ends[i]);
		result->upper = greater(result->upper, ends[i]);
	}
}

/*
 * Rounds to whole numbers, outwards: right whichever way the function rounds.
 */
static void
round_outwards(Range *range)
{
	range->lower = DirectFunctionCall1(numeric_floor, range->lower);
	range->upper = DirectFunctionCall1(numeric_ceil, range->upper);
}

/* left op right, by the operator's name: those of numbers are the server's. */
static bool
find_of_pair(const char *name, bool is_whole, const Range *left,
			 const Range *right, Range *range)
{
	range->is_empty = left->is_empty || right->is_empty;
	if (range->is_empty)
		return true;
	if (strcmp(name, "+") == 0)
		combine(numeric_add, left, right, range);
	else if (strcmp(name, "-") == 0)
		combine(numeric_sub, left, right, range);
	else if (strcmp(name, "*") == 0)
		combine(numeric_mul, left, right, range);
	else if (strcmp(name, "/") == 0 &&
			 (is_less(zero(), right->lower) || is_less(right->upper, zero())))
	{
		combine(numeric_div, left, right, range);
		if (is_whole)
			round_outwards(range);
	}
	else
		return false;
	return is_usable(range->lower) && is_usable(range->upper);
}

static void
negate(Range *range)
{
	Datum lower = range->lower;

	range->lower = DirectFunctionCall1(numeric_uminus, range->upper);
	range->upper = DirectFunctionCall1(numeric_uminus, lower);
}

static void
make_absolute(Range *range)
{
	Range negated = *range;

	if (!is_less(range->lower, zero()))
		return;
	negate(&negated);
	range->upper = greater(range->upper, negated.upper);
	range->lower = greater(negated.lower, zero());
}

static bool
are_numbers(Oid result, List *args)
{
	ListCell *cell;

	foreach (cell, args)
	{
		if (!is_number(exprType(lfirst(cell))))
			return false;
	}
	return is_number(result);
}

static bool
find_of_operator(const DpRelations *relations, const OpExpr *op, Range *range)
{
	const char *name = get_opname(op->opno);
	Range left;
	Range right;

	if (op->opno >= FirstGenbkiObjectId || name == NULL ||
		!are_numbers(op->opresulttype, op->args) ||
		!find(relations, linitial(op->args), &left))
		return false;
	if (list_length(op->args) == 1)
	{
		*range = left;
		if (range->is_empty || strcmp(name, "+") == 0)
			return true;
		if (strcmp(name, "-") == 0)
			negate(range);
		else if (strcmp(name, "@") == 0)
			make_absolute(range);
		else
			return false;
		return true;
	}
	return find(relations, lsecond(op->args), &right) &&
		   find_of_pair(name, is_integer(op->opresulttype), &left, &right,
						range);
}

static bool
is_rounding(const char *name)
{
	return strcmp(name, "round") == 0 || strcmp(name, "trunc") == 0 ||
		   strcmp(name, "floor") == 0 || strcmp(name, "ceil") == 0 ||
		   strcmp(name, "ceiling") == 0;
}

/* Whether a number's digits that are kept end at its point or after it. */
static bool
are_behind_point(List *args)
{
	const Const *digits;

	if (list_length(args) == 1)
		return true;
	digits = lsecond(args);
	return IsA(digits, Const) && !digits->constisnull &&
		   digits->consttype == INT4OID &&
		   DatumGetInt32(digits->constvalue) >= 0;
}

/* Functions of one number that are near it, and casts. */
static bool
find_of_function(const DpRelations *relations, const FuncExpr *function,
				 Range *range)
{
	const char *name = get_func_name(function->funcid);
	Oid type = function->funcresulttype;

	if (function->funcid >= FirstGenbkiObjectId || name == NULL ||
		function->args == NIL)
		return false;
	if (function->funcid == F_INT4_BOOL)
	{
		*range = (Range){false, zero(), NumericGetDatum(int64_to_numeric(1))};
		return true;
	}
	if (!are_numbers(type, list_make1(linitial(function->args))) ||
		!find(relations, linitial(function->args), range))
		return false;
	if (range->is_empty)
		return true;
	if (list_length(function->args) == 1 && strcmp(name, "abs") == 0)
		make_absolute(range);
	else if (!(is_rounding(name) && are_behind_point(function->args)) &&
			 function->funcformat != COERCE_EXPLICIT_CAST &&
			 function->funcformat != COERCE_IMPLICIT_CAST)
		return false;
	else if (is_rounding(name) || is_integer(type) ||
			 exprTypmod((const Node *) function) >= 0)
		round_outwards(range); /* as other casts to fewer digits do */
	return true;
}

static bool
find(const DpRelations *relations, Node *node, Range *range)
{
	dp_stack_enter();
	switch (nodeTag(node))
	{
		case T_Const:
			return find_constant((Const *) node, range);
		case T_Var:
			return find_declared(relations, node, range);
		case T_RelabelType:
			return find(relations, (Node *) ((RelabelType *) node)->arg, range);
		case T_OpExpr:
			return find_of_operator(relations, (OpExpr *) node, range);
		case T_FuncExpr:
			return find_of_function(relations, (FuncExpr *) node, range);
		case T_CaseExpr:
			return find_of_case(relations, (CaseExpr *) node, range);
		case T_CoalesceExpr:
			return find_any(relations, ((CoalesceExpr *) node)->args, range);
		case T_NullIfExpr:
			return find(relations, linitial(((NullIfExpr *) node)->args),
						range);
		case T_MinMaxExpr:
			return find_of_choice(relations, (MinMaxExpr *) node, range);
		default:
			return false;
	}
}

bool
dp_gate_derive_bounds(const DpRelations *relations, Node *expression,
					  Datum *lower, Datum *upper, bool *is_declared)
{
	Range range;

	if (!find(relations, expression, &range) || range.is_empty)
		return false;
	*lower = range.lower;
	*upper = range.upper;
	*is_declared = IsA(expression, Var);
	return true;
}

void
dp_gate_mark_derived(Const *bound)
{
	bound->location = DERIVED_LOCATION;
}

bool
dp_gate_has_derived_bounds(const Aggref *aggref)
{
	ListCell *cell;

	foreach (cell, aggref->args)
	{
		const Const *argument =
			(const Const *) lfirst_node(TargetEntry, cell)->expr;

		if (IsA(argument, Const) && argument->location == DERIVED_LOCATION)
			return true;
	}
	return false;
}
