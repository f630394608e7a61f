/*
 * columns.c
 *		Which columns the rows of a release have.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"

#include "gate/question/keys/key.h"
#include "gate/question/relations/private_aggregates.h"
#include "gate/release/columns.h"

static int
sums_count(const Aggref *aggref)
{
	return dp_gate_traits_of(aggref)->sums;
}

static Node *
bytes_column(void)
{
	return (Node *) makeNullConst(BYTEAOID, -1, InvalidOid);
}

List *
dp_columns_shown(const DpReleasePlan *plan)
{
	return list_concat(
		dp_gate_release_columns(plan->outline.keys, plan->outline.aggregates),
		plan->outline.ends->types);
}

List *
dp_columns_kept(const DpReleasePlan *plan)
{
	List *columns = dp_columns_shown(plan);
	ListCell *cell;

	foreach (cell, plan->outline.aggregates)
	{
		if (sums_count(lfirst(cell)) > 0)
			columns = lappend(columns, bytes_column());
	}
	return columns;
}

List *
dp_columns_computed(List *keys, List *aggregates)
{
	List *columns = dp_gate_release_columns(keys, NIL);
	ListCell *cell;

	foreach (cell, aggregates)
		columns = lappend(columns, sums_count(lfirst(cell)) > 0 ? bytes_column()
																: lfirst(cell));
	return columns;
}

int *
dp_columns_of_sums(const DpReleasePlan *plan)
{
	int count = list_length(plan->outline.aggregates);
	int column = list_length(plan->outline.keys) + count +
				 list_length(plan->outline.ends->aggnos);
	int *columns = palloc(Max(count, 1) * sizeof(int));
	ListCell *cell;

	foreach (cell, plan->outline.aggregates)
		columns[foreach_current_index(cell)] =
			sums_count(lfirst(cell)) > 0 ? column++ : -1;
	return columns;
}
