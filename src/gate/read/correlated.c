/*
 * correlated.c
 *		Sub-queries about people for each row of what is public.
 */
#include "postgres.h"

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
#include "gate/relations/publics.h"
#include "server/compat.h"
#include "server/queries.h"

/* A condition that compares something with the row around: its place in both. */
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

static Var *
column_of(const Query *query, AttrNumber number)
{
	Node *expression =
		(Node *) get_tle_by_resno(query->targetList, number)->expr;

	return makeVar(1, number, exprType(expression), exprTypmod(expression),
				   exprCollation(expression), 0);
}

/* The query around the groups that looks at those which the conditions name. */
static Query *
look_at(Query *groups, List *comparisons)
{
	Query *query = dp_query_make();
	const TargetEntry *first = linitial_node(TargetEntry, groups->targetList);
	List *conditions = NIL;

	foreach_ptr (const Comparison, comparison, comparisons)
	{
		OpExpr *condition = copyObject(comparison->condition);
		ListCell *inner = list_nth_cell(condition->args, comparison->inner);

		lfirst(inner) = column_of(groups, key_of(groups, lfirst(inner)));
		conditions = lappend(conditions, condition);
	}
	query->rtable = list_make1(dp_query_entry(groups, "answers"));
	query->jointree->fromlist = list_make1(dp_query_reference(1));
	query->jointree->quals = (Node *) make_ands_explicit(conditions);
	(void) dp_query_add_target(query, (Node *) column_of(groups, 1),
							   first->resname);
	return query;
}

/*
 * Whether the groups, and what they are grouped by, are of the rows beneath alone:
 * they stand deeper than the query did.
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
		*query = *look_at(groups, comparisons);
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

		entry->resno = 1;
		one->targetList = list_make1(entry);
		each = lappend(each, one);
		look = look_at(one, comparisons);
		IncrementVarSublevelsUp(look->jointree->quals, 1, 1);
		link->subLinkType = EXPR_SUBLINK;
		link->subselect = (Node *) look;
		link->location = exprLocation((Node *) entry->expr);
		(void) dp_query_add_target(result, (Node *) link, entry->resname);
	}
	*query = *result;
	return each;
}
