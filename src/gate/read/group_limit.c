/*
 * group_limit.c
 *		Public keys with more values than a release may have groups.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "optimizer/planner.h"
#include "storage/bufmgr.h"
#include "tcop/dest.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "gate/facts/public_values.h"
#include "gate/facts/together.h"
#include "gate/read/group_limit.h"
#include "gate/relations/code_of_others.h"
#include "gate/relations/protection.h"
#include "gate/relations/role_rights.h"
#include "server/search.h"
#include "server/compat.h"

/*
 * What a query reads
 */

/* Finds what may run somebody's code, or is not known yet. */
static bool
is_uncountable(Node *node, void *context)
{
	const RangeTblEntry *rte = (const RangeTblEntry *) node;

	(void) context;
	if (IsA(node, RangeTblEntry))
		return rte->securityQuals != NIL ||
			   (rte->rtekind != RTE_SUBQUERY &&
				(rte->rtekind != RTE_RELATION || rte->tablesample != NULL ||
				 rte->relkind != RELKIND_RELATION));
	return IsA(node, Param) || IsA(node, SubLink) ||
		   dp_code_of_others(node) != DP_NO_CODE;
}

/* The relation that is read first: it has as many rows as the query, or more. */
static Oid
first_relation(const Query *query)
{
	const RangeTblEntry *rte =
		query->rtable == NIL ? NULL : linitial(query->rtable);

	if (rte == NULL || query->setOperations != NULL || query->hasTargetSRFs)
		return InvalidOid;
	return rte->rtekind == RTE_SUBQUERY	  ? first_relation(rte->subquery)
		   : rte->rtekind == RTE_RELATION ? rte->relid
										  : InvalidOid;
}

/* Whether a relation has so much room that it could have too many rows. */
static bool
may_be_large(Oid relation)
{
	Relation rel = table_open(relation, AccessShareLock);
	bool result =
		!dp_gate_has_heirs(rel) &&
		RelationGetNumberOfBlocks(rel) > DP_DOMAIN_MAX / MaxHeapTuplesPerPage;

	table_close(rel, NoLock);
	return result;
}

/*
 * Counting
 */

/* Runs a query up to one more row than there may be groups; whether it has them. */
static bool
exceeds(Query *query)
{
	QueryDesc *run;
	uint64 count;

	query->limitCount = (Node *) makeConst(
		INT8OID, -1, InvalidOid, sizeof(int64),
		Int64GetDatum((int64) DP_DOMAIN_MAX + 1), false, true);
	PushActiveSnapshot(GetTransactionSnapshot());
	run = CreateQueryDesc(planner(query, "", 0, NULL), "", GetActiveSnapshot(),
						  InvalidSnapshot, None_Receiver, NULL, NULL, 0);
	ExecutorStart(run, 0);
	dp_compat_execute(run);
	count = run->estate->es_processed;
	ExecutorFinish(run);
	ExecutorEnd(run);
	FreeQueryDesc(run);
	PopActiveSnapshot();
	return count > DP_DOMAIN_MAX;
}

/* First all rows, and only then different ones, which takes longer. */
static bool
has_too_many(Query *query, Oid reader)
{
	Query *rows = copyObject(query);
	Query *different = copyObject(query);
	DpRights rights;
	volatile bool result = false;

	rows->distinctClause = rows->sortClause = NIL;
	different->sortClause = NIL;
	dp_role_rights_begin_public(&rights);
	PG_TRY();
	{
		DpRights reading; /* ended after errors below */

		dp_role_rights_begin_reading(&reading, reader);
		result = exceeds(rows) &&
				 (different->distinctClause == NIL || exceeds(different));
		dp_role_rights_end(&reading);
	}
	PG_FINALLY();
	{
		dp_role_rights_end(&rights);
	}
	PG_END_TRY();
	return result;
}

static bool
are_too_many(List *sources, Oid reader)
{
	ListCell *cell;

	foreach (cell, sources)
	{
		Query *query = lfirst(cell);

		if (IsA(query, Query) && OidIsValid(first_relation(query)) &&
			!dp_search_any((Node *) query, is_uncountable, NULL) &&
			may_be_large(first_relation(query)) && has_too_many(query, reader))
			return true;
	}
	return false;
}

/*
 * Domains
 */

/* Instead of a public domain. */
static DpDomain *
too_large(const DpDomain *domain)
{
	DpDomain *result = palloc0(sizeof(DpDomain));

	result->too_large = domain->words;
	return result;
}

/* Those that are found together may be too many where each key's are not. */
static void
limit_tuples(const DpNode *rows, List *keys, List *domains,
			 const Bitmapset *numbers)
{
	ListCell *cell;
	ListCell *key;

	foreach (cell, dp_together_of(rows, keys, domains, numbers))
	{
		const DpTogether *together = lfirst(cell);

		if (!are_too_many(together->sources, InvalidOid))
			continue;
		foreach (key, together->keys)
		{
			ListCell *domain = list_nth_cell(domains, lfirst_int(key));

			lfirst(domain) = too_large(lfirst(domain));
		}
	}
}

List *
dp_group_limit_domains(const DpNode *rows, List *keys, List *groupings)
{
	List *domains = dp_domain_of_keys(rows, keys);
	List *sets = NIL;
	ListCell *cell;

	foreach (cell, groupings)
		sets = lappend(sets, ((DpGrouping *) lfirst(cell))->keys);
	foreach (cell, domains)
	{
		const DpDomain *domain = lfirst(cell);

		if (domain->is_public && are_too_many(domain->sources, domain->reader))
			lfirst(cell) = too_large(domain);
	}
	foreach (cell, sets)
		limit_tuples(rows, keys, domains, lfirst(cell));
	return dp_together_with_private(rows, keys, domains, sets);
}
