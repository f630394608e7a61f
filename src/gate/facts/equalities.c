/*
 * equalities.c
 *		Which columns are equal in all rows of a node.
 *
 * Classes are never changed in place, so they are shared by copies.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/facts/equalities.h"
#include "gate/facts/facts.h"
#include "server/collations.h"
#include "server/stack.h"

/*
 * Classes
 */

static bool
is_named(const DpExpr *column, DpColumnName name)
{
	return column->column.depth == name.depth &&
		   column->column.number == name.number;
}

List *
dp_equalities_class(const DpEqualities *known, DpColumnName name)
{
	foreach_ptr (List, class, known)
	{
		foreach_ptr (const DpExpr, expr, class)
		{
			if (is_named(expr, name))
				return class;
		}
	}
	return NIL;
}

DpEqualities *
dp_equalities_add(DpEqualities *known, const DpExpr *one, const DpExpr *other)
{
	List *first = dp_equalities_class(known, one->column);
	List *second = dp_equalities_class(known, other->column);

	if (is_named(one, other->column) || (first != NIL && first == second))
		return known;
	known = list_delete_ptr(known, first);
	known = list_delete_ptr(known, second);
	if (first == NIL)
		first = list_make1((void *) one);
	if (second == NIL)
		second = list_make1((void *) other);
	return lappend(known, list_concat_copy(first, second));
}

DpEqualities *
dp_equalities_join(DpEqualities *known, const DpEqualities *more)
{
	ListCell *cell;

	foreach_ptr (List, columns, more)
	{
		for_each_from (cell, columns, 1)
			known = dp_equalities_add(known, linitial(columns), lfirst(cell));
	}
	return known;
}

static DpEqualities *
map_columns(const DpEqualities *known,
			const DpExpr *(*map)(const DpExpr *expr, int by), int by)
{
	DpEqualities *result = NIL;
	ListCell *cell;

	foreach_ptr (List, class, known)
	{
		List *columns = NIL;

		foreach (cell, class)
			columns = lappend(columns, (void *) map(lfirst(cell), by));
		result = lappend(result, columns);
	}
	return result;
}

/* The same classes in a row where the columns stand this many later. */
static DpEqualities *
shift(const DpEqualities *known, int columns)
{
	return map_columns(known, dp_expr_shift, columns);
}

DpEqualities *
dp_equalities_deepen(const DpEqualities *known)
{
	return map_columns(known, dp_expr_deepen, 1);
}

bool
dp_equalities_has(const DpEqualities *known, DpColumnName one,
				  DpColumnName other)
{
	if (one.depth == other.depth && one.number == other.number)
		return true;
	foreach_ptr (const DpExpr, expr, dp_equalities_class(known, one))
	{
		if (is_named(expr, other))
			return true;
	}
	return false;
}

/* The columns of depth 0 in a class. */
static Bitmapset *
own_columns(const List *class)
{
	Bitmapset *columns = NULL;

	foreach_ptr (const DpExpr, expr, class)
	{
		DpColumnName name = expr->column;

		if (name.depth == 0)
			columns = bms_add_member(columns, name.number);
	}
	return columns;
}

Bitmapset *
dp_equalities_of_column(const DpEqualities *known, int number)
{
	return bms_add_member(
		own_columns(dp_equalities_class(known, (DpColumnName){0, number})),
		number);
}

/*
 * Conditions
 */

/* Whether an operator is of the equality by which a type's values are grouped. */
static bool
is_equality(Oid operator, Oid type)
{
	const TypeCacheEntry *entry =
		lookup_type_cache(getBaseType(type), TYPECACHE_BTREE_OPFAMILY);

	return OidIsValid(operator) &&
		   operator<FirstNormalObjectId && OidIsValid(entry->btree_opf) &&
		   get_op_opfamily_strategy(operator, entry->btree_opf) ==
			   BTEqualStrategyNumber &&
		   func_volatile(get_opcode(operator)) == PROVOLATILE_IMMUTABLE;
}

bool
dp_equalities_equates(const DpExpr *condition, const DpExpr *column)
{
	Oid collation = condition->input_collation;

	return condition->kind == DP_EXPR_CALL && condition->nargs == 2 &&
		   is_equality(condition->call.operator, column->type.oid) &&
		   dp_are_alike(collation, column->type.collation) &&
		   dp_are_alike(collation, condition->args[0]->type.collation) &&
		   dp_are_alike(collation, condition->args[1]->type.collation);
}

DpEqualities *
dp_equalities_learn(DpEqualities *known, const DpExpr *condition)
{
	const DpExpr *one;
	const DpExpr *other;
	int i;

	dp_stack_enter();
	if (condition->kind == DP_EXPR_AND)
	{
		for (i = 0; i < condition->nargs; i++)
			known = dp_equalities_learn(known, condition->args[i]);
		return known;
	}
	if (condition->kind != DP_EXPR_CALL || condition->nargs != 2)
		return known;
	one = dp_expr_column_of(condition->args[0]);
	other = dp_expr_column_of(condition->args[1]);
	if (one == NULL || other == NULL ||
		!dp_equalities_equates(condition, one) ||
		!dp_equalities_equates(condition, other))
		return known;
	return dp_equalities_add(known, one, other);
}

static DpEqualities *
learn_all(DpEqualities *known, const List *conditions)
{
	foreach_ptr (const DpExpr, expr, conditions)
		known = dp_equalities_learn(known, expr);
	return known;
}

/*
 * Nodes
 */

