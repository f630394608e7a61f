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
 * row), or because the rows are groups. Rows are public if they come of one
 * public relation, and nothing that is not public decides which: joined to
 * each other, small public relations could fill all memory. A table of public
 * rows is only made once there is a row to look up, so that they fit is
 * checked before (gate/release/public_rows.h).
 *
 * Which of the plans is taken depends on statistics of protected rows, and the
 * check on public ones alone, or its outcome would tell of these statistics: all
 * hash tables that some plan may have are checked (bounded_joins.h).
 *
 * Otherwise the statement is planned again, with hash joins only where such a
 * table can be expected (bounded_joins.h), and the plan is checked like the
 * first. If it does not pass either, there are no hash joins.
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
#include "gate/question/units/bounded_joins.h"
#include "gate/question/units/bounded_plan.h"
#include "gate/question/units/hashed_subqueries.h"
#include "gate/question/units/plan_nodes.h"
#include "server/unique_index.h"

static void
turn_off(const char *setting)
{
	(void) set_config_option(setting, "off", PGC_SUSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/* Finds partial results that hold many values of each unit. */
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

/*
 * The column of an expression, beneath casts: of a key it is the operator that
 * is compared with an index's, so that a cast to another equality finds none.
 * What catalogs say of casts is not looked up, since it would be known to the
 * session only after some plans, which depend on the sizes of tables.
 */
static const Var *
column_beneath(const Expr *expression)
{
	while (IsA(expression, RelabelType))
		expression = ((const RelabelType *) expression)->arg;
	return IsA(expression, Var) && ((const Var *) expression)->varattno > 0
			   ? (const Var *) expression
			   : NULL;
}

/*
 * Keys of a plan's result, by what its columns are, as those of one that it
 * reads; others are left out.
 */
static List *
keys_below(List *columns, List *keys, int varno)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, keys)
	{
		const HashKey *key = lfirst(cell);
		const Var *column = column_beneath(
			list_nth_node(TargetEntry, columns, key->column - 1)->expr);
		HashKey *below;

		if (column == NULL || column->varno != varno)
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

	if (!dp_is_unique_index(index->rd_indextuple))
		return false;
	for (i = 0; i < form->indnkeyatts; i++)
	{
		if (!is_hashed(keys, form->indkey.values[i], index->rd_opfamily[i]))
			return false;
	}
	return true;
}

/* True if a unique index tells the rows of a scan apart by keys of columns. */
static bool
is_unique_scan(const Scan *scan, List *columns, List *keys, const List *rtable)
{
	const RangeTblEntry *rte = rt_fetch(scan->scanrelid, rtable);
	Relation relation;
	bool result = false;
	ListCell *cell;

	if (rte->rtekind != RTE_RELATION || rte->relkind != RELKIND_RELATION)
		return false;
	keys = keys_below(columns, keys, (int) scan->scanrelid);
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
	List *columns = plan->targetlist;

	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_BitmapHeapScan:
			return is_unique_scan((const Scan *) plan, columns, keys, rtable);
		case T_IndexOnlyScan:
			return is_unique_scan((const Scan *) plan,
								  ((const IndexOnlyScan *) plan)->indextlist,
								  keys_below(columns, keys, INDEX_VAR), rtable);
		case T_SubqueryScan:
			return is_unique(((const SubqueryScan *) plan)->subplan,
							 keys_below(columns, keys,
										(int) ((const Scan *) plan)->scanrelid),
							 rtable);
		case T_Agg:
			return is_unique_group((const Agg *) plan,
								   keys_below(columns, keys, OUTER_VAR));
		case T_Hash:
		case T_Sort:
		case T_Material:
		case T_Gather:
		case T_GatherMerge:
			return is_unique(plan->lefttree,
							 keys_below(columns, keys, OUTER_VAR), rtable);
		case T_HashJoin:
		case T_MergeJoin:
		case T_NestLoop:
			/* each row of the left side meets at most one of the right */
			return (((const Join *) plan)->jointype == JOIN_INNER ||
					((const Join *) plan)->jointype == JOIN_LEFT) &&
				   ((const Join *) plan)->inner_unique &&
				   is_unique(plan->lefttree,
							 keys_below(columns, keys, OUTER_VAR), rtable);
		default:
			return false;
	}
}

static bool
has_subplans_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return IsA(node, SubPlan) || IsA(node, AlternativeSubPlan) ||
		   expression_tree_walker(node, has_subplans_walker, context);
}

/*
 * True if a plan's conditions depend on values of other rows: by parameters or
 * sub-plans.
 */
static bool
depends_on_others(const Plan *plan)
{
	return !bms_is_empty(plan->extParam) || plan->initPlan != NIL ||
		   has_subplans_walker((Node *) plan->qual, NULL);
}

/*
 * The scan of a copy of public rows, or of constants, by which alone a plan has
 * its rows; NULL: there is none. keys: of the plan, and then of the scan.
 */
static const Plan *
public_scan(const Plan *plan, List **keys, const List *rtable)
{
	if (depends_on_others(plan))
		return NULL;
	switch (nodeTag(plan))
	{
		case T_NamedTuplestoreScan:
			*keys = keys_below(plan->targetlist, *keys,
							   (int) ((const Scan *) plan)->scanrelid);
			return dp_gate_is_public_name(
					   rt_fetch(((const Scan *) plan)->scanrelid, rtable)
						   ->enrname)
					   ? plan
					   : NULL;
		case T_ValuesScan:
			return plan;
		case T_Result:
			return plan->lefttree == NULL ? plan : NULL;
		case T_Hash:
		case T_Sort:
		case T_Material:
			*keys = keys_below(plan->targetlist, *keys, OUTER_VAR);
			return public_scan(plan->lefttree, keys, rtable);
		default:
			return NULL;
	}
}

