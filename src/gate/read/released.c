/*
 * released.c
 *		What a block's expressions become: columns of the released rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "gate/question/relations/publics.h"
#include "gate/question/relations/refusal.h"
#include "gate/read/released.h"

/* The position of a node in a list, from 1; 0 when it is not there. */
static int
position_of(Node *node, List *list)
{
	ListCell *cell;

	foreach (cell, list)
	{
		if (equal(lfirst(cell), node))
			return foreach_current_index(cell) + 1;
	}
	return 0;
}

/*
 * Until all aggregates are known, columns behind them have numbers from -1
 * downwards: the number of the grouping, then the ends.
 */
#define GROUPING_COLUMN (-1)
#define FIRST_END_COLUMN (-2)

static Node *
replace_aggregate(Aggref *aggref, DpReleasedColumns *released)
{
	int position = position_of((Node *) aggref, released->aggrefs);

	if (position == 0)
	{
		released->aggrefs = lappend(released->aggrefs, aggref);
		released->aggregates = lappend(released->aggregates,
									   dp_asked_read(released->rows, aggref));
		position = list_length(released->aggrefs);
	}
	return (Node *) makeVar(1, (AttrNumber) (released->keys + position),
							aggref->aggtype, -1, aggref->aggcollid, 0);
}

/* A call of dp_low or dp_high: the aggregate's column is its end's. */
typedef struct EndColumn
{
	Aggref *aggref;
	Var *column;
} EndColumn;

static Node *
put_end(Node *node, EndColumn *end)
{
	if (node == (Node *) end->aggref)
		return (Node *) end->column;
	return expression_tree_mutator(node, put_end, end);
}

static Node *
replace_end(FuncExpr *call, DpReleasedColumns *released)
{
	EndColumn end;
	Node *value;
	Node *level;
	Var *answer;
	int number;

	end.aggref = dp_gate_end_aggregate(call, &value, &level);
	answer = (Var *) replace_aggregate(end.aggref, released);
	number = dp_gate_ends_add(released->ends, call, end.aggref,
							  answer->varattno - released->keys - 1, level);
	answer->varattno = (AttrNumber) (FIRST_END_COLUMN - number);
	end.column = answer;
	return put_end(value, &end);
}

static bool
number_walker(Node *node, const DpReleasedColumns *released)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varattno < 0)
	{
		Var *column = (Var *) node;
		int known = released->keys + list_length(released->aggregates);
		int ends = list_length(released->ends->aggnos);

		column->varattno = (AttrNumber) (column->varattno == GROUPING_COLUMN
											 ? known + ends + 1
											 : known + FIRST_END_COLUMN -
												   column->varattno + 1);
		column->varattnosyn = column->varattno;
		return false;
	}
	return expression_tree_walker(node, number_walker, (void *) released);
}

void
dp_released_number_ends(Node *node, const DpReleasedColumns *released)
{
	(void) number_walker(node, released);
}

static Node *
replace_key(Node *node, int key, const DpReleasedColumns *released)
{
	int number = list_nth_int(released->numbers, key);

	return number < 0
			   ? node
			   : (Node *) makeVar(1, (AttrNumber) (number + 1), exprType(node),
								  exprTypmod(node), exprCollation(node), 0);
}

/*
 * A sub-query stays in the query around the release, where the block's columns
 * no longer exist.
 */
static void
check_subquery(SubLink *link)
{
	Query *query = (Query *) link->subselect;

	if (dp_gate_reads_protected(query))
		dp_gate_refuse("a sub-query over a protected relation beside the "
					   "aggregates",
					   "Write private aggregates in it, or join what it "
					   "reads in FROM.",
					   link->location);
	if (dp_gate_refers_outward(query))
		dp_gate_refuse("a sub-query over released rows that refers to a "
					   "column of the question",
					   "Write it in an outer query around the released "
					   "answer.",
					   link->location);
}

static Node *
grouping_bits(GroupingFunc *function, const DpReleasedColumns *released)
{
	if (!released->written->are_several)
		dp_gate_refuse("GROUPING", "Leave it out.", function->location);
	return dp_grouped_by_bits(
		released->written, function,
		(Node *) makeVar(1, GROUPING_COLUMN, INT4OID, -1, InvalidOid, 0));
}

Node *
dp_released_replace(Node *node, DpReleasedColumns *released)
{
	int key;

	if (node == NULL)
		return NULL;
	key = position_of(node, released->written->keys);
	if (key > 0)
		return replace_key(node, key - 1, released);
	if (dp_gate_is_end(node))
		return replace_end((FuncExpr *) node, released);
	switch (nodeTag(node))
	{
		case T_Aggref:
			return replace_aggregate((Aggref *) node, released);
		case T_GroupingFunc:
			return grouping_bits((GroupingFunc *) node, released);
		case T_Var:
			dp_gate_refuse(
				"a column outside an aggregate",
				released->keys == 0
					? "Write an aggregate, or GROUP BY the column."
					: "Write an aggregate, or one of the expressions "
					  "in GROUP BY.",
				exprLocation(node));
			break;
		case T_SubLink:
			check_subquery((SubLink *) node);
			break;
		default:
			break;
	}
	return expression_tree_mutator(node, dp_released_replace, released);
}
