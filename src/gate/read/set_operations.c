/*
 * set_operations.c
 *		UNION, INTERSECT and EXCEPT of people's rows, in other words.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/clauses.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/read/set_operations.h"
#include "gate/read/tells_unit.h"
#include "gate/relations/publics.h"
#include "server/lists.h"
#include "server/queries.h"
#include "server/stack.h"

/* A column of rows that are the first entry of FROM. */
static Var *
column_of(const Query *rows, int number)
{
	Node *expr = (Node *) get_tle_by_resno(rows->targetList, number)->expr;

	return makeVar(1, (AttrNumber) number, exprType(expr), exprTypmod(expr),
				   exprCollation(expr), 0);
}

/* SELECT all columns FROM (rows) AS alias. */
static Query *
select_from(Query *rows, const char *alias)
{
	Query *query = dp_query_make();

	query->rtable = list_make1(dp_query_entry(rows, alias));
	query->jointree->fromlist = list_make1(dp_query_reference(1));
	foreach_node (TargetEntry, entry, rows->targetList)
		(void) dp_query_add_target(
			query, (Node *) column_of(rows, entry->resno), entry->resname);
	return query;
}

/* Makes the rows of a query distinct, by the equality of a set operation. */
static Query *
make_distinct(Query *query, const SetOperationStmt *operation)
{
	ListCell *cell;

	foreach (cell, operation->groupClauses)
	{
		SortGroupClause *clause =
			copyObject(lfirst_node(SortGroupClause, cell));
		TargetEntry *entry =
			list_nth(query->targetList, foreach_current_index(cell));

		clause->tleSortGroupRef = entry->ressortgroupref =
			(Index) foreach_current_index(cell) + 1;
		query->distinctClause = lappend(query->distinctClause, clause);
	}
	return query;
}

static Node *
is_null(Var *column)
{
	NullTest *test = makeNode(NullTest);

	test->arg = (Expr *) column;
	test->nulltesttype = IS_NULL;
	test->location = -1;
	return (Node *) test;
}

/*
 * That a column of the rows around equals one of others, or both are null. The
 * unit is not null: rows of nobody are none.
 */
static Node *
is_same(const SetOperationStmt *operation, Query *around,
		const TargetEntry *here, int number)
{
	const SortGroupClause *clause =
		list_nth(operation->groupClauses, number - 1);
	Var *left =
		castNode(Var, get_tle_by_resno(around->targetList, number)->expr);
	Var *outer = copyObject(left);
	Expr *equal;

	outer->varlevelsup = 1;
	equal = make_opclause(clause->eqop, BOOLOID, false, (Expr *) outer,
						  copyObject(here->expr), InvalidOid,
						  list_nth_oid(operation->colCollations, number - 1));
	((OpExpr *) equal)->opfuncid = get_opcode(clause->eqop);
	if (dp_tells_unit(around, (Node *) left))
		return (Node *) equal;
	return (Node *) make_orclause(list_make2(
		equal, make_andclause(list_make2(
				   is_null(copyObject(outer)),
				   is_null(castNode(Var, copyObject(here->expr)))))));
}

/* The rows of the left side that are, or are not, on the right. */
static Query *
match(const SetOperationStmt *operation, Query *left, Query *right)
{
	Query *query = select_from(left, "l");
	Query *others = select_from(right, "r");
	SubLink *link = makeNode(SubLink);
	List *conditions = NIL;

	foreach_node (TargetEntry, entry, others->targetList)
		conditions =
			lappend(conditions, is_same(operation, query, entry,
										foreach_current_index(entry) + 1));
	others->jointree->quals = (Node *) make_ands_explicit(conditions);
	link->subLinkType = EXISTS_SUBLINK;
	link->subselect = (Node *) others;
	link->location = -1;
	query->hasSubLinks = true;
	query->jointree->quals = operation->op == SETOP_INTERSECT
								 ? (Node *) link
								 : (Node *) make_notclause((Expr *) link);
	return query;
}

