/*
 * groups.c
 *		Reads GROUP BY, HAVING and DISTINCT of sub-queries.
 *
 * A column that is no key is determined by the keys, or the server would have
 * refused it.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"

#include "gate/question/relations/locations.h"
#include "gate/read/groups.h"
#include "gate/read/joins.h"

typedef struct Grouping
{
	List *keys;		  /* of const DpExpr */
	List *aggregates; /* and columns that keys determine: of const DpExpr */
} Grouping;

/* The number of an expression in a list; -1: it is not there. */
static int
number_of(List *exprs, const DpExpr *expr, int depth)
{
	ListCell *cell;

	foreach (cell, exprs)
	{
		if (dp_expr_equal(dp_expr_deepen(lfirst(cell), depth), expr))
			return foreach_current_index(cell);
	}
	return -1;
}

/* The number of the column that a group has for an aggregate, or for a column. */
static int
take(Grouping *grouping, const DpExpr *expr)
{
	int number = number_of(grouping->aggregates, expr, 0);

	if (number < 0)
	{
		number = list_length(grouping->aggregates);
		grouping->aggregates = lappend(grouping->aggregates, (void *) expr);
	}
	return list_length(grouping->keys) + number;
}

/* An expression over the rows as one over the groups. */
static const DpExpr *
over_group(const DpExpr *expr, int depth, void *context)
{
	Grouping *grouping = context;
	int number = number_of(grouping->keys, expr, depth);

	if (number < 0 && depth == 0 && expr->kind == DP_EXPR_AGGREGATE)
		number = take(grouping, expr);
	else if (number < 0 && expr->kind == DP_EXPR_COLUMN &&
			 expr->column.depth == depth)
		number = take(grouping,
					  dp_expr_column((DpColumnName){0, expr->column.number},
									 expr->type, expr->location));
	return number < 0 ? NULL
					  : dp_expr_column((DpColumnName){depth, number},
									   expr->type, expr->location);
}

static List *
all_over_group(List *exprs, Grouping *grouping)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, exprs)
		result = lappend(result, (void *) dp_expr_change(lfirst(cell),
														 over_group, grouping));
	return result;
}

static List *
names_of(const DpOutputs *outputs, List *clauses)
{
	List *names = NIL;
	ListCell *cell;

	foreach (cell, clauses)
		names = lappend(
			names,
			get_sortgroupclause_tle(lfirst(cell), outputs->entries)->resname);
	return names;
}

static DpGroup *
make_group(const DpOutputs *outputs, List *keys, List *aggregates,
		   List *clauses)
{
	return dp_node_group(outputs->rows, keys, aggregates,
						 names_of(outputs, clauses), -1);
}

void
dp_groups_make(DpOutputs *outputs, List *having)
{
	const Query *query = outputs->scope->query;
	List *written = dp_outputs_of_clauses(outputs, query->groupClause);
	Grouping grouping = {NIL, NIL};
	DpGroup *group;

	if (!query->hasAggs && query->groupClause == NIL &&
		query->havingQual == NULL)
		return;
	grouping.keys = dp_outputs_add_unit(
		outputs, written, "GROUP BY or an aggregate in a sub-query",
		dp_gate_location_of_query(query));

	outputs->exprs = all_over_group(outputs->exprs, &grouping);
	having = all_over_group(having, &grouping);
	group = make_group(outputs, grouping.keys, grouping.aggregates,
					   query->groupClause);
	outputs->rows = dp_joins_filter(dp_outputs_add_facts(&group->node), having);
}

void
dp_groups_make_distinct(DpOutputs *outputs)
{
	const Query *query = outputs->scope->query;
	List *entries = NIL;
	List *keys = NIL;
	List *exprs = NIL;
	DpGroup *group;
	const DpNode *rows;
	ListCell *entry;
	ListCell *expr;

	if (query->distinctClause == NIL)
		return;
	forboth (entry, outputs->entries, expr, outputs->exprs)
	{
		if (lfirst_node(TargetEntry, entry)->resjunk)
			continue;
		entries = lappend(entries, lfirst(entry));
		keys = lappend(keys, lfirst(expr));
		exprs = lappend(exprs, (void *) dp_expr_column(
								   (DpColumnName){0, list_length(exprs)},
								   ((const DpExpr *) lfirst(expr))->type, -1));
	}
	keys = dp_outputs_add_unit(outputs, list_copy(keys), "DISTINCT",
							   dp_gate_location_of_query(query));
	group = make_group(outputs, keys, NIL, query->distinctClause);
	group->is_distinct = true;
	rows = dp_outputs_add_facts(&group->node);
	if (outputs->unit == DP_UNIT_OUTSIDE)
		return; /* in a condition it means nothing */
	outputs->rows = rows;
	outputs->entries = entries;
	outputs->exprs = exprs;
}
