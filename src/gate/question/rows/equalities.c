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

#include "gate/question/relations/relations.h"
#include "gate/question/rows/equalities.h"
#include "server/collations.h"

/* Whether an operator is of the equality by which a type's values are grouped. */
static bool
is_equality(Oid operator, Oid type)
{
	const TypeCacheEntry *entry =
		lookup_type_cache(getBaseType(type), TYPECACHE_BTREE_OPFAMILY);

	return operator<FirstNormalObjectId && OidIsValid(entry->btree_opf) &&
		   get_op_opfamily_strategy(operator, entry->btree_opf) ==
			   BTEqualStrategyNumber &&
		   func_volatile(get_opcode(operator)) == PROVOLATILE_IMMUTABLE;
}

bool
dp_gate_equates(const Node *condition, const Var *column)
{
	const OpExpr *op = (const OpExpr *) condition;

	return IsA(condition, OpExpr) && list_length(op->args) == 2 &&
		   is_equality(op->opno, column->vartype) &&
		   dp_are_alike(op->inputcollid, column->varcollid) &&
		   dp_are_alike(op->inputcollid, exprCollation(linitial(op->args))) &&
		   dp_are_alike(op->inputcollid, exprCollation(lsecond(op->args)));
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
	if (one == NULL || other == NULL || !dp_gate_equates(condition, one) ||
		!dp_gate_equates(condition, other))
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
