/*
 * public_values.c
 *		The values of what is computed from public columns alone.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/facts/public_values.h"
#include "gate/tree/kinds.h"
#include "server/queries.h"
#include "server/stack.h"

/*
 * Conditions
 */

/* What holds of the public rows that a question's rows have. */
typedef struct Conditions
{
	const DpPublicSet *set;
	List *all;		/* const DpExpr over their columns */
	List *of_nulls; /* those that hold of the row of nulls, too */
	bool
		is_nullable; /* there is a row of nulls: they are beneath a left join */
} Conditions;

static void
add_condition(Conditions *conditions, const DpExpr *condition)
{
	conditions->all = lappend(conditions->all, (void *) condition);
	if (!conditions->is_nullable)
		conditions->of_nulls =
			lappend(conditions->of_nulls, (void *) condition);
}

/* The number of a join's input that has a column. */
static int
input_of(const DpNode *join, int column)
{
	int input = join->ninputs - 1;

	while (column < dp_node_offset(join, input))
		input--;
	return input;
}

/* Whether an equation equates a column with one from elsewhere. */
static bool
is_equated(const DpNode *join, const DpEqualities *equal, int column)
{
	foreach_ptr (const DpExpr, other,
				 dp_equalities_class(equal, (DpColumnName){0, column}))
	{
		if (other->column.depth > 0 ||
			input_of(join, other->column.number) != input_of(join, column))
			return true;
	}
	return false;
}

/* Conditions of a join, and that what it equates is not null. */
static void
add_conditions(Conditions *conditions, const DpJoin *join)
{
	DpPublicRow row = dp_public_row_of(&join->node, conditions->set);
	int width = dp_node_row_width(&join->node);
	DpType type = {BOOLOID, -1, InvalidOid};
	int i;

	foreach_ptr (const DpExpr, expr, join->conditions)
	{
		const DpExpr *condition = dp_public_over(expr, &row);

		if (condition != NULL)
			add_condition(conditions, condition);
	}
	for (i = 0; i < width; i++)
	{
		int place = dp_public_place_at(&row, i);
		DpExpr *test;

		if (place < 0 || !row.facts[i].may_be_null ||
			!is_equated(&join->node, row.equal, i))
			continue;
		test = dp_expr_over(DP_EXPR_NULL_TEST, type,
							list_make1((void *) dp_public_column(
								conditions->set, place,
								dp_public_type_at(conditions->set, place))),
							-1);
		test->is_negated = true;
		add_condition(conditions, test);
	}
}

/* Whether a node reads any member of a set. */
static bool
has_member(const DpNode *node, const DpPublicSet *set)
{
	ListCell *cell;

	foreach (cell, set->members)
	{
		if (dp_public_is_read(node, lfirst(cell)))
			return true;
	}
	return false;
}

/*
 * Goes down to the public rows. What a protected view decides is not looked at:
 * who asks does not name it.
 */
static void
find_conditions(const DpNode *node, Conditions *conditions)
{
	int i;

	dp_stack_enter();
	if (node->kind == DP_NODE_VIEW || node->kind == DP_NODE_UNION)
		return;
	if (node->kind == DP_NODE_JOIN)
		add_conditions(conditions, (const DpJoin *) node);
	for (i = 0; i < node->ninputs; i++)
	{
		if (!has_member(node->inputs[i], conditions->set))
			continue;
		if (node->kind == DP_NODE_LEFT_JOIN && i == 1)
		{
			conditions->is_nullable = true;
			add_conditions(conditions, (const DpJoin *) node);
		}
		find_conditions(node->inputs[i], conditions);
	}
}

/*
 * Queries
 */

static Node *
write_column(const DpExpr *column, void *set)
{
	int number;
	int place;

	(void) dp_public_member_at(set, column->column.number, &number, &place);
	return (Node *) makeVar(number + 1, (AttrNumber) (place + 1),
							column->type.oid, column->type.typmod,
							column->type.collation, 0);
}

static Node *
write_null(const DpExpr *column, void *context)
{
	(void) context;
	return (Node *) makeNullConst(column->type.oid, column->type.typmod,
								  column->type.collation);
}

static void
add_target(Query *query, Node *value)
{
	SortGroupClause *order =
		dp_query_clause(dp_query_add_target(query, value, NULL), true);

	query->sortClause = lappend(query->sortClause, order);
	query->distinctClause = lappend(query->distinctClause, copyObject(order));
}

