/*
 * entries.c
 *		Reads sub-queries in FROM that are made of each unit's rows.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"

#include "gate/facts/facts.h"
#include "gate/read/expression.h"
#include "gate/read/outputs.h"
#include "gate/read/public_entries.h"
#include "gate/read/entries.h"
#include "gate/read/read_from.h"
#include "gate/read/scans.h"
#include "gate/read/set_operations.h"
#include "gate/relations/flatten.h"
#include "gate/relations/locations.h"
#include "gate/relations/protection.h"
#include "gate/relations/publics.h"
#include "gate/relations/refusal.h"
#include "server/collations.h"
#include "server/stack.h"

/*
 * UNION ALL
 */

/*
 * Collects the entries that are parts. *refused: the second part of the first
 * operation that is no UNION ALL.
 */
static void
collect_parts(Node *node, List **parts, Node **refused)
{
	SetOperationStmt *operation = (SetOperationStmt *) node;

	dp_stack_enter();
	if (IsA(node, RangeTblRef))
	{
		*parts = lappend_int(*parts, ((RangeTblRef *) node)->rtindex);
		return;
	}
	if (*refused == NULL && (operation->op != SETOP_UNION || !operation->all))
		*refused = operation->rarg;
	collect_parts(operation->larg, parts, refused);
	collect_parts(operation->rarg, parts, refused);
}

static void
refuse_operation(Query *query, Node *part)
{
	while (IsA(part, SetOperationStmt))
		part = ((SetOperationStmt *) part)->larg;
	dp_refusal_raise(
		"UNION, INTERSECT or EXCEPT",
		"Name the privacy unit among the columns on both sides, of "
		"the same types; or write UNION ALL, over which "
		"count(DISTINCT the privacy unit) counts each once, or IN, "
		"NOT IN or EXISTS.",
		dp_locations_of_entry(query, ((RangeTblRef *) part)->rtindex));
}

/* A sub-query or a protected view. */
static const DpNode *
read_view_or_query(DpScope *around, int rtindex, bool by_value, int *visible)
{
	Oid view = dp_protection_view(rt_fetch(rtindex, around->query->rtable));

	return OidIsValid(view)
			   ? around->readers->view(around, rtindex, view, visible)
			   : dp_entries_read_query(around, rtindex, by_value, visible);
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
	const DpNode *part;
	List *exprs = NIL;
	List *names = NIL;
	bool is_same = true;
	int visible;
	int n;

	if (dp_publics_is_public(rt_fetch(rtindex, scope->query->rtable)))
		dp_refusal_raise("UNION ALL of protected and other rows",
						 "The result would have rows without a privacy unit: "
						 "ask about the protected ones.",
						 dp_locations_of_entry(scope->query, rtindex));
	part = read_view_or_query(scope, rtindex, true, &visible);
	dp_scope_set_columns(scope, rtindex, part,
						 dp_scope_first_columns(part, part->ncolumns), 0);
	for (n = 1; n <= part->ncolumns; n++)
	{
		const DpExpr *expr = n <= visible ? read_column(scope, rtindex, part, n)
										  : dp_node_column(part, n - 1);

		is_same = is_same && expr->kind == DP_EXPR_COLUMN;
		exprs = lappend(exprs, (void *) expr);
		names = lappend(names, (void *) part->columns[n - 1].name);
	}
	return is_same ? part
				   : dp_facts_add(&dp_node_project(part, exprs, names)->node);
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
	dp_refusal_raise("UNION ALL of protected relations whose privacy "
					 "units are different people",
					 "Ask about each of them by itself, and add the "
					 "answers.",
					 dp_locations_of_entry(query, rtindex));
}

/*
 * A query that is a UNION ALL, all of whose parts have the same people. The values
 * of the units are its last columns.
 */
static const DpNode *
read_union(DpScope *scope)
{
	Query *query = scope->query;
	const SetOperationStmt *operation =
		castNode(SetOperationStmt, query->setOperations);
	List *entries = NIL;
	List *parts;
	Node *refused = NULL;
	const DpNode *first;
	const DpNode *node;
	ListCell *cell;

	scope->what = "a sub-query";
	dp_flatten_subqueries(query);
	dp_scope_open(scope);
	collect_parts(query->setOperations, &entries, &refused);
	first = read_part(scope, linitial_int(entries));
	if (!have_same_units(first, first, list_length(operation->colTypes)))
		refuse_people(query, linitial_int(entries));
	parts = list_make1((void *) first);
	for_each_from (cell, entries, 1)
	{
		const DpNode *part = read_part(scope, lfirst_int(cell));

		parts = lappend(parts, (void *) part);
		if (!have_same_units(first, part, list_length(operation->colTypes)))
			refuse_people(query, lfirst_int(cell));
	}
	if (refused != NULL)
		refuse_operation(query, refused);
	node = dp_facts_add(dp_node_union(parts, types_of(operation, first), -1));
	if (node->facts->owner.problem != DP_OWNER_FINE)
		refuse_people(query,
					  list_nth_int(entries, node->facts->owner.problem_input));
	return node;
}

