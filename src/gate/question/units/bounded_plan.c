/*
 * bounded_plan.c
 *		Finds what would grow, and plans without it.
 *
 * Samples of a privacy unit's values grow up to the cap on its rows, and so do
 * sets of its different values: where there are any, groups are sorted, so
 * that only one is in memory at a time. A hash table that is too large for
 * memory is split by the keys' hashes, but the rows of one key stay together.
 * So a hash join is only taken if the rows in its hash table are public, or if
 * their keys are unique: by a unique index of the relation in the table (or of
 * the first of several relations, where each of the others adds at most one
 * row), or because the rows are groups. Otherwise the statement is planned
 * again without hash joins.
 *
 * In a snapshot that is older than the index, there may be several rows with
 * one key. Only the owner of all relations in the join could bring that about,
 * since relations on which others have privileges are copied, and it would
 * cost memory, not privacy.
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

#include "gate/question/relations/publics.h"
#include "gate/question/units/bounded_plan.h"

static void
turn_off(const char *setting)
{
	(void) set_config_option(setting, "off", PGC_SUSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/* Partial results of units that hold many values of each. */
static bool
has_samples_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		const char *name = get_func_name(((Aggref *) node)->aggfnoid);

		return name != NULL && (strncmp(name, "sample_", 7) == 0 ||
								strcmp(name, "different_values") == 0);
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

/*
 * A hash table's key as a column of some plan's result: where it is among the
 * targets, and the operator and collation that compare it.
 */
typedef struct HashKey
{
	AttrNumber column;
	Oid operator;
	Oid collation;
} HashKey;

/* Keys of a plan's result as those of one that it reads; others are left out. */
static List *
keys_below(const Plan *plan, List *keys, int varno)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, keys)
	{
		const HashKey *key = lfirst(cell);
		const Var *column = (const Var *) list_nth_node(
								TargetEntry, plan->targetlist, key->column - 1)
								->expr;
		HashKey *below;

		if (!IsA(column, Var) || column->varno != varno ||
			column->varattno <= 0)
			continue;
		below = palloc(sizeof(HashKey));
		*below = *key;
		below->column = column->varattno;
		result = lappend(result, below);
	}
	return result;
}

/* True if rows that are equal by the keys are equal in a column. */
static bool
is_hashed(List *keys, AttrNumber column, Oid family)
{
	ListCell *cell;

	foreach (cell, keys)
	{
		const HashKey *key = lfirst(cell);

		if (key->column == column && op_in_opfamily(key->operator, family) &&
			(!OidIsValid(key->collation) ||
			 get_collation_isdeterministic(key->collation)))
			return true;
	}
	return false;
}

static bool
covers_index(List *keys, Relation index)
{
	const Form_pg_index form = index->rd_index;
	int i;

	if (!form->indisunique || !form->indimmediate || !form->indisvalid ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL))
		return false;
	for (i = 0; i < form->indnkeyatts; i++)
	{
		if (!is_hashed(keys, form->indkey.values[i], index->rd_opfamily[i]))
			return false;
	}
	return true;
}

/* True if a unique index tells the rows of a scan apart. keys: its columns. */
static bool
is_unique_scan(const Scan *scan, List *keys, const List *rtable)
{
	const RangeTblEntry *rte = rt_fetch(scan->scanrelid, rtable);
	Relation relation;
	bool result = false;
	ListCell *cell;

	if (rte->rtekind != RTE_RELATION || rte->relkind != RELKIND_RELATION)
		return false;
	relation = table_open(rte->relid, NoLock);
	foreach (cell, RelationGetIndexList(relation))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);

		result = result || covers_index(keys, index);
		index_close(index, NoLock);
	}
	table_close(relation, NoLock);
	return result;
}

/* True if all columns of the groups are among the keys. */
static bool
is_unique_group(const Agg *agg, List *keys)
{
	int i;

	if (agg->groupingSets != NIL || agg->aggsplit != AGGSPLIT_SIMPLE)
		return false;
	for (i = 0; i < agg->numCols; i++)
	{
		bool found = false;
		ListCell *cell;

		foreach (cell, keys)
		{
			const HashKey *key = lfirst(cell);

			found = found || (key->column == agg->grpColIdx[i] &&
							  key->operator== agg->grpOperators[i] &&
							  key->collation == agg->grpCollations[i]);
		}
		if (!found)
			return false;
	}
	return true;
}

/* True if no two rows of a plan agree in all of some keys of its result. */
static bool
is_unique(const Plan *plan, List *keys, const List *rtable)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_BitmapHeapScan:
			return is_unique_scan(
				(const Scan *) plan,
				keys_below(plan, keys, ((const Scan *) plan)->scanrelid),
				rtable);
		case T_SubqueryScan:
			return is_unique(
				((const SubqueryScan *) plan)->subplan,
				keys_below(plan, keys, ((const Scan *) plan)->scanrelid),
				rtable);
		case T_Agg:
			return is_unique_group((const Agg *) plan,
								   keys_below(plan, keys, OUTER_VAR));
		case T_Hash:
		case T_Sort:
		case T_Material:
		case T_Gather:
		case T_GatherMerge:
			return is_unique(plan->lefttree, keys_below(plan, keys, OUTER_VAR),
							 rtable);
		case T_HashJoin:
		case T_MergeJoin:
		case T_NestLoop:
			/* each row of the left side meets at most one of the right */
			return (((const Join *) plan)->jointype == JOIN_INNER ||
					((const Join *) plan)->jointype == JOIN_LEFT) &&
				   ((const Join *) plan)->inner_unique &&
				   is_unique(plan->lefttree, keys_below(plan, keys, OUTER_VAR),
							 rtable);
		default:
			return false;
	}
}

/* True if there are no two rows of a key in a join's hash table. */
static bool
has_unique_keys(const HashJoin *join, const List *rtable)
{
	const Plan *hash = join->join.plan.righttree;
	List *keys = NIL;
	ListCell *cell;
	ListCell *operator;
	ListCell *collation;

	forthree (cell, ((const Hash *) hash)->hashkeys, operator,
			  join->hashoperators, collation, join->hashcollations)
	{
		const Var *column = lfirst(cell);
		HashKey *key = palloc(sizeof(HashKey));

		if (!IsA(column, Var) || column->varno != OUTER_VAR ||
			column->varattno <= 0)
			continue;
		*key = (HashKey){column->varattno, lfirst_oid(operator),
						 lfirst_oid(collation)};
		keys = lappend(keys, key);
	}
	return is_unique(hash->lefttree, keys, rtable);
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
