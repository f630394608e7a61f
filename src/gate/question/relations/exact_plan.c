/*
 * exact_plan.c
 *		Keeps what may not hold for all rows out of plans.
 *
 * Indexes that need not be exact, and NOT NULL as the catalogs have it: since
 * 17 the planner leaves out "IS NOT NULL" of such columns, by which the gate
 * keeps to rows that have a unit. But a foreign table's rows need not be as its
 * definition says.
 */
#include "postgres.h"

#include "catalog/pg_am.h"
#include "nodes/pathnodes.h"
#include "optimizer/plancat.h"

#include "gate/question/relations/exact_plan.h"
#include "server/compat.h"

static get_relation_info_hook_type prev_get_relation_info = NULL;

/*
 * True while an inner statement is planned; reset by whoever plans it, also
 * after errors.
 */
static bool is_exact = false;

/*
 * Access methods that return all rows, some of them after rechecking the row
 * itself.
 */
static bool
returns_all_rows(const IndexOptInfo *index)
{
	return index->relam == BTREE_AM_OID || index->relam == HASH_AM_OID ||
		   index->relam == BRIN_AM_OID;
}

static void
leave_indexes_out(PlannerInfo *root, Oid relation, bool inherits,
				  RelOptInfo *info)
{
	List *indexes = NIL;
	ListCell *cell;

	if (prev_get_relation_info != NULL)
		prev_get_relation_info(root, relation, inherits, info);
	if (!is_exact)
		return;
	foreach (cell, info->indexlist)
	{
		if (returns_all_rows(lfirst(cell)))
			indexes = lappend(indexes, lfirst(cell));
	}
	info->indexlist = indexes;
	dp_compat_trust_no_not_null(info);
}

void
dp_gate_begin_exact_plan(void)
{
	is_exact = true;
}

void
dp_gate_end_exact_plan(void)
{
	is_exact = false;
}

void
dp_gate_exact_plan_init(void)
{
	prev_get_relation_info = get_relation_info_hook;
	get_relation_info_hook = leave_indexes_out;
}
