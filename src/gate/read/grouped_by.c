/*
 * grouped_by.c
 *		The groupings of a block: GROUP BY, GROUPING SETS, ROLLUP and CUBE.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_agg.h"

#include "gate/question/relations/refusal.h"
#include "gate/read/grouped_by.h"

/* The most groupings of a block. */
#define MOST_GROUPINGS 64

static int
location_of(const Query *query)
{
	return linitial_node(GroupingSet, query->groupingSets)->location;
}

void
dp_grouped_by_check(const Query *query)
{
	if (query->groupingSets == NIL)
		return;
	if (query->hasWindowFuncs || query->hasTargetSRFs)
		dp_gate_refuse("GROUPING SETS, ROLLUP or CUBE with window functions or "
					   "functions that return sets",
					   "Write these in an outer query around it.",
					   location_of(query));
	if (query->hasModifyingCTE || query->rowMarks != NIL)
		dp_gate_refuse("GROUPING SETS, ROLLUP or CUBE in this statement",
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
dp_grouped_by_read(const Query *query)
{
	DpWrittenGroupings result = {NIL, NIL, NIL, query->groupingSets != NIL};
	List *sets;
	ListCell *cell;

	foreach (cell, query->groupClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);

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
		dp_gate_refuse("this number of groupings",
					   "Ask for some of them in a query of its own.",
					   location_of(query));
	foreach (cell, sets)
		result.sets = lappend(result.sets, set_of(&result, lfirst(cell)));
	return result;
}

static Node *
integer(int value)
{
	return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
							  Int32GetDatum(value), false, true);
}

Node *
dp_grouped_by_bits(const DpWrittenGroupings *groupings,
				   const GroupingFunc *function, Node *number)
{
	ArrayExpr *array = makeNode(ArrayExpr);
	SubscriptingRef *element = makeNode(SubscriptingRef);
	ListCell *set;
	ListCell *cell;

	array->array_typeid = INT4ARRAYOID;
	array->element_typeid = INT4OID;
	array->location = -1;
	foreach (set, groupings->sets)
	{
		const Bitmapset *own = lfirst(set);
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
