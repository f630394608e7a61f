/*
 * bounded_joins.c
 *		Proposes hash joins for some pairs of relations.
 *
 * The hook is called when the planner has considered all ways of joining a pair
 * of relations. It has the pair considered again with hash joins switched on;
 * what comes of the other ways is there already, and the planner drops it.
 */
#include "postgres.h"

#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "parser/parsetree.h"

#include "gate/question/relations/publics.h"
#include "gate/question/units/bounded_joins.h"

static set_join_pathlist_hook_type prev_set_join_pathlist = NULL;

/*
 * True while a statement is planned; reset by whoever plans it, also after
 * errors.
 */
static bool is_active = false;

/* A copy of what is public, or constants. */
static bool
is_public(PlannerInfo *root, const RelOptInfo *relation)
{
	const RangeTblEntry *rte;

	if (relation->reloptkind != RELOPT_BASEREL)
		return false;
	rte = planner_rt_fetch(relation->relid, root);
	switch (rte->rtekind)
	{
		case RTE_VALUES:
		case RTE_RESULT:
			return true;
		case RTE_NAMEDTUPLESTORE:
			return dp_gate_is_public_name(rte->enrname);
		default:
			return false;
	}
}

/* At most one row of the inner relation meets a row of the outer one. */
static bool
has_unique_keys(PlannerInfo *root, RelOptInfo *joined, RelOptInfo *outer,
				RelOptInfo *inner, JoinType type, List *conditions)
{
	switch (type)
	{
		case JOIN_UNIQUE_INNER:
			return true;
		case JOIN_UNIQUE_OUTER:
			type = JOIN_INNER;
			break;
		default:
			break;
	}
	return innerrel_is_unique(root, joined->relids, outer->relids, inner, type,
							  conditions, false);
}

static void
propose_hash_join(PlannerInfo *root, RelOptInfo *joined, RelOptInfo *outer,
				  RelOptInfo *inner, JoinType type, JoinPathExtraData *extra)
{
	if (prev_set_join_pathlist != NULL)
		prev_set_join_pathlist(root, joined, outer, inner, type, extra);
	if (!is_active || enable_hashjoin || joined->reloptkind != RELOPT_JOINREL ||
		!(is_public(root, inner) || has_unique_keys(root, joined, outer, inner,
													type, extra->restrictlist)))
		return;
	enable_hashjoin =
		true; /* restored after an error with all other settings */
	add_paths_to_joinrel(root, joined, outer, inner, type, extra->sjinfo,
						 extra->restrictlist);
	enable_hashjoin = false;
}

void
dp_gate_begin_bounded_joins(void)
{
	is_active = true;
}

void
dp_gate_end_bounded_joins(void)
{
	is_active = false;
}

void
dp_gate_bounded_joins_init(void)
{
	prev_set_join_pathlist = set_join_pathlist_hook;
	set_join_pathlist_hook = propose_hash_join;
}
