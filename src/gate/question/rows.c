/*
 * rows.c
 *		The rules that give rows an owner: relations and joins.
 *
 * FROM is read as sets of entries that are joined inner, with their conditions;
 * the nullable side of an outer join is a set of its own. Conditions of a set
 * hold in all of its rows, and those of a nullable one, with its ON, where it
 * met a row.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "gate/question/conditions.h"
#include "gate/question/expression.h"
#include "gate/question/folding.h"
#include "gate/question/people.h"
#include "gate/question/protection.h"
#include "gate/question/publics.h"
#include "gate/question/rows.h"
#include "gate/question/unit_queries.h"
#include "gate/question/units.h"
#include "server/compat.h"

/* Steps of paths that a query may have. */
#define MOST_STEPS 100

/* Entries of FROM that are joined inner. */
typedef struct Set
{
	DpScope *scope;
	List *leaves;	  /* where they stand: Node ** */
	List *conditions; /* ANDed, folded */
	List *outer;	  /* left joins onto it: JoinExpr */
	List *owned;	  /* DpOwned */
	List *unit;		  /* Var; NIL: public */
	bool is_mixed;
	DpEqualities *equal;
	Bitmapset *places;
	List *nullable; /* sets that were joined to it: Set */
} Set;

static void own_by_path(Set *set, Node **leaf, DpOwned *owned);

int
dp_gate_scope_depth(const DpScope *scope)
{
	int depth = 0;

	while (scope->outer != NULL)
	{
		scope = scope->outer;
		depth++;
	}
	return depth;
}

void
dp_gate_note_exchange(DpScope *scope)
{
	scope->subjects->exchanges = true;
}

/* Conditions. */

static void
add_arms(Node *condition, List **arms)
{
	ListCell *cell;

	if (condition == NULL)
		return;
	if (IsA(condition, List) || is_andclause(condition))
	{
		foreach (cell, IsA(condition, List) ? (List *) condition
											: ((BoolExpr *) condition)->args)
			add_arms(lfirst(cell), arms);
	}
	else
		*arms = lappend(*arms, condition);
}

/* Finds what is not of one place alone. */
static bool
other_place_walker(Node *node, int *place)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
			return ((Var *) node)->varlevelsup != 0 ||
				   ((Var *) node)->varno != *place;
		case T_SubLink:
		case T_Query:
		case T_Aggref:
		case T_WindowFunc:
			return true;
		case T_Param:
			return ((Param *) node)->paramkind != PARAM_EXTERN;
		default:
			return expression_tree_walker(node, other_place_walker, place);
	}
}

/* Finds what may not be evaluated where protected rows are. */
static bool
foreign_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_OpExpr:
		case T_DistinctExpr:
			set_opfuncid((OpExpr *) node);
			if (((OpExpr *) node)->opno >= FirstNormalObjectId ||
				!dp_gate_is_total(((OpExpr *) node)->opfuncid))
				return true;
			break;
		case T_ScalarArrayOpExpr:
			set_sa_opfuncid((ScalarArrayOpExpr *) node);
			if (((ScalarArrayOpExpr *) node)->opno >= FirstNormalObjectId ||
				!dp_gate_is_total(((ScalarArrayOpExpr *) node)->opfuncid))
				return true;
			break;
		case T_FuncExpr:
			if (!dp_gate_is_total(((FuncExpr *) node)->funcid))
				return true;
			break;
		case T_Var:
		case T_Const:
		case T_Param:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_RelabelType:
		case T_ArrayExpr:
		case T_List:
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, foreign_walker, context);
}

/*
 * Takes those of some conditions out that are of one public place alone and
 * could not be asked of protected rows: they are applied to the copy.
 */
static List *
take_own(List **arms, int place)
{
	List *own = NIL;
	List *rest = NIL;
	ListCell *cell;

	foreach (cell, *arms)
	{
		Node *arm = lfirst(cell);

		if (!other_place_walker(arm, &place) && foreign_walker(arm, NULL) &&
			pull_varnos(NULL, arm) != NULL)
			own = lappend(own, arm);
		else
			rest = lappend(rest, arm);
	}
	*arms = rest;
	return own;
}

