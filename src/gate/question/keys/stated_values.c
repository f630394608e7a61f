/*
 * stated_values.c
 *		Values and bounds that WHERE states.
 *
 * Only conditions that every row fulfils count: those of WHERE, and the arms
 * of its ANDs. Operators must be the types' own equality or order, which no
 * user can redefine for the server's types.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/question/expressions/list_elements.h"
#include "gate/question/keys/stated_values.h"
#include "server/stack.h"

/* Removes relabelling: a text is the same as any binary compatible type. */
static Node *
strip(Node *node)
{
	while (node != NULL && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

static bool
is_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID;
}

/* A value as one of an expression's type; NULL where it is of another. */
static Node *
value_for(Node *value, Node *expression)
{
	Oid type = exprType(expression);
	Const *constant;

	value = strip(value);
	if (IsA(value, Param))
		return exprType(value) == type ? value : NULL;
	if (!IsA(value, Const) || (exprType(value) != type &&
							   !(is_text(exprType(value)) && is_text(type))))
		return NULL;
	constant = copyObject((Const *) value);
	constant->consttype = type;
	constant->consttypmod = -1;
	constant->constcollid = exprCollation(expression);
	return (Node *) constant;
}

/* Adds a value; false where it is of another type. Null is never equal. */
static bool
add_value(Node *value, Node *expression, List **values)
{
	Node *own = value_for(value, expression);

	if (own == NULL)
		return false;
	if (!IsA(own, Const) || !((Const *) own)->constisnull)
		*values = lappend(*values, own);
	return true;
}

static bool
is_equality(Oid operator, Node * expression)
{
	return lookup_type_cache(getBaseType(exprType(expression)),
							 TYPECACHE_EQ_OPR)
			   ->eq_opr ==
		   operator;
}

/* expression = value */
static bool
values_of_comparison(const OpExpr *comparison, Node *expression, List **values)
{
	Node *left = linitial(comparison->args);
	Node *right = llast(comparison->args);

	if (list_length(comparison->args) != 2 ||
		!is_equality(comparison->opno, expression))
		return false;
	if (equal(strip(left), strip(expression)))
		return add_value(right, expression, values);
	return equal(strip(right), strip(expression)) &&
		   add_value(left, expression, values);
}

/* expression IN (values) */
static bool
values_of_list(const ScalarArrayOpExpr *comparison, Node *expression,
			   List **values)
{
	List *elements;
	ListCell *cell;

	if (!comparison->useOr || !is_equality(comparison->opno, expression) ||
		!equal(strip(linitial(comparison->args)), strip(expression)) ||
		!dp_gate_list_elements(strip(llast(comparison->args)), &elements))
		return false;
	foreach (cell, elements)
	{
		if (!add_value(lfirst(cell), expression, values))
			return false;
	}
	return true;
}

static bool values_of_condition(Node *condition, Node *expression,
								List **values);

/* Every arm of an OR must name values; of an AND one arm is enough. */
static bool
values_of_parts(const BoolExpr *condition, Node *expression, List **values)
{
	ListCell *cell;

	if (condition->boolop == NOT_EXPR)
		return false;
	foreach (cell, condition->args)
	{
		List *before = list_copy(*values);
		bool found = values_of_condition(lfirst(cell), expression, values);

		if (!found)
			*values = before;
		if (found != (condition->boolop == OR_EXPR))
			return found;
	}
	return condition->boolop == OR_EXPR;
}

static bool
values_of_condition(Node *condition, Node *expression, List **values)
{
	ListCell *cell;

	dp_stack_enter();
	if (condition == NULL)
		return false;
	switch (nodeTag(condition))
	{
		case T_List:
			foreach (cell, (List *) condition)
			{
				if (values_of_condition(lfirst(cell), expression, values))
					return true;
			}
			return false;
		case T_BoolExpr:
			return values_of_parts((BoolExpr *) condition, expression, values);
		case T_OpExpr:
			return values_of_comparison((OpExpr *) condition, expression,
										values);
		case T_ScalarArrayOpExpr:
			return values_of_list((ScalarArrayOpExpr *) condition, expression,
								  values);
		default:
			return false;
	}
}

List *
dp_gate_stated_values(Node *expression, const DpRelations *relations)
{
	List *values = NIL;

	return values_of_condition(relations->frame->jointree->quals, expression,
							   &values)
			   ? values
			   : NIL;
}

/* A finite constant as an integer of its type. */
static bool
number_of(const Const *constant, int64 *number)
{
	const DpOrderedType *ordered = dp_ordered_type(constant->consttype);

	if (constant->constisnull)
		return false;
	switch (constant->consttype)
	{
		case INT2OID:
			*number = DatumGetInt16(constant->constvalue);
			return true;
		case INT4OID:
			*number = DatumGetInt32(constant->constvalue);
			return true;
		case INT8OID:
			*number = DatumGetInt64(constant->constvalue);
			return true;
		default:
			break;
	}
	if (ordered == NULL)
		return false;
	*number = ordered->number_of(constant->constvalue);
	return *number > ordered->least && *number < ordered->greatest;
}

static int64
floor_divide(int64 number, int64 divisor)
{
	return number / divisor - (number % divisor < 0 ? 1 : 0);
}

/*
 * The integer of a column's type that a value bounds it by, at most or at
 * least; the value itself, or not if it is strict. False where the types do not
 * compare without the session's time zone.
 */
static bool
bound_within(const Const *value, const DpOrderedType *ordered, bool is_upper,
			 bool is_strict, int64 *bound)
{
	const DpOrderedType *of_value = dp_ordered_type(value->consttype);
	int64 number;

	if (!number_of(value, &number))
		return false;
	if (ordered == NULL || of_value == NULL || ordered == of_value)
	{
		if (ordered != of_value)
			return false;
		*bound = number + (is_strict ? (is_upper ? -1 : 1) : 0);
		return !is_strict ||
			   (number > PG_INT64_MIN / 2 && number < PG_INT64_MAX / 2);
	}
	if (ordered->type == DATEOID && value->consttype == TIMESTAMPOID)
	{
		number += is_strict ? (is_upper ? -1 : 1) : 0;
		*bound = is_upper ? floor_divide(number, USECS_PER_DAY)
						  : -floor_divide(-number, USECS_PER_DAY);
		return true;
	}
	if (ordered->type == TIMESTAMPOID && value->consttype == DATEOID &&
		number > PG_INT64_MIN / USECS_PER_DAY / 2 &&
		number < PG_INT64_MAX / USECS_PER_DAY / 2)
	{
		*bound = number * USECS_PER_DAY + (is_strict ? (is_upper ? -1 : 1) : 0);
		return true;
	}
	return false;
}

/* The order's strategy of an operator of two types; 0: it is none. */
static int
strategy_of(Oid operator, Oid type)
{
	Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;

	return OidIsValid(family) ? get_op_opfamily_strategy(operator, family) : 0;
}

/* A column, and its bounds as narrowed so far. */
typedef struct Bounds
{
	const Var *column;
	Oid type; /* its base type */
	const DpOrderedType *ordered;
	int64 *bounds;
	bool *has_bounds;
} Bounds;

static void
narrow(const Bounds *bounds, const Const *value, bool is_upper, bool is_strict)
{
	int end = is_upper ? 1 : 0;
	int64 bound;

	if (!bound_within(value, bounds->ordered, is_upper, is_strict, &bound))
		return;
	if (!bounds->has_bounds[end] ||
		(is_upper ? bound < bounds->bounds[end] : bound > bounds->bounds[end]))
		bounds->bounds[end] = bound;
	bounds->has_bounds[end] = true;
}

static void
narrow_by_comparison(const Bounds *bounds, const OpExpr *comparison)
{
	Node *left = strip(linitial(comparison->args));
	Node *right = strip(llast(comparison->args));
	int strategy;
	bool is_turned = IsA(left, Const);

	if (list_length(comparison->args) != 2 ||
		!IsA(is_turned ? left : right, Const) ||
		!equal(is_turned ? right : left, bounds->column))
		return;
	strategy = strategy_of(comparison->opno, bounds->type);
	if (is_turned && strategy != 0)
		strategy = BTMaxStrategyNumber + 1 - strategy;
	if (strategy == BTEqualStrategyNumber || strategy == BTLessStrategyNumber ||
		strategy == BTLessEqualStrategyNumber)
		narrow(bounds, (Const *) (is_turned ? left : right), true,
			   strategy == BTLessStrategyNumber);
	if (strategy == BTEqualStrategyNumber ||
		strategy == BTGreaterStrategyNumber ||
		strategy == BTGreaterEqualStrategyNumber)
		narrow(bounds, (Const *) (is_turned ? left : right), false,
			   strategy == BTGreaterStrategyNumber);
}

static void
narrow_by_condition(const Bounds *bounds, Node *condition)
{
	ListCell *cell;

	dp_stack_enter();
	if (condition == NULL)
		return;
	if (IsA(condition, List))
	{
		foreach (cell, (List *) condition)
			narrow_by_condition(bounds, lfirst(cell));
	}
	else if (is_andclause(condition))
		narrow_by_condition(bounds, (Node *) ((BoolExpr *) condition)->args);
	else if (IsA(condition, OpExpr))
		narrow_by_comparison(bounds, (OpExpr *) condition);
}

void
dp_gate_stated_bounds(const Var *column, const DpOrderedType *ordered,
					  const DpRelations *relations, int64 bounds[2],
					  bool has_bounds[2])
{
	Bounds narrowed = {column, getBaseType(column->vartype), ordered, bounds,
					   has_bounds};

	narrow_by_condition(&narrowed, relations->frame->jointree->quals);
}
