/*
 * copy_statistics.c
 *		Numbers of rows, and statistics of columns, for copies of relations.
 *
 * Columns of a copy have the numbers of those of its relation. Statistics are
 * only used to choose among plans, each of which returns the same rows; which
 * of them may be chosen is no matter of estimates (units/bounded_plan.h).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "optimizer/plancat.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "gate/question/relations/copy_statistics.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/row_copies.h"

static get_relation_stats_hook_type prev_get_relation_stats = NULL;
static get_relation_info_hook_type prev_get_relation_info = NULL;

/*
 * The relations of the statement that is being planned; NULL: none. Reset by
 * whoever plans it, also after errors.
 */
static const DpRelations *current = NULL;

/* The plans that read the rows of copies. */
typedef struct Plans
{
	List *publics;
	List *copies;
} Plans;

static const PlannedStmt *
plan_of(const RangeTblEntry *rte, const Plans *plans)
{
	int number = dp_gate_public_number(rte->enrname);

	if (number > 0 && number <= list_length(plans->publics))
		return list_nth_node(PlannedStmt, plans->publics, number - 1);
	number = dp_gate_copy_number(rte->enrname);
	if (number > 0 && number <= list_length(plans->copies))
		return list_nth_node(PlannedStmt, plans->copies, number - 1);
	return NULL;
}

static bool
expect_walker(Node *node, Plans *plans)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *rte = (RangeTblEntry *) node;
		const PlannedStmt *plan =
			rte->rtekind == RTE_NAMEDTUPLESTORE ? plan_of(rte, plans) : NULL;

		if (plan != NULL)
			rte->enrtuples = plan->planTree->plan_rows;
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, expect_walker, plans,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, expect_walker, plans);
}

void
dp_gate_expect_rows(List *statements, List *publics, List *copies)
{
	Plans plans = {publics, copies};

	(void) expect_walker((Node *) statements, &plans);
}

/* The relation that a copy has the columns of; InvalidOid: none. */
static Oid
relation_of(const RangeTblEntry *rte)
{
	int number = dp_gate_public_number(rte->enrname);

	if (number > 0 && number <= list_length(current->publics))
		return ((DpPublic *) list_nth(current->publics, number - 1))->relation;
	number = dp_gate_copy_number(rte->enrname);
	if (number > 0 && number <= list_length(current->oids))
		return list_nth_oid(current->oids, number - 1);
	return InvalidOid;
}

static HeapTuple
statistics_of(Oid relation, AttrNumber column, bool inherits)
{
	return SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(relation),
						   Int16GetDatum(column), BoolGetDatum(inherits));
}

static bool
find_statistics(PlannerInfo *root, RangeTblEntry *rte, AttrNumber column,
				VariableStatData *data)
{
	Oid relation;

	if (prev_get_relation_stats != NULL &&
		prev_get_relation_stats(root, rte, column, data))
		return true;
	if (current == NULL || rte->rtekind != RTE_NAMEDTUPLESTORE)
		return false;
	relation = relation_of(rte);
	if (!OidIsValid(relation) || column <= 0 ||
		column > list_length(rte->coltypes) ||
		get_atttype(relation, column) !=
			list_nth_oid(rte->coltypes, column - 1))
		return false;
	data->statsTuple = statistics_of(relation, column, true);
	if (!HeapTupleIsValid(data->statsTuple))
		data->statsTuple = statistics_of(relation, column, false);
	data->freefunc = ReleaseSysCache;
	data->acl_ok = true; /* the rows are copied with rights of their own */
	return true;
}

/* A foreign key between two FROM items, for the planner. */
static ForeignKeyOptInfo *
make_reference(const ForeignKeyCacheInfo *key, Index from, Index to)
{
	ForeignKeyOptInfo *info = makeNode(ForeignKeyOptInfo);

	info->con_relid = from;
	info->ref_relid = to;
	info->nkeys = key->nkeys;
	memcpy(info->conkey, key->conkey, sizeof(info->conkey));
	memcpy(info->confkey, key->confkey, sizeof(info->confkey));
	memcpy(info->conpfeqop, key->conpfeqop, sizeof(info->conpfeqop));
	return info;
}

/* The relation all rows of which a copy has; InvalidOid: none. */
static Oid
whole_relation_of(const RangeTblEntry *rte)
{
	int number;

	if (rte->rtekind != RTE_NAMEDTUPLESTORE)
		return InvalidOid;
	number = dp_gate_public_number(rte->enrname);
	if (number == 0 || number > list_length(current->publics) ||
		!((const DpPublic *) list_nth(current->publics, number - 1))->is_whole)
		return InvalidOid;
	return relation_of(rte);
}

/*
 * The server knows of foreign keys between relations of a statement, and so
 * that each row meets one: by several columns that is far from what their
 * statistics say.
 */
static void
add_references(PlannerInfo *root, Oid oid, bool inherits, RelOptInfo *info)
{
	Relation relation;
	ListCell *key;
	ListCell *cell;

	if (prev_get_relation_info != NULL)
		prev_get_relation_info(root, oid, inherits, info);
	if (current == NULL || inherits || info->reloptkind != RELOPT_BASEREL)
		return;
	relation = table_open(oid, NoLock);
	foreach (key, copyObject(RelationGetFKeyList(relation)))
	{
		const ForeignKeyCacheInfo *one = lfirst(key);

		foreach (cell, root->parse->rtable)
		{
			if (whole_relation_of(lfirst(cell)) == one->confrelid)
				root->fkey_list = lappend(
					root->fkey_list,
					make_reference(one, info->relid,
								   (Index) foreach_current_index(cell) + 1));
		}
	}
	table_close(relation, NoLock);
}

void
dp_gate_begin_copy_statistics(const DpRelations *relations)
{
	current = relations;
}

void
dp_gate_end_copy_statistics(void)
{
	current = NULL;
}

void
dp_gate_copy_statistics_init(void)
{
	prev_get_relation_stats = get_relation_stats_hook;
	get_relation_stats_hook = find_statistics;
	prev_get_relation_info = get_relation_info_hook;
	get_relation_info_hook = add_references;
}
