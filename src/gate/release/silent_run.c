/*
 * silent_run.c
 *		Runs what reads protected rows without telling of it.
 *
 * What the server may show of running a statement (buffers, messages, sort
 * statistics, temporary files) is kept back, and errors that may quote rows. It
 * runs with the rights of the rows' owner (gate/question/rights.h).
 */
#include "postgres.h"

#include "executor/instrument.h"

#include "gate/question/reliance.h"
#include "gate/release/state.h"
#include "gate/question/rights.h"
#include "gate/question/silence.h"

/*
 * Ends the handling of an error beneath a release. Messages about the
 * statement, the session or the server go on. Others, of a foreign table whose
 * file has a bad line, say, may quote rows.
 */
static void
rethrow(void)
{
	int code = geterrcode();

	switch (ERRCODE_TO_CATEGORY(code))
	{
		case ERRCODE_FEATURE_NOT_SUPPORTED:
		case ERRCODE_INVALID_TRANSACTION_STATE:
		case ERRCODE_TRANSACTION_ROLLBACK:
		case ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION:
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_PROGRAM_LIMIT_EXCEEDED:
		case ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE:
		case ERRCODE_OPERATOR_INTERVENTION:
			PG_RE_THROW();
		default:
			if (code == ERRCODE_INVALID_PARAMETER_VALUE ||
				code == ERRCODE_NULL_VALUE_NOT_ALLOWED)
				PG_RE_THROW();
	}
	FlushErrorState();
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("the protected relation could not be read"),
			 errhint("Ask its owner, to whom a plain query shows the cause.")));
}

void
dp_gate_run_silently(DpReleaseState *state, void (*function)(DpReleaseState *))
{
	MemoryContext memory = CurrentMemoryContext;
	BufferUsage buffers = pgBufferUsage;
	WalUsage wal = pgWalUsage;
	DpRights rights;

	dp_gate_check_definitions(state->release->reliances);
	dp_gate_begin_rights(&rights, dp_gate_reader(&state->release->subjects,
												 state->release->copies));
	PG_TRY();
	{
		(void) dp_gate_begin_silence(); /* ends with the rights */
		function(state);
	}
	PG_CATCH();
	{
		dp_gate_end_rights(&rights);

		/* Whoever catches a cancellation may be watched. */
		pgBufferUsage = buffers;
		pgWalUsage = wal;
		MemoryContextSwitchTo(memory);
		rethrow();
	}
	PG_END_TRY();
	dp_gate_end_rights(&rights);
	pgBufferUsage = buffers;
	pgWalUsage = wal;
}