/* Sets. */

/* The preserved side comes first. */
static void
turn_around(JoinExpr *join)
{
	Node *left = join->larg;

	join->jointype = JOIN_LEFT;
	join->larg = join->rarg;
	join->rarg = left;
}

/* Adds what is joined inner at a node; raw: conditions as they are written. */
static void
collect(Set *set, Node **node, List **raw)
{
	JoinExpr *join = (JoinExpr *) *node;

	check_stack_depth();
	if (IsA(*node, RangeTblRef))
	{
		set->leaves = lappend(set->leaves, node);
		return;
	}
	if (join->jointype == JOIN_RIGHT)
		turn_around(join);
	switch (join->jointype)
	{
		case JOIN_INNER:
			collect(set, &join->larg, raw);
			collect(set, &join->rarg, raw);
			add_arms(join->quals, raw);
			join->quals = NULL; /* of the whole set: put back as one */
			break;
		case JOIN_LEFT:
			collect(set, &join->larg, raw);
			set->outer = lappend(set->outer, join);
			break;
		default:
			dp_gate_refuse("FULL JOIN",
						   "Rows that nobody owns would count: write the "
						   "protected relation LEFT JOIN the other.",
						   exprLocation(join->quals));
	}
}

/* The entry of FROM that a column is of, and its query. */
static const DpOwned *
owned_at(const DpScope *scope, const Var *column)
{
	ListCell *cell;

	if (column->varlevelsup == 1 && scope->outer != NULL)
		scope = scope->outer;
	else if (column->varlevelsup != 0)
		return NULL;
	foreach (cell, scope->owned)
	{
		const DpOwned *owned = lfirst(cell);

		if (owned->place == column->varno)
			return owned;
	}
	return NULL;
}

/* A column of a bearer as one of its place; NULL where it is not known. */
static Var *
bearer_column(const DpOwned *owned, const Var *like, AttrNumber column)
{
	ListCell *known;
	ListCell *place;
	Var *result = copyObject((Var *) like);

	result->varattno = column;
	if (owned->is_bearer)
		return result;
	forboth (known, owned->known, place, owned->known_as)
	{
		if (lfirst_int(known) != column)
			continue;
		result->varattno = (AttrNumber) lfirst_int(place);
		return result;
	}
	return NULL;
}

/*
 * The columns of indexes that tell all rows of a relation apart; of inheriting
 * tables they say nothing. Nulls are not told apart: none of them may be null.
 */
static List *
keys_of(Oid relation, List **indexes)
{
	Relation rel = table_open(relation, NoLock);
	bool is_whole = rel->rd_rel->relkind != RELKIND_RELATION ||
					!rel->rd_rel->relhassubclass;
	List *keys = NIL;
	ListCell *cell;

	foreach (cell, is_whole ? RelationGetIndexList(rel) : NIL)
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);
		List *columns = NIL;
		bool is_key = index->rd_index->indisunique &&
					  index->rd_index->indimmediate &&
					  index->rd_index->indisvalid &&
					  RelationGetIndexPredicate(index) == NIL &&
					  RelationGetIndexExpressions(index) == NIL;
		int i;

		for (i = 0; is_key && i < index->rd_index->indnkeyatts; i++)
		{
			AttrNumber column = index->rd_index->indkey.values[i];

			columns = lappend_int(columns, column);
			is_key = dp_gate_is_not_null(relation, column);
		}
		if (is_key)
		{
			keys = lappend(keys, columns);
			*indexes = lappend_oid(*indexes, lfirst_oid(cell));
		}
		index_close(index, NoLock);
	}
	table_close(rel, NoLock);
	return keys;
}

