/*
 * range.c
 *		Which values columns and expressions may have: bounds, and whether null.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "gate/facts/arithmetic.h"
#include "gate/facts/facts.h"
#include "gate/facts/extent.h"
#include "gate/facts/stated.h"
#include "gate/question/relations/declared.h"
#include "gate/question/relations/protection.h"
#include "gate/tree/functions.h"
#include "gate/tree/kinds.h"
#include "server/ordered_type.h"
#include "server/stack.h"

bool
dp_range_can_have_bounds(Oid type)
{
	return dp_arithmetic_is_number(type) ||
		   dp_ordered_type(getBaseType(type)) != NULL;
}

/* Nothing is known. */
static const DpColumnFact any_value = {.may_be_null = true};

/* Sets by which column values are declared, and the bounds that are. */
static void
set_declared(DpColumnFact *fact, Oid relation, AttrNumber attribute, Oid type)
{
	fact->relation = relation;
	fact->attribute = attribute;
	fact->has_bounds = fact->is_declared =
		attribute > 0 && dp_range_can_have_bounds(type) &&
		dp_gate_bounds(relation, attribute, getBaseType(type), &fact->lower,
					   &fact->upper) &&
		dp_extent_is_usable(fact->lower) && dp_extent_is_usable(fact->upper);
}

static void
of_scan(const DpScan *scan, DpColumnFact *facts)
{
	int i;

	for (i = 0; i < scan->node.ncolumns; i++)
	{
		facts[i].source = &scan->node;
		facts[i].source_column = i;
		facts[i].may_be_null =
			scan->attributes[i] > 0 &&
			!dp_gate_is_not_null(scan->relation, scan->attributes[i]);
		set_declared(&facts[i], scan->relation, scan->attributes[i],
					 scan->node.columns[i].type.oid);
	}
}

static void
of_public(const DpPublicRows *rows, DpColumnFact *facts)
{
	int i;

	for (i = 0; i < rows->node.ncolumns; i++)
	{
		facts[i].source = &rows->node;
		facts[i].source_column = i;
		facts[i].may_be_null =
			!OidIsValid(rows->relation) || rows->attributes[i] <= 0 ||
			!dp_gate_is_not_null(rows->relation, rows->attributes[i]);
	}
}

/*
 * A view's own declarations go before those of what it reads. Bounds that its
 * conditions state are no part of the question.
 */
static void
of_view(const DpView *view, DpColumnFact *facts)
{
	int i;

	memcpy(facts, view->node.inputs[0]->facts->columns,
		   view->node.ncolumns * sizeof(DpColumnFact));
	for (i = 0; i < view->node.ncolumns; i++)
	{
		facts[i].has_stated[0] = facts[i].has_stated[1] = false;
		if (view->attributes[i] <= 0)
			continue;
		if (dp_gate_is_declared(view->relation, view->attributes[i]))
			set_declared(&facts[i], view->relation, view->attributes[i],
						 view->node.columns[i].type.oid);
		else if (!OidIsValid(facts[i].relation))
		{
			facts[i].relation = view->relation;
			facts[i].attribute = view->attributes[i];
		}
	}
}

/* Rows of any of the inputs. */
static void
of_union(const DpNode *node, DpColumnFact *facts)
{
	int column;
	int input;

	for (column = 0; column < node->ncolumns; column++)
	{
		DpExtent hull = {.is_empty = true};
		bool has_bounds = true;

		for (input = 0; input < node->ninputs; input++)
		{
			const DpColumnFact *one =
				&node->inputs[input]->facts->columns[column];
			DpExtent bounds = {false, one->lower, one->upper};

			facts[column].may_be_null |= one->may_be_null;
			has_bounds &= one->has_bounds;
			if (has_bounds)
				dp_extent_add(&hull, &bounds);
		}
		facts[column].has_bounds = has_bounds;
		facts[column].lower = hull.lower;
		facts[column].upper = hull.upper;
	}
}

/* What some expressions are; aggregates can be anything. */
static void
of_exprs(const DpNode *node, List *exprs, DpColumnFact *facts)
{
	const DpColumnFact *row = dp_range_of_row(node);
	ListCell *cell;

	foreach (cell, exprs)
	{
		const DpExpr *expr = lfirst(cell);

		facts[foreach_current_index(cell)] = expr->kind == DP_EXPR_AGGREGATE
												 ? any_value
												 : dp_range_of(expr, row);
	}
}

/* A left join's right side is null where nothing matches, whatever was stated. */
static void
of_left_join(const DpNode *node, DpColumnFact *facts)
{
	int i;

	memcpy(facts, dp_range_of_row(node), node->ncolumns * sizeof(DpColumnFact));
	for (i = dp_node_offset(node, 1); i < node->ncolumns; i++)
	{
		facts[i].may_be_null = true;
		facts[i].has_stated[0] = facts[i].has_stated[1] = false;
	}
}

