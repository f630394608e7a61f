/*
 * tells_unit.c
 *		Columns that tell whose a row is, before a query is taken apart.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_constraint.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "gate/read/source_column.h"
#include "gate/read/tells_unit.h"
#include "gate/relations/protection.h"
#include "gate/relations/relations.h"
#include "server/lists.h"
#include "server/stack.h"

/* A column that tells the privacy unit of a protected relation's row. */
static bool
is_unit_column(Oid relation, AttrNumber column)
{
	const DpProtection *protection = dp_protection_of(relation);
	Oid constraint;
	Bitmapset *key;

	if (!protection->is_protected)
		return false;
	if (protection->unit == DP_UNIT_BY_PATH)
		return list_member_int(protection->path_columns, column);
	if (protection->unit != 0)
		return protection->unit == column;
	key = get_primary_key_attnos(relation, false, &constraint);
	return bms_membership(key) == BMS_SINGLETON &&
		   bms_is_member(column - FirstLowInvalidHeapAttributeNumber, key);
}

static Node *
column_expression(Query *query, AttrNumber column)
{
	TargetEntry *entry = get_tle_by_resno(query->targetList, column);

	return entry == NULL ? NULL : (Node *) entry->expr;
}

static bool is_unit_of_union(Query *query, Node *expression);

bool
dp_tells_unit(Query *query, Node *expression)
{
	Oid relation;
	AttrNumber column;

	return dp_source_column(query, expression, &relation, &column)
			   ? is_unit_column(relation, column)
			   : is_unit_of_union(query, expression);
}

/* A column of UNION ALL, every part of which tells it. */
static bool
is_unit_of_union(Query *query, Node *expression)
{
	const Var *var =
		expression == NULL ? NULL : dp_relations_column_of(expression);
	Query *within;

	dp_stack_enter();
	if (var == NULL || var->varlevelsup != 0 || var->varattno <= 0 ||
		rt_fetch(var->varno, query->rtable)->rtekind != RTE_SUBQUERY)
		return false;
	within = rt_fetch(var->varno, query->rtable)->subquery;
	if (within->setOperations == NULL)
		return is_unit_of_union(within,
								column_expression(within, var->varattno));
	foreach_ptr (RangeTblEntry, rte, within->rtable)
	{
		Query *part = rte->subquery;

		if (part == NULL ||
			!dp_tells_unit(part, column_expression(part, var->varattno)))
			return false;
	}
	return true;
}
