/*
 * rewrite.c
 *		Questions that are asked in the server's own aggregates.
 *
 * Only the meaning is chosen here: the result is checked as a block like any
 * other, or reads rows that are kept back and is refused.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_constraint.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/read/key_filter.h"
#include "gate/read/probe.h"
#include "gate/read/rewrite.h"
#include "gate/read/rewrite_aggregate.h"
#include "gate/read/source_column.h"
#include "gate/relations/kept_back.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/protection.h"
#include "gate/relations/publics.h"
#include "gate/relations/refusal.h"
#include "gate/relations/with.h"
#include "server/compat.h"
#include "server/search.h"
#include "server/settings.h"
#include "server/stack.h"

/* A statement that is rewritten. */
typedef struct Rewriting
{
	bool
		is_beneath; /* the query is a sub-query whose rows an outer block reads */
	bool *is_changed;
} Rewriting;

static void rewrite_query(Query *query, Rewriting rewriting);

/* A column that tells the privacy unit of a protected relation's row. */
static bool
tells_unit(Oid relation, AttrNumber column)
{
	const DpProtection *protection = dp_gate_protection(relation);
	Oid constraint;
	Bitmapset *key;

	if (!protection->is_protected)
		return false;
	if (protection->unit == DP_UNIT_BY_PATH)
		return list_member_int(protection->path_columns, column);
	if (protection->unit != 0)
		return protection->unit == column;
	key = get_primary_key_attnos(relation, false, &constraint);
	return bms_membership(key) == BMS_SINGLETON &&
		   bms_is_member(column - FirstLowInvalidHeapAttributeNumber, key);
}

static Node *
column_expression(Query *query, AttrNumber column)
{
	TargetEntry *entry = get_tle_by_resno(query->targetList, column);

	return entry == NULL ? NULL : (Node *) entry->expr;
}

static bool is_unit_of_union(Query *query, Node *expression);

static bool
is_unit(Query *query, Node *expression)
{
	Oid relation;
	AttrNumber column;

	return dp_source_column(query, expression, &relation, &column)
			   ? tells_unit(relation, column)
			   : is_unit_of_union(query, expression);
}

/* A column of UNION ALL, every part of which tells it. */
static bool
is_unit_of_union(Query *query, Node *expression)
{
	const Var *var =
		expression == NULL ? NULL : dp_relations_column_of(expression);
	Query *within;
	ListCell *cell;

	dp_stack_enter();
	if (var == NULL || var->varlevelsup != 0 || var->varattno <= 0 ||
		rt_fetch(var->varno, query->rtable)->rtekind != RTE_SUBQUERY)
		return false;
	within = rt_fetch(var->varno, query->rtable)->subquery;
	if (within->setOperations == NULL)
		return is_unit_of_union(within,
								column_expression(within, var->varattno));
	foreach (cell, within->rtable)
	{
		Query *part = lfirst_node(RangeTblEntry, cell)->subquery;

		if (part == NULL ||
			!is_unit(part, column_expression(part, var->varattno)))
			return false;
	}
	return true;
}

/* A column that a condition of FROM or WHERE says equals another. */
typedef struct Search
{
	Query *query;
	Node *column;
} Search;

/* Whether that other column is a unit. Only conditions that are ANDed count. */
static DpVisit
find_equal_unit(Node *node, const List *around, void *context)
{
	const Search *search = context;
	Node *left;
	Node *right;

	(void) around;
	if (IsA(node, FromExpr) || IsA(node, JoinExpr) || IsA(node, List) ||
		is_andclause(node))
		return DP_VISIT_PARTS;
	if (!IsA(node, OpExpr) || list_length(((OpExpr *) node)->args) != 2)
		return DP_VISIT_NEXT;
	left = linitial(((OpExpr *) node)->args);
	right = lsecond(((OpExpr *) node)->args);
	return op_mergejoinable(((OpExpr *) node)->opno, exprType(left)) &&
				   ((equal(left, search->column) &&
					 is_unit(search->query, right)) ||
					(equal(right, search->column) &&
					 is_unit(search->query, left)))
			   ? DP_VISIT_FOUND
			   : DP_VISIT_NEXT;
}

/*
 * Whether the keys of a query's groups or distinct rows seem to identify the
 * unit. This only decides how the query is read; that they do is checked
 * later.
 */
static bool
is_of_units(Query *query)
{
	List *clauses =
		query->groupClause != NIL ? query->groupClause : query->distinctClause;
	ListCell *cell;

	foreach (cell, clauses)
	{
		Search search = {
			query, get_sortgroupclause_expr(lfirst(cell), query->targetList)};

		if (is_unit(query, search.column) ||
			dp_search((Node *) query->jointree, find_equal_unit, &search, 0))
			return true;
	}
	return false;
}

/* Whether a query combines rows itself. */
static bool
combines_rows(const Query *query)
{
	return query->commandType == CMD_SELECT && query->setOperations == NULL &&
		   (query->hasAggs || query->groupClause != NIL ||
			query->groupingSets != NIL || query->distinctClause != NIL);
}