static bool
is_unit_of(const DpOwned *owned, const Var *column)
{
	return owned != NULL && list_length(owned->unit) == 1 &&
		   linitial_node(Var, owned->unit)->varattno == column->varattno;
}

/* Two rows with one key of the relation that bears their units are one unit's. */
static bool
meet_one_row(const DpScope *scope, const DpEqualities *known, const Var *one,
			 const Var *other)
{
	const DpOwned *first = owned_at(scope, one);
	const DpOwned *second = owned_at(scope, other);
	List *indexes = NIL;
	ListCell *key;
	ListCell *column;

	if (!is_unit_of(first, one) || !is_unit_of(second, other) ||
		!OidIsValid(first->bearer) || first->bearer != second->bearer ||
		first->bearer_unit != second->bearer_unit)
		return false;
	foreach (key, keys_of(first->bearer, &indexes))
	{
		bool all = true;

		foreach (column, (List *) lfirst(key))
		{
			Var *left = bearer_column(first, one, lfirst_int(column));
			Var *right = bearer_column(second, other, lfirst_int(column));

			all = all && left != NULL && right != NULL &&
				  dp_gate_are_equal(known, left, right);
		}
		if (all)
		{
			scope->subjects->indexes = list_append_unique_oid(
				scope->subjects->indexes,
				list_nth_oid(indexes, foreach_current_index(key)));
			return true;
		}
	}
	return false;
}

/* The same, of any of the relations whose units these are. */
static bool
have_one_key(const DpScope *scope, const DpEqualities *known, Var *one,
			 Var *other)
{
	ListCell *left;
	ListCell *right;

	foreach (left, dp_gate_equal_to(known, one))
	{
		foreach (right, dp_gate_equal_to(known, other))
		{
			if (meet_one_row(scope, known, lfirst(left), lfirst(right)))
				return true;
		}
	}
	return false;
}

bool
dp_gate_same_unit(const DpScope *scope, const DpEqualities *known, List *one,
				  List *other)
{
	ListCell *left;
	ListCell *right;

	if (one == NIL || list_length(one) != list_length(other))
		return false;
	forboth (left, one, right, other)
	{
		if (!dp_gate_are_equal(known, lfirst(left), lfirst(right)))
			return have_one_key(scope, known, linitial(one), linitial(other));
	}
	return true;
}

/* Whether a column is of a key of the relation that another one is of. */
static bool
is_of_key(const DpScope *scope, const Var *column, const Var *of)
{
	const DpOwned *owned = owned_at(scope, of);
	List *indexes = NIL;
	ListCell *key;
	ListCell *cell;

	if (owned == NULL || !OidIsValid(owned->bearer))
		return false;
	foreach (key, keys_of(owned->bearer, &indexes))
	{
		foreach (cell, (List *) lfirst(key))
		{
			Var *of_key = bearer_column(owned, of, lfirst_int(cell));

			if (of_key != NULL && dp_gate_same_column(of_key, column))
				return true;
		}
	}
	return false;
}

bool
dp_gate_is_certain(const DpScope *scope, const DpEqualities *known, Var *column,
				   List *unit)
{
	ListCell *one;
	ListCell *other;

	foreach (other, dp_gate_equal_to(known, column))
	{
		if (dp_gate_has_column(unit, lfirst(other)))
			return true;

		/* What equals the unit is of a row that is there. */
		foreach (one, dp_gate_equal_to(known, linitial(unit)))
		{
			if (is_of_key(scope, lfirst(other), lfirst(one)))
				return true;
		}
	}
	return false;
}

