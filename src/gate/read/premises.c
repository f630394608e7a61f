/*
 * premises.c
 *		What reading a question relies on.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "gate/question/relations/protection.h"
#include "gate/read/contribution.h"
#include "gate/read/premises.h"

static bool
add_walker(Node *node, DpShapes *shapes)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *rte = (const RangeTblEntry *) node;

		if (rte->rtekind != RTE_RELATION)
			return false;
		if (dp_gate_is_protected(rte->relid))
			dp_gate_shapes_add(shapes, rte->relid);
		else
			dp_gate_shapes_add_public(shapes, rte->relid);
		return false;
	}
	if (IsA(node, Query))
	{
		dp_gate_shapes_check_query((Query *) node);
		return query_tree_walker((Query *) node, add_walker, shapes,
								 QTW_EXAMINE_RTES_BEFORE);
	}
	return expression_tree_walker(node, add_walker, shapes);
}

DpShapes *
dp_premises_of(Query *block)
{
	DpShapes *shapes = palloc0(sizeof(DpShapes));

	(void) add_walker((Node *) block, shapes);
	return shapes;
}

void
dp_premises_add(DpShapes *shapes, List *relations)
{
	ListCell *cell;

	foreach (cell, relations)
		dp_gate_shapes_add(shapes,
						   ((const DpReadRelation *) lfirst(cell))->relation);
}
