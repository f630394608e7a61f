/*
 * owned_relations.c
 *		The owners of a protected relation's rows, along paths, too.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "gate/question/expressions/expression.h"
#include "gate/question/relations/locations.h"
#include "gate/question/relations/protection.h"
#include "gate/question/rows/owned_relations.h"
#include "gate/question/rows/unit_keys.h"
#include "server/compat.h"
#include "server/ownership.h"
#include "server/stack.h"

/* Steps of paths that a query may have. */
#define MOST_STEPS 100

/*
 * The column of a relation's privacy units, where it is one. varno: of the
 * relation. Errors: object_not_in_prerequisite_state for one that is no longer
 * there, feature_not_supported for one that is computed whenever it is read.
 */
static Var *
unit_column(const Query *query, Index varno, AttrNumber column)
{
	RangeTblEntry *rte = rt_fetch(varno, query->rtable);
	Oid type;
	int32 typmod;
	Oid collation;

	if (column < 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the privacy unit of \"%s\" is a column that is no "
						"longer there",
						get_rel_name(rte->relid)),
				 errhint("Ask the owner to protect it again, with the column's "
						 "present name.")));
	if (dp_compat_is_virtual(rte->relid, column))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("a virtual generated column cannot be the "
							   "privacy unit"),
						errhint("Ask the owner for a stored column.")));
	get_atttypetypmodcoll(rte->relid, column, &type, &typmod, &collation);
	return makeVar(varno, column, type, typmod, collation, 0);
}

static void
check_relation(Query *query, int rtindex)
{
	const RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	int location;

	if (rte->inh && rte->tablesample == NULL &&
		dp_gate_is_protected(rte->relid))
		return;
	location = dp_gate_location_of_entry(query, rtindex);
	if (!rte->inh)
		dp_gate_refuse("ONLY", "Leave it out.", location);
	if (rte->tablesample != NULL)
		dp_gate_refuse("TABLESAMPLE", "Leave it out.",
					   exprLocation((Node *) rte->tablesample->args));
	if (!dp_gate_is_protected(rte->relid))
		dp_gate_refuse("a policy that reads a protected relation",
					   "Ask the owner for a policy that does not.", location);
}

/*
 * The columns that tell whose a relation's row is, where it is the row itself.
 */
static List *
row_unit(const RangeTblEntry *rte, int rtindex)
{
	List *unit = NIL;

	if (rte->relkind == RELKIND_FOREIGN_TABLE)
		return NIL;
	if (rte->relkind != RELKIND_RELATION || has_subclass(rte->relid))
		unit = list_make1(makeVar(rtindex, TableOidAttributeNumber, OIDOID, -1,
								  InvalidOid, 0));
	return lappend(unit, makeVar(rtindex, SelfItemPointerAttributeNumber,
								 TIDOID, -1, InvalidOid, 0));
}

/* The owner of the rows of a relation that is read. */
static DpOwned *
own_relation(DpScope *scope, int rtindex)
{
	Query *query = scope->query;
	RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	const DpProtection *protection = dp_gate_protection(rte->relid);
	DpOwned *owned = palloc0(sizeof(DpOwned));

	owned->rtindex = rtindex;
	owned->population = protection->population;
	owned->row_keys = dp_gate_unique_keys(rte->relid);
	if (protection->unit_is_unique) /* null identifies nobody */
		owned->row_keys =
			lappend(owned->row_keys, list_make1_int(protection->unit));
	if (protection->unit == 0)
	{
		owned->unit = row_unit(rte, rtindex);
		owned->row_keys = list_make1(NIL); /* it is one row */
	}
	if (protection->unit == 0 || protection->unit == DP_UNIT_BY_PATH)
		return owned; /* the latter is found in dp_gate_own_by_path */
	owned->bearer = rte->relid;
	owned->bearer_unit = protection->unit;
	owned->is_bearer = true;
	owned->unit =
		list_make1(unit_column(query, (Index) rtindex, protection->unit));
	return owned;
}

DpOwned *
dp_gate_own_relation(DpScope *scope, int rtindex)
{
	check_relation(scope->query, rtindex);
	dp_gate_add_relation(scope->relations,
						 rt_fetch(rtindex, scope->query->rtable)->relid);
	return own_relation(scope, rtindex);
}

