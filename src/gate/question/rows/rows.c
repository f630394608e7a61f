/*
 * rows.c
 *		The rules that give rows an owner: joins.
 *
 * FROM is read as sets of entries in inner joins, with their conditions; the
 * nullable side of an outer join is a set of its own. The conditions of a set
 * hold in all of its rows; those of a nullable set, and its ON, hold where a
 * row matched.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/question/expressions/expression.h"
#include "gate/question/expressions/folding.h"
#include "gate/question/relations/locations.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/shown.h"
#include "gate/question/rows/answers.h"
#include "gate/question/relations/code_of_others.h"
#include "gate/question/rows/conditions.h"
#include "gate/question/rows/join_conditions.h"
#include "gate/question/rows/owned_relations.h"
#include "gate/question/rows/rows.h"
#include "gate/question/relations/flatten.h"
#include "gate/question/rows/unit_keys.h"
#include "gate/question/rows/unit_queries.h"
#include "server/compat.h"
#include "server/stack.h"

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
	Bitmapset *rtindexes;
	List *nullable; /* sets that were joined to it: Set */
} Set;

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
	scope->relations->exchanges = true;
}

bool
dp_gate_same_people(const DpOwned *one, const DpOwned *other)
{
	return one->population == other->population;
}

/* The following functions collect sets. */

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

	dp_stack_enter();
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
			dp_gate_add_arms(join->quals, raw);
			join->quals = NULL; /* of the whole set: put back as one */
			break;
		case JOIN_LEFT:
			collect(set, &join->larg, raw);
			set->outer = lappend(set->outer, join);
			break;
		default:
			dp_gate_refuse("FULL JOIN",
						   "The result would have rows without a privacy unit: "
						   "write the protected relation LEFT JOIN the other.",
						   exprLocation(join->quals));
	}
}

/* The following functions are the rules for entries of FROM. */

static void
note_public(Set *set, int rtindex, List *conditions)
{
	DpPublicJoin *join = palloc(sizeof(DpPublicJoin));

	join->rtindex = rtindex;
	join->conditions = conditions;
	set->scope->publics = lappend(set->scope->publics, join);
}

/*
 * The conditions that are applied to the copy of what is public. In a protected
 * view they run with the rights of whoever asks: those that may run somebody's
 * code stay where protected rows are, and are refused unless that allows them.
 */
static List *
take_own_arms(const Set *set, int rtindex, List **raw)
{
	List *arms = dp_gate_take_own_arms(raw, rtindex);
	ListCell *cell;

	if (set->scope->relations->view_depth == 0)
		return arms;
	foreach (cell, arms)
	{
		if (!dp_code_is_of_others(lfirst(cell)))
			continue;
		*raw = lappend(*raw, lfirst(cell));
		arms = foreach_delete_current (arms, cell);
	}
	return arms;
}

/*
 * Whether it is shown is decided before answers in it become a parameter.
 * Conditions are only moved into it if it is shown, since they may call the
 * asker's functions, which would see its rows.
 */
static void
own_public(Set *set, int rtindex, List **raw)
{
	Query *query = set->scope->query;
	DpRelations *relations = set->scope->relations;
	bool is_shown = dp_gate_is_shown(query, rt_fetch(rtindex, query->rtable));
	List *own = is_shown ? take_own_arms(set, rtindex, raw) : NIL;
	DpPublic *public;

	dp_gate_take_answer_of(query, rtindex, relations);
	public = dp_gate_read_public(query, rtindex, own, relations);
	if (!is_shown)
		dp_gate_hide_public(public);
	note_public(set, rtindex, NIL);
}

/* Applies the rule for an entry. raw: conditions that only it may have. */
static void
own_leaf(Set *set, Node **leaf, List **raw)
{
	int rtindex = ((RangeTblRef *) *leaf)->rtindex;
	Query *query = set->scope->query;
	RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	DpOwned *owned;

	set->rtindexes = bms_add_member(set->rtindexes, rtindex);
	if (dp_gate_is_public(rte))
	{
		own_public(set, rtindex, raw);
		return;
	}
	if (rte->rtekind == RTE_RELATION)
	{
		owned = dp_gate_own_relation(set->scope, rtindex);
		*raw = list_concat(*raw, rte->securityQuals);
		rte->securityQuals = NIL;
	}
	else
		owned = dp_gate_own_query(set->scope, rtindex);
	owned->leaf = leaf;
	set->owned = lappend(set->owned, owned);
	set->scope->owned = lappend(set->scope->owned, owned);
}

