/*
 * public_values.c
 *		The values of what is computed from public columns alone.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "utils/lsyscache.h"

#include "gate/facts/facts.h"
#include "gate/facts/public_values.h"
#include "gate/tree/kinds.h"
#include "server/queries.h"
#include "server/stack.h"

/* The row that some expressions see, and the public rows they are looked for in. */
typedef struct Row
{
	const DpColumnFact *facts; /* of its columns */
	const DpEqualities *equal;
	const DpPublicRows *public;
} Row;

static Row
row_of(const DpNode *node, const DpPublicRows *public)
{
	return (Row){dp_range_of_row(node), dp_equalities_of_row(node), public};
}

/*
 * From columns of a row to public ones
 */

/* True when values of one type are values of the other, bit by bit. */
static bool
is_same_type(Oid one, Oid other)
{
	one = getBaseType(one);
	other = getBaseType(other);
	return one == other || ((one == TEXTOID || one == VARCHAROID) &&
							(other == TEXTOID || other == VARCHAROID));
}

static bool
is_of(const Row *row, int column)
{
	return row->facts[column].source == &row->public->node;
}

/*
 * The public column that a column is, or equals; -1: there is none. is_whole:
 * nothing is computed from it, so that any of several equal values may stand for
 * it.
 */
static int
place_of(const Row *row, const DpExpr *column, bool is_whole)
{
	ListCell *cell;

	if (is_of(row, column->column.number))
		return row->facts[column->column.number].source_column;
	if (!is_whole && !dp_order_has_one_form(column))
		return -1;
	foreach (cell, dp_equalities_class(row->equal, column->column))
	{
		const DpExpr *equal = lfirst(cell);
		int number = equal->column.number;

		if (equal->column.depth == 0 && is_of(row, number) &&
			is_same_type(
				row->public->node.columns[row->facts[number].source_column]
					.type.oid,
				column->type.oid))
			return row->facts[number].source_column;
	}
	return -1;
}

/* A public column, as of the type that it is read as. */
static const DpExpr *
public_column(const DpPublicRows *public, int place, const DpExpr *read)
{
	DpType type = public->node.columns[place].type;
	const DpExpr *column = dp_expr_column((DpColumnName){0, place}, type, -1);
	const DpExpr **args = palloc(sizeof(DpExpr *));

	if (type.oid == read->type.oid && type.collation == read->type.collation)
		return column;
	args[0] = column;
	return dp_expr_make(DP_EXPR_RELABEL, read->type, 1, args, -1);
}

typedef struct Translation
{
	const Row *row;
	const DpExpr *whole; /* the column that the expression is; or NULL */
	bool has_column;
	bool is_possible;
} Translation;

static bool
check_part(const DpExpr *part, void *context)
{
	Translation *translation = context;

	if (part->kind == DP_EXPR_SUBQUERY || part->kind == DP_EXPR_COMPARED ||
		dp_expr_has_total(part))
		translation->is_possible = false;
	if (part->kind == DP_EXPR_COLUMN)
	{
		translation->has_column = true;
		translation->is_possible =
			translation->is_possible && part->column.depth == 0 &&
			place_of(translation->row, part, part == translation->whole) >= 0;
	}
	return !translation->is_possible;
}

static const DpExpr *
translate_part(const DpExpr *part, int depth, void *context)
{
	const Translation *translation = context;

	(void) depth;
	if (part->kind != DP_EXPR_COLUMN)
		return NULL;
	return public_column(
		translation->row->public,
		place_of(translation->row, part, part == translation->whole), part);
}

/* The same over the columns of the public rows; NULL where others decide, too. */
static const DpExpr *
translate(const DpExpr *expr, const Row *row)
{
	Translation translation = {
		.row = row, .whole = dp_expr_column_of(expr), .is_possible = true};

	(void) dp_expr_visit(expr, check_part, &translation);
	return translation.is_possible && translation.has_column
			   ? dp_expr_change(expr, translate_part, &translation)
			   : NULL;
}

/*
 * Which public rows
 */

/* How many times some public rows are read in a tree. */
typedef struct Reads
{
	const DpNode *node;
	int count;
} Reads;

static bool
count_read(const DpNode *node, int depth, void *context)
{
	Reads *reads = context;

	(void) depth;
	reads->count += node == reads->node;
	return false;
}

/* Two reads may be of different rows in one row of the question. */
static bool
is_read_once(const DpNode *rows, const DpNode *node)
{
	Reads reads = {node, 0};

	(void) dp_node_visit(rows, count_read, NULL, &reads);
	return reads.count == 1;
}

static List *
add_source(List *sources, const DpNode *rows, const DpColumnFact *fact)
{
	const DpPublicRows *public = (const DpPublicRows *) fact->source;

	if (public == NULL || public->node.kind != DP_NODE_PUBLIC ||
		!public->is_shown || list_member_ptr(sources, public) ||
		!is_read_once(rows, &public->node))
		return sources;
	return lappend(sources, (void *) public);
}

