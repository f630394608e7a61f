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
#include "utils/memutils.h"

#include "gate/question/reliance.h"
#include "gate/release/state.h"
#include "gate/question/rights.h"
#include "gate/question/silence.h"

/* Messages about the statement, the session or the server. */
static bool
tells_nothing_of_rows(int code)
{
	switch (ERRCODE_TO_CATEGORY(code))
	{
		case ERRCODE_FEATURE_NOT_SUPPORTED:
		case ERRCODE_INVALID_TRANSACTION_STATE:
		case ERRCODE_TRANSACTION_ROLLBACK:
		case ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION:
		case ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE:
		case ERRCODE_OPERATOR_INTERVENTION:
			return true;
		default:
			return code == ERRCODE_INVALID_PARAMETER_VALUE ||
				   code == ERRCODE_NULL_VALUE_NOT_ALLOWED;
	}
}

/*
 * Memory, disk, limits of the server; and what it says where it does not
 * expect them, of sizes of memory, say.
 */
static bool
is_of_resources(int code)
{
	switch (ERRCODE_TO_CATEGORY(code))
	{
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_PROGRAM_LIMIT_EXCEEDED:
		case ERRCODE_SYSTEM_ERROR:
			return true;
		default:
			return code == ERRCODE_INTERNAL_ERROR;
	}
}

/* Without its message, which may quote rows. */
static void
log_cause(const ErrorData *error)
{
	ereport(
		LOG_SERVER_ONLY,
		(errmsg("a question about a protected relation failed"),
		 errdetail("SQLSTATE %s in %s.", unpack_sql_state(error->sqlerrcode),
				   error->funcname != NULL ? error->funcname : "?")));
}

/*
 * Ends the handling of an error beneath a release. Those that tell nothing of
 * rows go on, and those of resources, to settle.c. Others, of a foreign table
 * whose file has a bad line, say, may quote rows.
 */
static void
rethrow(MemoryContext reserve)
{
	ErrorData *error;
	int code = geterrcode();

	if (tells_nothing_of_rows(code) || is_of_resources(code))
		PG_RE_THROW();
	MemoryContextSwitchTo(reserve);
	error = CopyErrorData();
	FlushErrorState();
	log_cause(error);
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("the protected relation could not be read"),
			 errhint("Ask its owner, to whom a plain query shows the cause.")));
}

void
dp_gate_raise(ErrorData *error)
{
	if (is_of_resources(error->sqlerrcode))
	{
		log_cause(error);
		ereport(
			ERROR,
			(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
			 errmsg("the server's resources do not suffice for this question"),
			 errdetail("The question is charged all the same. What it lacks is "
					   "not told, since that may depend on the rows."),
			 errhint("Ask the server's administrator, whose log has the "
					 "cause.")));
	}
	ReThrowError(error);
}

void
dp_gate_run_silently(DpReleaseState *state, void (*function)(DpReleaseState *))
{
	BufferUsage buffers = pgBufferUsage;
	WalUsage wal = pgWalUsage;
	DpRights rights;

	/* Errors can be handled when there is no more memory. */
	MemoryContext reserve =
		AllocSetContextCreate(CurrentMemoryContext, "error beneath a release",
							  ALLOCSET_DEFAULT_SIZES);

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
		rethrow(reserve);
	}
	PG_END_TRY();
	dp_gate_end_rights(&rights);
	MemoryContextDelete(reserve);
	pgBufferUsage = buffers;
	pgWalUsage = wal;
}