bool
dp_gate_determines_unit(const DpScope *scope, List *expressions)
{
	const DpOwned *owned = owned_at(scope, linitial(scope->unit));
	List *indexes = NIL;
	List *columns = NIL;
	bool all = true;
	ListCell *key;
	ListCell *cell;

	foreach (cell, expressions)
	{
		Var *column = dp_gate_column_of(lfirst(cell));

		if (column != NULL && column->varlevelsup == 0)
			columns =
				list_concat(columns, dp_gate_equal_to(scope->equal, column));
	}
	foreach (cell, scope->unit)
		all = all && dp_gate_has_column(columns, lfirst(cell));
	if (all)
		return true;
	foreach (key, owned == NULL || !OidIsValid(owned->bearer)
					  ? NIL
					  : keys_of(owned->bearer, &indexes))
	{
		all = true;
		foreach (cell, (List *) lfirst(key))
		{
			Var *column =
				bearer_column(owned, linitial(scope->unit), lfirst_int(cell));

			all = all && column != NULL && dp_gate_has_column(columns, column);
		}
		if (all)
			return true;
	}
	return false;
}

/* Rules for entries of FROM. */

static void
check_relation(const RangeTblEntry *rte)
{
	if (!rte->inh)
		dp_gate_refuse("ONLY", "Leave it out.", -1);
	if (rte->tablesample != NULL)
		dp_gate_refuse("TABLESAMPLE", "Leave it out.", -1);
	if (rte->securityQuals != NIL)
		dp_gate_refuse("row-level security",
					   "Protect a table without row-level security policies.",
					   -1);
}

/* The columns that tell whose a relation's row is, where it is the row itself. */
static List *
row_unit(const RangeTblEntry *rte, int place)
{
	List *unit = NIL;

	if (rte->relkind == RELKIND_FOREIGN_TABLE)
		return NIL;
	if (rte->relkind != RELKIND_RELATION || has_subclass(rte->relid))
		unit = list_make1(
			makeVar(place, TableOidAttributeNumber, OIDOID, -1, InvalidOid, 0));
	return lappend(unit, makeVar(place, SelfItemPointerAttributeNumber, TIDOID,
								 -1, InvalidOid, 0));
}

/* A protected relation is owned by its units. */
static DpOwned *
own_relation(Set *set, int place)
{
	Query *query = set->scope->query;
	RangeTblEntry *rte = rt_fetch(place, query->rtable);
	const DpProtection *protection = dp_gate_protection(rte->relid);
	DpOwned *owned = palloc0(sizeof(DpOwned));

	check_relation(rte);
	dp_gate_add_subject(set->scope->subjects, rte->relid);
	owned->place = place;
	if (protection->unit == 0)
		owned->unit = row_unit(rte, place);
	if (protection->unit == 0 || protection->unit == DP_UNIT_BY_PATH)
		return owned; /* the latter is found in own_by_path */
	owned->bearer = rte->relid;
	owned->bearer_unit = protection->unit;
	owned->is_bearer = true;
	owned->unit =
		list_make1(dp_gate_unit_column(query, (Index) place, protection->unit));
	return owned;
}

static void
note_public(Set *set, int place, List *conditions)
{
	DpPublicJoin *join = palloc(sizeof(DpPublicJoin));

	join->place = place;
	join->conditions = conditions;
	set->scope->publics = lappend(set->scope->publics, join);
}

/* Which rule is there for an entry. raw: conditions that only it may have. */
static void
own_leaf(Set *set, Node *leaf, List **raw)
{
	int place = ((RangeTblRef *) leaf)->rtindex;
	Query *query = set->scope->query;
	RangeTblEntry *rte = rt_fetch(place, query->rtable);
	DpOwned *owned;

	set->places = bms_add_member(set->places, place);
	if (dp_gate_is_public(rte))
	{
		(void) dp_gate_read_public(query, place, take_own(raw, place),
								   set->scope->subjects);
		note_public(set, place, NIL);
		return;
	}
	if (rte->rtekind == RTE_RELATION)
		owned = own_relation(set, place);
	else
		owned = dp_gate_own_query(set->scope, place);
	set->owned = lappend(set->owned, owned);
	set->scope->owned = lappend(set->scope->owned, owned);
}

/* Rules for joins. */

