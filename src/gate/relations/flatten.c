/*
 * flatten.c
 *		Sub-queries and views in FROM, written out where they only select and join.
 *
 * Conditions of a sub-query join those of WHERE, or of the outer join on whose
 * nullable side it stands. In which order the server then evaluates them does
 * not matter, since no expression over protected rows can fail. For the same
 * reason security barriers do not matter, but in what is public: views of it
 * stay, unless whoever asks may read all that is beneath
 * (gate/relations/shown.h).
 *
 * Protected views have settings of their own, and stay
 * (gate/read/views.c).
 *
 * Privileges on a view are checked here, and not again: if they change, or if
 * another role runs the statement, the server plans it anew.
 */
#include "postgres.h"

#include "catalog/objectaddress.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "gate/relations/flatten.h"
#include "gate/relations/protection.h"
#include "gate/relations/publics.h"
#include "gate/relations/shown.h"
#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/queries.h"
#include "server/search.h"
#include "server/stack.h"

/* A sub-query that only chooses rows and columns, and joins. */
static bool
is_plain(const Query *query)
{
	/* What is lateral has columns of its neighbours. */
	foreach_node (RangeTblEntry, rte, query->rtable)
	{
		if (rte->lateral)
			return false;
	}
	return query->commandType == CMD_SELECT && query->setOperations == NULL &&
		   !query->hasAggs && query->groupClause == NIL &&
		   query->groupingSets == NIL && query->havingQual == NULL &&
		   query->distinctClause == NIL && !query->hasWindowFuncs &&
		   !query->hasTargetSRFs && query->limitCount == NULL &&
		   query->limitOffset == NULL && query->rowMarks == NIL &&
		   query->cteList == NIL && query->jointree->fromlist != NIL;
}

/*
 * The same, if its targets are columns only: they are null where no row
 * matches.
 */
static bool
has_columns_alone(const Query *query)
{
	foreach_node (TargetEntry, entry, query->targetList)
	{
		if (!entry->resjunk && !IsA(entry->expr, Var))
			return false;
	}
	return list_length(query->jointree->fromlist) == 1 &&
		   IsA(linitial(query->jointree->fromlist), RangeTblRef);
}

static void
check_privileges(const Query *query, RangeTblEntry *rte)
{
	if (OidIsValid(rte->relid) && dp_protection_exists(rte->relid))
		return;
	if (!dp_compat_is_allowed(query, rte))
		aclcheck_error(ACLCHECK_NO_PRIV,
					   get_relkind_objtype(get_rel_relkind(rte->relid)),
					   get_rel_name(rte->relid));
}

void
dp_flatten_take_privileges(const Query *query, RangeTblEntry *rte)
{
	ListCell *cell;

	check_privileges(query, rte);
	foreach_ptr (RangeTblEntry, one, rte->subquery->rtable)
		check_privileges(rte->subquery, one);
	dp_compat_ask_no_permission(rte);
	foreach (cell, rte->subquery->rtable)
	{
		if (lfirst_node(RangeTblEntry, cell)->relkind == RELKIND_VIEW)
			dp_compat_ask_no_permission(lfirst(cell));
	}
}

/* The columns of a sub-query become what stands for them in its targets. */
typedef struct Columns
{
	int varno; /* of the sub-query */
	List *targets;
} Columns;

static Node *
value_of_column(Node *node, int depth, void *context)
{
	const Columns *columns = context;
	const Var *column = (const Var *) node;
	TargetEntry *entry;
	Node *value;

	if (!IsA(node, Var) || column->varno != columns->varno ||
		(int) column->varlevelsup != depth || column->varattno <= 0)
		return NULL;
	entry = get_tle_by_resno(columns->targets, column->varattno);
	if (entry == NULL || entry->resjunk)
		elog(ERROR, "a sub-query lacks column %d", column->varattno);
	value = (Node *) copyObject(entry->expr);
	if (IsA(value, Var))
		dp_compat_add_nulling(castNode(Var, value), column);
	if (depth > 0)
		IncrementVarSublevelsUp(value, depth, 0);
	return value;
}

/* A whole row of a sub-query has no columns of relations. */
static DpVisit
find_whole_row(Node *node, const List *around, void *varno)
{
	const Var *column = (const Var *) node;

	return IsA(node, Var) && column->varno == *(int *) varno &&
				   (int) column->varlevelsup == list_length(around) &&
				   column->varattno <= 0
			   ? DP_VISIT_FOUND
			   : DP_VISIT_PARTS;
}

static bool
names_whole_row(Node *node, int varno)
{
	return dp_search(node, find_whole_row, &varno, 0);
}

/* A sub-query that is public but for the private answers that it reads. */
static bool
is_answer(Query *query)
{
	return dp_publics_reads_release(query) &&
		   !dp_publics_reads_protected(query);
}

/*
 * A public view of another owner is not taken apart if the asker may not read
 * all beneath it: what the view hides must stay hidden from values of keys and
 * from functions, too.
 */
static bool
may_be_taken_apart(RangeTblEntry *rte)
{
	return dp_publics_reads_protected(rte->subquery) ||
		   dp_shown_all(rte->subquery);
}

