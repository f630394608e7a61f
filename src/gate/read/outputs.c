/*
 * outputs.c
 *		Reads what a query puts out of its rows.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "gate/facts/facts.h"
#include "gate/read/determined.h"
#include "gate/read/expression.h"
#include "gate/read/folding.h"
#include "gate/read/joins.h"
#include "gate/read/outputs.h"
#include "gate/read/unit_columns.h"
#include "gate/relations/locations.h"
#include "gate/relations/refusal.h"
#include "gate/tree/functions.h"

/* What is read, step by step. */
typedef struct DpOutputs
{
	DpScope *scope;
	DpUnitOutput unit;
	const DpNode *rows; /* as far as they are made */
	List *entries;		/* of what is put out or grouped by: TargetEntry */
	List *exprs;		/* beside: of const DpExpr, over the rows */
} DpOutputs;

/* Whether it is put out, or groups or orders rows. */
static bool
is_needed(const Query *query, const TargetEntry *entry)
{
	List *clauses = list_concat_copy(query->groupClause, query->distinctClause);

	foreach_node (WindowClause, window, query->windowClause)
	{
		clauses = list_concat(clauses, window->partitionClause);
		clauses = list_concat(clauses, window->orderClause);
	}
	return !entry->resjunk || get_sortgroupref_clause_noerr(
								  entry->ressortgroupref, clauses) != NULL;
}

static void
read_targets(DpOutputs *outputs)
{
	DpScope *scope = outputs->scope;

	scope->what = "a sub-query";
	foreach_node (TargetEntry, entry, scope->query->targetList)
	{
		if (!is_needed(scope->query, entry))
			continue;
		outputs->entries = lappend(outputs->entries, entry);
		outputs->exprs =
			lappend(outputs->exprs,
					(void *) dp_expression_read(scope, (Node *) entry->expr));
	}
}

/* The expressions of SortGroupClauses. */
static List *
of_clauses(const DpOutputs *outputs, List *clauses)
{
	List *result = NIL;
	ListCell *clause;
	ListCell *entry;
	ListCell *expr;

	foreach (clause, clauses)
	{
		Index number = lfirst_node(SortGroupClause, clause)->tleSortGroupRef;

		forboth (entry, outputs->entries, expr, outputs->exprs)
		{
			if (lfirst_node(TargetEntry, entry)->ressortgroupref == number)
				result = lappend(result, lfirst(expr));
		}
	}
	return result;
}

/*
 * Adds the facts to a node of the query, and refuses it if its rows depend on the
 * order of others.
 */
static const DpNode *
add_facts(DpNode *node)
{
	const DpOrderFact *order = &dp_facts_add(node)->facts->order;

	if (order->depends)
		dp_refusal_raise(order->what, order->hint, order->location);
	return node;
}

static List *
change_all(List *exprs, DpExprChange change, void *context)
{
	List *result = NIL;

	foreach_ptr (const DpExpr, expr, exprs)
		result =
			lappend(result, (void *) dp_expr_change(expr, change, context));
	return result;
}

/*
 * Groups
 *
 * Expressions over groups are read over the rows and then taken apart: what is
 * a key, or an aggregate, becomes a column of the group.
 */

typedef struct Grouping
{
	List *keys;		  /* of const DpExpr */
	List *aggregates; /* and columns that keys determine: of const DpExpr */
} Grouping;

/* The number of the column that a group has for an aggregate, or for a column. */
static int
take(Grouping *grouping, const DpExpr *expr)
{
	int number = dp_expr_number(grouping->aggregates, expr);

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
	int number = dp_expr_number(grouping->keys, dp_expr_deepen(expr, -depth));

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

/* Groups the rows if the query does. having: of const DpExpr. */
static void
make_groups(DpOutputs *outputs, List *having)
{
	const Query *query = outputs->scope->query;
	List *written = of_clauses(outputs, query->groupClause);
	Grouping grouping = {NIL, NIL};
	DpGroup *group;

	if (!query->hasAggs && query->groupClause == NIL &&
		query->havingQual == NULL)
		return;
	grouping.keys =
		dp_unit_columns_add(outputs->rows, outputs->unit, written,
							"GROUP BY or an aggregate in a sub-query",
							dp_locations_of_query(query));

	if (grouping.keys != NIL)
		grouping.keys =
			dp_determined_add(outputs->rows, grouping.keys,
							  list_concat_copy(outputs->exprs, having));
	outputs->exprs = change_all(outputs->exprs, over_group, &grouping);
	having = change_all(having, over_group, &grouping);
	group = make_group(outputs, grouping.keys, grouping.aggregates,
					   query->groupClause);
	outputs->rows = dp_joins_filter(add_facts(&group->node), having);
}

/* The same for DISTINCT: what is put out are the keys. */
static void
make_distinct(DpOutputs *outputs)
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
	keys = dp_unit_columns_add(outputs->rows, outputs->unit, list_copy(keys),
							   "DISTINCT", dp_locations_of_query(query));
	group = make_group(outputs, keys, NIL, query->distinctClause);
	group->is_distinct = true;
	rows = add_facts(&group->node);
	if (outputs->unit == DP_UNIT_OUTSIDE)
		return; /* in a condition it means nothing */
	outputs->rows = rows;
	outputs->entries = entries;
	outputs->exprs = exprs;
}

/*
 * Windows
 */

/* Calls that are taken out of expressions. */
typedef struct Calls
{
	const DpNode *rows;
	List *calls; /* of const DpExpr */
} Calls;

/* The first function over a window. */
static int
location_of(const DpOutputs *outputs, const Calls *calls,
			const WindowClause *clause)
{
	foreach_ptr (const DpExpr, call, calls->calls)
	{
		if (call->total->window->winref == clause->winref)
			return call->location;
	}
	return dp_locations_of_query(outputs->scope->query);
}

