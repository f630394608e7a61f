/*
 * long_values.c
 *		How many long values a row of a statement may have.
 *
 * It counts what sub-queries and keys compute, calls, columns of public
 * relations, and elements of arrays, in the whole statement, since the server
 * may combine any of them in one row, and keeps results of calls until the
 * next row. Stored columns of protected relations are not counted: long ones
 * are only references in a row.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "expressions/guards.h"
#include "gate/question/expressions/expression.h"
#include "gate/question/expressions/long_values.h"
#include "gate/question/relations/publics.h"

/* So many, of 1 MB each, are half of what a row or an array may have. */
#define MOST_VALUES 500

/* Constants up to here are not counted. */
#define SHORT_CONSTANT ((Size) 1024)

typedef struct Count
{
	const DpRelations *relations;
	int values;
} Count;

bool
dp_gate_can_be_long(Oid type)
{
	return dp_functions_can_be_long(type);
}

static bool is_stored(const Query *query, Node *value);

/* The same of a column of an entry of FROM. */
static bool
is_stored_column(const Query *query, const Var *column)
{
	const RangeTblEntry *rte;
	int part;

	if (column->varlevelsup != 0 || column->varattno <= 0)
		return column->varattno <= 0;
	rte = rt_fetch(column->varno, query->rtable);
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			return true;
		case RTE_NAMEDTUPLESTORE:
			return !dp_gate_is_public_name(rte->enrname);
		case RTE_SUBQUERY:
			break;
		default:
			return false;
	}
	if (rte->subquery->setOperations == NULL)
	{
		const TargetEntry *entry =
			get_tle_by_resno(rte->subquery->targetList, column->varattno);

		return entry != NULL && is_stored(rte->subquery, (Node *) entry->expr);
	}
	for (part = 1; part <= list_length(rte->subquery->rtable); part++)
	{
		Var of_part = *column;

		of_part.varno = part;
		if (!is_stored_column(rte->subquery, &of_part))
			return false;
	}
	return true;
}

static bool
is_short_constant(Node *value)
{
	const Const *constant;

	while (IsA(value, RelabelType))
		value = (Node *) ((RelabelType *) value)->arg;
	constant = (const Const *) value;
	return IsA(value, Const) &&
		   (constant->constisnull || constant->constlen != -1 ||
			dp_guard_size(constant->constvalue) <= SHORT_CONSTANT);
}

/* Whether a value is a column of a relation as it is, or short. */
static bool
is_stored(const Query *query, Node *value)
{
	const Var *column = dp_gate_column_of(value);

	return !dp_gate_can_be_long(exprType(value)) || IsA(value, Aggref) ||
		   is_short_constant(value) ||
		   (column != NULL && is_stored_column(query, column));
}

/* A call of a wrapped function (gate/question/expressions/calls.h), which makes a value. */
static bool
makes_value(Node *node)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return IsA(node, FuncExpr) &&
		   ((FuncExpr *) node)->funcid >= FirstNormalObjectId &&
		   dp_gate_can_be_long(((FuncExpr *) node)->funcresulttype);
}

static void
count_targets(const Query *query, List *targets, Count *count)
{
	ListCell *cell;

	foreach (cell, targets)
	{
		Node *value = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (!is_stored(query, value) && !makes_value(value))
			count->values++;
	}
}

/* Columns of what is public that are read. */
static void
count_public(const RangeTblEntry *rte, Count *count)
{
	const DpPublic *public = dp_gate_public_of(count->relations, rte);
	ListCell *cell;

	if (public == NULL)
		return;
	foreach (cell, public->rows->targetList)
	{
		Node *value = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (dp_gate_can_be_long(exprType(value)) && !is_short_constant(value))
			count->values++;
	}
}

static bool
count_walker(Node *node, Count *count)
{
	ListCell *cell;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		const Query *query = (const Query *) node;

		count_targets(query, query->targetList, count);
		foreach (cell, query->rtable)
			count_public(lfirst_node(RangeTblEntry, cell), count);
		return query_tree_walker((Query *) node, count_walker, count, 0);
	}
	if (IsA(node, FuncExpr) && makes_value(node))
		count->values++;
	if (IsA(node, ArrayExpr) &&
		dp_gate_can_be_long(((ArrayExpr *) node)->element_typeid))
	{
		foreach (cell, ((ArrayExpr *) node)->elements)
		{
			if (!is_short_constant(lfirst(cell)) && !makes_value(lfirst(cell)))
				count->values++;
		}
	}
	return expression_tree_walker(node, count_walker, count);
}

void
dp_gate_check_long_values(const DpRelations *relations, List *statements)
{
	ListCell *cell;

	foreach (cell, statements)
	{
		Count count = {relations, 0};

		(void) count_walker(lfirst(cell), &count);
		if (count.values > MOST_VALUES)
			dp_gate_refuse(
				psprintf("more than %d texts, arrays or the like that are "
						 "computed, or columns of what is public,",
						 MOST_VALUES),
				"Ask for fewer of them at once.", -1);
	}
}
