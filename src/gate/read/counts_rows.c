/*
 * counts_rows.c
 *		Counts of a column that are counts of rows.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/read/counts_rows.h"
#include "gate/read/source_column.h"
#include "gate/relations/protection.h"
#include "server/search.h"

static bool
is_outer_join(Node *node, void *context)
{
	(void) context;
	return IsA(node, JoinExpr) && ((JoinExpr *) node)->jointype != JOIN_INNER;
}

/* Whether a query reads one relation, of which a column is the primary key. */
static bool
is_only_key(Query *query, Oid relation, AttrNumber column)
{
	Oid constraint;
	Bitmapset *key;

	if (list_length(query->jointree->fromlist) != 1 ||
		!IsA(linitial(query->jointree->fromlist), RangeTblRef) ||
		(get_rel_relkind(relation) == RELKIND_RELATION &&
		 has_subclass(relation)))
		return false;
	key = get_primary_key_attnos(relation, false, &constraint);
	return bms_membership(key) == BMS_SINGLETON &&
		   bms_is_member(column - FirstLowInvalidHeapAttributeNumber, key);
}

bool
dp_counts_rows(const Aggref *aggref, Query *query)
{
	Node *value;
	Oid relation;
	AttrNumber column;

	if (aggref->aggstar)
		return true;
	value = (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	if (IsA(value, Const))
		return aggref->aggdistinct == NIL && !((Const *) value)->constisnull;
	return IsA(value, Var) && ((Var *) value)->varlevelsup == 0 &&
		   !dp_search_within((Node *) query->jointree, is_outer_join, NULL) &&
		   rt_fetch(((Var *) value)->varno, query->rtable)->rtekind ==
			   RTE_RELATION &&
		   dp_source_column(query, value, &relation, &column) &&
		   dp_protection_is_not_null(relation, column) &&
		   (aggref->aggdistinct == NIL || is_only_key(query, relation, column));
}
