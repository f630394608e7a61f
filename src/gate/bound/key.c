/*
 * key.c
 *		Keys as nodes of plans.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "gate/bound/key.h"
#include "server/lists.h"
#include "server/plan_node.h"

static void
copy_key(ExtensibleNode *to, const ExtensibleNode *from)
{
	DpKey *new = (DpKey *) to;
	const DpKey *old = (const DpKey *) from;

	new->expression = copyObject(old->expression);
	new->sources = copyObject(old->sources);
	new->params = copyObject(old->params);
	new->reader = old->reader;
	new->is_public = old->is_public;
	new->is_nullable = old->is_nullable;
	new->finds_null = old->finds_null;
	new->is_open = old->is_open;
	new->is_found = old->is_found;
	new->domain = old->domain == NULL ? NULL : pstrdup(old->domain);
	new->missing = old->missing == NULL ? NULL : pstrdup(old->missing);
	new->too_large = old->too_large == NULL ? NULL : pstrdup(old->too_large);
}

static void
copy_tuples(ExtensibleNode *to, const ExtensibleNode *from)
{
	DpKeyTuples *new = (DpKeyTuples *) to;
	const DpKeyTuples *old = (const DpKeyTuples *) from;

	new->keys = list_copy(old->keys);
	new->sources = copyObject(old->sources);
	new->params = copyObject(old->params);
	new->is_found = old->is_found;
	new->domain = pstrdup(old->domain);
}

void
dp_key_init(void)
{
	dp_plan_node_register(DP_KEY_TUPLES_NAME, sizeof(DpKeyTuples), copy_tuples);
	dp_plan_node_register(DP_KEY_NAME, sizeof(DpKey), copy_key);
}

List *
dp_key_those(List *keys, bool is_public)
{
	List *result = NIL;

	foreach_ptr (DpKey, key, keys)
	{
		if (key->is_public == is_public)
			result = lappend(result, key);
	}
	return result;
}

uint64
dp_key_values(const DpKey *key)
{
	bool has_null = key->is_nullable;
	ListCell *cell;

	if (!key->is_public)
		return 0;
	foreach (cell, key->sources)
	{
		if (IsA(lfirst(cell), Query))
			return 0;
		if (!IsA(lfirst(cell), Const))
			has_null = true; /* a parameter, whose value may be null */
	}
	return (uint64) list_length(key->sources) + (has_null ? 1 : 0);
}

const DpKeyTuples *
dp_key_tuples_of(List *tuples, int key)
{
	ListCell *cell;

	foreach (cell, tuples)
	{
		if (list_member_int(((DpKeyTuples *) lfirst(cell))->keys, key))
			return lfirst(cell);
	}
	return NULL;
}

/* Adds the plans among the sources of keys. */
static List *
add_plans(List *plans, List *sources)
{
	ListCell *cell;

	foreach (cell, sources)
	{
		if (IsA(lfirst(cell), PlannedStmt))
			plans = lappend(plans, lfirst(cell));
	}
	return plans;
}

List *
dp_key_plans(List *keys, List *tuples)
{
	List *plans = NIL;
	ListCell *cell;

	foreach_ptr (DpKey, key, keys)
		plans = add_plans(plans, key->sources);
	foreach (cell, tuples)
		plans = add_plans(plans, ((DpKeyTuples *) lfirst(cell))->sources);
	return plans;
}

List *
dp_key_release_columns(List *keys, List *aggregates)
{
	List *columns = NIL;

	foreach_ptr (DpKey, key, keys)
		columns = lappend(columns, key->expression);
	return list_concat(columns, aggregates);
}
