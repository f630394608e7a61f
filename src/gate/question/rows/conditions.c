/*
 * conditions.c
 *		Sub-queries as conditions and values: EXISTS, IN, a single value.
 *
 * A sub-query over protected relations decides about a row of the query around
 * it. Only rows of that row's own unit may do so: then removing a unit changes
 * only rows of that unit. Either the sub-query's own conditions make its unit
 * the row's, or IN compares with columns that identify the unit: rows of other
 * units are compared, but never equal. Values that do not depend on a row of
 * the query around are computed beforehand
 * (gate/question/expressions/constants.h).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "gate/question/expressions/constants.h"
#include "gate/question/expressions/expression.h"
#include "gate/question/expressions/representatives.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/relations.h"
#include "gate/question/relations/shown.h"
#include "gate/question/rows/answers.h"
#include "gate/question/rows/conditions.h"
#include "gate/question/relations/flatten.h"
#include "gate/question/rows/unit_keys.h"
#include "gate/question/rows/unit_queries.h"
#include "server/compat.h"
#include "server/stack.h"

static const char *const value_hint =
	"Write an aggregate over all of its rows, such as count, sum or max; or "
	"a sub-query that refers to nothing around it, nor to names of WITH; or "
	"join what it reads.";

static void
check_kind(const SubLink *link)
{
	switch (link->subLinkType)
	{
		case EXISTS_SUBLINK:
		case ANY_SUBLINK:
		case ALL_SUBLINK:
			return;
		case EXPR_SUBLINK:
			if (!dp_gate_has_one_row((Query *) link->subselect))
				dp_gate_refuse("a sub-query as a value that may have several "
							   "rows",
							   value_hint, link->location);
			return;
		default:
			dp_gate_refuse("a sub-query that makes an array or a row",
						   value_hint, link->location);
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
		dp_gate_refuse("this kind of sub-query as a condition",
					   "Write it with FROM, WHERE and GROUP BY alone.",
					   location);
	if (query->limitCount != NULL &&
		!(IsA(query->limitCount, Const) &&
		  !((Const *) query->limitCount)->constisnull &&
		  DatumGetInt64(((Const *) query->limitCount)->constvalue) > 0))
		dp_gate_refuse("LIMIT in a sub-query", "Leave it out.", location);
}

/*
 * Removes the columns and order of EXISTS: only whether there are rows
 * matters.
 */
static void
simplify(SubLink *link, Query *query)
{
	query->sortClause = NIL;
	if (link->subLinkType != EXISTS_SUBLINK || query->hasAggs ||
		query->groupClause != NIL)
	{
		if (link->subLinkType != EXPR_SUBLINK && query->limitCount != NULL)
			dp_gate_refuse("LIMIT in a sub-query", "Leave it out.",
						   link->location);
		query->limitCount = NULL;
		return;
	}
	query->limitCount = NULL;
	query->distinctClause = NIL;
	query->targetList = list_make1(
		makeTargetEntry((Expr *) makeConst(INT4OID, -1, InvalidOid, 4,
										   Int32GetDatum(1), false, true),
						1, pstrdup("one"), false));
}

/* What is equal in the outer query, and so in the sub-query. */
static DpEqualities *
equalities_around(const DpScope *scope)
{
	DpEqualities *known = copyObject(scope->outer->equal);

	IncrementVarSublevelsUp((Node *) known, 1, 0);
	return dp_gate_learn_all(known, scope->equal);
}

static void
add_not_null(Query *query, List *columns)
{
	ListCell *cell;

	foreach (cell, columns)
	{
		NullTest *test = makeNode(NullTest);

		test->arg = copyObject(lfirst(cell));
		test->nulltesttype = IS_NOT_NULL;
		test->location = -1;
		query->jointree->quals =
			make_and_qual(query->jointree->quals, (Node *) test);
	}
}

/*
 * What IN says when it is true: columns of the query around that equal those of
 * the sub-query, seen from that. Of groups only the keys can. Only columns that
 * are never null: compared with a null, other units' rows would not be unequal.
 */
static DpEqualities *
learn_of_comparison(const DpScope *scope, const SubLink *link, List *unit)
{
	const Query *query = scope->query;
	DpEqualities *around = equalities_around(scope);
	List *arms = link->testexpr != NULL && is_andclause(link->testexpr)
					 ? ((BoolExpr *) link->testexpr)->args
					 : list_make1(link->testexpr);
	DpEqualities *known = NIL;
	ListCell *cell;

	if (link->subLinkType != ANY_SUBLINK)
		return NIL;
	foreach (cell, arms)
	{
		OpExpr *op = copyObject(lfirst(cell));
		Node **right;
		TargetEntry *entry;
		Var *one;
		Var *other;

		if (!IsA(op, OpExpr) || list_length(op->args) != 2)
			continue;
		right = (Node **) &lsecond(op->args);
		while (IsA(*right, RelabelType)) /* it stays around the column */
			right = (Node **) &((RelabelType *) *right)->arg;
		if (!IsA(*right, Param) ||
			((Param *) *right)->paramkind != PARAM_SUBLINK)
			continue;
		entry = list_nth(query->targetList, ((Param *) *right)->paramid - 1);
		if ((query->hasAggs || query->groupClause != NIL) &&
			get_sortgroupref_clause_noerr(entry->ressortgroupref,
										  query->groupClause) == NULL)
			continue;
		IncrementVarSublevelsUp(linitial(op->args), 1, 0);
		*right = copyObject((Node *) entry->expr);
		one = dp_gate_column_of(linitial(op->args));
		other = dp_gate_column_of(lsecond(op->args));
		if (one != NULL && other != NULL &&
			dp_gate_is_certain(scope, around, one, unit) &&
			dp_gate_is_certain(scope, around, other, scope->unit))
		{
			/*
			 * Not null in the rows that are read, whatever the catalogue says.
			 */
			known = dp_gate_learn(known, (Node *) op);
			add_not_null(scope->query, list_make1(other));
		}
	}
	return known;
}

