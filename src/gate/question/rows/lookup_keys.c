/*
 * lookup_keys.c
 *		Unique keys by which public rows are looked up.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "gate/question/expressions/expression.h"
#include "gate/question/expressions/representatives.h"
#include "gate/question/rows/equalities.h"
#include "gate/question/rows/lookup_keys.h"
#include "server/unique_index.h"

/*
 * Columns are known by what they equal. Where equal values can be told apart,
 * as 1.0 and 1.00 can, what is computed from such a column is not known.
 */
static bool
unknown_walker(Node *node, const DpKnown *known)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup != 0 ||
			   (!bms_is_member(((Var *) node)->varno, known->rtindexes) &&
				(!dp_gate_has_column(known->columns, (Var *) node) ||
				 !dp_gate_has_one_form(node)));
	return IsA(node, SubLink) || IsA(node, Aggref) || IsA(node, WindowFunc) ||
		   expression_tree_walker(node, unknown_walker, (void *) known);
}

bool
dp_gate_is_known(const Node *expression, const DpKnown *known)
{
	const Var *column = dp_gate_column_of((Node *) expression);

	if (column != NULL && column->varlevelsup == 0 &&
		dp_gate_has_column(known->columns, column))
		return true;
	return !unknown_walker((Node *) expression, known);
}

/* What a condition says that a column equals; NULL: nothing that is known. */
static Node *
equal_to(int rtindex, AttrNumber column, Node *condition, const DpKnown *known)
{
	OpExpr *op = (OpExpr *) condition;
	int side;

	if (!IsA(condition, OpExpr) || list_length(op->args) != 2)
		return NULL;
	for (side = 0; side < 2; side++)
	{
		Node *other = list_nth(op->args, 1 - side);
		const Var *var = dp_gate_column_of(list_nth(op->args, side));

		if (var != NULL && var->varlevelsup == 0 && var->varno == rtindex &&
			var->varattno == column && dp_gate_equates(condition, var) &&
			dp_gate_is_known(other, known))
			return other;
	}
	return NULL;
}

/* True for an index whose columns can be the key of a look-up. */
static bool
is_unique(Relation index)
{
	return index->rd_rel->relam == BTREE_AM_OID && index->rd_index->indislive &&
		   dp_is_unique_index(index->rd_indextuple);
}

/*
 * Whether values of a type can be told apart, as a join by an operator of the
 * family does it, by the type's own hash function.
 */
static bool
is_hashable(Oid type, Oid family)
{
	const TypeCacheEntry *entry = lookup_type_cache(
		getBaseType(type), TYPECACHE_EQ_OPR | TYPECACHE_HASH_EXTENDED_PROC);

	return OidIsValid(entry->hash_extended_proc) &&
		   entry->eq_opr < FirstNormalObjectId &&
		   dp_gate_is_total(get_opcode(entry->eq_opr)) &&
		   get_op_opfamily_strategy(entry->eq_opr, family) ==
			   BTEqualStrategyNumber;
}

/* The columns of an index, if each of them equals what is known. */
static List *
match_index(const DpPublicJoin *join, Oid table, Relation index,
			const DpKnown *known)
{
	List *columns = NIL;
	int i;

	if (!is_unique(index))
		return NIL;
	for (i = 0; i < index->rd_index->indnkeyatts; i++)
	{
		AttrNumber column = index->rd_index->indkey.values[i];
		Node *other = NULL;
		ListCell *cell;

		if (index->rd_opfamily[i] >= FirstNormalObjectId ||
			!is_hashable(get_atttype(table, column), index->rd_opfamily[i]))
			return NIL;
		foreach (cell, join->conditions)
		{
			other = equal_to(join->rtindex, column, lfirst(cell), known);
			if (other != NULL)
				break;
		}
		if (other == NULL)
			return NIL;
		columns = lappend_int(columns, column);
	}
	return columns;
}

List *
dp_gate_find_key(const DpPublicJoin *join, const DpPublic *public,
				 const DpKnown *known)
{
	Relation relation;
	List *key = NIL;
	ListCell *cell;

	if (!OidIsValid(public->relation) ||
		get_rel_relkind(public->relation) != RELKIND_RELATION ||
		has_subclass(public->relation))
		return NIL;
	relation = table_open(public->relation, AccessShareLock);
	foreach (cell, RelationGetIndexList(relation))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);

		if (key == NIL)
			key = match_index(join, public->relation, index, known);
		index_close(index, NoLock);
	}
	table_close(relation, NoLock);
	return key;
}
