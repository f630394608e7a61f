/*
 * equalities.c
 *		Which columns are equal in all rows that pass some conditions.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/question/relations/subjects.h"
#include "gate/question/rows/equalities.h"

bool
dp_gate_is_transitive(Oid operator, Oid family)
{
	return get_op_opfamily_strategy(operator, family) ==
			   BTEqualStrategyNumber &&
		   func_volatile(get_opcode(operator)) == PROVOLATILE_IMMUTABLE;
}

/* Whether an operator is the equality by which a column's values are grouped. */
static bool
is_equality(Oid operator, const Var * column)
{
	const TypeCacheEntry *type = lookup_type_cache(getBaseType(column->vartype),
												   TYPECACHE_BTREE_OPFAMILY);

	return operator<FirstNormalObjectId && OidIsValid(type->btree_opf) &&
		   dp_gate_is_transitive(operator, type->btree_opf);
}

bool
dp_gate_has_column(const List *columns, const Var *column)
{
	ListCell *cell;

	foreach (cell, columns)
	{
		if (dp_gate_same_column(lfirst(cell), column))
			return true;
	}
	return false;
}

static List *
class_of(const DpEqualities *known, const Var *column)
{
	ListCell *cell;

	foreach (cell, known)
	{
		if (dp_gate_has_column(lfirst(cell), column))
			return lfirst(cell);
	}
	return NIL;
}

DpEqualities *
dp_gate_learn_equal(DpEqualities *known, Var *one, Var *other)
{
	List *first = class_of(known, one);
	List *second = class_of(known, other);

	if (first != NIL && first == second)
		return known;
	known = list_delete_ptr(known, first);
	known = list_delete_ptr(known, second);
	if (first == NIL)
		first = list_make1(one);
	if (second == NIL)
		second = list_make1(other);
	return lappend(known, list_concat_copy(first, second));
}

DpEqualities *
dp_gate_learn(DpEqualities *known, Node *condition)
{
	OpExpr *op = (OpExpr *) condition;
	ListCell *cell;
	Var *one;
	Var *other;

	if (condition == NULL)
		return known;
	if (IsA(condition, List))
	{
		foreach (cell, (List *) condition)
			known = dp_gate_learn(known, lfirst(cell));
		return known;
	}
	if (is_andclause(condition))
		return dp_gate_learn(known, (Node *) ((BoolExpr *) condition)->args);
	if (!IsA(condition, OpExpr) || list_length(op->args) != 2)
		return known;
	one = dp_gate_column_of(linitial(op->args));
	other = dp_gate_column_of(lsecond(op->args));
	if (one == NULL || other == NULL || !is_equality(op->opno, one) ||
		!is_equality(op->opno, other))
		return known;
	return dp_gate_learn_equal(known, one, other);
}

DpEqualities *
dp_gate_learn_all(DpEqualities *known, const DpEqualities *more)
{
	ListCell *class;
	ListCell *cell;

	foreach (class, more)
	{
		for_each_from (cell, (List *) lfirst(class), 1)
			known = dp_gate_learn_equal(known, linitial(lfirst(class)),
										lfirst(cell));
	}
	return known;
}

DpEqualities *
dp_gate_copy_equalities(const DpEqualities *known)
{
	return list_copy(known); /* classes are never changed in place */
}

bool
dp_gate_are_equal(const DpEqualities *known, const Var *one, const Var *other)
{
	return dp_gate_same_column(one, other) ||
		   dp_gate_has_column(class_of(known, one), other);
}

List *
dp_gate_equal_to(const DpEqualities *known, Var *column)
{
	List *class = class_of(known, column);

	return class == NIL ? list_make1(column) : class;
}
