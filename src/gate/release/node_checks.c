/*
 * node_checks.c
 *		Asks the nodes of Citus, before a charge, whether they can be asked.
 *
 * What a node says may name its address, so the asker gets one error for all of it,
 * and the server's log the cause.
 */
#include "postgres.h"

#include "gate/relations/role_rights.h"
#include "gate/release/execution.h"
#include "gate/release/node_checks.h"
#include "gate/release/silent_run.h"
#include "server/citus.h"

/* There are none: a row would be counts of nothing. */
static bool
ignore_row(TupleTableSlot *slot, void *context)
{
	(void) slot;
	(void) context;
	return true;
}

static void
ask(void *context)
{
	DpReleaseState *state = context;
	const DpOutline *outline = state->outline;
	ListCell *cell;

	foreach (cell, outline->node_checks)
	{
		DpRights rights; /* ended after errors by dp_silent_run */

		if (lfirst(cell) == NULL)
			continue;
		dp_role_rights_begin(
			&rights, dp_role_rights_copy_reader(&outline->relations,
												foreach_current_index(cell)));
		dp_citus_write_plainly();
		dp_execution_run(lfirst(cell), state->estate, NIL, ignore_row, NULL);
		dp_role_rights_end(&rights);
	}
}

void
dp_node_checks_run(DpReleaseState *state)
{
	const DpOutline *outline = state->outline;
	MemoryContext memory = CurrentMemoryContext;
	ErrorData *error;

	if (outline->node_checks == NIL)
		return;
	PG_TRY();
	{
		dp_silent_run(
			dp_role_rights_reader(&outline->relations, outline->copies), false,
			ask, state);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(memory);
		error = CopyErrorData();
		if (error->sqlerrcode != ERRCODE_DATA_EXCEPTION)
			PG_RE_THROW();
		FlushErrorState();
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("not all nodes that hold a protected relation can be "
					"asked"),
			 errdetail("Nothing is charged."),
			 errhint("Ask the server's administrator: each node must be up, "
					 "and have the coordinator's version of dp_noise. "
					 "dp_noise.check() says more to superusers.")));
	}
	PG_END_TRY();
}
