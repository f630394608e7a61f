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
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "gate/question/expressions/expression.h"
#include "gate/question/keys/key.h"
#include "gate/question/relations/declared.h"
#include "gate/question/relations/locations.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/row_copies.h"
#include "gate/question/rows/lookup_keys.h"
#include "gate/question/units/contributions.h"
#include "server/settings.h"

/*
 * Finds keys for all that is public in FROM, in whatever order they need one
 * another; false where something has none.
 */
static bool
find_keys(const DpScope *scope)
{
	DpKnown known = {
		bms_make_singleton(((DpOwned *) linitial(scope->owned))->rtindex), NIL};
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
				scope->relations,
				rt_fetch(join->rtindex, scope->query->rtable));
			List *key = dp_gate_find_key(join, public, &known);

			if (key == NIL)
				continue;
			public->key = key;
			known.rtindexes = bms_add_member(known.rtindexes, join->rtindex);
			left = foreach_delete_current (left, cell);
			progress = true;
		}
	}
	if (left == NIL)
		return true;
	foreach (cell, scope->relations->publics)
		((DpPublic *) lfirst(cell))->key = NIL;
	return false;
}

/* What is looked for to find joins that change nothing. */

typedef struct Mention
{
	int rtindex;
	int depth;
	const JoinExpr *but; /* not in the conditions of this join */
} Mention;

static bool
mentions_walker(Node *node, Mention *mention)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varno == mention->rtindex &&
			   (int) ((Var *) node)->varlevelsup == mention->depth;
	if (node == (Node *) mention->but)
		return mentions_walker(mention->but->larg, mention);
	if (IsA(node, Query))
	{
		bool result;

		mention->depth++;
		result = query_tree_walker((Query *) node, mentions_walker, mention, 0);
		mention->depth--;
		return result;
	}
	return expression_tree_walker(node, mentions_walker, mention);
}

/*
 * Whether the nullable side of a left join is met at most once, and not named.
 */
static bool
is_idle(DpScope *scope, const JoinExpr *join)
{
	Query *query = scope->query;
	Mention mention = {.but = join};
	DpPublicJoin looked_up;
	DpPublic *public;
	DpKnown others = {NULL, NIL};
	int i;

	if (!IsA(join->rarg, RangeTblRef))
		return false;
	mention.rtindex = ((RangeTblRef *) join->rarg)->rtindex;
	public = dp_gate_public_of(scope->relations,
							   rt_fetch(mention.rtindex, query->rtable));
	if (public == NULL ||
		mentions_walker((Node *) query->targetList, &mention) ||
		mentions_walker(query->havingQual, &mention) ||
		mentions_walker((Node *) query->jointree, &mention))
		return false;
	for (i = 1; i <= list_length(query->rtable); i++)
	{
		if (i != mention.rtindex)
			others.rtindexes = bms_add_member(others.rtindexes, i);
	}
	looked_up.rtindex = mention.rtindex;
	looked_up.conditions = make_ands_implicit((Expr *) join->quals);
	if (dp_gate_find_key(&looked_up, public, &others) == NIL)
		return false;
	public->rows->jointree->quals = makeBoolConst(false, false);
	return true;
}

static void
forget_public(DpScope *scope, int rtindex)
{
	ListCell *cell;

	foreach (cell, scope->publics)
	{
		if (((const DpPublicJoin *) lfirst(cell))->rtindex == rtindex)
			scope->publics = foreach_delete_current (scope->publics, cell);
	}
}

static Node *
without_idle(DpScope *scope, Node *node)
{
	JoinExpr *join = (JoinExpr *) node;

	if (!IsA(node, JoinExpr))
		return node;
	join->larg = without_idle(scope, join->larg);
	join->rarg = without_idle(scope, join->rarg);
	if (join->jointype != JOIN_LEFT || !is_idle(scope, join))
		return node;
	forget_public(scope, ((RangeTblRef *) join->rarg)->rtindex);
	if (join->rtindex > 0) /* the planner would look for it */
	{
		RangeTblEntry *rte = rt_fetch(join->rtindex, scope->query->rtable);

		rte->rtekind = RTE_RESULT;
		rte->joinaliasvars = NIL;
	}
	return join->larg;
}

void
dp_gate_drop_idle_joins(DpScope *scope)
{
	ListCell *cell;

	foreach (cell, scope->query->jointree->fromlist)
		lfirst(cell) = without_idle(scope, lfirst(cell));
}

static bool
has_row_units(const DpRelations *relations)
{
	ListCell *cell;

	foreach (cell, relations->unit_columns)
	{
		if (lfirst_int(cell) == InvalidAttrNumber)
			return true;
	}
	return false;
}

/*
 * Privacy levels belong to one relation or view, for which the grant pays once
 * for all of them. Answers about a view over a relation with levels would not be among
 * its levels.
 */