/*
 * Sub-queries
 */

/* Refuses clauses for which there is no rule. */
static void
check_query(const Query *query)
{
	int location = dp_locations_of_query(query);

	if (query->commandType != CMD_SELECT)
		dp_refusal_raise("this statement", "Write a plain SELECT.", location);
	if (query->hasRecursive || query->cteList != NIL)
		dp_refusal_raise(
			"a WITH query that is recursive or volatile",
			"Write its query as a sub-query, or store its rows in "
			"a table first.",
			query->cteList == NIL
				? location
				: linitial_node(CommonTableExpr, query->cteList)->location);
	if (query->limitCount != NULL || query->limitOffset != NULL)
		dp_refusal_raise(
			"LIMIT or OFFSET in a sub-query",
			"Which rows remain would depend on other privacy units: "
			"apply it to the released answer.",
			exprLocation(query->limitCount != NULL ? query->limitCount
												   : query->limitOffset));
	if (query->rowMarks != NIL)
		dp_refusal_raise("FOR UPDATE or FOR SHARE", "Leave it out.", location);
	if (query->groupingSets != NIL)
		dp_refusal_raise(
			"GROUPING SETS, ROLLUP or CUBE in a sub-query",
			"Write one sub-query for each grouping.",
			linitial_node(GroupingSet, query->groupingSets)->location);
	if (query->hasTargetSRFs)
		dp_refusal_raise("a function that returns a set",
						 "Join what it returns in FROM.", location);
	if (query->hasDistinctOn)
		dp_refusal_raise("DISTINCT ON",
						 "Write DISTINCT, or row_number() OVER (PARTITION BY "
						 "the privacy unit ORDER BY ...) in a sub-query.",
						 location);
}

static const DpNode *
read_plain(DpScope *scope, bool by_value)
{
	const DpNode *rows = dp_read_from(scope);

	if (!rows->facts->owner.is_owned)
		dp_refusal_raise("a sub-query whose rows have no privacy unit",
						 "Read a protected relation in its FROM.",
						 dp_locations_of_query(scope->query));
	if (by_value)
		rows = dp_scans_follow(scope->planning, rows);
	scope->row = rows;
	return dp_outputs_read(scope, by_value ? DP_UNIT_LAST : DP_UNIT_ALONG);
}

const DpNode *
dp_entries_read_query(DpScope *around, int rtindex, bool by_value, int *visible)
{
	RangeTblEntry *rte = rt_fetch(rtindex, around->query->rtable);
	DpScope scope = {.around = around,
					 .readers = around->readers,
					 .is_in_from = true,
					 .planning = around->planning,
					 .query = rte->subquery};
	const DpNode *rows;

	dp_stack_enter();
	if (rte->rtekind != RTE_SUBQUERY || rte->lateral)
		dp_refusal_raise(
			"LATERAL, or a function over protected rows, in FROM",
			"Join it by conditions of the columns instead; or write a "
			"scalar sub-query over the unit's own rows.",
			dp_locations_of_entry(around->query, rtindex));
	dp_flatten_take_privileges(around->query, rte);
	check_query(scope.query);
	(void) dp_set_operations_write(scope.query);
	*visible = ExecCleanTargetListLength(scope.query->targetList);
	rows = scope.query->setOperations != NULL ? read_union(&scope)
											  : read_plain(&scope, by_value);
	((DpNode *) rows)->name = rte->eref->aliasname; /* nobody else has it yet */
	return rows;
}

/*
 * Entries of FROM
 */

/* Says so where no policy lets the user see any row, as no answer would show that. */
static void
tell_of_no_policy(const RangeTblEntry *rte)
{
	const Const *only;

	if (list_length(rte->securityQuals) != 1)
		return;
	only = linitial(rte->securityQuals);
	if (IsA(only, Const) && !only->constisnull &&
		!DatumGetBool(only->constvalue))
		ereport(NOTICE,
				(errmsg("no row of \"%s\" counts: its row-level security has "
						"no policy for you",
						get_rel_name(rte->relid)),
				 errhint("Ask the owner for CREATE POLICY.")));
}

const DpNode *
dp_entries_read(DpScope *scope, int rtindex, List **conditions,
				const AttrNumber **attributes)
{
	RangeTblEntry *rte = rt_fetch(rtindex, scope->query->rtable);
	const DpNode *node;
	int visible;

	if (dp_publics_is_public(rte))
		return dp_public_entries_read(scope, rtindex, conditions, attributes);
	if (rte->rtekind == RTE_RELATION)
	{
		tell_of_no_policy(rte);
		*conditions = list_concat(*conditions, rte->securityQuals);
		return dp_scans_read(scope, rtindex, attributes);
	}
	node = read_view_or_query(scope, rtindex, false, &visible);
	*attributes = dp_scope_first_columns(node, visible);
	return node;
}