/* The following functions are the rules for paths. */

static void
refuse_path(Query *query, int rtindex, const char *why, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the path from \"%s\" to its privacy units %s",
					get_rel_name(rt_fetch(rtindex, query->rtable)->relid), why),
			 errhint("%s", hint),
			 dp_gate_position(dp_gate_location_of_entry(query, rtindex))));
}

static Var *
column_at(Query *query, int rtindex, AttrNumber column)
{
	const RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	Oid type;
	int32 typmod;
	Oid collation;

	if (dp_compat_is_virtual(rte->relid, column))
		dp_gate_refuse("a path to a privacy unit over a virtual generated "
					   "column",
					   "Ask the owner for a stored column.",
					   dp_gate_location_of_entry(query, rtindex));
	get_atttypetypmodcoll(rte->relid, column, &type, &typmod, &collation);
	return makeVar(rtindex, column, type, typmod, collation, 0);
}

/* An entry of FROM, or of the query around, for the row that is referred to. */
static DpOwned *
find_referred(const DpScope *scope, const DpProtection *protection, int rtindex,
			  const DpEqualities *equal, int *level)
{
	const DpScope *scopes[2] = {scope,
								scope->is_condition ? scope->outer : NULL};
	ListCell *cell;
	ListCell *column;
	ListCell *key;

	for (*level = 0; *level < 2 && scopes[*level] != NULL; (*level)++)
	{
		foreach (cell, scopes[*level]->owned)
		{
			DpOwned *other = lfirst(cell);
			const RangeTblEntry *referred =
				rt_fetch(other->rtindex, scopes[*level]->query->rtable);
			bool all = true;

			if (referred->rtekind != RTE_RELATION ||
				referred->relid != protection->path_relation ||
				(other->unit == NIL && *level > 0))
				continue;
			forboth (column, protection->path_columns, key,
					 protection->path_keys)
			{
				Var *own = column_at(scope->query, rtindex, lfirst_int(column));
				Var *its = column_at(scopes[*level]->query, other->rtindex,
									 lfirst_int(key));

				its->varlevelsup = (Index) *level;
				all = all && dp_gate_are_equal(equal, own, its);
			}
			if (all)
				return other;
		}
	}
	return NULL;
}

/*
 * Whether values of two types are, bit by bit, what an operator class
 * compares.
 */
static bool
are_of_input(Oid left, Oid right, Oid input)
{
	return left == right ||
		   (!IsPolymorphicType(input) && IsBinaryCoercible(left, input) &&
			IsBinaryCoercible(right, input));
}

/*
 * own = key, by the equality of the key's type. Types may be others than when
 * the relation was protected.
 */
static Node *
equality(Query *query, Var *own, Var *key)
{
	const TypeCacheEntry *type =
		lookup_type_cache(getBaseType(key->vartype), TYPECACHE_BTREE_OPFAMILY);
	Oid left = getBaseType(own->vartype);
	Oid right = getBaseType(key->vartype);
	Oid operator= OidIsValid(type->btree_opf)
		? get_opfamily_member(type->btree_opf, left, right,
							  BTEqualStrategyNumber)
		: InvalidOid;
	Expr *result;

	if (!OidIsValid(operator) && OidIsValid(type->btree_opf) &&
		are_of_input(left, right, type->btree_opintype))
		operator=
			get_opfamily_member(type->btree_opf, type->btree_opintype,
								type->btree_opintype, BTEqualStrategyNumber);
	if (!OidIsValid(operator) || operator>=
		FirstNormalObjectId || !dp_gate_is_total(get_opcode(operator)))
		dp_gate_refuse("a path to a privacy unit over columns of such types",
					   "Ask the owner for columns of numbers, texts, dates or "
					   "uuids.",
					   dp_gate_location_of_entry(query, own->varno));
	result = make_opclause(operator, BOOLOID, false, (Expr *) own, (Expr *) key,
						   InvalidOid, key->varcollid);
	set_opfuncid((OpExpr *) result);
	return (Node *) result;
}

/*
 * A further entry of the range table: a relation that a path leads to. It is
 * its owner's look-up, as that of a foreign key: policies of row-level
 * security say nothing about it.
 */
