/*
 * cut.c
 *		Cuts a statement where it reads a distributed relation alone.
 *
 * First what decides on rows: conditions that are pure go to the nodes, the others
 * stay. Then, if all aggregates can be split (node_parts.h) and the nodes can group by all
 * that the reader groups by, they do so, and what stays may only name these groups.
 * Otherwise every pure expression, as large as it can be, becomes a column; of rows
 * that are few, or whose number does not matter, the nodes name each once (few.h).
 *
 * The reader still groups and aggregates what comes: nothing depends on whether
 * nodes return a group once.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "gate/run/nodes/node_asked.h"
#include "gate/run/nodes/cut.h"
#include "gate/run/nodes/few.h"
#include "gate/run/nodes/node_parts.h"
#include "gate/run/nodes/pure.h"
#include "server/compat.h"
#include "server/search.h"

/*
 * Readers
 */

typedef struct Search
{
	Oid relation;
	Query *reader;
	int entries; /* that read it */
} Search;

static bool
find_reader(Node *node, void *context)
{
	Search *search = context;

	if (!IsA(node, Query))
		return false;
	foreach_ptr (const RangeTblEntry, rte, ((Query *) node)->rtable)
	{
		if (rte->rtekind != RTE_RELATION || rte->relid != search->relation)
			continue;
		search->reader = (Query *) node;
		search->entries++;
	}
	return false;
}

static bool
is_correlated(Node *node, void *context)
{
	(void) context;
	return IsA(node, SubLink) &&
		   contain_vars_of_level(((SubLink *) node)->subselect, 1);
}

static bool
is_simple(const Query *query)
{
	return list_length(query->rtable) == 1 &&
		   list_length(query->jointree->fromlist) == 1 &&
		   IsA(linitial(query->jointree->fromlist), RangeTblRef) &&
		   query->setOperations == NULL && query->cteList == NIL &&
		   query->groupingSets == NIL && query->distinctClause == NIL &&
		   query->sortClause == NIL && query->limitOffset == NULL &&
		   query->limitCount == NULL && query->rowMarks == NIL &&
		   !query->hasTargetSRFs;
}

Query *
dp_cut_reader(Query *statement, Oid relation)
{
	Search search = {.relation = relation};

	(void) dp_search_any((Node *) statement, find_reader, &search);
	if (search.entries != 1 || !is_simple(search.reader) ||
		dp_search_within((Node *) search.reader->targetList, is_correlated,
						 NULL) ||
		dp_search_within(search.reader->jointree->quals, is_correlated, NULL))
		return NULL;
	return search.reader;
}

/*
 * Expressions
 */

/* What is asked, and whether an expression may need any columns. */
typedef struct Replacing
{
	DpNodeAsked *asked;
	bool is_free; /* else those of groups alone */
} Replacing;

/* A part of an expression that may be a column. */
static bool
is_expression(const Node *node)
{
	return !IsA(node, List) && !IsA(node, CaseWhen) && !IsA(node, RelabelType);
}

/* The column in whose place an expression is, if that is one; else NULL. */
static Node *
column_of(Node *node, const Replacing *replacing)
{
	DpNodeAsked *asked = replacing->asked;
	bool was_closed = asked->is_closed;
	Node *column;

	if (!is_expression(node) || !dp_nodes_is_pure(node) ||
		!contain_vars_of_level(node, 0))
		return NULL;
	asked->is_closed |= !replacing->is_free;
	column = dp_node_asked_column(asked, node);
	asked->is_closed = was_closed;
	return column;
}

static Node *replaced(Node *node, DpNodeAsked *asked, bool is_free);

/* An aggregate of the reader's: its arguments may need any columns. */
static Node *
replace_aggregate(Aggref *aggref, DpNodeAsked *asked)
{
	Aggref *result;

	if (asked->is_split)
	{
		Node *parts = dp_parts_of(asked, aggref);

		asked->has_failed |= parts == NULL;
		return parts == NULL ? (Node *) aggref : parts;
	}
	result = copyObject(aggref);
	result->aggdirectargs =
		(List *) replaced((Node *) aggref->aggdirectargs, asked, true);
	result->args = (List *) replaced((Node *) aggref->args, asked, true);
	result->aggfilter =
		(Expr *) replaced((Node *) aggref->aggfilter, asked, true);
	return (Node *) result;
}

static Node *
replace(Node *node, int depth, void *context)
{
	const Replacing *replacing = context;
	Node *result;

	(void) depth;
	if (IsA(node, Query))
		return node;
	result = column_of(node, replacing);
	if (result != NULL)
		return result;
	if (IsA(node, Aggref))
		return replace_aggregate((Aggref *) node, replacing->asked);
	if (!IsA(node, Var))
		return NULL;
	replacing->asked->has_failed |= ((Var *) node)->varlevelsup == 0;
	return node;
}

static Node *
replaced(Node *node, DpNodeAsked *asked, bool is_free)
{
	Replacing replacing = {asked, is_free};

	return dp_search_replace(node, replace, &replacing);
}

/*
 * Readers' parts
 */

/* Leaves pure conditions to the nodes; returns the others. */
static List *
leave_conditions(const Query *reader, DpNodeAsked *asked)
{
	List *others = NIL;
	ListCell *cell;

	foreach (cell, dp_nodes_conjuncts(reader->jointree->quals))
	{
		if (dp_nodes_is_pure(lfirst(cell)))
			dp_node_asked_where(asked, lfirst(cell));
		else
			others = lappend(others, lfirst(cell));
	}
	return others;
}

