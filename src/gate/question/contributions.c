/*
 * contributions.c
 *		How much one privacy unit contributes to a block.
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
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "gate/question/contributions.h"
#include "gate/question/expression.h"
#include "gate/question/key.h"
#include "gate/question/protection.h"
#include "gate/question/publics.h"
#include "gate/question/row_copies.h"

/* Unique keys of what is public. */

/* Finds columns of other places than those known. */
static bool
unknown_walker(Node *node, const Bitmapset *known)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup != 0 ||
			   !bms_is_member(((Var *) node)->varno, known);
	return IsA(node, SubLink) ||
		   expression_tree_walker(node, unknown_walker, (void *) known);
}

/* What a condition says that a column equals; NULL: nothing that is known. */
static Node *
equal_to(int place, AttrNumber column, Oid family, Node *condition,
		 const Bitmapset *known)
{
	OpExpr *op = (OpExpr *) condition;
	int side;

	if (!IsA(condition, OpExpr) || list_length(op->args) != 2 ||
		get_op_opfamily_strategy(op->opno, family) != BTEqualStrategyNumber)
		return NULL;
	for (side = 0; side < 2; side++)
	{
		Node *other = list_nth(op->args, 1 - side);
		const Var *var = dp_gate_column_of(list_nth(op->args, side));

		if (var != NULL && var->varlevelsup == 0 && var->varno == place &&
			var->varattno == column &&
			!unknown_walker(other, known))
			return other;
	}
	return NULL;
}

/* True for an index whose columns can be the key of a look-up. */
static bool
is_unique(Relation index)
{
	return index->rd_rel->relam == BTREE_AM_OID &&
		   index->rd_index->indisunique && index->rd_index->indimmediate &&
		   index->rd_index->indisvalid && index->rd_index->indislive &&
		   heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) &&
		   heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL);
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
			const Bitmapset *known)
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
			other = equal_to(join->place, column, index->rd_opfamily[i],
							 lfirst(cell), known);
			if (other != NULL)
				break;
		}
		if (other == NULL)
			return NIL;
		columns = lappend_int(columns, column);
	}
	return columns;
}

/* The key by which something public is looked up; NIL: none is known yet. */
static List *
find_key(const DpPublicJoin *join, const DpPublic *public,
		 const Bitmapset *known)
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

/*
 * Finds keys for all that is public in FROM, in whatever order they need one
 * another; false where something has none.
 */
static bool
find_keys(const DpScope *scope)
{
	Bitmapset *known =
		bms_make_singleton(((DpOwned *) linitial(scope->owned))->place);
	List *left = list_copy(scope->publics);
	bool progress = true;
	ListCell *cell;

	while (progress)
	{
		progress = false;
		foreach (cell, left)
		{
			const DpPublicJoin *join = lfirst(cell);
			DpPublic *public = dp_gate_public_of(
				scope->subjects, rt_fetch(join->place, scope->query->rtable));
			List *key = find_key(join, public, known);

			if (key == NIL)
				continue;
			public->key = key;
			known = bms_add_member(known, join->place);
			left = foreach_delete_current (left, cell);
			progress = true;
		}
	}
	if (left == NIL)
		return true;
	foreach (cell, scope->subjects->publics)
		((DpPublic *) lfirst(cell))->key = NIL;
	return false;
}

static bool
has_row_units(const DpSubjects *subjects)
{
	ListCell *cell;

	foreach (cell, subjects->units)
	{
		if (lfirst_int(cell) == InvalidAttrNumber)
			return true;
	}
	return false;
}

/* Privacy levels are of one relation, which pays for all of them. */
static void
refuse_levels(const DpSubjects *subjects)
{
	ListCell *cell;

	foreach (cell, subjects->relations)
	{
		if (dp_gate_levels(lfirst_oid(cell)) != NIL)
			dp_gate_refuse("a join to a protected relation with privacy levels",
						   "Ask about each of the relations by itself.", -1);
	}
}

void
dp_gate_decide_contribution(DpScope *scope)
{
	DpSubjects *subjects = scope->subjects;
	const DpOwned *first = linitial(scope->owned);
	Oid relation = linitial_oid(subjects->relations);

	if (list_length(subjects->relations) > 1)
		refuse_levels(subjects);
	subjects->several =
		list_length(scope->owned) > 1 ||
		rt_fetch(first->place, scope->query->rtable)->rtekind !=
			RTE_RELATION ||
		!dp_gate_protection(relation)->unit_is_unique || !find_keys(scope);
	if (!subjects->several)
		return;
	if (scope->unit == NIL)
		dp_gate_refuse("a join that may make several rows of one of a foreign "
					   "table, whose privacy units are its rows,",
					   "Ask the owner to protect it with privacy_unit => the "
					   "column that tells whose a row is.",
					   -1);
	if (list_length(subjects->relations) > 1 && has_row_units(subjects) &&
		dp_gate_are_open_to_others(subjects))
		dp_gate_refuse("a join of protected relations, whose privacy units are "
					   "rows, of several owners",
					   "Ask the owners to protect them with privacy_unit => "
					   "the column that tells whose a row is.",
					   -1);
}

/* The lesser of a number and of the groups that there can be. */
static uint32
least_groups(uint32 groups, List *keys)
{
	uint64 count = 1;
	ListCell *cell;

	foreach (cell, keys)
	{
		uint64 values = dp_gate_key_values(lfirst(cell));

		if (values == 0 || values >= groups)
			return groups;
		count *= values;
		if (count >= groups)
			return groups;
	}
	return (uint32) count;
}

DpContribution
dp_gate_contribution(const DpSubjects *subjects, List *keys)
{
	DpContribution result =
		dp_gate_protection(linitial_oid(subjects->relations))->contribution;
	ListCell *cell;

	result.rows = result.groups = 1;
	foreach (cell, subjects->relations)
	{
		const DpContribution *one =
			&dp_gate_protection(lfirst_oid(cell))->contribution;

		if (one->neighbours == DP_SUBSTITUTE)
			result.neighbours = DP_SUBSTITUTE;
		result.rows = Max(result.rows, one->rows);
		result.groups = Max(result.groups, one->groups);
	}
	if (!subjects->several)
		result.rows = result.groups = 1;
	if (subjects->exchanges)
		result.neighbours = DP_SUBSTITUTE;
	result.groups = keys == NIL ? 0 : least_groups(result.groups, keys);
	return result;
}

List *
dp_gate_unit_indexes(const DpSubjects *subjects)
{
	const DpProtection *protection;

	if (subjects->several)
		return NIL;
	protection = dp_gate_protection(linitial_oid(subjects->relations));
	return OidIsValid(protection->unit_index)
			   ? list_make1_oid(protection->unit_index)
			   : NIL;
}