DpColumnFact *
dp_range_of_columns(const DpNode *node)
{
	DpColumnFact *facts = palloc0(node->ncolumns * sizeof(DpColumnFact));
	int i;

	switch (node->kind)
	{
		case DP_NODE_SCAN:
			of_scan((const DpScan *) node, facts);
			break;
		case DP_NODE_PUBLIC:
			of_public((const DpPublicRows *) node, facts);
			break;
		case DP_NODE_JOIN:
			return dp_range_of_row(node);
		case DP_NODE_LEFT_JOIN:
			of_left_join(node, facts);
			break;
		case DP_NODE_GROUP:
			of_exprs(node, dp_node_exprs(node), facts);
			break;
		case DP_NODE_WINDOW:
			for (i = 0; i < node->ncolumns; i++)
				facts[i] = i < node->inputs[0]->ncolumns
							   ? node->inputs[0]->facts->columns[i]
							   : any_value;
			break;
		case DP_NODE_UNION:
			of_union(node, facts);
			break;
		case DP_NODE_VIEW:
			of_view((const DpView *) node, facts);
			break;
		case DP_NODE_PROJECT:
			of_exprs(node, ((const DpProject *) node)->exprs, facts);
			break;
		case DP_NODE_RELEASE:
			of_exprs(node, ((const DpQuestion *) node)->keys, facts);
			break;
	}
	return facts;
}

/* Rows without a unit do not count. */
DpColumnFact *
dp_range_of_counted(const DpNode *rows)
{
	Size size = rows->ncolumns * sizeof(DpColumnFact);
	DpColumnFact *facts = memcpy(palloc(size), rows->facts->columns, size);
	const DpUnitName *name = dp_owner_value_name(&rows->facts->owner);
	ListCell *cell;

	foreach (cell, name == NULL ? NIL : name->columns)
	{
		Bitmapset *alike =
			dp_equalities_of_column(rows->facts->equal, lfirst_int(cell));
		int column = -1;

		facts[lfirst_int(cell)].may_be_null = false;
		while ((column = bms_next_member(alike, column)) >= 0)
			facts[column].may_be_null = false;
	}
	return facts;
}

DpColumnFact *
dp_range_of_row(const DpNode *node)
{
	DpColumnFact *row;
	int width = 0;
	ListCell *cell;
	int i;

	if (node->kind == DP_NODE_RELEASE)
		return dp_range_of_counted(node->inputs[0]);
	row = palloc(dp_node_row_width(node) * sizeof(DpColumnFact));
	for (i = 0; i < node->ninputs; i++)
	{
		memcpy(row + width, node->inputs[i]->facts->columns,
			   node->inputs[i]->ncolumns * sizeof(DpColumnFact));
		width += node->inputs[i]->ncolumns;
		if (node->kind == DP_NODE_UNION)
			break;
	}
	if (node->kind != DP_NODE_JOIN)
		return row;
	foreach (cell, ((const DpJoin *) node)->conditions)
	{
		ListCell *arm;

		foreach (arm, dp_expr_arms(lfirst(cell), NIL))
			dp_stated_narrow(row, lfirst(arm));
	}
	return row;
}

/* Whether any of some arguments may be null: the first, and each so many after. */
static bool
any_may_be_null(const DpExpr *expr, int first, int step,
				const DpColumnFact *row)
{
	int i;

	for (i = first; i < expr->nargs; i += step)
	{
		if (dp_range_may_be_null(expr->args[i], row))
			return true;
	}
	return false;
}

bool
dp_range_may_be_null(const DpExpr *expr, const DpColumnFact *row)
{
	int i;

	dp_stack_enter();
	switch (dp_kinds_get(expr->kind)->nulls)
	{
		case DP_NULL_NEVER:
			return false;
		case DP_NULL_STRICT:
			return dp_functions_wrapped(expr) != NULL ||
				   any_may_be_null(expr, 0, 1, row);
		case DP_NULL_COALESCE:
			for (i = 0; i < expr->nargs; i++)
			{
				if (!dp_range_may_be_null(expr->args[i], row))
					return false;
			}
			return true;
		case DP_NULL_CASE: /* subject?, (when, then)..., else */
			return any_may_be_null(expr, expr->has_subject ? 2 : 1, 2, row) ||
				   dp_range_may_be_null(expr->args[expr->nargs - 1], row);
		case DP_NULL_ASK:
			if (expr->kind == DP_EXPR_CONSTANT)
				return expr->constant.isnull;
			return expr->kind != DP_EXPR_COLUMN || expr->column.depth != 0 ||
				   row[expr->column.number].may_be_null;
		case DP_NULL_MAYBE:
			break;
	}
	return true;
}

DpColumnFact
dp_range_of(const DpExpr *expr, const DpColumnFact *row)
{
	const DpExpr *column = dp_expr_column_of(expr);
	DpColumnFact fact = any_value;
	DpExtent extent;

	if (column != NULL)
		return column->column.depth == 0 ? row[column->column.number]
										 : any_value;
	fact.may_be_null = dp_range_may_be_null(expr, row);
	if (dp_extent_of(expr, row, &extent) && !extent.is_empty)
	{
		fact.has_bounds = true;
		fact.lower = extent.lower;
		fact.upper = extent.upper;
	}
	return fact;
}