static bool
are_keys(const Query *reader)
{
	foreach_node (SortGroupClause, clause, reader->groupClause)
	{
		if (!dp_nodes_is_key(dp_nodes_grouped_by(reader, clause)) ||
			!OidIsValid(clause->eqop))
			return false;
	}
	return true;
}

static void
replace_keys(Query *reader, DpNodeAsked *asked)
{
	foreach_node (SortGroupClause, clause, reader->groupClause)
	{
		TargetEntry *entry =
			get_sortgroupclause_tle(clause, reader->targetList);

		entry->expr = (Expr *) replaced((Node *) entry->expr, asked, true);
	}
}

static bool
is_key(const Query *reader, const TargetEntry *entry)
{
	foreach_node (SortGroupClause, clause, reader->groupClause)
	{
		if (entry->ressortgroupref == clause->tleSortGroupRef)
			return true;
	}
	return false;
}

/* All but the keys. conditions: those that stay. */
static void
replace_others(Query *reader, List *conditions, DpNodeAsked *asked)
{
	bool has_groups = reader->hasAggs || reader->groupClause != NIL;

	foreach_node (TargetEntry, entry, reader->targetList)
	{
		if (!is_key(reader, entry))
			entry->expr =
				(Expr *) replaced((Node *) entry->expr, asked, !has_groups);
	}
	reader->havingQual = replaced(reader->havingQual, asked, false);
	reader->jointree->quals =
		conditions == NIL ? NULL
						  : replaced((Node *) make_ands_explicit(conditions),
									 asked, !asked->is_split);
}

/* Leaves groups to the nodes, in a copy of a reader; NULL where they cannot. */
static DpNodeAsked *
ask_for_groups(Query *reader)
{
	DpNodeAsked *asked;
	List *conditions;

	if ((!reader->hasAggs && reader->groupClause == NIL) || !are_keys(reader))
		return NULL;
	asked = dp_node_asked_begin(reader);
	asked->is_grouped = asked->is_split = true;
	conditions = leave_conditions(reader, asked);
	replace_keys(reader, asked);
	asked->is_closed = true;
	replace_others(reader, conditions, asked);
	return asked->has_failed ? NULL : asked;
}

/* Leaves different rows to the nodes, which name each once. */
static DpNodeAsked *
ask_for_different(Query *reader)
{
	DpNodeAsked *asked = dp_node_asked_begin(reader);
	List *conditions = leave_conditions(reader, asked);

	asked->is_grouped = true;
	replace_keys(reader, asked);
	replace_others(reader, conditions, asked);
	foreach_node (TargetEntry, entry, asked->rows->targetList)
		asked->has_failed |= !dp_nodes_is_key((Node *) entry->expr);
	return asked->has_failed ? NULL : asked;
}

/* The same, where they are few, with their numbers as a last column. */
static DpNodeAsked *
ask_for_points(Query *reader, const DpOutline *outline)
{
	const Query *original = copyObject(reader);
	List *bounded = dp_few_bound(reader);
	DpNodeAsked *asked = ask_for_different(reader);

	if (asked == NULL || asked->rows->targetList == NIL ||
		!dp_few_points(asked, bounded, original, outline))
		return NULL;
	asked->is_unfolded =
		!dp_few_weigh(reader, dp_node_asked_count(asked, NULL, NULL));
	return asked;
}

/* The same rows, of which others have asked for columns. */
static DpNodeAsked *
find_shared(const List *shared, const DpNodeAsked *asked)
{
	foreach_ptr (DpNodeAsked, one, shared)
	{
		if (equal(one->rows->jointree, asked->rows->jointree))
			return one;
	}
	return NULL;
}

static DpNodeAsked *
ask_for_rows(Query *reader, List **shared)
{
	DpNodeAsked *asked = dp_node_asked_begin(reader);
	List *conditions = leave_conditions(reader, asked);
	DpNodeAsked *before = find_shared(*shared, asked);

	if (before != NULL)
		asked = before;
	else
		*shared = lappend(*shared, asked);
	replace_keys(reader, asked);
	replace_others(reader, conditions, asked);
	return asked->has_failed ? NULL : asked;
}

/* Asks as a way does it, where that is one for a reader. */
static DpNodeAsked *
ask(DpNodeWork work, Query *reader, const DpOutline *outline, List **shared)
{
	switch (work)
	{
		case DP_NODES_ADD_UP:
			return ask_for_groups(reader);
		case DP_NODES_FIND_VALUES:
			return dp_few_are_sets(reader) ? ask_for_different(reader) : NULL;
		case DP_NODES_COUNT_POINTS:
			return reader->hasAggs ? ask_for_points(reader, outline) : NULL;
		case DP_NODES_CHOOSE_ROWS:
			return ask_for_rows(reader, shared);
		default:
			return NULL;
	}
}

bool
dp_cut(const Query *reader, const DpOutline *outline, List **shared, DpCut *cut)
{
	static const DpNodeWork ways[] = {DP_NODES_ADD_UP, DP_NODES_FIND_VALUES,
									  DP_NODES_COUNT_POINTS,
									  DP_NODES_CHOOSE_ROWS};
	size_t i;

	for (i = 0; i < lengthof(ways); i++)
	{
		Query *copy = (Query *) copyObject(reader);
		DpNodeAsked *asked = ask(ways[i], copy, outline, shared);

		if (asked == NULL)
			continue;
		cut->cut = copy;
		cut->rows = asked->rows;
		cut->is_unfolded = asked->is_unfolded;
		cut->work = ways[i];
		return true;
	}
	return false;
}