static void
refuse_other_units(const DpScope *scope, const DpOwned *one,
				   const DpOwned *other)
{
	RangeTblEntry *rte = rt_fetch(other->place, scope->query->rtable);

	if (one->unit == NIL || other->unit == NIL ||
		((Var *) linitial(one->unit))->varattno < 0 ||
		((Var *) linitial(other->unit))->varattno < 0)
		dp_gate_refuse("a join of protected relations whose privacy units are "
					   "their rows",
					   "Ask the owners to protect them with privacy_unit => "
					   "the column that tells whose a row is.",
					   -1);
	(void) rte;
	dp_gate_refuse("a join of protected relations on anything but their "
				   "privacy units",
				   "Join them by equality of the columns that are their "
				   "privacy units, written without casts; for an outer join "
				   "in its own ON.",
				   -1);
}

static void
check_unit_collation(const DpOwned *owned)
{
	ListCell *cell;

	foreach (cell, owned->unit)
	{
		const Var *column = lfirst(cell);

		if (OidIsValid(column->varcollid) &&
			!get_collation_isdeterministic(column->varcollid))
			dp_gate_refuse("a join on privacy units of a nondeterministic "
						   "collation",
						   "Ask the owner for a column of another collation.",
						   -1);
	}
}

/* What a set's own entries say. */
static DpEqualities *
learn_of_entries(DpEqualities *known, const Set *set)
{
	ListCell *cell;
	ListCell *column;

	foreach (cell, set->owned)
	{
		const DpOwned *owned = lfirst(cell);

		foreach (column, owned->alike)
		{
			Var *alike = copyObject(linitial_node(Var, owned->unit));

			alike->varattno = (AttrNumber) lfirst_int(column);
			known = dp_gate_learn_equal(known, linitial(owned->unit), alike);
		}
	}
	return known;
}

/* Rules for paths. */

static void
refuse_path(Oid relation, const char *why, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("the path from \"%s\" to its privacy units %s",
						   get_rel_name(relation), why),
					errhint("%s", hint)));
}

static Var *
column_at(const RangeTblEntry *rte, int place, AttrNumber column)
{
	Oid type;
	int32 typmod;
	Oid collation;

	get_atttypetypmodcoll(rte->relid, column, &type, &typmod, &collation);
	return makeVar(place, column, type, typmod, collation, 0);
}

/* An entry of FROM, or of the query around, for the row that is referred to. */
static const DpOwned *
find_referred(const Set *set, const DpProtection *protection, int place,
			  int *level)
{
	const DpScope *scopes[2] = {
		set->scope, set->scope->is_condition ? set->scope->outer : NULL};
	const RangeTblEntry *rte = rt_fetch(place, set->scope->query->rtable);
	ListCell *cell;
	ListCell *column;
	ListCell *key;

	for (*level = 0; *level < 2 && scopes[*level] != NULL; (*level)++)
	{
		foreach (cell, scopes[*level]->owned)
		{
			const DpOwned *other = lfirst(cell);
			const RangeTblEntry *referred =
				rt_fetch(other->place, scopes[*level]->query->rtable);
			bool all = true;

			if (referred->rtekind != RTE_RELATION ||
				referred->relid != protection->path_relation ||
				other->unit == NIL)
				continue;
			forboth (column, protection->path_columns, key,
					 protection->path_keys)
			{
				Var *own = column_at(rte, place, lfirst_int(column));
				Var *its = column_at(referred, other->place, lfirst_int(key));

				its->varlevelsup = (Index) *level;
				all = all && dp_gate_are_equal(set->equal, own, its);
			}
			if (all)
				return other;
		}
	}
	return NULL;
}

/* own = key, by the equality of the key's type. */
static Node *
equality(Var *own, Var *key)
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

	if (!OidIsValid(operator) && OidIsValid(type->btree_opf)) /* by its input */
		operator=
			get_opfamily_member(type->btree_opf, type->btree_opintype,
								type->btree_opintype, BTEqualStrategyNumber);
	if (!OidIsValid(operator) || operator>=
		FirstNormalObjectId || !dp_gate_is_total(get_opcode(operator)))
		dp_gate_refuse("a path to a privacy unit by columns of such types",
					   "Ask the owner for columns of numbers, texts, dates or "
					   "uuids.",
					   -1);
	result = make_opclause(operator, BOOLOID, false, (Expr *) own, (Expr *) key,
						   InvalidOid, key->varcollid);
	set_opfuncid((OpExpr *) result);
	return (Node *) result;
}

