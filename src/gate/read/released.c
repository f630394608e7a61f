/*
 * released.c
 *		What a block's expressions become: columns of the released rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_agg.h"
#include "rewrite/rewriteManip.h"

#include "gate/read/expression.h"
#include "gate/read/released.h"
#include "gate/relations/publics.h"
#include "gate/relations/refusal.h"
#include "gate/tree/kinds.h"
#include "server/search.h"

/*
 * The groupings of a block: GROUP BY, GROUPING SETS, ROLLUP and CUBE.
 */

/* The most groupings of a block. */
#define MOST_GROUPINGS 64

static int
location_of(const Query *query)
{
	return linitial_node(GroupingSet, query->groupingSets)->location;
}

void
dp_released_check_groupings(const Query *query)
{
	if (query->groupingSets == NIL)
		return;
	if (query->hasTargetSRFs)
		dp_refusal_raise("GROUPING SETS, ROLLUP or CUBE with functions that "
						 "return sets",
						 "Write these in an outer query around it.",
						 location_of(query));
	if (query->hasModifyingCTE || query->rowMarks != NIL)
		dp_refusal_raise("GROUPING SETS, ROLLUP or CUBE in this statement",
						 "Ask for each grouping in a query of its own.",
						 location_of(query));
}

/* Which of the keys a grouping has. refs: how it names them. */
static Bitmapset *
set_of(const DpWrittenGroupings *groupings, const List *refs)
{
	Bitmapset *set = NULL;
	ListCell *cell;

	foreach (cell, groupings->refs)
	{
		if (list_member_int(refs, lfirst_int(cell)))
			set = bms_add_member(set, foreach_current_index(cell));
	}
	return set;
}

DpWrittenGroupings
dp_released_groupings(const Query *query)
{
	DpWrittenGroupings result = {NIL, NIL, NIL, query->groupingSets != NIL};
	List *sets;

	foreach_node (SortGroupClause, clause, query->groupClause)
	{
		result.keys = lappend(
			result.keys, get_sortgroupclause_expr(clause, query->targetList));
		result.refs = lappend_int(result.refs, (int) clause->tleSortGroupRef);
	}
	if (query->groupingSets == NIL)
	{
		result.sets = list_make1(set_of(&result, result.refs));
		return result;
	}
	sets = expand_grouping_sets(query->groupingSets, query->groupDistinct,
								MOST_GROUPINGS);
	if (sets == NIL)
		dp_refusal_raise("this number of groupings",
						 "Ask for some of them in a query of its own.",
						 location_of(query));
	foreach_ptr (const List, list, sets)
		result.sets = lappend(result.sets, set_of(&result, list));
	return result;
}

static Node *
integer(int value)
{
	return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
							  Int32GetDatum(value), false, true);
}

/*
 * The value of GROUPING(...) by a column with the number of the grouping, from 0:
 * a bit for each argument, set where it is not among the grouping's keys.
 */
static Node *
bits_of(const DpWrittenGroupings *groupings, const GroupingFunc *function,
		Node *number)
{
	ArrayExpr *array = makeNode(ArrayExpr);
	SubscriptingRef *element = makeNode(SubscriptingRef);
	ListCell *cell;

	array->array_typeid = INT4ARRAYOID;
	array->element_typeid = INT4OID;
	array->location = -1;
	foreach_ptr (const Bitmapset, own, groupings->sets)
	{
		uint32 bits = 0;

		foreach (cell, function->refs)
		{
			int key = 0;

			while (list_nth_int(groupings->refs, key) != lfirst_int(cell))
				key++;
			bits = (bits << 1) | !bms_is_member(key, own);
		}
		array->elements = lappend(array->elements, integer((int) bits));
	}
	element->refcontainertype = INT4ARRAYOID;
	element->refelemtype = INT4OID;
	element->refrestype = INT4OID;
	element->reftypmod = -1;
	element->refupperindexpr = list_make1(number);
	element->refexpr = (Expr *) array;
	return (Node *) element;
}