/* What is read of all members. */
static void
add_from(Query *query, const DpPublicSet *set)
{
	foreach_ptr (const DpPublicRows, public, set->members)
	{
		RangeTblEntry *entry =
			dp_query_entry(copyObject(public->statement), "dp_values");

		entry->inFromCl = true;
		query->rtable = lappend(query->rtable, entry);
		query->jointree->fromlist =
			lappend(query->jointree->fromlist,
					dp_query_reference(list_length(query->rtable)));
	}
}

/*
 * The columns by which members are looked up equal those of earlier ones. They
 * are compared as their type tells values apart, texts byte by byte.
 */
static List *
write_links(const DpNode *rows, const DpPublicSet *set, DpWriter *writer)
{
	List *quals = NIL;

	foreach_ptr (const DpExpr, column, set->links)
	{
		DpPublicRow row = {rows->facts->columns, rows->facts->equal, set};
		DpPublicSet before = {.members = NIL};
		int own = dp_public_place_at(&row, column->column.number);
		DpType type = column->type;
		Node *values[2];
		int number;
		int place;

		(void) dp_public_member_at(set, own, &number, &place);
		before.members = list_truncate(list_copy(set->members), number);
		row.set = &before;
		place = dp_public_place_of(&row, column, true);
		if (place < 0)
			elog(ERROR, "public rows are not determined");
		type.oid = getBaseType(type.oid);
		type.oid = type.oid == VARCHAROID ? TEXTOID : type.oid;
		if (OidIsValid(type.collation))
			type.collation = C_COLLATION_OID;
		values[0] = dp_kinds_write(dp_public_column(set, own, type), writer);
		values[1] = dp_kinds_write(dp_public_column(set, place, type), writer);
		quals = lappend(
			quals,
			make_opclause(lookup_type_cache(type.oid, TYPECACHE_EQ_OPR)->eq_opr,
						  BOOLOID, false, (Expr *) values[0],
						  (Expr *) values[1], InvalidOid, type.collation));
	}
	return quals;
}

/* SELECT DISTINCT exprs FROM the set WHERE conditions ORDER BY exprs; or of nulls. */
static Query *
make_query(const DpNode *rows, const DpPublicSet *set, const List *exprs,
		   const List *conditions, bool of_nulls)
{
	DpPublicRow row = {rows->facts->columns, rows->facts->equal, set};
	DpWriter writer = {.column = of_nulls ? write_null : write_column,
					   .context = (void *) set};
	Query *query = dp_query_make();
	List *quals = NIL;
	ListCell *cell;

	if (!of_nulls)
	{
		add_from(query, set);
		quals = write_links(rows, set, &writer);
	}
	foreach (cell, exprs)
		add_target(query,
				   dp_kinds_write(dp_public_over(lfirst(cell), &row), &writer));
	foreach (cell, conditions)
		quals = lappend(quals, dp_kinds_write(lfirst(cell), &writer));
	if (quals != NIL)
		query->jointree->quals = (Node *) make_ands_explicit(quals);
	return query;
}

List *
dp_public_values_queries(const DpNode *rows, const DpPublicSet *set,
						 const List *exprs)
{
	Conditions conditions = {.set = set};
	List *queries;

	find_conditions(rows, &conditions);
	queries = list_make1(make_query(rows, set, exprs, conditions.all, false));
	if (dp_public_may_be_nulls(rows, linitial(set->members)))
		queries = lappend(
			queries, make_query(rows, set, exprs, conditions.of_nulls, true));
	return queries;
}

char *
dp_public_values_names(const DpNode *rows, const DpPublicSet *set,
					   const List *exprs)
{
	DpPublicRow row = {rows->facts->columns, rows->facts->equal, set};
	Bitmapset *members = NULL;
	StringInfoData text;
	int number;
	int column;

	foreach_ptr (const DpExpr, expr, exprs)
	{
		Bitmapset *columns = dp_expr_columns(dp_public_over(expr, &row));
		int place = -1;

		while ((place = bms_next_member(columns, place)) >= 0)
		{
			(void) dp_public_member_at(set, place, &number, &column);
			members = bms_add_member(members, number);
		}
	}
	initStringInfo(&text);
	for (number = -1; (number = bms_next_member(members, number)) >= 0;)
		appendStringInfo(
			&text, "%s%s", text.len == 0 ? "" : " and ",
			quote_identifier(
				((const DpPublicRows *) list_nth(set->members, number))->name));
	return text.data;
}