/* A further entry of the range table: a relation that a path leads to. */
static int
add_relation(Query *query, Oid relation)
{
	ParseState *state = make_parsestate(NULL);
	Relation rel = table_open(relation, AccessShareLock);
	Query *other = makeNode(Query);

	(void) addRangeTableEntryForRelation(state, rel, AccessShareLock, NULL,
										 true, true);
	if (rel->rd_rel->relrowsecurity)
		dp_gate_refuse("row-level security",
					   "Protect a table without row-level security policies.",
					   -1);
	table_close(rel, NoLock);
	other->rtable = state->p_rtable;
	dp_compat_take_permissions(other, state);
	dp_compat_add_range_table(query, other);
	free_parsestate(state);
	return list_length(query->rtable);
}

/* Joins the relation that is referred to behind a leaf of FROM. */
static DpOwned *
join_referred(Set *set, Node **leaf, const DpProtection *protection)
{
	Query *query = set->scope->query;
	int place = ((RangeTblRef *) *leaf)->rtindex;
	JoinExpr *join = makeNode(JoinExpr);
	RangeTblRef *ref = makeNode(RangeTblRef);
	List *arms = NIL;
	DpOwned *owned;
	ListCell *column;
	ListCell *key;

	ref->rtindex = add_relation(query, protection->path_relation);
	forboth (column, protection->path_columns, key, protection->path_keys)
		arms = lappend(arms,
					   equality(column_at(rt_fetch(place, query->rtable), place,
										  lfirst_int(column)),
								column_at(rt_fetch(ref->rtindex, query->rtable),
										  ref->rtindex, lfirst_int(key))));
	join->jointype = JOIN_INNER;
	join->larg = *leaf;
	join->rarg = (Node *) ref;
	join->quals = (Node *) make_ands_explicit(arms);
	*leaf = (Node *) join;
	set->equal = dp_gate_learn(set->equal, join->quals);
	set->places = bms_add_member(set->places, ref->rtindex);
	owned = own_relation(set, ref->rtindex);
	set->scope->owned = lappend(set->scope->owned, owned);
	if (owned->unit == NIL)
		own_by_path(set, &join->rarg, owned);
	return owned;
}

/* Who owns a row is who owns the row that it refers to. */
static void
own_by_path(Set *set, Node **leaf, DpOwned *owned)
{
	RangeTblEntry *rte = rt_fetch(owned->place, set->scope->query->rtable);
	const DpProtection *protection = dp_gate_protection(rte->relid);
	const DpProtection *next;
	const DpOwned *referred;
	int level;

	check_stack_depth();
	if (protection->unit != DP_UNIT_BY_PATH)
		return;
	if (!OidIsValid(protection->path_relation) ||
		protection->path_columns == NIL || protection->path_keys == NIL)
		refuse_path(rte->relid, "leads over what is no longer there",
					"Ask the owner to protect it again.");
	next = dp_gate_protection(protection->path_relation);
	if (!next->is_protected)
		refuse_path(rte->relid, "leads to a relation that is not protected",
					"Ask the owner to protect that, too.");
	if (!dp_gate_same_owner(rte->relid, next->relation))
		refuse_path(rte->relid, "leads to a relation of another owner",
					"Ask the owner to protect it by a column of its own.");
	if (++set->scope->steps > MOST_STEPS)
		refuse_path(rte->relid, "has no end",
					"Ask the owner to protect one of the relations by a "
					"column.");
	referred = find_referred(set, protection, owned->place, &level);
	if (referred == NULL)
	{
		referred = join_referred(set, leaf, protection);
		level = 0;
	}
	else
		dp_gate_add_subject(set->scope->subjects, next->relation);
	owned->unit = copyObject(referred->unit);
	if (level > 0)
		IncrementVarSublevelsUp((Node *) owned->unit, level, 0);
	owned->bearer = referred->bearer;
	owned->bearer_unit = referred->bearer_unit;
}

