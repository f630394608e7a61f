/*
 * public_sets.c
 *		Public rows that decide expressions over a question's rows.
 */
#include "postgres.h"

#include "gate/facts/arithmetic.h"
#include "gate/facts/public_sets.h"
#include "server/stack.h"

DpPublicRow
dp_public_row_of(const DpNode *node, const DpPublicSet *set)
{
	return (DpPublicRow){dp_range_of_row(node), dp_equalities_of_row(node),
						 set};
}

/*
 * From columns of a row to public ones
 */

int
dp_public_place_at(const DpPublicRow *row, int column)
{
	const DpColumnFact *fact = &row->facts[column];
	int offset = 0;

	foreach_ptr (const DpNode, member, row->set->members)
	{
		if (fact->source == member)
			return offset + fact->source_column;
		offset += member->ncolumns;
	}
	return -1;
}

const DpPublicRows *
dp_public_member_at(const DpPublicSet *set, int place, int *number, int *column)
{
	for (*number = 0;; (*number)++)
	{
		const DpPublicRows *member = list_nth(set->members, *number);

		*column = place;
		if (place < member->node.ncolumns)
			return member;
		place -= member->node.ncolumns;
	}
}

DpType
dp_public_type_at(const DpPublicSet *set, int place)
{
	int number;
	int column;
	const DpPublicRows *member =
		dp_public_member_at(set, place, &number, &column);

	return member->node.columns[column].type;
}

int
dp_public_place_of(const DpPublicRow *row, const DpExpr *column, bool is_whole)
{
	int place = dp_public_place_at(row, column->column.number);

	if (place >= 0 || (!is_whole && !dp_order_has_one_form(column)))
		return place;
	foreach_ptr (const DpExpr, equal,
				 dp_equalities_class(row->equal, column->column))
	{
		place = equal->column.depth == 0
					? dp_public_place_at(row, equal->column.number)
					: -1;
		if (place >= 0 &&
			dp_arithmetic_is_same_type(dp_public_type_at(row->set, place).oid,
									   column->type.oid))
			return place;
	}
	return -1;
}

const DpExpr *
dp_public_column(const DpPublicSet *set, int place, DpType read)
{
	DpType type = dp_public_type_at(set, place);
	const DpExpr *column = dp_expr_column((DpColumnName){0, place}, type, -1);

	if (type.oid == read.oid && type.collation == read.collation)
		return column;
	return dp_expr_relabel(column, read);
}

typedef struct Translation
{
	const DpPublicRow *row;
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
			dp_public_place_of(translation->row, part,
							   part == translation->whole) >= 0;
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
	return dp_public_column(
		translation->row->set,
		dp_public_place_of(translation->row, part, part == translation->whole),
		part->type);
}

const DpExpr *
dp_public_over(const DpExpr *expr, const DpPublicRow *row)
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

bool
dp_public_is_read(const DpNode *node, const DpNode *public)
{
	Reads reads = {public, 0};

	(void) dp_node_visit(node, count_read, NULL, &reads);
	return reads.count > 0;
}

bool
dp_public_may_be_nulls(const DpNode *node, const DpNode *public)
{
	int i;

	dp_stack_enter();
	for (i = 0; i < node->ninputs; i++)
	{
		if (!dp_public_is_read(node->inputs[i], public))
			continue;
		return (node->kind == DP_NODE_LEFT_JOIN && i == 1) ||
			   dp_public_may_be_nulls(node->inputs[i], public);
	}
	return false;
}

/* All public rows whose columns a question's rows have. */
static List *
publics_of(const DpNode *rows)
{
	List *publics = NIL;
	int i;

	for (i = 0; i < rows->ncolumns; i++)
	{
		const DpPublicRows *public =
			(const DpPublicRows *) rows->facts->columns[i].source;

		if (public != NULL && public->node.kind == DP_NODE_PUBLIC &&
			public->is_shown && !list_member_ptr(publics, public) &&
			is_read_once(rows, &public->node))
			publics = lappend(publics, (void *) public);
	}
	return publics;
}

/*
 * Finds how a set determines a column of other public rows: adds the two columns
 * to its links, of the question's rows. False where it does not.
 */
static bool
add_link(const DpNode *rows, const DpNode *other, int column, DpPublicSet *set)
{
	DpPublicRow row = {rows->facts->columns, rows->facts->equal, set};
	int i;

	for (i = 0; i < rows->ncolumns; i++)
	{
		const DpExpr *own =
			dp_expr_column((DpColumnName){0, i}, rows->columns[i].type, -1);

		if (row.facts[i].source != other ||
			row.facts[i].source_column != column ||
			dp_public_place_of(&row, own, true) < 0)
			continue;
		set->links = lappend(set->links, (void *) own);
		return true;
	}
	return false;
}

/* Adds public rows that a set determines, by one of their unique keys. */
static bool
add_determined(const DpNode *rows, const DpPublicRows *other, DpPublicSet *set)
{
	ListCell *cell;

	foreach (cell, other->node.facts->keys.keys)
	{
		int before = list_length(set->links);
		int column = -1;

		while ((column = bms_next_member(lfirst(cell), column)) >= 0 &&
			   add_link(rows, &other->node, column, set))
			;
		if (column < 0 && list_length(set->links) > before)
		{
			set->members = lappend(set->members, (void *) other);
			return true;
		}
		set->links = list_truncate(set->links, before);
	}
	return false;
}

/* Public rows with all others that they determine. */
static DpPublicSet *
set_of(const DpNode *rows, const DpPublicRows *first, List *publics)
{
	DpPublicSet *set = palloc0(sizeof(DpPublicSet));
	bool is_complete = dp_public_may_be_nulls(rows, &first->node);

	set->members = list_make1((void *) first);
	while (!is_complete)
	{
		is_complete = true;
		foreach_ptr (const DpPublicRows, other, publics)
		{
			if (!list_member_ptr(set->members, other) &&
				!dp_public_may_be_nulls(rows, &other->node) &&
				add_determined(rows, other, set))
				is_complete = false;
		}
	}
	return set;
}

static int
compare_sets(const ListCell *a, const ListCell *b)
{
	return list_length(((const DpPublicSet *) lfirst(b))->members) -
		   list_length(((const DpPublicSet *) lfirst(a))->members);
}

List *
dp_public_values_sources(const DpNode *rows, const DpExpr *expr)
{
	List *publics = dp_expr_columns(expr) == NULL ? NIL : publics_of(rows);
	List *sources = NIL;

	foreach_ptr (const DpPublicRows, public, publics)
	{
		DpPublicSet *set = set_of(rows, public, publics);
		DpPublicRow row = {rows->facts->columns, rows->facts->equal, set};

		if (dp_public_over(expr, &row) != NULL)
			sources = lappend(sources, set);
	}
	list_sort(sources, compare_sets); /* which leaves equal ones in order */
	return sources;
}

bool
dp_public_values_are_same(const DpPublicSet *one, const DpPublicSet *other)
{
	return linitial(one->members) == linitial(other->members);
}
