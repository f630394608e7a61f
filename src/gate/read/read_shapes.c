/*
 * read_shapes.c
 *		What reading a question relies on, so that a plan of it does, too.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "gate/read/read_shapes.h"
#include "gate/relations/protection.h"
#include "gate/relations/shapes.h"
#include "server/search.h"

static DpShapes *
shapes_of(DpPlanning *planning)
{
	if (planning->shapes == NULL)
		planning->shapes = palloc0(sizeof(DpShapes));
	return planning->shapes;
}

static bool
add_shape(Node *node, void *shapes)
{
	const RangeTblEntry *rte = (const RangeTblEntry *) node;

	if (IsA(node, Query))
		dp_shapes_check_query((Query *) node);
	if (!IsA(node, RangeTblEntry) || rte->rtekind != RTE_RELATION)
		return false;
	if (dp_protection_exists(rte->relid))
		dp_shapes_add(shapes, rte->relid);
	else
		dp_shapes_add_public(shapes, rte->relid);
	return false;
}

void
dp_read_shapes_take(DpPlanning *planning, Query *query)
{
	(void) dp_search_any((Node *) query, add_shape, shapes_of(planning));
}

void
dp_read_shapes_take_relation(DpPlanning *planning, Oid relation)
{
	dp_shapes_add(shapes_of(planning), relation);
}