static void
refuse_levels(const DpScope *scope)
{
	const DpRelations *relations = scope->relations;
	bool is_joined = list_length(dp_gate_named(relations)) > 1;
	ListCell *cell;

	foreach (cell, dp_gate_all_read(relations))
	{
		Oid relation = lfirst_oid(cell);
		bool is_beneath = dp_gate_is_beneath(relations, relation);

		if ((is_joined || is_beneath) && dp_gate_levels(relation) != NIL)
			dp_gate_refuse(
				is_beneath
					? "a protected view of a relation with privacy levels"
					: "a join to a protected relation with privacy levels",
				is_beneath ? "Ask the owner for levels of the view instead."
						   : "Ask about each of the relations by itself.",
				dp_gate_location_of_relation(scope->query, relation));
	}
}

/*
 * Refuses substitute neighbours where rows of two relations may be exchanged:
 * that would be two exchanges.
 */
static void
refuse_substitution(const DpScope *scope)
{
	const DpRelations *relations = scope->relations;
	ListCell *cell;

	foreach (cell, dp_gate_all_read(relations))
	{
		if (dp_gate_protection(lfirst_oid(cell))->contribution.neighbours ==
			DP_SUBSTITUTE)
			dp_gate_refuse(
				"an outer join, or such a sub-query, of protected "
				"relations whose privacy units are substituted",
				"Write an inner join.",
				dp_gate_location_of_relation(scope->query, lfirst_oid(cell)));
	}
}

/* A query that only chooses rows and columns of one entry of FROM. */
static bool
only_chooses(const Query *query)
{
	return query->setOperations == NULL && !query->hasAggs &&
		   query->groupClause == NIL && query->havingQual == NULL &&
		   query->distinctClause == NIL && !query->hasWindowFuncs &&
		   !query->hasTargetSRFs &&
		   list_length(query->jointree->fromlist) == 1 &&
		   IsA(linitial(query->jointree->fromlist), RangeTblRef);
}

/*
 * Whether rows of an entry are rows of one relation, no two of one unit; maybe
 * as protected views show them, whose queries are not written out.
 */
static bool
is_of_unique_units(Query *query, int rtindex)
{
	const RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	const RangeTblRef *beneath;

	if (rte->rtekind == RTE_RELATION)
		return dp_gate_protection(rte->relid)->unit_is_unique;
	if (!OidIsValid(dp_gate_protected_view(rte)) ||
		!only_chooses(rte->subquery))
		return false;
	beneath = linitial(rte->subquery->jointree->fromlist);
	return is_of_unique_units(rte->subquery, beneath->rtindex);
}

void
dp_gate_decide_contribution(DpScope *scope)
{
	DpRelations *relations = scope->relations;
	const DpOwned *first = linitial(scope->owned);

	refuse_levels(scope);
	if (relations->exchanges)
		refuse_substitution(scope);
	relations->several = list_length(scope->owned) > 1 ||
						 !is_of_unique_units(scope->query, first->rtindex) ||
						 !find_keys(scope);
	if (!relations->several)
		return;
	if (scope->unit == NIL)
		dp_gate_refuse("a join that may multiply the rows of a foreign table, "
					   "where they are its privacy units,",
					   "Ask the owner to protect it with privacy_unit => the "
					   "column that identifies the person.",
					   dp_gate_location_of_entry(scope->query, first->rtindex));
	if (list_length(relations->oids) > 1 && has_row_units(relations) &&
		dp_gate_are_open_to_others(relations))
		dp_gate_refuse("a join of protected relations, whose privacy units are "
					   "rows, of several owners",
					   "Ask the owners to protect them with privacy_unit => "
					   "the column that identifies the person.",
					   dp_gate_location_of_entry(scope->query, first->rtindex));
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
dp_gate_contribution(const DpRelations *relations, List *keys)
{
	DpContribution result =
		dp_gate_protection(linitial_oid(relations->oids))->contribution;
	ListCell *cell;

	result.rows = result.groups = 1;
	foreach (cell, dp_gate_all_read(relations))
	{
		const DpContribution *one =
			&dp_gate_protection(lfirst_oid(cell))->contribution;

		if (one->neighbours == DP_SUBSTITUTE)
			result.neighbours = DP_SUBSTITUTE;
		if (dp_gate_is_beneath(relations, lfirst_oid(cell)))
			continue; /* the view has caps of its own */
		result.rows = Max(result.rows, one->rows);
		result.groups = Max(result.groups, one->groups);
	}
	if (dp_setting_max_rows_per_unit > 0)
		result.rows = (uint32) dp_setting_max_rows_per_unit;
	if (dp_setting_max_groups_per_unit > 0)
		result.groups = (uint32) dp_setting_max_groups_per_unit;
	if (!relations->several || relations->one_row)
		result.rows = 1;
	if (!relations->several || relations->one_group)
		result.groups = 1;
	if (relations->exchanges)
		result.neighbours = DP_SUBSTITUTE;
	result.groups = keys == NIL ? 0 : least_groups(result.groups, keys);
	return result;
}

void
dp_gate_check_contribution(const DpRelations *relations,
						   DpContribution contribution)
{
	int rows = dp_setting_max_rows_per_unit;
	int groups = dp_setting_max_groups_per_unit;

	if (!relations->several)
		return;
	if ((rows > 0 && !relations->one_row &&
		 (uint32) rows != contribution.rows) ||
		(groups > 0 && contribution.groups > (uint32) groups))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("dp_noise.max_rows_per_unit or max_groups_per_unit was "
						"changed after the statement was planned"),
				 errhint("Ask again.")));
}