static int
add_relation(Query *query, Oid relation)
{
	ParseState *state = make_parsestate(NULL);
	Relation rel = table_open(relation, AccessShareLock);
	Query *other = makeNode(Query);

	(void) addRangeTableEntryForRelation(state, rel, AccessShareLock, NULL,
										 true, true);
	table_close(rel, NoLock);
	other->rtable = state->p_rtable;
	dp_compat_take_permissions(other, state);
	dp_compat_add_range_table(query, other);
	free_parsestate(state);
	return list_length(query->rtable);
}

/* Joins the relation that is referred to behind a leaf of FROM. */
static DpOwned *
join_referred(DpScope *scope, const DpOwned *from,
			  const DpProtection *protection, DpEqualities **equal,
			  Bitmapset **rtindexes)
{
	Query *query = scope->query;
	JoinExpr *join = makeNode(JoinExpr);
	RangeTblRef *ref = makeNode(RangeTblRef);
	List *arms = NIL;
	DpOwned *owned;
	ListCell *column;
	ListCell *key;

	ref->rtindex = add_relation(query, protection->path_relation);
	forboth (column, protection->path_columns, key, protection->path_keys)
		arms = lappend(
			arms,
			equality(query, column_at(query, from->rtindex, lfirst_int(column)),
					 column_at(query, ref->rtindex, lfirst_int(key))));
	join->jointype = JOIN_INNER;
	join->larg = *from->leaf;
	join->rarg = (Node *) ref;
	join->quals = (Node *) make_ands_explicit(arms);
	*from->leaf = (Node *) join;
	*equal = dp_gate_learn(*equal, join->quals);
	*rtindexes = bms_add_member(*rtindexes, ref->rtindex);
	dp_gate_follow_relation(scope->relations, protection->path_relation);
	owned = own_relation(scope, ref->rtindex);
	owned->leaf = &join->rarg;
	scope->owned = lappend(scope->owned, owned);
	return owned;
}

void
dp_gate_own_by_path(DpScope *scope, DpOwned *owned, DpEqualities **equal,
					Bitmapset **rtindexes)
{
	RangeTblEntry *rte = rt_fetch(owned->rtindex, scope->query->rtable);
	const DpProtection *protection = dp_gate_protection(rte->relid);
	const DpProtection *next;
	DpOwned *referred;
	int level;

	dp_stack_enter();
	if (protection->unit != DP_UNIT_BY_PATH)
		return;
	if (!OidIsValid(protection->path_relation) ||
		protection->path_columns == NIL || protection->path_keys == NIL)
		refuse_path(scope->query, owned->rtindex,
					"leads over what is no longer there",
					"Ask the owner to protect it again.");
	next = dp_gate_protection(protection->path_relation);
	if (!next->is_protected)
		refuse_path(scope->query, owned->rtindex,
					"leads to a relation that is not protected",
					"Ask the owner to protect that, too.");
	if (next->population != protection->population)
		refuse_path(scope->query, owned->rtindex,
					"leads to a relation of another population",
					"Ask the owner to protect it again.");
	if (dp_owner_of(rte->relid) != dp_owner_of(next->relation))
		refuse_path(scope->query, owned->rtindex,
					"leads to a relation of another owner",
					"Ask the owner to protect it by a column of its own.");
	if (++scope->steps > MOST_STEPS)
		refuse_path(scope->query, owned->rtindex, "has no end",
					"Ask the owner to protect one of the relations by a "
					"column.");
	if (!dp_gate_is_key(next->relation, protection->path_keys))
		refuse_path(
			scope->query, owned->rtindex, "leads to a key that is not unique",
			"Ask the owner for a unique index of exactly these columns, "
			"and for a table without inheriting tables.");
	referred = find_referred(scope, protection, owned->rtindex, *equal, &level);
	if (referred == NULL)
	{
		referred = join_referred(scope, owned, protection, equal, rtindexes);
		level = 0;
	}
	if (referred->unit == NIL)
		dp_gate_own_by_path(scope, referred, equal, rtindexes);
	owned->unit = copyObject(referred->unit);
	if (level > 0)
		IncrementVarSublevelsUp((Node *) owned->unit, level, 0);
	owned->bearer = referred->bearer;
	owned->bearer_unit = referred->bearer_unit;
}
