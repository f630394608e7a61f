/*
 * key.c
 *		Keys as nodes of plans.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "gate/question/keys/key.h"

static void
copy_key(ExtensibleNode *to, const ExtensibleNode *from)
{
	DpKey *new = (DpKey *) to;
	const DpKey *old = (const DpKey *) from;

	new->expression = copyObject(old->expression);
	new->sources = copyObject(old->sources);
	new->reader = old->reader;
	new->is_public = old->is_public;
	new->is_nullable = old->is_nullable;
	new->is_open = old->is_open;
	new->domain = old->domain == NULL ? NULL : pstrdup(old->domain);
	new->missing = old->missing == NULL ? NULL : pstrdup(old->missing);
}

static bool
equal_key(const ExtensibleNode *a, const ExtensibleNode *b)
{
	return a == b;
}

static void
out_key(StringInfo buffer, const ExtensibleNode *node)
{
	(void) buffer; /* a printed plan must not show it */
	(void) node;
}

static void
read_key(ExtensibleNode *node)
{
	(void) node;
	elog(ERROR, "a DP Key cannot be read from text");
}

static const ExtensibleNodeMethods methods = {
	.extnodename = DP_KEY_NAME,
	.node_size = sizeof(DpKey),
	.nodeCopy = copy_key,
	.nodeEqual = equal_key,
	.nodeOut = out_key,
	.nodeRead = read_key,
};

void
dp_gate_key_init(void)
{
	RegisterExtensibleNodeMethods(&methods);
}

List *
dp_gate_keys_of(List *keys, bool is_public)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, keys)
	{
		if (((DpKey *) lfirst(cell))->is_public == is_public)
			result = lappend(result, lfirst(cell));
	}
	return result;
}

uint64
dp_gate_key_values(const DpKey *key)
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

List *
dp_gate_key_plans(const DpKey *key)
{
	List *plans = NIL;
	ListCell *cell;

	foreach (cell, key->sources)
	{
		if (IsA(lfirst(cell), PlannedStmt))
			plans = lappend(plans, lfirst(cell));
	}
	return plans;
}

List *
dp_gate_release_columns(List *keys, List *aggregates)
{
	List *columns = NIL;
	ListCell *cell;

	foreach (cell, keys)
		columns = lappend(columns, ((DpKey *) lfirst(cell))->expression);
	return list_concat(columns, aggregates);
}