/*
 * Released columns
 */

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
	return (Node *) makeVar(
		1, (AttrNumber) (list_length(released->keys) + position),
		aggref->aggtype, -1, aggref->aggcollid, 0);
}

static Node *replace(Node *node, DpReleasedColumns *released);

/* A call of dp_low or dp_high: the aggregate's column is its end's. */
static Node *
replace_end(FuncExpr *call, DpReleasedColumns *released)
{
	Aggref *aggref;
	Node *value;
	Node *level;
	Var *answer;
	int number;

	aggref = dp_ends_aggregate(call, &value, &level);
	answer = (Var *) replace_aggregate(aggref, released);
	number =
		dp_ends_add(released->ends, dp_ends_side(call), aggref,
					answer->varattno - list_length(released->keys) - 1, level);
	answer->varattno = (AttrNumber) (FIRST_END_COLUMN - number);
	released->end = aggref;
	released->end_column = answer;
	value = replace(value, released);
	released->end = NULL;
	return value;
}

/*
 * A division by a count: the divisor is a column that is null where the count cannot
 * be told from none.
 */
static Node *
replace_division(OpExpr *division, Aggref *aggref, Node *level,
				 DpReleasedColumns *released)
{
	OpExpr *result = copyObject(division);
	Var *answer = (Var *) replace_aggregate(aggref, released);
	int number =
		dp_ends_add(released->ends, DP_ENDS_DIVISOR, aggref,
					answer->varattno - list_length(released->keys) - 1, level);
	Node *divisor;

	answer->varattno = (AttrNumber) (FIRST_END_COLUMN - number);
	released->end = aggref;
	released->end_column = answer;
	divisor = replace(lsecond(division->args), released);
	released->end = NULL;
	result->args =
		list_make2(replace(linitial(division->args), released), divisor);
	return (Node *) result;
}

static bool
number_column(Node *node, void *context)
{
	const DpReleasedColumns *released = context;

	if (IsA(node, Var) && ((Var *) node)->varattno < 0)
	{
		Var *column = (Var *) node;
		int known =
			list_length(released->keys) + list_length(released->aggregates);
		int ends = list_length(released->ends->aggnos);

		column->varattno = (AttrNumber) (column->varattno == GROUPING_COLUMN
											 ? known + ends + 1
											 : known + FIRST_END_COLUMN -
												   column->varattno + 1);
		column->varattnosyn = column->varattno;
	}
	return false;
}

/*
 * A key that has one value for all rows is that value: what was written may name
 * columns, which are no longer there, as x = NULL does.
 */
static Node *
replace_key(Node *node, int key, const DpReleasedColumns *released)
{
	int number = list_nth_int(released->numbers, key);

	if (number >= 0)
		return (Node *) makeVar(1, (AttrNumber) (number + 1), exprType(node),
								exprTypmod(node), exprCollation(node), 0);
	return contain_vars_of_level(node, 0)
			   ? dp_kinds_write(list_nth(released->read, key),
								&(DpWriter){.column = NULL})
			   : node;
}

/*
 * A sub-query stays in the query around the release, where the block's columns
 * no longer exist.
 */
static void
check_subquery(SubLink *link)
{
	Query *query = (Query *) link->subselect;

	if (dp_publics_reads_protected(query))
		dp_refusal_raise("a sub-query over a protected relation beside the "
						 "aggregates",
						 "Write private aggregates in it, or join what it "
						 "reads in FROM.",
						 link->location);
	if (dp_publics_refers_outward(query))
		dp_refusal_raise("a sub-query over released rows that refers to a "
						 "column of the question",
						 "Write it in an outer query around the released "
						 "answer.",
						 link->location);
}

