/*
 * bounded_plan.c
 *		Finds what would grow, and plans without it.
 *
 * Samples of a privacy unit's values grow up to the cap on its rows: where there
 * are any, groups are sorted, so that there is one at a time. A hash table that
 * is too large for memory is split by the keys' hashes, but the rows of one key
 * stay together. So a hash join is taken where the rows in its table are those of
 * what is public, or where a unique index of the relation in it tells them apart by
 * these keys; else the statement is planned anew without hash joins.
 *
 * In a snapshot that is older than the index there may be several rows of a key.
 * Nobody but the owner of all that is joined could bring that about, since what
 * others have privileges on is copied, and they would take memory, not privacy.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "gate/question/bounded_plan.h"
#include "gate/question/publics.h"

static void
turn_off(const char *setting)
{
	(void) set_config_option(setting, "off", PGC_SUSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/* Partial results of units whose size is that of the cap. */
static bool
has_samples_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		const char *name = get_func_name(((Aggref *) node)->aggfnoid);

		return name != NULL && strncmp(name, "sample_", 7) == 0;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_samples_walker, context,
								 0);
	return expression_tree_walker(node, has_samples_walker, context);
}

static bool
has_joins_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, JoinExpr))
		return true;
	if (IsA(node, FromExpr) && list_length(((FromExpr *) node)->fromlist) > 1)
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_joins_walker, context, 0);
	return expression_tree_walker(node, has_joins_walker, context);
}

/* True unless all rows of a plan are of looked-up tables or constants. */
static bool
reads_others(const Plan *plan, const List *rtable)
{
	if (plan == NULL)
		return false;
	switch (nodeTag(plan))
	{
		case T_NamedTuplestoreScan:
			return !dp_gate_is_public_name(
				rt_fetch(((const Scan *) plan)->scanrelid, rtable)->enrname);
		case T_ValuesScan:
		case T_FunctionScan:
		case T_Result:
		case T_Hash:
		case T_Sort:
		case T_Material:
			return reads_others(plan->lefttree, rtable) ||
				   reads_others(plan->righttree, rtable);
		default:
			return true;
	}
}

/* The column of a scanned relation that a hash key is; 0: it is none. */
static AttrNumber
hashed_column(const Node *key, const Scan *scan)
{
	const Var *column = (const Var *) key;

	if (!IsA(key, Var) || column->varno != OUTER_VAR ||
		column->varattno > list_length(scan->plan.targetlist))
		return 0;
	key = (Node *) list_nth_node(TargetEntry, scan->plan.targetlist,
								 column->varattno - 1)
			  ->expr;
	column = (const Var *) key;
	return IsA(key, Var) && (Index) column->varno == scan->scanrelid
			   ? column->varattno
			   : 0;
}

/* True if rows that are equal by a join's hash keys are equal in a column. */
static bool
is_hashed(const HashJoin *join, AttrNumber column, Oid family)
{
	const Plan *hash = join->join.plan.righttree;
	ListCell *key;
	ListCell *operator;
	ListCell *collation;

	forthree (key, ((const Hash *) hash)->hashkeys, operator,
			  join->hashoperators, collation, join->hashcollations)
	{
		if (hashed_column(lfirst(key), (Scan *) hash->lefttree) == column &&
			op_in_opfamily(lfirst_oid(operator), family) &&
			(!OidIsValid(lfirst_oid(collation)) ||
			 get_collation_isdeterministic(lfirst_oid(collation))))
			return true;
	}
	return false;
}

static bool
covers_index(const HashJoin *join, Relation index)
{
	const Form_pg_index form = index->rd_index;
	int i;

	if (!form->indisunique || !form->indimmediate || !form->indisvalid ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL))
		return false;
	for (i = 0; i < form->indnkeyatts; i++)
	{
		if (!is_hashed(join, form->indkey.values[i], index->rd_opfamily[i]))
			return false;
	}
	return true;
}

/* True if a unique index has no two rows of a key in a join's hash table. */
static bool
has_unique_keys(const HashJoin *join, const List *rtable)
{
	const Plan *scan = join->join.plan.righttree->lefttree;
	const RangeTblEntry *rte;
	Relation relation;
	bool result = false;
	ListCell *cell;

	if (!IsA(scan, SeqScan) && !IsA(scan, IndexScan) &&
		!IsA(scan, BitmapHeapScan))
		return false;
	rte = rt_fetch(((const Scan *) scan)->scanrelid, rtable);
	if (rte->rtekind != RTE_RELATION || rte->relkind != RELKIND_RELATION)
		return false;
	relation = table_open(rte->relid, NoLock);
	foreach (cell, RelationGetIndexList(relation))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);

		result = result || covers_index(join, index);
		index_close(index, NoLock);
	}
	table_close(relation, NoLock);
	return result;
}

static bool list_may_grow(const List *plans, const List *rtable);

/* A hash join anywhere in a plan whose table may grow by the rows of a key. */
static bool
may_grow(const Plan *plan, const List *rtable)
{
	if (plan == NULL)
		return false;
	if (IsA(plan, HashJoin) && reads_others(plan->righttree, rtable) &&
		!has_unique_keys((const HashJoin *) plan, rtable))
		return true;
	if (IsA(plan, SubqueryScan) &&
		may_grow(((const SubqueryScan *) plan)->subplan, rtable))
		return true;
	if (IsA(plan, Append) &&
		list_may_grow(((const Append *) plan)->appendplans, rtable))
		return true;
	if (IsA(plan, MergeAppend) &&
		list_may_grow(((const MergeAppend *) plan)->mergeplans, rtable))
		return true;
	return may_grow(plan->lefttree, rtable) ||
		   may_grow(plan->righttree, rtable);
}

static bool
list_may_grow(const List *plans, const List *rtable)
{
	ListCell *cell;

	foreach (cell, plans)
	{
		if (may_grow(lfirst(cell), rtable))
			return true;
	}
	return false;
}

PlannedStmt *
dp_gate_plan_bounded(Query *query,
					 PlannedStmt *(*plan)(Query *query, void *context),
					 void *context)
{
	/* The planner changes what it plans. */
	Query *again =
		has_joins_walker((Node *) query, NULL) ? copyObject(query) : NULL;
	PlannedStmt *result;

	if (has_samples_walker((Node *) query, NULL))
		turn_off("enable_hashagg");
	result = plan(query, context);
	if (again == NULL || !(may_grow(result->planTree, result->rtable) ||
						   list_may_grow(result->subplans, result->rtable)))
		return result;
	turn_off("enable_hashjoin");
	return plan(again, context);
}
