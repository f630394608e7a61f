/*
 * group_limit.c
 *		Public keys with more values than a release may have groups.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/bufmgr.h"
#include "tcop/dest.h"
#include "utils/rel.h"

#include "gate/facts/public_values.h"
#include "gate/facts/together.h"
#include "gate/read/group_limit.h"
#include "gate/read/public_run.h"
#include "gate/relations/protection.h"

/*
 * What a query reads
 */

/* The first relation in FROM: a query of that one alone has at most its rows. */
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

/*
 * Whether a relation, of those without children, has so many pages that it could
 * have more rows than there may be groups.
 */
static bool
may_be_large(Oid relation)
{
	Relation rel = table_open(relation, AccessShareLock);
	bool result =
		!dp_protection_has_heirs(rel) &&
		RelationGetNumberOfBlocks(rel) > DP_DOMAIN_MAX / MaxHeapTuplesPerPage;

	table_close(rel, NoLock);
	return result;
}

/*
 * Counting
 */

/* Runs a query up to one more row than there may be groups; whether it has them. */
static bool
exceeds(Query *query, Oid reader)
{
	query->limitCount = (Node *) makeConst(
		INT8OID, -1, InvalidOid, sizeof(int64),
		Int64GetDatum((int64) DP_DOMAIN_MAX + 1), false, true);
	return dp_public_run(query, reader, None_Receiver) > DP_DOMAIN_MAX;
}

/* First all rows, and only then different ones, which takes longer. */
static bool
has_too_many(Query *query, Oid reader)
{
	Query *rows = copyObject(query);
	Query *different = copyObject(query);

	rows->distinctClause = rows->sortClause = NIL;
	different->sortClause = NIL;
	return exceeds(rows, reader) &&
		   (different->distinctClause == NIL || exceeds(different, reader));
}

static bool
are_too_many(List *sources, Oid reader)
{
	foreach_ptr (Query, query, sources)
	{
		if (IsA(query, Query) && OidIsValid(first_relation(query)) &&
			dp_public_run_can(query) && may_be_large(first_relation(query)) &&
			has_too_many(query, reader))
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
	ListCell *key;

	foreach_ptr (const DpTogether, together,
				 dp_together_of(rows, keys, domains, numbers))
	{
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

	foreach_ptr (DpGrouping, grouping, groupings)
		sets = lappend(sets, grouping->keys);
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