/* A FROM item whose sub-query is to be written out. */
typedef struct FromItem
{
	int varno;
	bool is_nullable; /* directly on the nullable side of an outer join */
} FromItem;

static bool
is_candidate(Query *query, Node *node, bool is_nullable, FromItem *item)
{
	RangeTblEntry *rte;

	if (!IsA(node, RangeTblRef))
		return false;
	*item = (FromItem){((RangeTblRef *) node)->rtindex, is_nullable};
	rte = rt_fetch(item->varno, query->rtable);
	return rte->rtekind == RTE_SUBQUERY && is_plain(rte->subquery) &&
		   !OidIsValid(dp_protection_view(rte)) && !is_answer(rte->subquery) &&
		   may_be_taken_apart(rte) &&
		   (!is_nullable || has_columns_alone(rte->subquery)) &&
		   !names_whole_row((Node *) query->targetList, item->varno) &&
		   !names_whole_row(query->havingQual, item->varno) &&
		   !names_whole_row((Node *) query->jointree, item->varno);
}

/* Finds the next one; what is beneath nullable sides is left. */
static bool
find_item(Query *query, Node *node, FromItem *item)
{
	JoinExpr *join = (JoinExpr *) node;

	dp_stack_enter();
	if (!IsA(node, JoinExpr))
		return is_candidate(query, node, false, item);
	switch (join->jointype)
	{
		case JOIN_INNER:
			return find_item(query, join->larg, item) ||
				   find_item(query, join->rarg, item);
		case JOIN_LEFT:
			return find_item(query, join->larg, item) ||
				   is_candidate(query, join->rarg, true, item);
		case JOIN_RIGHT:
			return find_item(query, join->rarg, item) ||
				   is_candidate(query, join->larg, true, item);
		default:
			return false;
	}
}

static bool
find_in_from(Query *query, FromItem *item)
{
	foreach_ptr (Node, node, query->jointree->fromlist)
	{
		if (find_item(query, node, item))
			return true;
	}
	return false;
}

/*
 * Puts a node in the place of a FROM item, and the conditions of an outer join
 * there.
 */
static Node *
put(Node *node, const FromItem *item, Node *from, Node *quals)
{
	JoinExpr *join = (JoinExpr *) node;
	Node **side;

	if (IsA(node, RangeTblRef))
		return ((RangeTblRef *) node)->rtindex == item->varno ? from : node;
	for (side = &join->larg;; side = &join->rarg)
	{
		if (item->is_nullable && IsA(*side, RangeTblRef) &&
			((RangeTblRef *) *side)->rtindex == item->varno)
			join->quals = make_and_qual(join->quals, quals);
		*side = put(*side, item, from, quals);
		if (side == &join->rarg)
			return node;
	}
}

static void
write_out(Query *query, const FromItem *item)
{
	RangeTblEntry *rte = rt_fetch(item->varno, query->rtable);
	Columns columns = {item->varno, NIL};
	Query *body;
	Node *from;
	ListCell *cell;

	dp_flatten_take_privileges(query, rte);
	body = copyObject(rte->subquery);

	OffsetVarNodes((Node *) body, list_length(query->rtable), 0);
	IncrementVarSublevelsUp((Node *) body, -1, 1);
	columns.targets = body->targetList;
	query->targetList = (List *) dp_search_replace((Node *) query->targetList,
												   value_of_column, &columns);
	query->havingQual =
		dp_search_replace(query->havingQual, value_of_column, &columns);
	query->jointree = (FromExpr *) dp_search_replace((Node *) query->jointree,
													 value_of_column, &columns);
	dp_compat_add_range_table(query, body);
	query->hasSubLinks |= body->hasSubLinks;
	query->hasRowSecurity |= body->hasRowSecurity;

	/* Nothing reads the entry any longer. */
	rte->rtekind = RTE_RESULT;
	rte->subquery = NULL;
	rte->lateral = false;
	from = dp_query_join(body->jointree->fromlist);
	if (!item->is_nullable)
		query->jointree->quals =
			make_and_qual(query->jointree->quals, body->jointree->quals);
	foreach (cell, query->jointree->fromlist)
		lfirst(cell) = put(lfirst(cell), item, from, body->jointree->quals);
}

void
dp_flatten_joins(Query *query)
{
	query->targetList =
		(List *) dp_compat_flatten_joins(query, (Node *) query->targetList);
	query->havingQual = dp_compat_flatten_joins(query, query->havingQual);
	query->jointree =
		(FromExpr *) dp_compat_flatten_joins(query, (Node *) query->jointree);
}

void
dp_flatten_subqueries(Query *query)
{
	FromItem item;

	dp_stack_enter();
	foreach_node (RangeTblEntry, rte, query->rtable)
	{
		if (rte->lateral)
			return; /* its own columns would have to be replaced, too */
	}
	dp_compat_flatten_groups(query);
	foreach_node (RangeTblEntry, rte, query->rtable)
	{
		if (rte->rtekind == RTE_SUBQUERY && is_plain(rte->subquery) &&
			!OidIsValid(dp_protection_view(rte)))
			dp_flatten_subqueries(rte->subquery);
	}
	if (!find_in_from(query, &item))
		return;
	dp_flatten_joins(query);
	while (find_in_from(query, &item))
		write_out(query, &item);
}