/* Replaces a query's aggregates by private ones. */

static Node *
private_aggregate(Node *node, int depth, void *query)
{
	(void) depth;
	if (IsA(node, Query))
		return node;
	if (!IsA(node, Aggref) || ((Aggref *) node)->agglevelsup != 0)
		return NULL;
	return dp_private_aggregates_is_one(((Aggref *) node)->aggfnoid)
			   ? node
			   : dp_rewrite_aggregate((Aggref *) node, query);
}

/* Refuses DISTINCT where other clauses choose or make rows before it. */
static void
check_distinct(const Query *query)
{
	const char *what = NULL;

	if (query->hasDistinctOn)
		what = "DISTINCT ON";
	else if (query->hasWindowFuncs)
		what = "a window function over rows that are not grouped";
	else if (query->hasTargetSRFs)
		what = "a function that returns a set";
	if (what != NULL)
		dp_gate_refuse(what, "GROUP BY the columns, with count(*) beside them.",
					   -1);
}

/*
 * For keys without aggregates: those of DISTINCT become those of GROUP BY, and
 * a count is added.
 */
static void
ask_for_keys(Query *query)
{
	if (query->groupClause == NIL)
	{
		check_distinct(query);
		query->groupClause = query->distinctClause;
		query->distinctClause = NIL;
	}
	query->targetList =
		lappend(query->targetList,
				makeTargetEntry((Expr *) dp_rewrite_aggregate_make_of_keys(),
								list_length(query->targetList) + 1,
								pstrdup("dp_keys"), true));
	query->hasAggs = true;
}

/* Makes a query a block. */
static void
make_block(Query *query, const Rewriting *rewriting)
{
	dp_compat_flatten_groups(query);
	query->targetList = (List *) dp_search_replace((Node *) query->targetList,
												   private_aggregate, query);
	query->havingQual =
		dp_search_replace(query->havingQual, private_aggregate, query);
	if (!query->hasAggs && query->groupingSets == NIL)
		ask_for_keys(query);
	*rewriting->is_changed = true;
}

/* The following functions rewrite queries within a query. */

/*
 * Rewrites sub-queries in expressions, except correlated ones beneath a block,
 * which belong to it.
 */
static DpVisit
rewrite_sublink(Node *node, const List *around, void *context)
{
	const Rewriting *rewriting = context;

	(void) around;
	if (IsA(node, SubLink))
	{
		Query *query = castNode(Query, ((SubLink *) node)->subselect);

		if (!rewriting->is_beneath || !dp_publics_refers_outward(query))
			rewrite_query(query, *rewriting);
	}
	return IsA(node, Query) ? DP_VISIT_NEXT : DP_VISIT_PARTS;
}

static void
rewrite_within(Query *query, Rewriting rewriting)
{
	ListCell *cell;

	foreach (cell, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

		if (rte->rtekind == RTE_SUBQUERY &&
			!OidIsValid(dp_gate_protected_view(rte)))
			rewrite_query(rte->subquery, rewriting);
	}
	(void) dp_search_query(query, rewrite_sublink, &rewriting,
						   QTW_IGNORE_RT_SUBQUERIES |
							   QTW_IGNORE_CTE_SUBQUERIES);
}

/* Rewrites the queries of WITH, in the order in which one uses another. */
static void
rewrite_ctes(Query *query, Rewriting rewriting)
{
	ListCell *cell;

	rewriting.is_beneath = true;
	foreach (cell, query->cteList)
	{
		CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);

		if (cte->cterecursive || !IsA(cte->ctequery, Query))
			continue;
		rewrite_query((Query *) cte->ctequery, rewriting);
		if (dp_with_write_out_one(query, cte) && cte->cterefcount == 0)
			query->cteList = foreach_delete_current (query->cteList, cell);
	}
}

static void
rewrite_query(Query *query, Rewriting rewriting)
{
	bool is_block;
	bool may_be_block;

	dp_stack_enter();
	if (!OidIsValid(dp_kept_back_find(query, true)))
		return;
	is_block = dp_private_aggregates_in(query);
	if (dp_probe_empty(query, is_block))
	{
		*rewriting.is_changed = true;
		return;
	}
	if (is_block) /* beneath it all stays as it is */
	{
		if (dp_setting_rewrite_aggregates)
			make_block(query, &rewriting);
		return;
	}
	rewrite_ctes(query, rewriting);
	if (query->groupingSets ==
		NIL) /* else they can be null where keys are not */
		dp_compat_flatten_groups(query);
	may_be_block =
		combines_rows(query) && !(rewriting.is_beneath && is_of_units(query));
	rewriting.is_beneath |= may_be_block;
	rewrite_within(query, rewriting);
	if (may_be_block && dp_setting_rewrite_aggregates &&
		OidIsValid(dp_kept_back_find(query, false)))
	{
		make_block(query, &rewriting);
		dp_key_filter_repeat(query);
	}
}

bool
dp_rewrite_statement(Query *query)
{
	bool is_changed = false;

	rewrite_query(query, (Rewriting){false, &is_changed});
	return is_changed;
}
