/*
 * unit_in_order.c
 *		DP Unit Groups: rows that come unit by unit.
 *
 * The table then has one unit's groups at a time, so that it is small, stays in the
 * processor's cache and takes no memory to speak of, however many units there are. A
 * unit of so many groups that they do not fit ends this: its rows and those that come
 * after it are read again, into files, as if they were in no order.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "gate/run/unit_groups_parts.h"

/*
 * Gives up reading in order: goes back to the first row of a unit, and divides it and all
 * that comes after among files. row: any row of that unit.
 */
static void
leave_order(DpUnitGroupsState *state, TupleTableSlot *row)
{
	MemoryContext old =
		MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);

	ExecCopySlot(state->unfit, row);
	state->is_in_order = false;
	dp_unit_table_reset(&state->table, true);
	dp_unit_rows_again(state, NULL);
	do
	{
		row = dp_unit_rows_next(state, NULL);
		ResetExprContext(state->states->tmpcontext);
	} while (row != NULL &&
			 !dp_unit_table_same_unit(&state->table, state->unfit, row));
	state->ahead = row;
	dp_unit_rows_divide(state, NULL, 1);
	MemoryContextSwitchTo(old);
}

bool
dp_unit_in_order_read(DpUnitGroupsState *state)
{
	TupleTableSlot *row = dp_unit_rows_next(state, NULL);

	dp_unit_table_reset(&state->table, true);
	while (row != NULL && dp_unit_table_add_of_unit(&state->table, row))
	{
		if (state->table.is_full)
		{
			leave_order(state, row);
			return false;
		}
		row = dp_unit_rows_next(state, NULL);
	}
	state->ahead = row;
	return state->table.group_count > 0;
}
