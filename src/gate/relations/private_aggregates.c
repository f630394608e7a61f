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
#include "server/search.h"

/* As the catalogs are now. */
static bool
is_of_extension(Oid function, Oid extension)
{
	return OidIsValid(extension) &&
		   getExtensionOfObject(ProcedureRelationId, function) == extension;
}

bool
dp_private_aggregates_is_own_function(Oid function)
{
	DpPicture *picture = dp_picture_find();
	MemoryContext old;

	if (function < FirstNormalObjectId)
		return false;
	if (picture == NULL)
		return is_of_extension(function, get_extension_oid("dp_noise", true));
	if (list_member_oid(picture->own_functions, function))
		return true;
	if (!is_of_extension(function, dp_picture_extension(picture)))
		return false;
	old = MemoryContextSwitchTo(picture->context);
	picture->own_functions = lappend_oid(picture->own_functions, function);
	MemoryContextSwitchTo(old);
	return true;
}

bool
dp_private_aggregates_may_be_one(Oid function)
{
	char *name =
		function < FirstNormalObjectId ? NULL : get_func_name(function);

	return name != NULL && strncmp(name, "dp_", 3) == 0;
}

bool
dp_private_aggregates_is_one(Oid function)
{
	return dp_private_aggregates_may_be_one(function) &&
		   dp_private_aggregates_is_own_function(function);
}

bool
dp_private_aggregates_is_call(const Node *node)
{
	return IsA(node, Aggref) &&
		   dp_private_aggregates_is_one(((const Aggref *) node)->aggfnoid);
}

static bool
is_private(Node *node, void *context)
{
	(void) context;
	return dp_private_aggregates_is_call(node);
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

static const char *
name_of_form(const DpAggregateTraits *traits, DpAggregateForm form)
{
	switch (form)
	{
		case DP_FORM_OF_ROWS:
			return traits->of_rows;
		case DP_FORM_OF_UNITS:
			return traits->of_units;
		case DP_FORM_PARTIAL:
			break;
	}
	return traits->partial;
}

const DpAggregateTraits *
dp_private_aggregates_of_form(Oid function, DpAggregateForm form)
{
	const char *name = get_func_name(function);
	int i;

	if (name == NULL || !dp_private_aggregates_is_own_function(function))
		return NULL;
	for (i = 0; i < DP_AGGREGATE_NONE; i++)
	{
		const DpAggregateTraits *traits = dp_aggregate_get((DpAggregate) i);
		const char *of_form = name_of_form(traits, form);

		if (of_form != NULL && strcmp(of_form, name) == 0)
			return traits;
	}
	return NULL;
}
