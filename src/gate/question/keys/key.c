/*
 * key.c
 *		Keys as nodes of plans, and what may be one.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "gate/question/expressions/expression.h"
#include "gate/question/keys/key.h"
#include "gate/question/keys/key_domain.h"
#include "server/plan_node.h"

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

void
dp_gate_key_init(void)
{
	dp_plan_node_register(DP_KEY_NAME, sizeof(DpKey), copy_key);
}

/* Refuses types whose equality, by which groups are made, is not total. */
static void
check_type(Node *expression)
{
	Oid type = exprType(expression);
	Oid collation = exprCollation(expression);
	Oid equality = InvalidOid;
	bool is_hashable = false;

	get_sort_group_operators(type, false, false, false, NULL, &equality, NULL,
							 &is_hashable);
	if (!OidIsValid(equality) || !is_hashable ||
		equality >= FirstNormalObjectId ||
		!dp_gate_is_total(get_opcode(equality)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("values of type %s cannot be the groups of a query "
						"over a protected relation",
						format_type_be(type)),
				 errhint("Group by numbers, texts, booleans, enums, dates, "
						 "times or uuids."),
				 dp_gate_position(exprLocation(expression))));
	if (type_is_collatable(type) && !OidIsValid(collation))
		ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_COLLATION),
						errmsg("the collation of a group key is not clear"),
						errhint("Write COLLATE \"C\" after it."),
						dp_gate_position(exprLocation(expression))));
	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a nondeterministic collation cannot be used in GROUP "
						"BY over a protected relation"),
				 errhint("Write COLLATE \"C\" after the column."),
				 dp_gate_position(exprLocation(expression))));
}

DpKey *
dp_gate_key_make(Node *expression, const DpRelations *relations)
{
	DpKey *key = dp_plan_node_make(DP_KEY_NAME, sizeof(DpKey));

	key->expression = expression;
	dp_gate_check_expression(expression, relations, "GROUP BY");
	check_type(expression);
	key->is_public = dp_gate_find_domain(key, relations);
	return key;
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
