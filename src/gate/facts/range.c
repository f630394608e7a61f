/*
 * range.c
 *		Which values the columns of a node may have.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "gate/facts/facts.h"
#include "gate/relations/declared.h"
#include "gate/relations/protection.h"

/* Sets by which column values are declared, and the bounds that are. */
static void
set_declared(DpColumnFact *fact, Oid relation, AttrNumber attribute, Oid type)
{
	fact->relation = relation;
	fact->attribute = attribute;
	fact->has_bounds = fact->is_declared =
		attribute > 0 && dp_range_can_have_bounds(type) &&
		dp_declared_bounds(relation, attribute, getBaseType(type), &fact->lower,
						   &fact->upper) &&
		dp_range_is_usable(fact->lower) && dp_range_is_usable(fact->upper);
}

/* A scan, or public rows. */
static void
of_source(const DpNode *node, Oid relation, const AttrNumber *attributes,
		  DpColumnFact *facts)
{
	bool is_owned = node->kind == DP_NODE_SCAN;
	int i;

	for (i = 0; i < node->ncolumns; i++)
	{
		AttrNumber attribute = OidIsValid(relation) ? attributes[i] : 0;

		facts[i].source = node;
		facts[i].source_column = i;
		facts[i].may_be_null =
			attribute > 0 ? !dp_protection_is_not_null(relation, attribute)
						  : !is_owned;
		if (is_owned)
			set_declared(&facts[i], relation, attribute,
						 node->columns[i].type.oid);
	}
}

/* A view's own declarations go before those of what it reads. */
static void
of_view(const DpView *view, DpColumnFact *facts)
{
	int i;

	for (i = 0; i < view->node.ncolumns; i++)
	{
		AttrNumber attribute = view->attributes[i];

		facts[i] = view->node.inputs[0]->facts->columns[i];
		if (attribute <= 0)
			continue;
		if (dp_declared_exists(view->relation, attribute))
			set_declared(&facts[i], view->relation, attribute,
						 view->node.columns[i].type.oid);
		else if (!OidIsValid(facts[i].relation))
		{
			facts[i].relation = view->relation;
			facts[i].attribute = attribute;
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
		facts[column].is_null = true;
		for (input = 0; input < node->ninputs; input++)
			dp_range_add(&facts[column],
						 &node->inputs[input]->facts->columns[column]);
	}
}

static void
of_exprs(const DpNode *node, List *exprs, DpColumnFact *facts)
{
	const DpColumnFact *row = dp_range_of_row(node);

	foreach_ptr (const DpExpr, expr, exprs)
		facts[foreach_current_index(expr)] = dp_range_of(expr, row);
}

DpColumnFact *
dp_range_of_columns(const DpNode *node)
{
	const DpScan *scan = (const DpScan *) node;
	const DpPublicRows *rows = (const DpPublicRows *) node;
	DpColumnFact *facts = palloc0(node->ncolumns * sizeof(DpColumnFact));
	int i;

	switch (node->kind)
	{
		case DP_NODE_SCAN:
			of_source(node, scan->relation, scan->attributes, facts);
			break;
		case DP_NODE_PUBLIC:
			of_source(node, rows->relation, rows->attributes, facts);
			break;
		case DP_NODE_JOIN:
			return dp_range_of_row(node);
		case DP_NODE_LEFT_JOIN:
			facts = dp_range_of_row(node);
			for (i = dp_node_offset(node, 1); i < node->ncolumns; i++)
				facts[i].may_be_null = true;
			break;
		case DP_NODE_GROUP:
			of_exprs(node, dp_node_exprs(node), facts);
			break;
		case DP_NODE_WINDOW:
			memcpy(facts, node->inputs[0]->facts->columns,
				   node->inputs[0]->ncolumns * sizeof(DpColumnFact));
			for (i = node->inputs[0]->ncolumns; i < node->ncolumns; i++)
				facts[i].may_be_null = true;
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

		while ((column = bms_next_member(alike, column)) >= 0)
			facts[column].may_be_null = false;
	}
	return facts;
}

DpColumnFact *
dp_range_of_row(const DpNode *node)
{
	int width = dp_node_row_width(node);
	DpColumnFact *row = palloc(width * sizeof(DpColumnFact));
	int first = 0;
	int i;

	if (node->kind == DP_NODE_RELEASE)
		return dp_range_of_counted(node->inputs[0]);
	for (i = 0; first < width; first += node->inputs[i++]->ncolumns)
		memcpy(row + first, node->inputs[i]->facts->columns,
			   node->inputs[i]->ncolumns * sizeof(DpColumnFact));
	return row;
}

void
dp_range_set_bounds(DpColumnFact *range, Datum lower, Datum upper)
{
	range->has_bounds = dp_range_is_usable(lower) && dp_range_is_usable(upper);
	range->is_declared = false;
	range->lower = lower;
	range->upper = upper;
}
