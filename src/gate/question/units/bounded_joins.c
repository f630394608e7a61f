/*
 * bounded_joins.c
 *		Proposes hash joins for some pairs of relations, and notes those of public
 *		rows.
 *
 * The hook is called when the planner has considered all ways of joining a pair
 * of relations. It has the pair considered again with hash joins switched on;
 * what comes of the other ways is there already, and the planner drops it.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/question/relations/publics.h"
#include "gate/question/units/bounded_joins.h"

static set_join_pathlist_hook_type prev_set_join_pathlist = NULL;

/*
 * True while a statement is planned; reset by whoever plans it, also after
 * errors.
 */
static bool is_active = false;

/* Where hashes are noted; NULL: nowhere. */
static List **noted = NULL;
static bool has_all;

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

/* The public column that a condition of a join compares; NULL: none. */
static const Var *
hashed_column(const RelOptInfo *inner, const OpExpr *op, bool is_left)
{
	const Node *operand = is_left ? linitial(op->args) : lsecond(op->args);

	while (IsA(operand, RelabelType) || IsA(operand, PlaceHolderVar))
		operand =
			IsA(operand, RelabelType)
				? (const Node *) ((const RelabelType *) operand)->arg
				: (const Node *) ((const PlaceHolderVar *) operand)->phexpr;
	return IsA(operand, Var) &&
				   ((const Var *) operand)->varno == (int) inner->relid
			   ? (const Var *) operand
			   : NULL;
}

/* As the server finds the conditions by which it would hash the inner relation. */
static void
note_hash(PlannerInfo *root, const RelOptInfo *joined, const RelOptInfo *outer,
		  const RelOptInfo *inner, JoinType type, List *conditions)
{
	const RangeTblEntry *rte = planner_rt_fetch(inner->relid, root);
	List *columns = NIL;
	List *operators = NIL;
	List *collations = NIL;
	bool keeps_nulls =
		IS_OUTER_JOIN(type) && type != JOIN_LEFT && type != JOIN_ANTI;
	ListCell *cell;

	foreach (cell, conditions)
	{
		const RestrictInfo *condition = lfirst_node(RestrictInfo, cell);
		const OpExpr *op = (const OpExpr *) condition->clause;
		bool is_left = bms_is_subset(condition->left_relids, inner->relids) &&
					   bms_is_subset(condition->right_relids, outer->relids);
		const Var *column;

		if (!condition->can_join || !OidIsValid(condition->hashjoinoperator) ||
			(IS_OUTER_JOIN(type) &&
			 RINFO_IS_PUSHED_DOWN(condition, joined->relids)) ||
			!(is_left ||
			  (bms_is_subset(condition->left_relids, outer->relids) &&
			   bms_is_subset(condition->right_relids, inner->relids))))
			continue;
		column = hashed_column(inner, op, is_left);
		if (column == NULL)
			return; /* bounded_plan.c takes no such table */
		columns = lappend_int(columns, column->varattno);
		operators = lappend_oid(operators,
								is_left ? get_commutator(op->opno) : op->opno);
		collations = lappend_oid(collations, op->inputcollid);
	}
	if (columns != NIL)
		*noted = list_append_unique(
			*noted,
			list_make5(makeString(pstrdup(rte->enrname)), columns, operators,
					   collations, makeInteger(keeps_nulls)));
}

static void
propose_hash_join(PlannerInfo *root, RelOptInfo *joined, RelOptInfo *outer,
				  RelOptInfo *inner, JoinType type, JoinPathExtraData *extra)
{
	if (prev_set_join_pathlist != NULL)
		prev_set_join_pathlist(root, joined, outer, inner, type, extra);
	if (noted != NULL && enable_hashjoin &&
		joined->reloptkind == RELOPT_JOINREL)
	{
		has_all = has_all && root->join_search_private == NULL;
		if (has_all && is_public(root, inner) &&
			planner_rt_fetch(inner->relid, root)->rtekind ==
				RTE_NAMEDTUPLESTORE)
			note_hash(root, joined, outer, inner, type, extra->restrictlist);
	}
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
dp_gate_begin_noting_hashes(List **hashes)
{
	noted = hashes;
	has_all = true;
}

bool
dp_gate_end_noting_hashes(void)
{
	noted = NULL;
	return has_all;
}

void
dp_gate_bounded_joins_init(void)
{
	prev_set_join_pathlist = set_join_pathlist_hook;
	set_join_pathlist_hook = propose_hash_join;
}