static Node *
grouping_bits(GroupingFunc *function, const DpReleasedColumns *released)
{
	if (!released->written->are_several)
		dp_refusal_raise("GROUPING", "Leave it out.", function->location);
	return bits_of(
		released->written, function,
		(Node *) makeVar(1, GROUPING_COLUMN, INT4OID, -1, InvalidOid, 0));
}

static Node *
replacement(Node *node, int depth, void *context)
{
	DpReleasedColumns *released = context;
	int key = position_of(node, released->written->keys);
	Node *level;
	Aggref *divisor;

	(void) depth;
	if (key > 0)
		return replace_key(node, key - 1, released);
	if (dp_ends_is_call(node))
		return replace_end((FuncExpr *) node, released);
	divisor = released->keys == NIL ? NULL : dp_ends_divisor(node, &level);
	if (divisor != NULL)
		return replace_division((OpExpr *) node, divisor, level, released);
	switch (nodeTag(node))
	{
		case T_Aggref:
			return node == (Node *) released->end
					   ? (Node *) released->end_column
					   : replace_aggregate((Aggref *) node, released);
		case T_GroupingFunc:
			return grouping_bits((GroupingFunc *) node, released);
		case T_Var:
			dp_refusal_raise(
				"a column outside an aggregate",
				released->keys == NIL
					? "Write an aggregate, or GROUP BY the column."
					: "Write an aggregate, or one of the expressions "
					  "in GROUP BY.",
				exprLocation(node));
			return NULL;
		case T_SubLink:
			check_subquery((SubLink *) node);
			return NULL;
		case T_Query:
			return node;
		default:
			return NULL;
	}
}

static Node *
replace(Node *node, DpReleasedColumns *released)
{
	return dp_search_replace(node, replacement, released);
}

/*
 * HAVING
 */

/* Finds what has no value in the query around the release. */
static bool
find_other(const DpExpr *expr, void *context)
{
	const DpReleasedColumns *released = context;

	if (expr->kind == DP_EXPR_PARAMETER)
		return list_member_int(
			released->rows->scope->planning->constant_numbers, expr->parameter);
	return expr->kind == DP_EXPR_SUBQUERY ||
		   (expr->kind == DP_EXPR_COLUMN &&
			dp_expr_number(released->keys, expr) < 0);
}

static Node *
write_key(const DpExpr *key, void *context)
{
	const DpReleasedColumns *released = context;

	return (Node *) makeVar(
		1, (AttrNumber) (dp_expr_number(released->keys, key) + 1),
		key->type.oid, key->type.typmod, key->type.collation, 0);
}

/*
 * HAVING may repeat conditions of WHERE on keys alone (key_filter.h).
 * As over the rows, what could fail is null.
 */
static Node *
replace_having(Query *block, DpReleasedColumns *released)
{
	DpWriter writer = {.column = write_key, .context = released};
	DpScope *scope = released->rows->scope;
	List *where = make_ands_implicit((Expr *) block->jointree->quals);
	List *arms = make_ands_implicit((Expr *) block->havingQual);
	ListCell *cell;

	scope->what = "HAVING";
	foreach (cell, arms)
	{
		const DpExpr *expr = NULL;

		if (list_member(where, lfirst(cell)) &&
			!checkExprHasSubLink(lfirst(cell)))
			expr = dp_expression_read(scope, copyObject(lfirst(cell)));
		lfirst(cell) =
			expr != NULL && !dp_expr_visit(expr, find_other, released)
				? dp_kinds_write(expr, &writer)
				: replace(lfirst(cell), released);
	}
	return arms == NIL ? NULL : (Node *) make_ands_explicit(arms);
}

void
dp_released_replace(Query *block, DpReleasedColumns *released)
{
	block->targetList = (List *) replace((Node *) block->targetList, released);
	block->havingQual = replace_having(block, released);
	(void) dp_search_within((Node *) block->targetList, number_column,
							released);
	(void) dp_search_within(block->havingQual, number_column, released);
}
