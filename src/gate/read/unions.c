/*
 * unions.c
 *		Reads UNION ALL of sub-queries.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"

#include "gate/facts/facts.h"
#include "gate/question/relations/locations.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/refusal.h"
#include "gate/read/entries.h"
#include "gate/read/expression.h"
#include "gate/question/relations/flatten.h"
#include "gate/read/unions.h"
#include "server/collations.h"
#include "server/stack.h"

static void
collect_parts(Node *node, List **parts)
{
	dp_stack_enter();
	if (IsA(node, RangeTblRef))
		*parts = lappend_int(*parts, ((RangeTblRef *) node)->rtindex);
	else
	{
		collect_parts(((SetOperationStmt *) node)->larg, parts);
		collect_parts(((SetOperationStmt *) node)->rarg, parts);
	}
}

static int
location_of_part(Query *query, Node *part)
{
	while (IsA(part, SetOperationStmt))
		part = ((SetOperationStmt *) part)->larg;
	return dp_gate_location_of_entry(query, ((RangeTblRef *) part)->rtindex);
}

static void
check_operations(Query *query, Node *node)
{
	SetOperationStmt *operation = (SetOperationStmt *) node;

	if (!IsA(node, SetOperationStmt))
		return;
	dp_stack_enter();
	if (operation->op != SETOP_UNION || !operation->all)
		dp_gate_refuse("UNION, INTERSECT or EXCEPT",
					   "Write UNION ALL, over which count(DISTINCT the privacy "
					   "unit) counts each once; or IN, NOT IN or EXISTS for "
					   "INTERSECT and EXCEPT.",
					   location_of_part(query, operation->rarg));
	check_operations(query, operation->larg);
	check_operations(query, operation->rarg);
}

/* Column number n of a part, from 1, as the union has it. */
static const DpExpr *
read_column(DpScope *scope, int rtindex, const DpNode *part, int n)
{
	const SetOperationStmt *operation =
		(const SetOperationStmt *) scope->query->setOperations;
	const DpType *type = &part->columns[n - 1].type;
	Node *column = (Node *) makeVar(rtindex, (AttrNumber) n, type->oid,
									type->typmod, type->collation, 0);

	column = coerce_to_common_type(
		NULL, column, list_nth_oid(operation->colTypes, n - 1), "UNION");
	return dp_expression_read(scope, column);
}

/* A part with columns of the union's types; the values of its units come last. */
static const DpNode *
read_part(DpScope *scope, int rtindex)
{
	AttrNumber *attributes;
	const DpNode *part;
	List *exprs = NIL;
	List *names = NIL;
	bool is_same = true;
	int visible;
	int n;

	if (dp_gate_is_public(rt_fetch(rtindex, scope->query->rtable)))
		dp_gate_refuse("UNION ALL of protected and other rows",
					   "The result would have rows without a privacy unit: "
					   "ask about the protected ones.",
					   dp_gate_location_of_entry(scope->query, rtindex));
	part = dp_entries_read_query(scope, rtindex, true, &visible);
	attributes = palloc(part->ncolumns * sizeof(AttrNumber));
	for (n = 1; n <= part->ncolumns; n++)
		attributes[n - 1] = (AttrNumber) n;
	dp_scope_set_columns(scope, rtindex, part, attributes, 0);
	for (n = 1; n <= part->ncolumns; n++)
	{
		const DpType *type = &part->columns[n - 1].type;
		const DpExpr *expr =
			n <= visible ? read_column(scope, rtindex, part, n)
						 : dp_expr_column((DpColumnName){0, n - 1}, *type, -1);

		is_same = is_same && expr->kind == DP_EXPR_COLUMN;
		exprs = lappend(exprs, (void *) expr);
		names = lappend(names, (void *) part->columns[n - 1].name);
	}
	return is_same
			   ? part
			   : dp_facts_add(&dp_node_project(part, exprs, names, -1)->node);
}

/* The types of the columns that are seen, then of those that name the unit. */
static const DpType *
types_of(const SetOperationStmt *operation, const DpNode *first)
{
	DpType *types = palloc(first->ncolumns * sizeof(DpType));
	int i;

	for (i = 0; i < first->ncolumns; i++)
		types[i] = i < list_length(operation->colTypes)
					   ? (DpType){list_nth_oid(operation->colTypes, i),
								  list_nth_int(operation->colTypmods, i),
								  list_nth_oid(operation->colCollations, i)}
					   : first->columns[i].type;
	return types;
}

/* Whether two parts have units that are compared in the same way. */
static bool
have_same_units(const DpNode *one, const DpNode *other, int visible)
{
	int i;

	if (one->ncolumns != other->ncolumns || one->ncolumns == visible)
		return false;
	for (i = visible; i < one->ncolumns; i++)
	{
		const DpType *type = &one->columns[i].type;

		if (type->oid != other->columns[i].type.oid ||
			!dp_are_alike(type->collation, other->columns[i].type.collation))
			return false;
	}
	return true;
}

static void
refuse_people(Query *query, int rtindex)
{
	dp_gate_refuse("UNION ALL of protected relations whose privacy "
				   "units are different people",
				   "Ask about each of them by itself, and add the "
				   "answers.",
				   dp_gate_location_of_entry(query, rtindex));
}

const DpNode *
dp_unions_read(DpScope *scope)
{
	Query *query = scope->query;
	const SetOperationStmt *operation =
		castNode(SetOperationStmt, query->setOperations);
	List *entries = NIL;
	List *parts = NIL;
	const DpNode *node;
	ListCell *cell;

	scope->what = "a sub-query";
	dp_flatten_subqueries(query);
	dp_scope_open(scope);
	collect_parts(query->setOperations, &entries);
	foreach (cell, entries)
	{
		const DpNode *part = read_part(scope, lfirst_int(cell));

		parts = lappend(parts, (void *) part);
		if (!have_same_units(linitial(parts), part,
							 list_length(operation->colTypes)))
			refuse_people(query, lfirst_int(cell));
	}
	check_operations(query, query->setOperations);
	node = dp_facts_add(
		dp_node_union(parts, types_of(operation, linitial(parts)), -1));
	if (node->facts->owner.problem != DP_OWNER_FINE)
		refuse_people(query,
					  list_nth_int(entries, node->facts->owner.problem_input));
	return node;
}
