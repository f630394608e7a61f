/*
 * sublinks.c
 *		Reads sub-queries as conditions and values: EXISTS, IN, a single value.
 *
 * A sub-query over protected relations decides about a row of the query around
 * it. Only rows of that row's own unit may do so: then removing a unit changes
 * only rows of that unit. Either the sub-query's own conditions make its unit
 * the row's, or IN compares with columns that identify the unit: rows of other
 * units are compared, but never equal. Values that do not depend on a row of
 * the query around are computed beforehand (gate/read/parameter.h).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "gate/facts/facts.h"
#include "gate/facts/subquery_owner.h"
#include "gate/read/expression.h"
#include "gate/read/joins.h"
#include "gate/read/outputs.h"
#include "gate/read/parameter.h"
#include "gate/read/public_entries.h"
#include "gate/read/read_from.h"
#include "gate/read/set_operations.h"
#include "gate/read/sublinks.h"
#include "gate/relations/publics.h"
#include "gate/relations/refusal.h"
#include "server/stack.h"

static void
check_kind(const SubLink *link)
{
	static const char *const hint = "Write an aggregate over all of its rows, "
									"such as count, sum or max; or "
									"a sub-query that refers to nothing around "
									"it, nor to names of WITH; or "
									"join what it reads.";

	switch (link->subLinkType)
	{
		case EXISTS_SUBLINK:
		case ANY_SUBLINK:
		case ALL_SUBLINK:
			return;
		case EXPR_SUBLINK:
			if (!dp_publics_has_one_row((Query *) link->subselect))
				dp_refusal_raise("a sub-query as a value that may have several "
								 "rows",
								 hint, link->location);
			return;
		default:
			dp_refusal_raise("a sub-query that makes an array or a row", hint,
							 link->location);
	}
}

/* Refuses clauses for which there is no rule. */
static void
check_query(Query *query, int location)
{
	if (query->setOperations != NULL || query->cteList != NIL ||
		query->groupingSets != NIL || query->windowClause != NIL ||
		query->hasTargetSRFs || query->rowMarks != NIL ||
		query->limitOffset != NULL || query->hasDistinctOn)
		dp_refusal_raise("this kind of sub-query as a condition",
						 "Write it with FROM, WHERE and GROUP BY alone.",
						 location);
	if (query->limitCount != NULL &&
		!(IsA(query->limitCount, Const) &&
		  !((Const *) query->limitCount)->constisnull &&
		  DatumGetInt64(((Const *) query->limitCount)->constvalue) > 0))
		dp_refusal_raise("LIMIT in a sub-query", "Leave it out.", location);
}

/* Removes the columns of EXISTS: only whether there are rows matters. */
static void
simplify(const SubLink *link, Query *query)
{
	if (link->subLinkType != EXISTS_SUBLINK || query->hasAggs ||
		query->groupClause != NIL)
	{
		if (link->subLinkType != EXPR_SUBLINK && query->limitCount != NULL)
			dp_refusal_raise("LIMIT in a sub-query", "Leave it out.",
							 link->location);
		return;
	}
	query->distinctClause = NIL;
	query->targetList = list_make1(
		makeTargetEntry((Expr *) makeConst(INT4OID, -1, InvalidOid, 4,
										   Int32GetDatum(1), false, true),
						1, pstrdup("one"), false));
}

static const DpExpr *
make_expr(const SubLink *link, const DpExpr *comparison, const DpNode *rows)
{
	DpExpr *expr =
		dp_expr_over(DP_EXPR_SUBQUERY, dp_expr_type_of((const Node *) link),
					 comparison == NULL ? NIL : list_make1((void *) comparison),
					 link->location);

	expr->subquery = palloc0(sizeof(DpSubquery));
	expr->subquery->form = link->subLinkType;
	expr->subquery->rows = rows;
	return expr;
}

static void
refuse(DpOwnerProblem problem, const SubLink *link)
{
	switch (problem)
	{
		case DP_OWNER_SUBQUERY_OF_PUBLIC:
			dp_refusal_raise(
				"a sub-query over a protected relation within rows "
				"without a privacy unit",
				"Read the protected relation in FROM.", link->location);
			break;
		case DP_OWNER_SUBQUERY_COLLATION:
			dp_refusal_raise(
				"a sub-query on privacy units of a nondeterministic collation",
				"Ask the owner for a column of another collation.",
				link->location);
			break;
		default:
			dp_refusal_raise("a sub-query over the rows of other privacy units",
							 "Write a condition that its privacy unit equals "
							 "that of the outer row, column by column.",
							 link->location);
	}
}

