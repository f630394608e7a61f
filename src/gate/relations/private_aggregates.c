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
#include "server/any_node.h"

bool
dp_gate_is_private_function(Oid function)
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

bool
dp_gate_is_private_aggregate(Oid function)
{
	return dp_gate_is_private_function(function);
}

static bool
is_private(Node *node, void *context)
{
	(void) context;
	return IsA(node, Aggref) &&
		   dp_gate_is_private_aggregate(((Aggref *) node)->aggfnoid);
}

bool
dp_gate_names_private_aggregate(Node *expression)
{
	return dp_any_node_within(expression, is_private, NULL);
}

bool
dp_gate_has_private_aggregates(const Query *query)
{
	return query->hasAggs &&
		   (dp_gate_names_private_aggregate((Node *) query->targetList) ||
			dp_gate_names_private_aggregate(query->havingQual));
}

bool
dp_gate_asks(Query *query)
{
	return dp_any_node((Node *) query, is_private, NULL);
}

const DpAggregateTraits *
dp_gate_traits_of(const Aggref *aggref)
{
	const char *name = get_func_name(aggref->aggfnoid);
	const DpAggregateTraits *traits =
		name == NULL ? NULL : dp_aggregate_find(name);

	if (traits == NULL)
		elog(ERROR, "not a private aggregate: %u", aggref->aggfnoid);
	return traits;
}