List *
dp_public_values_sources(const DpNode *rows, const DpExpr *expr)
{
	const DpColumnFact *facts = rows->facts->columns;
	Bitmapset *columns = dp_expr_columns(expr);
	List *candidates = NIL;
	List *sources = NIL;
	int column = -1;
	ListCell *cell;

	while ((column = bms_next_member(columns, column)) >= 0)
		candidates = add_source(candidates, rows, &facts[column]);
	column = bms_next_member(columns, -1);
	foreach (cell, column < 0 ? NIL
							  : dp_equalities_class(rows->facts->equal,
													(DpColumnName){0, column}))
	{
		const DpExpr *equal = lfirst(cell);

		if (equal->column.depth == 0)
			candidates =
				add_source(candidates, rows, &facts[equal->column.number]);
	}
	foreach (cell, candidates)
	{
		Row row = {facts, rows->facts->equal, lfirst(cell)};

		if (translate(expr, &row) != NULL)
			sources = lappend(sources, lfirst(cell));
	}
	return sources;
}

/*
 * Conditions
 */

/* What holds of the public rows that a question's rows have. */
typedef struct Conditions
{
	const DpPublicRows *public;
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
	ListCell *cell;

	foreach (cell, dp_equalities_class(equal, (DpColumnName){0, column}))
	{
		const DpExpr *other = lfirst(cell);

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
	Row row = row_of(&join->node, conditions->public);
	int width = dp_node_row_width(&join->node);
	DpType type = {BOOLOID, -1, InvalidOid};
	ListCell *cell;
	int i;

	foreach (cell, join->conditions)
	{
		const DpExpr *condition = translate(lfirst(cell), &row);

		if (condition != NULL)
			add_condition(conditions, condition);
	}
	for (i = 0; i < width; i++)
	{
		const DpExpr **args;
		DpExpr *test;

		if (!is_of(&row, i) || !row.facts[i].may_be_null ||
			!is_equated(&join->node, row.equal, i))
			continue;
		args = palloc(sizeof(DpExpr *));
		args[0] = dp_expr_column(
			(DpColumnName){0, row.facts[i].source_column},
			conditions->public->node.columns[row.facts[i].source_column].type,
			-1);
		test = dp_expr_make(DP_EXPR_NULL_TEST, type, 1, args, -1);
		test->is_negated = true;
		add_condition(conditions, test);
	}
}

static bool
has_source(const DpNode *node, const DpNode *public)
{
	Reads reads = {public, 0};

	(void) dp_node_visit(node, count_read, NULL, &reads);
	return reads.count > 0;
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
	for (i = 0; i < node->ninputs; i++)
	{
		if (!has_source(node->inputs[i], &conditions->public->node))
			continue;
		if (node->kind == DP_NODE_JOIN)
			add_conditions(conditions, (const DpJoin *) node);
		if (node->kind == DP_NODE_LEFT_JOIN && i == 1)
		{
			conditions->is_nullable = true;
			add_conditions(conditions, (const DpJoin *) node);
		}
		find_conditions(node->inputs[i], conditions);
	}
}

/* Whether a left join is beneath a node that hides its conditions. */
static bool
is_beneath_left_join(const DpNode *node, const DpNode *public)
{
	int i;

	dp_stack_enter();
	for (i = 0; i < node->ninputs; i++)
	{
		if (!has_source(node->inputs[i], public))
			continue;
		return (node->kind == DP_NODE_LEFT_JOIN && i == 1) ||
			   is_beneath_left_join(node->inputs[i], public);
	}
	return false;
}

/*
 * Queries
 */

static Node *
write_column(const DpExpr *column, void *context)
{
	(void) context;
	return (Node *) makeVar(1, (AttrNumber) (column->column.number + 1),
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
	SortGroupClause *order = makeNode(SortGroupClause);
	TargetEntry *entry = dp_query_add_target(query, value, NULL);

	entry->ressortgroupref = order->tleSortGroupRef = (Index) entry->resno;
	get_sort_group_operators(exprType(value), true, true, false, &order->sortop,
							 &order->eqop, NULL, &order->hashable);
	query->sortClause = lappend(query->sortClause, order);
	query->distinctClause = lappend(query->distinctClause, copyObject(order));
}

/* SELECT DISTINCT exprs FROM from WHERE conditions ORDER BY exprs. */
static Query *
make_query(const Row *row, const List *exprs, const List *conditions,
		   Query *from)
{
	DpWriter writer = {.column = from == NULL ? write_null : write_column};
	Query *query = dp_query_make();
	List *quals = NIL;
	ListCell *cell;

	if (from != NULL)
	{
		query->rtable = list_make1(dp_query_entry(from, "dp_values"));
		linitial_node(RangeTblEntry, query->rtable)->inFromCl = true;
		query->jointree->fromlist = list_make1(dp_query_reference(1));
	}
	foreach (cell, exprs)
		add_target(query,
				   dp_kinds_write(translate(lfirst(cell), row), &writer));
	foreach (cell, conditions)
		quals = lappend(quals, dp_kinds_write(lfirst(cell), &writer));
	if (quals != NIL)
		query->jointree->quals = (Node *) make_ands_explicit(quals);
	return query;
}

List *
dp_public_values_queries(const DpNode *rows, const DpPublicRows *public,
						 const List *exprs)
{
	Row row = {rows->facts->columns, rows->facts->equal, public};
	Conditions conditions = {.public = public};
	List *queries;

	find_conditions(rows, &conditions);
	queries = list_make1(
		make_query(&row, exprs, conditions.all, copyObject(public->statement)));
	if (is_beneath_left_join(rows, &public->node))
		queries = lappend(queries,
						  make_query(&row, exprs, conditions.of_nulls, NULL));
	return queries;
}