/* The columns of a join's hash table that are hashed; others are left out. */
static List *
hash_keys(const HashJoin *join)
{
	List *keys = NIL;
	ListCell *cell;
	ListCell *operator;
	ListCell *collation;

	forthree (cell,
			  ((const Hash *) join->join.plan.righttree)->hashkeys, operator,
			  join->hashoperators, collation, join->hashcollations)
	{
		const Var *column = column_beneath(lfirst(cell));
		HashKey *key;

		if (column == NULL || column->varno != OUTER_VAR)
			continue;
		key = palloc(sizeof(HashKey));
		*key = (HashKey){column->varattno, lfirst_oid(operator),
						 lfirst_oid(collation)};
		keys = lappend(keys, key);
	}
	return keys;
}

/* True if there are no two rows of a key in a join's hash table. */
static bool
has_unique_keys(const HashJoin *join, const List *rtable)
{
	return is_unique(join->join.plan.righttree->lefttree, hash_keys(join),
					 rtable);
}

/*
 * The scan of public rows, as above, that a join's hash table is made of, where
 * all that is hashed are columns of it.
 */
static const Plan *
hashed_publics(const HashJoin *join, List **keys, const List *rtable)
{
	const Plan *scan;

	*keys = hash_keys(join);
	scan = public_scan(join->join.plan.righttree->lefttree, keys, rtable);
	if (scan != NULL && IsA(scan, NamedTuplestoreScan) &&
		list_length(*keys) != list_length(join->hashoperators))
		return NULL;
	return scan;
}

/* A plan, and the hash tables of public rows that are checked when it is run. */
typedef struct Visit
{
	const List *rtable;
	const List *hashes;
} Visit;

/* Whether a join hashes nothing but public rows, in a way that was noted. */
static bool
hashes_publics(const HashJoin *join, const Visit *visit)
{
	List *keys;
	List *columns = NIL;
	const Plan *scan = hashed_publics(join, &keys, visit->rtable);
	const char *name;
	ListCell *cell;

	if (scan == NULL || !IsA(scan, NamedTuplestoreScan))
		return scan != NULL;
	name = rt_fetch(((const Scan *) scan)->scanrelid, visit->rtable)->enrname;
	foreach (cell, keys)
		columns = lappend_int(columns, ((HashKey *) lfirst(cell))->column);
	foreach (cell, visit->hashes)
	{
		List *hash = lfirst(cell);

		if (strcmp(strVal(linitial(hash)), name) == 0 &&
			equal(lsecond(hash), columns))
			return true;
	}
	return false;
}

/* True if a hash join's table may grow by the rows of a key. */
static bool
may_grow(const Plan *plan, void *context)
{
	const Visit *visit = context;
	const HashJoin *join = (const HashJoin *) plan;

	return IsA(plan, HashJoin) && !hashes_publics(join, visit) &&
		   !has_unique_keys(join, visit->rtable);
}

static bool
is_bounded(const PlannedStmt *plan, const List *hashes)
{
	Visit visit = {plan->rtable, hashes};

	return !dp_gate_any_plan(plan, may_grow, &visit);
}

/* How a statement is planned. */
typedef struct Planning
{
	PlannedStmt *(*plan)(Query *query, void *context);
	void *context;
} Planning;

/* hashes: those that are noted, where all of them are. */
static PlannedStmt *
plan_noting_hashes(Query *query, Planning planning, List **hashes,
				   bool *has_all)
{
	PlannedStmt *volatile result = NULL;

	dp_gate_begin_noting_hashes(hashes);
	PG_TRY();
	{
		result = planning.plan(query, planning.context);
	}
	PG_FINALLY();
	{
		*has_all = dp_gate_end_noting_hashes();
	}
	PG_END_TRY();
	return result;
}

static PlannedStmt *
plan_with_bounded_joins(Query *query, Planning planning)
{
	PlannedStmt *volatile result = NULL;

	dp_gate_begin_bounded_joins();
	PG_TRY();
	{
		result = planning.plan(query, planning.context);
	}
	PG_FINALLY();
	{
		dp_gate_end_bounded_joins();
	}
	PG_END_TRY();
	return result;
}

PlannedStmt *
dp_gate_plan_bounded(Query *query,
					 PlannedStmt *(*plan)(Query *query, void *context),
					 void *context, DpHashed *hashed)
{
	/* The planner changes the query, so each attempt plans a copy. */
	Query *again =
		has_joins_walker((Node *) query, NULL) ? copyObject(query) : NULL;
	Planning planning = {plan, context};
	List *own = NIL;
	bool has_all;
	PlannedStmt *result;

	if (has_samples_walker((Node *) query, NULL))
		turn_off("enable_hashagg");
	hashed->subqueries =
		list_concat_unique(hashed->subqueries, dp_subqueries_hashed(query));
	result = plan_noting_hashes(query, planning, &own, &has_all);
	if (has_all)
		hashed->joins = list_concat_unique(hashed->joins, own);
	if (again == NULL || (has_all && is_bounded(result, own)))
		return result;
	turn_off("enable_hashjoin");
	if (has_all)
	{
		result = plan_with_bounded_joins(copyObject(again), planning);
		if (is_bounded(result, own))
			return result;
	}
	return plan(again, context);
}
