/*
 * correlated.c
 *		Sub-queries about people for each row of what is public.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "gate/read/correlated.h"
#include "gate/read/ends.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/publics.h"
#include "server/compat.h"
#include "server/queries.h"
#include "server/search.h"

/* A condition that compares the sub-query's rows with the row around it. */
typedef struct Comparison
{
	OpExpr *condition;
	int inner; /* which of its arguments is of the sub-query's rows */
} Comparison;

/* Whether the query has nothing but aggregates, FROM and WHERE. */
static bool
is_plain(const Query *query)
{
	return query->commandType == CMD_SELECT && query->hasAggs &&
		   query->setOperations == NULL && query->groupClause == NIL &&
		   query->groupingSets == NIL && query->havingQual == NULL &&
		   query->distinctClause == NIL && query->sortClause == NIL &&
		   query->limitCount == NULL && query->limitOffset == NULL &&
		   query->rowMarks == NIL && query->cteList == NIL &&
		   !query->hasWindowFuncs && !query->hasTargetSRFs;
}

/* Whether equal values of the expression are one group, and are found by the operator. */
static bool
groups_by(const OpExpr *condition, Node *inner)
{
	Oid type = exprType(inner);
	Oid collation = exprCollation(inner);
	Oid equality;

	get_sort_group_operators(type, false, false, false, NULL, &equality, NULL,
							 NULL);
	return OidIsValid(equality) &&
		   op_mergejoinable(condition->opno,
							exprType(linitial(condition->args))) &&
		   equality_ops_are_compatible(equality, condition->opno) &&
		   (!OidIsValid(collation) ||
			(collation == condition->inputcollid &&
			 get_collation_isdeterministic(collation)));
}

/* Whether a condition says that something of the rows equals something around. */
static bool
compares(Node *node, Comparison *comparison)
{
	OpExpr *condition = (OpExpr *) node;
	int i;

	if (!IsA(node, OpExpr) || list_length(condition->args) != 2 ||
		contain_volatile_functions(node) || contain_subplans(node))
		return false;
	for (i = 0; i < 2; i++)
	{
		Node *inner = list_nth(condition->args, i);
		Node *outer = list_nth(condition->args, 1 - i);

		if (contain_vars_of_level(inner, 0) &&
			!contain_vars_of_level(inner, 1) &&
			contain_vars_of_level(outer, 1) &&
			!contain_vars_of_level(outer, 0) && groups_by(condition, inner))
		{
			*comparison = (Comparison){condition, i};
			return true;
		}
	}
	return false;
}

/* Takes the comparisons with the row around out of the WHERE. */
static List *
take_comparisons(Query *query)
{
	List *conditions = make_ands_implicit((Expr *) query->jointree->quals);
	List *comparisons = NIL;
	ListCell *cell;

	foreach (cell, conditions)
	{
		Comparison *comparison = palloc(sizeof(Comparison));

		if (!compares(lfirst(cell), comparison))
			continue;
		comparisons = lappend(comparisons, comparison);
		conditions = foreach_delete_current (conditions, cell);
	}
	query->jointree->quals =
		conditions == NIL ? NULL : (Node *) make_ands_explicit(conditions);
	return comparisons;
}

/* The number of a key, which is added unless it is one already. */
static AttrNumber
key_of(Query *query, Node *expression)
{
	TargetEntry *entry = tlist_member((Expr *) expression, query->targetList);
	SortGroupClause *clause;

	if (entry != NULL && entry->ressortgroupref != 0)
		return entry->resno;
	entry = makeTargetEntry((Expr *) expression,
							(AttrNumber) (list_length(query->targetList) + 1),
							"key", false);
	query->targetList = lappend(query->targetList, entry);
	clause = makeNode(SortGroupClause);
	clause->tleSortGroupRef = assignSortGroupRef(entry, query->targetList);
	get_sort_group_operators(exprType(expression), false, true, false,
							 &clause->sortop, &clause->eqop, NULL,
							 &clause->hashable);
	query->groupClause = lappend(query->groupClause, clause);
	return entry->resno;
}

/* The entries of FROM of the query around the groups. */
enum
{
	ROW = 1, /* one, without columns */
	ANSWERS,
	JOIN
};

static Var *
column_of(const Query *query, int rtindex, AttrNumber number)
{
	Node *expression =
		(Node *) get_tle_by_resno(query->targetList, number)->expr;

	return makeVar(rtindex, number, exprType(expression),
				   exprTypmod(expression), exprCollation(expression), 0);
}

/* Whether an aggregate of no rows is 0, and never null. */
static bool
is_count(const Aggref *aggref)
{
	const char *name = get_func_name(aggref->aggfnoid);

	if (name == NULL)
		return false;
	if (dp_private_aggregates_is_one(aggref->aggfnoid))
	{
		const DpAggregateTraits *traits = dp_aggregate_find(name);

		return traits != NULL && OidIsValid(traits->counted_as) &&
			   traits->has_count;
	}
	return aggref->aggfnoid < FirstGenbkiObjectId &&
		   aggref->aggtype == INT8OID &&
		   (strcmp(name, "count") == 0 || strcmp(name, "regr_count") == 0);
}

/*
 * Whether a node is to be asked as it is: an aggregate, an end of its interval, or a
 * division by one, which may be null where a count cannot be told from none.
 */
static bool
is_part(Node *node)
{
	return IsA(node, Aggref) || dp_ends_is_call(node) ||
		   (dp_ends_is_division(node) &&
			contain_aggs_of_level(lsecond(((OpExpr *) node)->args), 0));
}