/* The one unit of all that is owned in a set. */
static void
join_units(Set *set)
{
	const DpOwned *first;
	ListCell *cell;

	if (set->owned == NIL)
		return;
	first = linitial(set->owned);
	set->unit = first->unit;
	set->is_mixed = first->is_mixed;
	for_each_from (cell, set->owned, 1)
	{
		const DpOwned *other = lfirst(cell);

		check_unit_collation(first);
		check_unit_collation(other);
		if (!dp_gate_same_unit(set->scope, set->equal, first->unit,
							   other->unit))
			refuse_other_units(set->scope, first, other);
		set->is_mixed = set->is_mixed || other->is_mixed ||
						!dp_gate_same_people(set->scope, first, other);
	}
}

/* Where a row of a nullable set was met, what it was joined by holds, too. */
static DpEqualities *
learn_of_nullable(DpEqualities *known, const Set *set, List *conditions)
{
	ListCell *cell;

	foreach (cell, set->nullable)
	{
		const Set *nullable = lfirst(cell);
		DpEqualities *own = dp_gate_learn(NIL, (Node *) conditions);
		ListCell *class;
		ListCell *column;
		bool met = false;

		foreach (class, own)
			foreach (column, (List *) lfirst(class))
				met = met || (((Var *) lfirst(column))->varlevelsup == 0 &&
							  bms_is_member(((Var *) lfirst(column))->varno,
											nullable->places));
		if (met)
			known = dp_gate_learn_all(known, nullable->equal);
	}
	return known;
}

/* What is left joined to a set must be of its unit, or public. */
static void
check_outer(Set *set, const Set *nullable, int location)
{
	DpEqualities *known;
	const DpOwned *one;
	const DpOwned *other;

	if (nullable->unit == NIL)
		return;
	if (set->unit == NIL)
		dp_gate_refuse("an outer join that adds to the protected relation's "
					   "rows",
					   "Rows that nobody owns would count: write the "
					   "protected relation LEFT JOIN the other.",
					   location);
	one = linitial(set->owned);
	other = linitial(nullable->owned);
	check_unit_collation(one);
	check_unit_collation(other);
	known =
		dp_gate_learn_all(dp_gate_copy_equalities(set->equal), nullable->equal);
	if (!dp_gate_same_unit(set->scope, known, set->unit, nullable->unit))
		refuse_other_units(set->scope, one, other);
	if (set->is_mixed || nullable->is_mixed ||
		!dp_gate_same_people(set->scope, one, other))
	{
		set->is_mixed = true;
		dp_gate_note_exchange(set->scope);
	}
}

/*
 * Gives what is joined inner at some nodes an owner. quals: its conditions, which
 * become those that are left. onto: the rows that it is joined to by a left join
 * with these conditions, if any.
 */