/* Whether a side has the columns of the result, whose values have one form of equality. */
static bool
is_side(const SetOperationStmt *operation, const Query *rows)
{
	if (list_length(rows->targetList) != list_length(operation->colTypes))
		return false;
	foreach_node (TargetEntry, entry, rows->targetList)
	{
		int i = foreach_current_index(entry);
		Oid collation = list_nth_oid(operation->colCollations, i);

		if (entry->resjunk ||
			exprType((Node *) entry->expr) !=
				list_nth_oid(operation->colTypes, i) ||
			exprCollation((Node *) entry->expr) != collation ||
			(OidIsValid(collation) &&
			 !get_collation_isdeterministic(collation)))
			return false;
	}
	return true;
}

/* Whether a column tells on both sides whose a row is. */
static bool
share_unit(Query *left, Query *right)
{
	Query *lefts = select_from(left, "l");
	Query *rights = select_from(right, "r");
	int i;

	for (i = 1; i <= list_length(left->targetList); i++)
	{
		if (dp_tells_unit(lefts, (Node *) column_of(left, i)) &&
			dp_tells_unit(rights, (Node *) column_of(right, i)))
			return true;
	}
	return false;
}

/* UNION ALL of two sides, with the type modifiers that hold for both. */
static Query *
unite(const SetOperationStmt *operation, Query *left, Query *right)
{
	List *columns = NIL;
	int i;

	for (i = 1; i <= list_length(left->targetList); i++)
	{
		Var *column = column_of(left, i);

		column->vartypmod = list_nth_int(operation->colTypmods, i - 1);
		columns = lappend(columns, column);
	}
	return dp_query_union(list_make2(left, right), columns, "part");
}

/* The query of a part of the tree; NULL where it cannot be written. */
static Query *
write_part(const Query *query, const Node *node)
{
	const SetOperationStmt *operation = (const SetOperationStmt *) node;
	Query *left;
	Query *right;

	dp_stack_enter();
	if (IsA(node, RangeTblRef))
	{
		int rtindex = ((const RangeTblRef *) node)->rtindex;
		Query *rows = rt_fetch(rtindex, query->rtable)->subquery;

		return dp_publics_refers_outward(rows) ? NULL : copyObject(rows);
	}
	if (operation->all && operation->op != SETOP_UNION)
		return NULL;
	left = write_part(query, operation->larg);
	right = left == NULL ? NULL : write_part(query, operation->rarg);
	if (right == NULL || !is_side(operation, left) ||
		!is_side(operation, right) || !share_unit(left, right))
		return NULL;
	if (operation->op != SETOP_UNION)
		return make_distinct(match(operation, left, right), operation);
	if (operation->all)
		return unite(operation, left, right);
	return make_distinct(select_from(unite(operation, left, right), "parts"),
						 operation);
}

/* Whether there is nothing but UNION ALL. */
static bool
unites_all(const Node *node)
{
	const SetOperationStmt *operation = (const SetOperationStmt *) node;

	dp_stack_enter();
	return IsA(node, RangeTblRef) ||
		   (operation->op == SETOP_UNION && operation->all &&
			unites_all(operation->larg) && unites_all(operation->rarg));
}

bool
dp_set_operations_write(Query *query)
{
	const SetOperationStmt *operation =
		(const SetOperationStmt *) query->setOperations;
	Query *result;

	if (operation == NULL || unites_all((const Node *) operation) ||
		query->sortClause != NIL || query->limitCount != NULL ||
		query->limitOffset != NULL || query->rowMarks != NIL ||
		query->cteList != NIL)
		return false;
	result = write_part(query, (const Node *) operation);
	if (result == NULL)
		return false;
	foreach_node (TargetEntry, entry, query->targetList)
		list_nth_node(TargetEntry, result->targetList,
					  foreach_current_index(entry))
			->resname = entry->resname;
	*query = *result;
	return true;
}
