/*
 * hashed_subqueries.c
 *		Sub-queries whose rows the server may keep in memory as a whole.
 *
 * The server makes a join of less than is taken for one here in no version from
 * 15 (pull_up_sublinks): conditions of outer joins and those beneath NOT EXISTS
 * are left out, and so is what refers to several queries around.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "gate/relations/publics.h"
#include "gate/run/hashed_subqueries.h"
#include "server/search.h"

/* The sub-queries that are found, and the one that is visited. */
typedef struct Search
{
	List *found;	  /* of List */
	List **copies;	  /* of the sub-query that may be hashed; NULL: none */
	bool beneath_not; /* in NOT EXISTS, which became a join */
	int depth;		  /* of the query that is visited */
} Search;

static DpVisit look(Node *node, const List *around, void *context);
static void look_at(Node *node, Search *search);

/*
 * Whether an expression names columns of queries this many levels out, or further.
 * The server joins a sub-query to one side of a join, not to both.
 */
static bool
names_further(Node *expression, int level, const Search *search)
{
	for (; level <= search->depth; level++)
	{
		if (contain_vars_of_level(expression, level))
			return true;
	}
	return false;
}

/* EXISTS over rows that conditions alone tie to the row around. */
static bool
exists_is_join(Query *query, const Search *search)
{
	Node *where = query->jointree->quals;
	bool result;

	if (query->setOperations != NULL || query->hasAggs ||
		query->groupingSets != NIL || query->havingQual != NULL ||
		query->hasWindowFuncs || query->hasTargetSRFs ||
		query->limitOffset != NULL || query->limitCount != NULL ||
		query->rowMarks != NIL || query->cteList != NIL)
		return false;
	query->jointree->quals = NULL;
	result = !dp_publics_refers_outward(query);
	query->jointree->quals = where;
	return result && contain_vars_of_level(where, 1) &&
		   !names_further(where, 2, search) &&
		   !contain_volatile_functions(where);
}

static bool
in_is_join(const SubLink *link, const Search *search)
{
	return !dp_publics_refers_outward((Query *) link->subselect) &&
		   contain_vars_of_level(link->testexpr, 0) &&
		   !names_further(link->testexpr, 1, search) &&
		   !contain_volatile_functions(link->testexpr);
}

/* A condition of WHERE by itself. */
static void
visit_condition(Node *condition, Search *search)
{
	bool is_not = is_notclause(condition);
	SubLink *link =
		(SubLink *) (is_not ? (Node *) get_notclausearg(condition) : condition);
	Search before = *search;

	if (!IsA(link, SubLink) || search->beneath_not ||
		!(link->subLinkType == EXISTS_SUBLINK
			  ? exists_is_join((Query *) link->subselect, search)
			  : link->subLinkType == ANY_SUBLINK && !is_not &&
					in_is_join(link, search)))
	{
		look_at(condition, search);
		return;
	}
	look_at(link->testexpr, search);
	search->copies = NULL; /* it adds no rows */
	search->beneath_not = is_not;
	look_at(link->subselect, search);
	search->copies = before.copies;
	search->beneath_not = before.beneath_not;
}

static void
visit_sublink(const SubLink *link, Search *search)
{
	Search before = *search;
	List *own = NIL;

	look_at(link->testexpr, search); /* read by the query around */
	search->copies =
		link->subLinkType == ANY_SUBLINK || link->subLinkType == EXISTS_SUBLINK
			? &own
			: NULL;
	search->beneath_not = false;
	look_at(link->subselect, search);
	search->copies = before.copies;
	search->beneath_not = before.beneath_not;
	if (own != NIL)
		search->found = lappend(search->found, own);
}

static void
visit_query(Query *query, Search *search)
{
	Node *where = query->jointree->quals;
	ListCell *cell;

	search->depth++;
	query->jointree->quals = NULL;
	(void) dp_search_query(query, look, search, QTW_EXAMINE_RTES_BEFORE);
	query->jointree->quals = where;
	foreach (cell, make_ands_implicit((Expr *) where))
		visit_condition(lfirst(cell), search);
	search->depth--;
}

static DpVisit
look(Node *node, const List *around, void *context)
{
	Search *search = context;
	const RangeTblEntry *rte = (const RangeTblEntry *) node;

	(void) around;
	switch (nodeTag(node))
	{
		case T_RangeTblEntry:
			if (rte->rtekind == RTE_NAMEDTUPLESTORE &&
				dp_publics_is_name(rte->enrname) && search->copies != NULL)
				*search->copies =
					lappend(*search->copies, makeString(pstrdup(rte->enrname)));
			return DP_VISIT_NEXT;
		case T_Query:
			visit_query((Query *) node, search);
			return DP_VISIT_NEXT;
		case T_SubLink:
			visit_sublink((SubLink *) node, search);
			return DP_VISIT_NEXT;
		default:
			return DP_VISIT_PARTS;
	}
}

static void
look_at(Node *node, Search *search)
{
	(void) dp_search(node, look, search, QTW_EXAMINE_RTES_BEFORE);
}

List *
dp_hashed_subqueries_find(Query *statement)
{
	Search search = {NIL, NULL, false, 0};

	look_at((Node *) statement, &search);
	return search.found;
}
