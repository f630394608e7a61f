/*
 * copy_statistics.c
 *		Numbers of rows, and statistics of columns, for copies of relations.
 *
 * Columns of a copy have the numbers of those of its relation. Statistics are
 * only used to choose among plans, each of which returns the same rows; which
 * of them may be chosen is no matter of estimates (units/inner_plan.h).
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

#include "gate/relations/copy_statistics.h"
#include "gate/relations/publics.h"
#include "gate/relations/row_copies.h"
#include "server/lists.h"
#include "server/search.h"

/* The plans that read the rows of copies. */
typedef struct Plans
{
	List *publics;
	List *copies;
} Plans;

static const PlannedStmt *
plan_of(const RangeTblEntry *rte, const Plans *plans)
{
	int number = dp_publics_number(rte->enrname);

	if (number > 0 && number <= list_length(plans->publics))
		return list_nth_node(PlannedStmt, plans->publics, number - 1);
	number = dp_row_copies_number(rte->enrname);
	if (number > 0 && number <= list_length(plans->copies))
		return list_nth_node(PlannedStmt, plans->copies, number - 1);
	return NULL;
}

static bool
expect_rows(Node *node, void *plans)
{
	RangeTblEntry *rte = (RangeTblEntry *) node;
	const PlannedStmt *plan =
		IsA(node, RangeTblEntry) && rte->rtekind == RTE_NAMEDTUPLESTORE
			? plan_of(rte, plans)
			: NULL;

	if (plan != NULL)
		rte->enrtuples = plan->planTree->plan_rows;
	return false;
}

void
dp_copy_statistics_expect_rows(List *statements, List *publics, List *copies)
{
	Plans plans = {publics, copies};

	(void) dp_search_any((Node *) statements, expect_rows, &plans);
}

/* What is public, by the name of its copy; NULL: it is another. */
static const DpPublic *
public_of(const RangeTblEntry *rte, const DpRelations *relations)
{
	int number = dp_publics_number(rte->enrname);

	return number > 0 && number <= list_length(relations->publics)
			   ? list_nth(relations->publics, number - 1)
			   : NULL;
}

/* The relation that a copy has the columns of; InvalidOid: none. */
static Oid
relation_of(const RangeTblEntry *rte, const DpRelations *relations)
{
	const DpPublic *public = public_of(rte, relations);
	int number = dp_row_copies_number(rte->enrname);

	if (public != NULL)
		return public->relation;
	return number > 0 && number <= list_length(relations->oids)
			   ? list_nth_oid(relations->oids, number - 1)
			   : InvalidOid;
}

static HeapTuple
statistics_of(Oid relation, AttrNumber column, bool inherits)
{
	return SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(relation),
						   Int16GetDatum(column), BoolGetDatum(inherits));
}

bool
dp_copy_statistics_find(const RangeTblEntry *rte, AttrNumber column,
						const DpRelations *relations, VariableStatData *data)
{
	Oid relation;

	if (rte->rtekind != RTE_NAMEDTUPLESTORE)
		return false;
	relation = relation_of(rte, relations);
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

/* Whether a copy has all rows of a relation. */
static bool
is_whole(const RangeTblEntry *rte, Oid relation, const DpRelations *relations)
{
	const DpPublic *public =
		rte->rtekind == RTE_NAMEDTUPLESTORE ? public_of(rte, relations) : NULL;

	return public != NULL && public->is_whole && public->relation == relation;
}

void
dp_copy_statistics_add_references(PlannerInfo *root, Oid oid,
								  const RelOptInfo *info,
								  const DpRelations *relations)
{
	Relation relation = table_open(oid, NoLock);

	foreach_ptr (const ForeignKeyCacheInfo, one,
				 copyObject(RelationGetFKeyList(relation)))
	{
		foreach_ptr (const RangeTblEntry, rte, root->parse->rtable)
		{
			if (is_whole(rte, one->confrelid, relations))
				root->fkey_list = lappend(
					root->fkey_list,
					make_reference(one, info->relid,
								   (Index) foreach_current_index(rte) + 1));
		}
	}
	table_close(relation, NoLock);
}