/* The unit of a query's rows, seen from a sub-query of it. */
static List *
unit_from_within(const DpScope *scope)
{
	List *unit = copyObject(scope->unit);

	IncrementVarSublevelsUp((Node *) unit, 1, 0);
	return unit;
}

static DpOwned *
first_owned(const DpScope *scope)
{
	return scope->owned == NIL ? NULL : linitial(scope->owned);
}

static void
check_collation(const List *unit, const SubLink *link)
{
	dp_gate_check_unit_collation(
		unit, "a sub-query on privacy units of a nondeterministic collation",
		link->location);
}

/* Checks that the sub-query's rows belong to the outer row's unit. */
static void
check_unit(DpScope *scope, const SubLink *link)
{
	Query *query = scope->query;
	List *unit = unit_from_within(scope->outer);
	DpEqualities *known = equalities_around(scope);

	if (scope->outer->unit == NIL)
		dp_gate_refuse("a sub-query over a protected relation within rows "
					   "without a privacy unit",
					   "Read the protected relation in FROM.", link->location);
	check_collation(unit, link);
	check_collation(scope->unit, link);
	if (!dp_gate_same_unit(scope, known, unit, scope->unit))
	{
		known =
			dp_gate_learn_all(known, learn_of_comparison(scope, link, unit));
		if ((query->hasAggs && query->groupClause == NIL) ||
			!dp_gate_same_unit(scope, known, unit, scope->unit))
			dp_gate_refuse("a sub-query over the rows of other privacy units",
						   "Write a condition that its privacy unit equals "
						   "that of the outer row, column by column.",
						   link->location);
		/* Rows without a unit belong to nobody, and IN does not see them. */
		add_not_null(query, scope->unit);
	}
	if (scope->is_mixed || scope->outer->is_mixed ||
		!dp_gate_same_people(first_owned(scope), first_owned(scope->outer)))
		dp_gate_note_exchange(scope);
}

/*
 * Deals with a sub-query that refers to the outer query, or reads protected
 * relations.
 */
static void
own_query(DpScope *outer, SubLink *link)
{
	DpScope scope = {.outer = outer,
					 .query = (Query *) link->subselect,
					 .relations = outer->relations,
					 .is_condition = true};
	Query *query = scope.query;

	dp_stack_enter();
	check_query(query, link->location);
	dp_compat_flatten_groups(query);
	dp_flatten_subqueries(query);
	simplify(link, query);
	dp_gate_own_rows(&scope);
	dp_gate_check_outputs(&scope);
	if (scope.unit != NIL)
		check_unit(&scope, link);
	dp_gate_represent(query);
}

/* Makes a public sub-query read a copy. */
static Query *
read_public(Query *query, DpRelations *relations)
{
	bool is_shown = dp_gate_shows_all(query);
	Query *result = dp_gate_read_public_query(
		dp_gate_take_answer(query, relations), relations);

	if (!is_shown)
		dp_gate_hide_public(llast(relations->publics));
	return result;
}

Node *
dp_gate_own_conditions_mutator(Node *node, void *context)
{
	DpScope *scope = context;
	SubLink *link;
	Query *query;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return node;
	if (dp_gate_is_of_asker(node))
		return (Node *) dp_gate_take_of_asker(node, scope->relations);
	if (!IsA(node, SubLink))
		return expression_tree_mutator(node, dp_gate_own_conditions_mutator,
									   context);
	link = copyObject((SubLink *) node);
	query = castNode(Query, link->subselect);
	link->testexpr = dp_gate_own_conditions_mutator(link->testexpr, context);
	if (dp_gate_is_constant(link))
		return (Node *) dp_gate_take_constant(link, scope->relations);
	check_kind(link);
	if (dp_gate_reads_protected(query) || dp_gate_refers_outward(query))
		own_query(scope, link);
	else
		link->subselect = (Node *) read_public(query, scope->relations);
	return (Node *) link;
}

Node *
dp_gate_own_conditions(DpScope *scope, Node *expression)
{
	return dp_gate_own_conditions_mutator(expression, scope);
}