/*
 * The answers' column for a part, which is added to the groups if need be; for a
 * count, 0 where there is no group.
 */
static Node *
ask_part(Node *part, Query *groups)
{
	TargetEntry *entry = tlist_member((Expr *) part, groups->targetList);
	CoalesceExpr *count;
	Node *column;

	if (entry == NULL)
		entry = dp_query_add_target(groups, part, NULL);
	column = dp_compat_null_by_join(
		(Node *) column_of(groups, ANSWERS, entry->resno), JOIN);
	if (!IsA(part, Aggref) || !is_count((Aggref *) part))
		return column;
	count = makeNode(CoalesceExpr);
	count->coalescetype = INT8OID;
	count->args =
		list_make2(column, makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
									 Int64GetDatum(0), false, FLOAT8PASSBYVAL));
	count->location = -1;
	return (Node *) count;
}

/* Whether a value has a sub-query beside its parts. */
static DpVisit
find_query(Node *node, const List *around, void *context)
{
	(void) around;
	(void) context;
	if (is_part(node))
		return DP_VISIT_NEXT;
	return IsA(node, SubLink) ? DP_VISIT_FOUND : DP_VISIT_PARTS;
}

/* A part's place in a value of columns of the answers. context: the groups. */
static Node *
replace_part(Node *node, int depth, void *context)
{
	(void) depth;
	return is_part(node) ? ask_part(node, context) : NULL;
}

/* The comparisons, with columns of the answers in place of the sub-query's. */
static Node *
join_conditions(Query *groups, List *comparisons)
{
	List *conditions = NIL;

	foreach_ptr (const Comparison, comparison, comparisons)
	{
		OpExpr *condition = copyObject(comparison->condition);
		ListCell *inner = list_nth_cell(condition->args, comparison->inner);

		lfirst(inner) =
			column_of(groups, ANSWERS, key_of(groups, lfirst(inner)));
		conditions = lappend(conditions, condition);
	}
	return (Node *) make_ands_explicit(conditions);
}

/*
 * The query that stands in the sub-query's place: one row LEFT JOIN the group that the
 * comparisons name. depth: how many queries are between it and the row around.
 */
static Query *
make_lookup(Query *groups, List *comparisons, int depth)
{
	Query *query = dp_query_make();
	const TargetEntry *asked = linitial_node(TargetEntry, groups->targetList);
	JoinExpr *join = makeNode(JoinExpr);
	Node *value = (Node *) asked->expr;

	groups->targetList = NIL;
	value = dp_search(value, find_query, NULL, 0)
				? ask_part(value, groups)
				: dp_search_replace(value, replace_part, groups);
	join->jointype = JOIN_LEFT;
	join->larg = dp_query_reference(ROW);
	join->rarg = dp_query_reference(ANSWERS);
	join->rtindex = JOIN;
	join->quals = join_conditions(groups, comparisons);
	IncrementVarSublevelsUp(join->quals, depth, 1);
	query->rtable = list_make3(dp_query_entry(dp_query_make(), "one"),
							   dp_query_entry(groups, "answers"),
							   dp_query_join_entry(JOIN_LEFT));
	query->jointree->fromlist = list_make1(join);
	(void) dp_query_add_target(query, value, asked->resname);
	return query;
}

/*
 * Whether the groups and their keys refer to nothing outside: they will stand one
 * query deeper.
 */
static bool
stands_alone(const Query *groups, const List *comparisons)
{
	Query *with_keys = copyObject((Query *) groups);

	foreach_ptr (const Comparison, comparison, comparisons)
		(void) key_of(with_keys,
					  list_nth(comparison->condition->args, comparison->inner));
	return !dp_publics_refers_outward(with_keys);
}

/* The groups that a query asks about, and what it compares; NULL: it stays as it is. */
static Query *
find_groups(const Query *query, List **comparisons)
{
	Query *groups;

	if (!is_plain(query))
		return NULL;
	groups = copyObject((Query *) query);
	dp_compat_flatten_groups(groups);
	*comparisons = take_comparisons(groups);
	return *comparisons == NIL || !stands_alone(groups, *comparisons) ? NULL
																	  : groups;
}

Query *
dp_correlated_group(Query *query)
{
	List *comparisons;
	Query *groups = find_groups(query, &comparisons);

	if (groups != NULL)
		*query = *make_lookup(groups, comparisons, 0);
	return groups;
}

List *
dp_correlated_group_each(Query *query)
{
	List *comparisons;
	Query *groups = find_groups(query, &comparisons);
	Query *result = dp_query_make();
	List *each = NIL;

	if (groups == NULL)
		return NIL;
	result->hasSubLinks = true;
	foreach_ptr (TargetEntry, target, groups->targetList)
	{
		TargetEntry *entry = copyObject(target);
		Query *one = copyObject(groups);
		SubLink *link = makeNode(SubLink);
		Query *look;

		if (!contain_aggs_of_level((Node *) entry->expr, 0) &&
			!contain_subplans((Node *) entry->expr))
		{
			(void) dp_query_add_target(result, (Node *) entry->expr,
									   entry->resname);
			continue;
		}
		entry->resno = 1;
		one->targetList = list_make1(entry);
		each = lappend(each, one);
		look = make_lookup(one, comparisons, 1);
		link->subLinkType = EXPR_SUBLINK;
		link->subselect = (Node *) look;
		link->location = exprLocation((Node *) entry->expr);
		(void) dp_query_add_target(result, (Node *) link, entry->resname);
	}
	*query = *result;
	return each;
}
