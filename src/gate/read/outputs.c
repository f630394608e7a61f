/*
 * outputs.c
 *		Reads what a query puts out of its rows.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/question/relations/refusal.h"
#include "gate/read/expression.h"
#include "gate/read/groups.h"
#include "gate/read/outputs.h"
#include "gate/read/windows.h"
#include "optimizer/optimizer.h"

static const DpExpr *
column_of(const DpNode *node, int number)
{
	return dp_expr_column((DpColumnName){0, number}, node->columns[number].type,
						  -1);
}

/* Whether it is put out, or groups or orders rows. */
static bool
is_needed(const Query *query, const TargetEntry *entry)
{
	List *clauses = list_concat_copy(query->groupClause, query->distinctClause);
	ListCell *cell;

	foreach (cell, query->windowClause)
	{
		const WindowClause *window = lfirst_node(WindowClause, cell);

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
	ListCell *cell;

	scope->what = "a sub-query";
	foreach (cell, scope->query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!is_needed(scope->query, entry))
			continue;
		outputs->entries = lappend(outputs->entries, entry);
		outputs->exprs =
			lappend(outputs->exprs,
					(void *) dp_expression_read(scope, (Node *) entry->expr));
	}
}

List *
dp_outputs_of_clauses(const DpOutputs *outputs, List *clauses)
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

const DpNode *
dp_outputs_add_facts(DpNode *node)
{
	const DpOrderFact *order = &dp_facts_add(node)->facts->order;

	if (order->depends)
		dp_gate_refuse(order->what, order->hint, order->location);
	return node;
}

/*
 * The unit
 */

/* Adds a column to keys, unless it is one of them. */
static List *
add_column(List *keys, const DpNode *rows, int number)
{
	const DpExpr *column = column_of(rows, number);
	ListCell *cell;

	foreach (cell, keys)
	{
		if (dp_expr_equal(lfirst(cell), column))
			return keys;
	}
	return lappend(keys, (void *) column);
}

/*
 * With the value of the unit among them, keys that determine it make the same
 * groups as before.
 */
List *
dp_outputs_add_unit(const DpOutputs *outputs, List *keys, const char *what,
					int location)
{
	const DpNode *rows = outputs->rows;
	const DpOwner *owner = &rows->facts->owner;
	const DpUnitName *name = dp_owner_value_name(owner);
	bool is_determined =
		dp_owner_is_determined(owner, rows->facts->equal, keys);
	ListCell *cell;

	if (outputs->unit == DP_UNIT_OUTSIDE && !is_determined)
		return keys;
	if (!is_determined)
		dp_gate_refuse(psprintf("%s of several privacy units' rows", what),
					   "Name the column that is the privacy unit, or a key "
					   "that tells it, among its keys; or ask about the rows "
					   "themselves.",
					   location);
	foreach (cell, name == NULL ? NIL : name->columns)
		keys = add_column(keys, rows, lfirst_int(cell));
	return keys;
}

/* Columns that are put out to name the unit. */
static List *
hidden_columns(const DpOutputs *outputs, List *seen)
{
	const DpOwner *owner = &outputs->rows->facts->owner;
	const DpUnitName *value = dp_owner_value_name(owner);
	List *before = outputs->unit == DP_UNIT_ALONG ? seen : NIL;
	List *columns = list_copy(before);
	ListCell *cell;
	ListCell *column;

	if (outputs->unit == DP_UNIT_OUTSIDE)
		return NIL;
	foreach (cell, owner->names)
	{
		const DpUnitName *name = lfirst(cell);

		if (name->depth > 0 || (value != NULL && name != value))
			continue;
		foreach (column, name->columns)
			columns = add_column(columns, outputs->rows, lfirst_int(column));
	}
	return list_copy_tail(columns, list_length(before));
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
	ListCell *cell;

	foreach (cell, exprs)
	{
		const DpExpr *expr = lfirst(cell);

		if (expr->kind != DP_EXPR_COLUMN || expr->column.depth != 0 ||
			expr->column.number != foreach_current_index(cell))
			return false;
	}
	return rows->kind != DP_NODE_WINDOW &&
		   list_length(exprs) == rows->ncolumns;
}

static const DpNode *
project(const DpOutputs *outputs, List *exprs, List *names)
{
	exprs = list_concat(exprs, hidden_columns(outputs, exprs));
	if (is_same(outputs->rows, exprs))
		return outputs->rows;
	return dp_outputs_add_facts(
		&dp_node_project(outputs->rows, exprs, names, -1)->node);
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
	dp_groups_make(&outputs, having);
	dp_windows_make(&outputs);
	dp_groups_make_distinct(&outputs);
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