static void
check_sortable(List *keys)
{
	foreach_ptr (const DpExpr, key, keys)
	{
		if (!dp_functions_is_sortable(key->type.oid))
			dp_refusal_raise(
				"a window ordered or partitioned by values of such a type",
				"Order by numbers, texts, dates or times.", key->location);
	}
}

/* An offset of a frame in rows: a constant, which cannot fail. May be NULL. */
static Node *
read_offset(const WindowClause *clause, Node *offset)
{
	const Const *value;

	if (offset == NULL)
		return NULL;
	value =
		(const Const *) dp_folding_fold(copyObject(offset), "a window frame");
	if ((clause->frameOptions & FRAMEOPTION_ROWS) == 0 || !IsA(value, Const) ||
		value->consttype != INT8OID || value->constisnull ||
		DatumGetInt64(value->constvalue) < 0 ||
		DatumGetInt64(value->constvalue) > PG_INT32_MAX)
		dp_refusal_raise("a window frame with such an offset",
						 "Write ROWS, and a constant number of rows.",
						 exprLocation(offset));
	return (Node *) value;
}

static DpWindowFrame *
read_frame(const DpOutputs *outputs, WindowClause *clause, int location)
{
	DpWindowFrame *frame = palloc0(sizeof(DpWindowFrame));
	List *written = of_clauses(outputs, clause->partitionClause);

	frame->partition = dp_unit_columns_add(outputs->rows, outputs->unit,
										   written, "a window", location);
	frame->start = read_offset(clause, clause->startOffset);
	frame->end = read_offset(clause, clause->endOffset);
	frame->order = of_clauses(outputs, clause->orderClause);
	check_sortable(frame->partition);
	check_sortable(frame->order);
	frame->directions = clause->orderClause;
	frame->options = clause->frameOptions;
	frame->clause = clause;
	return frame;
}

/* An expression over the rows as one over those with the results of calls. */
static const DpExpr *
take_call(const DpExpr *expr, int depth, void *context)
{
	Calls *calls = context;
	DpColumnName name = {0, calls->rows->ncolumns + list_length(calls->calls)};

	if (expr->kind != DP_EXPR_WINDOW_CALL || depth != 0)
		return NULL;
	calls->calls = lappend(calls->calls, (void *) expr);
	return dp_expr_column(name, expr->type, expr->location);
}

/* The frames of calls: one for each WINDOW clause. */
static List *
frames_of(const DpOutputs *outputs, const Calls *calls)
{
	List *written = NIL;
	List *frames = NIL;
	ListCell *clause;

	foreach_node (WindowClause, window, outputs->scope->query->windowClause)
		written =
			lappend(written, read_frame(outputs, window,
										location_of(outputs, calls, window)));
	foreach_ptr (const DpExpr, call, calls->calls)
	{
		foreach (clause, written)
		{
			DpWindowFrame *frame = lfirst(clause);

			if (frame->clause->winref == call->total->window->winref)
				frames = lappend(frames, frame);
		}
	}
	return frames;
}

/* Adds the results of window functions to the rows, if there are such. */
static void
make_windows(DpOutputs *outputs)
{
	Calls calls = {outputs->rows, NIL};
	List *exprs;
	List *frames;

	if (outputs->scope->query->windowClause == NIL)
		return;
	exprs = change_all(outputs->exprs, take_call, &calls);
	frames = frames_of(outputs, &calls);
	outputs->exprs = exprs;
	if (calls.calls != NIL)
		outputs->rows = add_facts(
			&dp_node_window(outputs->rows, calls.calls, frames, -1)->node);
}

/*
 * The whole
 */

/*
 * Whether expressions are all columns of the rows, in order. Above windows they are
 * written out, for the order of rows depends on what is named.
 */
static bool
is_same(const DpNode *rows, List *exprs)
{
	foreach_ptr (const DpExpr, expr, exprs)
	{
		if (expr->kind != DP_EXPR_COLUMN || expr->column.depth != 0 ||
			expr->column.number != foreach_current_index(expr))
			return false;
	}
	return rows->kind != DP_NODE_WINDOW && list_length(exprs) == rows->ncolumns;
}

static const DpNode *
project(const DpOutputs *outputs, List *exprs, List *names)
{
	exprs = list_concat(
		exprs, dp_unit_columns_hidden(outputs->rows, outputs->unit, exprs));
	if (is_same(outputs->rows, exprs))
		return outputs->rows;
	return add_facts(&dp_node_project(outputs->rows, exprs, names)->node);
}

const DpNode *
dp_outputs_read(DpScope *scope, DpUnitOutput unit)
{
	DpOutputs outputs = {scope, unit, scope->row, NIL, NIL};
	List *having;
	List *exprs = NIL;
	List *names = NIL;
	const DpNode *result;
	ListCell *entry;
	ListCell *expr;

	scope->with_totals = true;
	read_targets(&outputs);
	scope->what = "HAVING";
	having = dp_expression_read_conditions(scope, scope->query->havingQual);
	scope->with_totals = false;
	make_groups(&outputs, having);
	make_windows(&outputs);
	make_distinct(&outputs);
	forboth (entry, outputs.entries, expr, outputs.exprs)
	{
		if (lfirst_node(TargetEntry, entry)->resjunk)
			continue;
		exprs = lappend(exprs, lfirst(expr));
		names = lappend(names, lfirst_node(TargetEntry, entry)->resname);
	}
	result = project(&outputs, exprs, names);
	if (unit != DP_UNIT_OUTSIDE &&
		result->facts->owner.problem != DP_OWNER_FINE)
		elog(ERROR, "a sub-query without an owner has been read");
	return result;
}