static Set *
own_set(DpScope *scope, List *nodes, Node **quals, const Set *onto)
{
	Set *set = palloc0(sizeof(Set));
	const char *what = onto == NULL ? "WHERE" : "JOIN";
	List *raw = NIL;
	int before = list_length(scope->publics);
	ListCell *cell;
	ListCell *join;

	set->scope = scope;
	foreach (cell, nodes)
		collect(set, lfirst(cell), &raw);
	add_arms(*quals, &raw);
	foreach (cell, set->leaves)
		own_leaf(set, *(Node **) lfirst(cell), &raw);
	*quals = raw == NIL ? NULL
						: dp_gate_fold((Node *) make_ands_explicit(raw), what);
	set->conditions = make_ands_implicit((Expr *) *quals);
	for_each_from (cell, scope->publics, before)
		((DpPublicJoin *) lfirst(cell))->conditions = set->conditions;
	if (onto != NULL)
	{
		set->equal = dp_gate_copy_equalities(onto->equal);
		set->equal = learn_of_nullable(set->equal, onto, set->conditions);
	}
	set->equal = learn_of_entries(set->equal, set);
	set->equal = dp_gate_learn(set->equal, (Node *) set->conditions);
	foreach (cell, set->leaves)
	{
		Node **leaf = lfirst(cell);

		foreach (join, set->owned)
		{
			DpOwned *owned = lfirst(join);

			if (owned->place == ((RangeTblRef *) *leaf)->rtindex &&
				owned->unit == NIL)
			{
				own_by_path(set, leaf, owned);
				break;
			}
		}
	}
	foreach (cell, set->outer)
	{
		JoinExpr *outer = lfirst(cell);

		set->nullable =
			lappend(set->nullable, own_set(scope, list_make1(&outer->rarg),
										   &outer->quals, set));
	}
	set->equal = learn_of_nullable(set->equal, set, set->conditions);
	join_units(set);
	forboth (cell, set->nullable, join, set->outer)
	{
		check_outer(set, lfirst(cell),
					exprLocation(((JoinExpr *) lfirst(join))->quals));
	}
	return set;
}

/* Columns of joins become those of what is joined. */
static void
flatten_joins(Query *query)
{
	query->targetList =
		(List *) dp_compat_flatten_joins(query, (Node *) query->targetList);
	query->havingQual = dp_compat_flatten_joins(query, query->havingQual);
	query->jointree =
		(FromExpr *) dp_compat_flatten_joins(query, (Node *) query->jointree);
}

/* Checks the conditions of FROM, one for each join and WHERE. */
static void
check_conditions(DpScope *scope, Node *node)
{
	ListCell *cell;

	if (IsA(node, FromExpr))
	{
		foreach (cell, ((FromExpr *) node)->fromlist)
			check_conditions(scope, lfirst(cell));
		dp_gate_check_in_scope(((FromExpr *) node)->quals, scope->subjects,
							   "WHERE", dp_gate_scope_depth(scope));
	}
	else if (IsA(node, JoinExpr))
	{
		check_conditions(scope, ((JoinExpr *) node)->larg);
		check_conditions(scope, ((JoinExpr *) node)->rarg);
		dp_gate_check_in_scope(((JoinExpr *) node)->quals, scope->subjects,
							   "JOIN", dp_gate_scope_depth(scope));
	}
}

void
dp_gate_own_rows(DpScope *scope)
{
	Query *query = scope->query;
	List *nodes = NIL;
	Set *set;
	ListCell *cell;

	check_stack_depth();
	flatten_joins(query);
	foreach (cell, query->jointree->fromlist)
		nodes = lappend(nodes, &lfirst(cell));
	set = own_set(scope, nodes, &query->jointree->quals, NULL);
	scope->unit = set->unit;
	scope->equal = set->equal;
	scope->is_mixed = set->is_mixed;
	query->jointree =
		(FromExpr *) dp_gate_own_conditions(scope, (Node *) query->jointree);
	check_conditions(scope, (Node *) query->jointree);
}

static void
add_inner_conditions(Node *node, List **arms)
{
	JoinExpr *join = (JoinExpr *) node;

	if (IsA(node, RangeTblRef))
		return;
	add_inner_conditions(join->larg, arms);
	if (join->jointype != JOIN_INNER)
		return;
	add_inner_conditions(join->rarg, arms);
	add_arms(join->quals, arms);
}

Node *
dp_gate_inner_conditions(Query *query)
{
	List *arms = NIL;
	ListCell *cell;

	foreach (cell, query->jointree->fromlist)
		add_inner_conditions(lfirst(cell), &arms);
	add_arms(query->jointree->quals, &arms);
	return arms == NIL ? NULL : (Node *) make_ands_explicit(arms);
}