/* offset: of the node's columns in the row. */
static List *
find_matched(List *found, const DpNode *node, int offset,
			 const Bitmapset *not_null)
{
	int column;
	int i;

	dp_stack_enter();
	if (node->kind != DP_NODE_JOIN && node->kind != DP_NODE_LEFT_JOIN)
		return found;
	for (i = 0; i < node->ninputs; i++)
		found = find_matched(found, node->inputs[i],
							 offset + dp_node_offset(node, i), not_null);
	if (node->kind == DP_NODE_JOIN)
		return found;
	column = bms_next_member(not_null, offset + dp_node_offset(node, 1) - 1);
	if (column >= 0 && column < offset + node->ncolumns)
	{
		DpMatched *matched = palloc(sizeof(DpMatched));

		*matched = (DpMatched){node, offset};
		found = lappend(found, matched);
	}
	return found;
}

List *
dp_equalities_matched(const DpNode *join)
{
	Bitmapset *not_null = NULL;
	List *found = NIL;
	int i;

	foreach_ptr (const List, list,
				 learn_all(NIL, ((const DpJoin *) join)->conditions))
		not_null = bms_join(not_null, own_columns(list));
	for (i = 0; i < join->ninputs; i++)
		found = find_matched(found, join->inputs[i], dp_node_offset(join, i),
							 not_null);
	return found;
}

static DpEqualities *
of_join(const DpJoin *join)
{
	const DpNode *node = &join->node;
	DpEqualities *known = NIL;
	int i;

	for (i = 0; i < node->ninputs; i++)
		known = dp_equalities_join(known, shift(node->inputs[i]->facts->equal,
												dp_node_offset(node, i)));
	known = learn_all(known, join->conditions);
	foreach_ptr (const DpMatched, matched, dp_equalities_matched(node))
		known = dp_equalities_join(
			known,
			shift(dp_equalities_of_row(matched->left_join), matched->offset));
	return known;
}

DpEqualities *
dp_equalities_of_row(const DpNode *node)
{
	if (node->kind == DP_NODE_JOIN || node->kind == DP_NODE_LEFT_JOIN)
		return of_join((const DpJoin *) node);
	if (node->ninputs == 1)
		return list_copy(node->inputs[0]->facts->equal);
	return NIL;
}

/* Of a left join's rows: what holds on the left, and between nulls, too. */
static DpEqualities *
of_left_join(const DpNode *node)
{
	DpEqualities *known = list_copy(node->inputs[0]->facts->equal);

	foreach_ptr (List, class, dp_equalities_of_row(node))
	{
		const DpExpr *first = NULL;

		foreach_ptr (const DpExpr, column, class)
		{
			if (column->column.depth > 0 ||
				column->column.number < node->inputs[0]->ncolumns)
				continue;
			if (first == NULL)
				first = column;
			known = dp_equalities_add(known, first, column);
		}
	}
	return known;
}

/*
 * Of columns that are expressions over the input: copies of columns that are
 * equal there, or that equal one of a row around.
 */
static DpEqualities *
of_copies(const DpNode *node, List *exprs)
{
	const DpEqualities *input = node->inputs[0]->facts->equal;
	DpEqualities *known = NIL;
	int i;
	int other;

	for (i = 0; i < list_length(exprs); i++)
	{
		const DpExpr *column = dp_expr_column_of(list_nth(exprs, i));
		const DpExpr *own = dp_node_column(node, i);

		if (column == NULL || column->column.depth > 0)
			continue;
		foreach_ptr (DpExpr, expr, dp_equalities_class(input, column->column))
		{
			if (expr->column.depth > 0)
				known = dp_equalities_add(known, own, expr);
		}
		for (other = 0; other < i; other++)
		{
			const DpExpr *before = dp_expr_column_of(list_nth(exprs, other));

			if (before != NULL &&
				dp_equalities_has(input, before->column, column->column))
				known =
					dp_equalities_add(known, dp_node_column(node, other), own);
		}
	}
	return known;
}

static bool
are_equal_in_all(const DpNode *node, const DpExpr *one, const DpExpr *other)
{
	int i = node->ninputs;

	while (--i >= 0 && dp_equalities_has(node->inputs[i]->facts->equal,
										 one->column, other->column))
		;
	return i < 0;
}

/* What is equal in each of several inputs. */
static DpEqualities *
of_union(const DpNode *node)
{
	DpEqualities *known = NIL;
	ListCell *other;

	foreach_ptr (List, class, node->inputs[0]->facts->equal)
	{
		foreach_ptr (const DpExpr, expr, class)
		{
			foreach (other, class)
			{
				if (are_equal_in_all(node, expr, lfirst(other)))
					known = dp_equalities_add(known, expr, lfirst(other));
			}
		}
	}
	return known;
}

DpEqualities *
dp_equalities_of(const DpNode *node)
{
	switch (node->kind)
	{
		case DP_NODE_SCAN:
		case DP_NODE_PUBLIC:
		case DP_NODE_RELEASE:
			break;
		case DP_NODE_LEFT_JOIN:
			return of_left_join(node);
		case DP_NODE_JOIN:
		case DP_NODE_WINDOW:
		case DP_NODE_VIEW:
			return dp_equalities_of_row(node);
		case DP_NODE_UNION:
			return of_union(node);
		case DP_NODE_GROUP:
		case DP_NODE_PROJECT:
			return of_copies(node, dp_node_exprs(node));
	}
	return NIL;
}