/* The following functions are the rules for joins. */

static void
refuse_other_units(const DpScope *scope, const DpOwned *one,
				   const DpOwned *other)
{
	int location = dp_gate_location_of_entry(scope->query, other->rtindex);

	if (one->unit == NIL || other->unit == NIL ||
		((Var *) linitial(one->unit))->varattno < 0 ||
		((Var *) linitial(other->unit))->varattno < 0)
		dp_gate_refuse("a join of protected relations whose privacy units are "
					   "their rows",
					   "Ask the owners to protect them with privacy_unit => "
					   "the column that identifies the person.",
					   location);
	dp_gate_refuse("a join of protected relations on anything but their "
				   "privacy units",
				   "Join them by equality of the columns that are their "
				   "privacy units, written without casts; for an outer join "
				   "in its own ON.",
				   location);
}

static void
check_unit_collation(const DpScope *scope, const DpOwned *owned)
{
	dp_gate_check_unit_collation(
		owned->unit, "a join on privacy units of a nondeterministic collation",
		dp_gate_location_of_entry(scope->query, owned->rtindex));
}

/* Adds what the set's entries say. */
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

		check_unit_collation(set->scope, first);
		check_unit_collation(set->scope, other);
		if (!dp_gate_same_unit(set->scope, set->equal, first->unit,
							   other->unit))
			refuse_other_units(set->scope, first, other);
		set->is_mixed = set->is_mixed || other->is_mixed ||
						!dp_gate_same_people(first, other);
	}
}

/*
 * Adds what holds where a row of a nullable set matched: also its join
 * conditions.
 */
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
											nullable->rtindexes));
		if (met)
			known = dp_gate_learn_all(known, nullable->equal);
	}
	return known;
}

/*
 * Checks that what is left joined to a set belongs to its unit, or is public.
 */
static void
check_outer(Set *set, const Set *nullable, int location)
{
	DpEqualities *known;
	const DpOwned *one;
	const DpOwned *other;

	if (nullable->unit == NIL)
		return;
	if (set->unit == NIL)
		dp_gate_refuse(
			"an outer join that adds to the protected relation's "
			"rows",
			"The result would have rows without a privacy unit: "
			"write JOIN, which shows a group for each public value of "
			"a key anyway, or the protected relation LEFT JOIN the "
			"other.",
			location);
	one = linitial(set->owned);
	other = linitial(nullable->owned);
	check_unit_collation(set->scope, one);
	check_unit_collation(set->scope, other);
	known =
		dp_gate_learn_all(dp_gate_copy_equalities(set->equal), nullable->equal);
	if (!dp_gate_same_unit(set->scope, known, set->unit, nullable->unit))
		refuse_other_units(set->scope, one, other);
	if (set->is_mixed || nullable->is_mixed || !dp_gate_same_people(one, other))
	{
		set->is_mixed = true;
		dp_gate_note_exchange(set->scope);
	}
}

/*
 * Gives what is joined inner at some nodes an owner. quals: its conditions,
 * which become those that are left. onto: the rows that it is joined to by a
 * left join with these conditions, if any.
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
	dp_gate_add_arms(*quals, &raw);
	foreach (cell, set->leaves)
		own_leaf(set, lfirst(cell), &raw);
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
	foreach (cell, set->owned)
	{
		DpOwned *owned = lfirst(cell);

		if (owned->unit == NIL)
			dp_gate_own_by_path(scope, owned, &set->equal, &set->rtindexes);
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

/* Checks the conditions of FROM, one for each join and WHERE. */
static void
check_conditions(DpScope *scope, Node *node)
{
	ListCell *cell;

	if (IsA(node, FromExpr))
	{
		foreach (cell, ((FromExpr *) node)->fromlist)
			check_conditions(scope, lfirst(cell));
		dp_gate_check_in_scope(((FromExpr *) node)->quals, scope->relations,
							   "WHERE", dp_gate_scope_depth(scope));
	}
	else if (IsA(node, JoinExpr))
	{
		check_conditions(scope, ((JoinExpr *) node)->larg);
		check_conditions(scope, ((JoinExpr *) node)->rarg);
		dp_gate_check_in_scope(((JoinExpr *) node)->quals, scope->relations,
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

	dp_stack_enter();
	dp_flatten_joins(query);
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
