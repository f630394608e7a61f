/*
 * released.c
 *		Columns of the released rows in place of keys and aggregates.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"

#include "gate/question/block_aggregate.h"
#include "gate/question/expressions/expression.h"
#include "gate/question/expressions/folding.h"
#include "gate/question/keys/key.h"
#include "gate/question/released.h"

/* The position of a node in a list, from 1; 0 when it is not there. */
static int
position_of(Node *node, List *list)
{
	ListCell *cell;
	int position = 0;

	foreach (cell, list)
	{
		position++;
		if (equal(lfirst(cell), node))
			return position;
	}
	return 0;
}

static Node *
replace_aggregate(Aggref *aggref, DpReleased *released)
{
	int position = position_of((Node *) aggref, released->written);

	if (position == 0)
	{
		released->written = lappend(released->written, aggref);
		released->aggregates =
			lappend(released->aggregates,
					dp_gate_check_aggregate(aggref, released->relations));
		position = list_length(released->written);
	}
	return (Node *) makeVar(1, list_length(released->keys) + position,
							aggref->aggtype, -1, aggref->aggcollid, 0);
}

/*
 * A call of dp_low or dp_high: the aggregate's column is its end's, which is
 * numbered from -1 downwards until those before it are known.
 */
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
replace_end(FuncExpr *call, DpReleased *released)
{
	EndColumn end;
	Node *value;
	Node *level;
	Var *answer;
	int number;

	end.aggref = dp_gate_end_aggregate(call, &value, &level);
	answer = (Var *) replace_aggregate(end.aggref, released);
	number = dp_gate_ends_add(
		released->ends, call, end.aggref,
		answer->varattno - list_length(released->keys) - 1, level);
	answer->varattno = (AttrNumber) (-1 - number);
	end.column = answer;
	return put_end(value, &end);
}

static bool
number_walker(Node *node, const DpReleased *released)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varattno < 0)
	{
		Var *column = (Var *) node;

		column->varattno =
			(AttrNumber) (list_length(released->keys) +
						  list_length(released->aggregates) - column->varattno);
		column->varattnosyn = column->varattno;
		return false;
	}
	return expression_tree_walker(node, number_walker, (void *) released);
}

void
dp_gate_number_ends(Node *node, const DpReleased *released)
{
	(void) number_walker(node, released);
}

void
dp_gate_add_key(Node *written, DpReleased *released)
{
	Node *folded = dp_gate_fold(copyObject(written), "GROUP BY");
	int position;

	released->written_keys = lappend(released->written_keys, written);
	if (IsA(folded, Const) ||
		(IsA(folded, Param) && ((Param *) folded)->paramkind == PARAM_EXTERN))
	{
		if (IsA(folded, Param) &&
			list_member_int(released->relations->constant_numbers,
							((Param *) folded)->paramid))
			dp_gate_refuse("a sub-query that is a group key by itself",
						   "Leave it out: it has one value for all rows.",
						   exprLocation(folded));
		released->replacements = lappend(released->replacements, folded);
		return;
	}
	position =
		position_of(folded, dp_gate_release_columns(released->keys, NIL));
	if (position == 0)
	{
		released->keys = lappend(released->keys,
								 dp_gate_key_make(folded, released->relations));
		position = list_length(released->keys);
	}
	released->replacements =
		lappend(released->replacements,
				makeVar(1, position, exprType(folded), exprTypmod(folded),
						exprCollation(folded), 0));
}

Node *
dp_gate_replace(Node *node, DpReleased *released)
{
	int key;

	if (node == NULL)
		return NULL;
	key = position_of(node, released->written_keys);
	if (key > 0)
		return copyObject(list_nth(released->replacements, key - 1));
	if (dp_gate_is_end(node))
		return replace_end((FuncExpr *) node, released);
	switch (nodeTag(node))
	{
		case T_Aggref:
			return replace_aggregate((Aggref *) node, released);
		case T_Var:
			dp_gate_refuse(
				"a column outside an aggregate",
				released->keys == NIL
					? "Write an aggregate, or GROUP BY the column."
					: "Write an aggregate, or one of the expressions "
					  "in GROUP BY.",
				exprLocation(node));
			break;
		case T_GroupingFunc:
			dp_gate_refuse("GROUPING", "Leave it out.", exprLocation(node));
			break;
		default:
			break;
	}
	return expression_tree_mutator(node, dp_gate_replace, released);
}
