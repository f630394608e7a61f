/*
 * keys.c
 *		Columns that no two rows of a unit agree in.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/facts/known.h"
#include "gate/facts/unique_keys.h"
#include "gate/relations/protection.h"
#include "server/stack.h"

/*
 * Facts
 */

/*
 * Unique keys of a relation whose columns are all there. of_public: those that
 * can be checked when it is copied; else those that are never null.
 */
static List *
keys_of_relation(Oid relation, const AttrNumber *attributes, int count,
				 bool of_public)
{
	List *keys = NIL;
	ListCell *attribute;

	foreach_ptr (const DpUniqueKey, key, dp_unique_keys_of(relation))
	{
		bool all = of_public ? key->can_be_checked : key->is_not_null;
		Bitmapset *columns = NULL;

		foreach (attribute, key->columns)
		{
			int column =
				dp_node_place(attributes, count, lfirst_int(attribute));

			all = all && column >= 0;
			if (all)
				columns = bms_add_member(columns, column);
		}
		if (all)
			keys = lappend(keys, columns);
	}
	return keys;
}

static List *
keys_of_scan(const DpScan *scan)
{
	List *keys = keys_of_relation(scan->relation, scan->attributes,
								  scan->node.ncolumns, false);

	/* Of a unique unit, no columns at all are a key: it has one row. */
	return dp_protection_of(scan->relation)->unit_is_unique ? lcons(NULL, keys)
															: keys;
}

/* The key of a group's rows: those of its keys that do not follow from the unit. */
static List *
keys_of_group(const DpGroup *group)
{
	uint8 *beneath = dp_known_nothing(&group->node);
	Bitmapset *columns = NULL;

	(void) dp_known_spread(group->node.inputs[0], beneath, NULL);
	foreach_ptr (const DpExpr, expr, group->keys)
	{
		if (!dp_known_is_known(expr, beneath))
			columns = bms_add_member(columns, foreach_current_index(expr));
	}
	return list_make1(columns);
}

DpRowKeys
dp_keys_of(const DpNode *node)
{
	const DpPublicRows *rows = (const DpPublicRows *) node;
	DpRowKeys result = {0};
	uint8 *known = dp_known_nothing(node);
	int i;

	switch (node->kind)
	{
		case DP_NODE_SCAN:
			result.keys = keys_of_scan((const DpScan *) node);
			result.one_row = list_member_ptr(result.keys, NULL);
			return result;
		case DP_NODE_PUBLIC:
			if (OidIsValid(rows->relation) && rows->attributes != NULL)
				result.keys = keys_of_relation(rows->relation, rows->attributes,
											   node->ncolumns, true);
			return result;
		case DP_NODE_GROUP:
			result.keys = keys_of_group((const DpGroup *) node);
			break;
		default:
			break;
	}
	result.one_row = dp_known_spread(node, known, NULL);
	for (i = 0; i < node->ncolumns; i++)
	{
		if (known[i])
			result.known = bms_add_member(result.known, i);
	}
	return result;
}

/*
 * Questions
 */

bool
dp_keys_one_row(const DpNode *rows, List *exprs)
{
	uint8 *known = dp_known_nothing(rows);

	foreach_ptr (const DpExpr, expr, exprs)
	{
		const DpExpr *column = dp_expr_column_of(expr);

		if (column != NULL && column->column.depth == 0)
			known[column->column.number] |= DP_KNOWN;
	}
	return dp_known_spread(rows, known, NULL);
}

bool
dp_keys_one_group(const DpNode *rows, List *exprs)
{
	uint8 *known = dp_known_nothing(rows);

	(void) dp_known_spread(rows, known, NULL);
	return exprs != NIL && dp_known_are_known(exprs, known);
}

/* The scan whose rows and columns are only chosen; NULL: there is more. */
static const DpScan *
find_chosen(const DpNode *node)
{
	while ((node->kind == DP_NODE_JOIN && node->ninputs == 1) ||
		   node->kind == DP_NODE_PROJECT || node->kind == DP_NODE_VIEW)
		node = node->inputs[0];
	return node->kind == DP_NODE_SCAN ? (const DpScan *) node : NULL;
}

/* The only thing owned in a join, if its rows are chosen from one relation. */
static const DpScan *
find_only_scan(const DpNode *node)
{
	const DpNode *only = NULL;
	int i;

	dp_stack_enter();
	if (node->kind != DP_NODE_JOIN && node->kind != DP_NODE_LEFT_JOIN)
		return find_chosen(node);
	for (i = 0; i < node->ninputs; i++)
	{
		if (!node->inputs[i]->facts->owner.is_owned)
			continue;
		if (only != NULL)
			return NULL;
		only = node->inputs[i];
	}
	return only == NULL ? NULL : find_only_scan(only);
}

bool
dp_keys_units_are_rows(const DpNode *rows, List **looked_up, List **by)
{
	const DpScan *scan = find_only_scan(rows);
	DpLookUps found = {0};

	if (scan == NULL || !dp_protection_of(scan->relation)->unit_is_unique ||
		!dp_known_spread(rows, dp_known_nothing(rows), &found))
		return false;
	*looked_up = found.nodes;
	*by = found.keys;
	return true;
}

bool
dp_keys_is_look_up(const DpNode *left_join)
{
	uint8 *known = dp_known_nothing(left_join);

	if (left_join->inputs[1]->kind != DP_NODE_PUBLIC)
		return false;
	dp_known_add_whole(known, left_join->inputs[0]->ncolumns);
	return dp_known_spread_match((const DpJoin *) left_join, known, NULL);
}