/* Rows in which some columns are not null. */
static const DpNode *
leave_out_nulls(const DpNode *rows, const Bitmapset *columns)
{
	List *conditions = NIL;
	int column = -1;

	while ((column = bms_next_member(columns, column)) >= 0)
	{
		const DpExpr *value = dp_node_column(rows, column);
		DpExpr *test =
			dp_expr_over(DP_EXPR_NULL_TEST, (DpType){BOOLOID, -1, InvalidOid},
						 list_make1((void *) value), -1);

		test->is_negated = true;
		conditions = lappend(conditions, test);
	}
	return dp_joins_filter(rows, conditions);
}

/* A sub-query whose rows belong to the outer row's unit, or are public. */
static const DpExpr *
check_unit(const DpScope *around, const SubLink *link, const DpExpr *comparison,
		   const DpNode *rows)
{
	const DpFacts *row = around->row->facts;
	const DpExpr *expr = make_expr(link, comparison, rows);
	Bitmapset *not_null;
	DpOwnerProblem problem =
		dp_subquery_owner(expr, &row->owner, row->equal, &not_null);

	if (problem != DP_OWNER_FINE)
		refuse(problem, link);
	return bms_is_empty(not_null)
			   ? expr
			   : make_expr(link, comparison, leave_out_nulls(rows, not_null));
}

/* An arm of IN over FROM's row of the sub-query, whose columns it selects. */
static const DpExpr *
compare_rows(const DpExpr *expr, int depth, void *context)
{
	const DpScope *scope = context;
	const TargetEntry *entry;
	Node *column;

	if (depth > 0)
		return NULL;
	if (expr->kind == DP_EXPR_COLUMN)
		return dp_expr_deepen(expr, 1);
	if (expr->kind != DP_EXPR_COMPARED)
		return NULL;
	entry =
		list_nth_node(TargetEntry, scope->query->targetList, expr->parameter);
	column = strip_implicit_coercions((Node *) entry->expr);
	return IsA(column, Var) && ((Var *) column)->varattno > 0 &&
				   ((Var *) column)->varlevelsup == 0
			   ? dp_scope_column(scope, (Var *) column)
			   : NULL;
}

/* What IN says of rows that it selects columns of. */
static List *
compared_rows(const SubLink *link, const DpExpr *comparison, DpScope *scope)
{
	List *compared = NIL;

	foreach_ptr (
		const DpExpr, expr,
		link->subLinkType == ANY_SUBLINK ? dp_expr_arms(comparison, NIL) : NIL)
		compared = lappend(compared,
						   (void *) dp_expr_change(expr, compare_rows, scope));
	return compared;
}

/*
 * Reads a sub-query that refers to the outer query, or reads protected
 * relations.
 */
static const DpExpr *
read_query(DpScope *around, const SubLink *link, const DpExpr *comparison)
{
	DpScope scope = {.around = around,
					 .readers = around->readers,
					 .planning = around->planning,
					 .query = castNode(Query, link->subselect)};
	const DpNode *rows;

	(void) dp_set_operations_write(scope.query);
	check_query(scope.query, link->location);
	simplify(link, scope.query);
	rows = dp_read_from(&scope);
	scope.row = dp_joins_within_outer(around, rows,
									  compared_rows(link, comparison, &scope));
	return check_unit(around, link, comparison,
					  dp_outputs_read(&scope, DP_UNIT_OUTSIDE));
}

static const DpExpr *
read_constant(DpScope *scope, const SubLink *link)
{
	return dp_expression_read_folded(
		scope,
		(Node *) dp_parameter_of_query(scope->planning, (const Node *) link,
									   (Query *) copyObject(link->subselect)));
}

const DpExpr *
dp_sublinks_read(DpScope *scope, SubLink *link)
{
	Query *query = castNode(Query, link->subselect);
	const DpExpr *comparison = NULL;

	dp_stack_enter();
	if (link->testexpr != NULL)
		comparison = dp_expression_read_folded(scope, link->testexpr);
	if (dp_parameter_is_value(link))
		return read_constant(scope, link);
	check_kind(link);
	if (dp_publics_reads_protected(query) || dp_publics_refers_outward(query))
		return read_query(scope, link, comparison);
	return make_expr(link, comparison,
					 dp_public_entries_read_query(scope, query));
}
