/*
 * premises.c
 *		What reading a question relies on, so that a plan of it does, too.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "gate/read/rows.h"
#include "gate/relations/protection.h"
#include "gate/relations/shapes.h"

static DpShapes *
shapes_of(DpPlanning *planning)
{
	if (planning->shapes == NULL)
		planning->shapes = palloc0(sizeof(DpShapes));
	return planning->shapes;
}

static bool
shapes_walker(Node *node, DpShapes *shapes)
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
		return query_tree_walker((Query *) node, shapes_walker, shapes,
								 QTW_EXAMINE_RTES_BEFORE);
	}
	return expression_tree_walker(node, shapes_walker, shapes);
}

void
dp_premises_take(DpPlanning *planning, Query *query)
{
	(void) shapes_walker((Node *) query, shapes_of(planning));
}

void
dp_premises_take_relation(DpPlanning *planning, Oid relation)
{
	dp_gate_shapes_add(shapes_of(planning), relation);
}
