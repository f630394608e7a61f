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
#include "utils/memutils.h"

#include "gate/relations/picture.h"
#include "gate/relations/private_aggregates.h"
#include "server/any_node.h"

/* As the catalogs are now. */
static bool
is_of_extension(Oid function, Oid extension)
{
	return OidIsValid(extension) &&
		   getExtensionOfObject(ProcedureRelationId, function) == extension;
}

bool
dp_gate_is_own_function(Oid function)
{
	DpPicture *picture = dp_gate_find_picture();
	MemoryContext old;

	if (function < FirstNormalObjectId)
		return false;
	if (picture == NULL)
		return is_of_extension(function, get_extension_oid("dp_noise", true));
	if (list_member_oid(picture->own_functions, function))
		return true;
	if (!is_of_extension(function, dp_gate_pictured_extension(picture)))
		return false;
	old = MemoryContextSwitchTo(picture->context);
	picture->own_functions = lappend_oid(picture->own_functions, function);
	MemoryContextSwitchTo(old);
	return true;
}

bool
dp_gate_may_be_private(Oid function)
{
	char *name =
		function < FirstNormalObjectId ? NULL : get_func_name(function);

	return name != NULL && strncmp(name, "dp_", 3) == 0;
}

bool
dp_gate_is_private_function(Oid function)
{
	return dp_gate_may_be_private(function) &&
		   dp_gate_is_own_function(function);
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

/* Not in sub-queries. */
static bool
private_walker(Node *node, void *context)
{
	if (node == NULL || IsA(node, Query))
		return false;
	return is_private(node, context) ||
		   expression_tree_walker(node, private_walker, context);
}

bool
dp_gate_names_private_aggregate(Node *expression)
{
	return private_walker(expression, NULL);
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
