/*
 * private_aggregates.c
 *		The extension's own aggregates, recognised in queries.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "gate/relations/private_aggregates.h"
#include "server/search.h"

bool
dp_private_aggregates_is_one(Oid function)
{
	Oid extension;
	char *name;

	if (function < FirstNormalObjectId)
		return false;
	name = get_func_name(function);
	if (name == NULL || strncmp(name, "dp_", 3) != 0)
		return false;
	extension = getExtensionOfObject(ProcedureRelationId, function);
	return OidIsValid(extension) &&
		   extension == get_extension_oid("dp_noise", true);
}

static bool
is_private(Node *node, void *context)
{
	(void) context;
	return IsA(node, Aggref) &&
		   dp_private_aggregates_is_one(((Aggref *) node)->aggfnoid);
}

bool
dp_private_aggregates_named(Node *expression)
{
	return dp_search_within(expression, is_private, NULL);
}

bool
dp_private_aggregates_in(const Query *query)
{
	return query->hasAggs && dp_private_aggregates_named((Node *) list_make2(
								 query->targetList, query->havingQual));
}

bool
dp_private_aggregates_anywhere(Query *query)
{
	return dp_search_any((Node *) query, is_private, NULL);
}

const DpAggregateTraits *
dp_private_aggregates_traits(const Aggref *aggref)
{
	const char *name = get_func_name(aggref->aggfnoid);
	const DpAggregateTraits *traits =
		name == NULL ? NULL : dp_aggregate_find(name);

	if (traits == NULL)
		elog(ERROR, "not a private aggregate: %u", aggref->aggfnoid);
	return traits;
}
