/*
 * silent_run.c
 *		Runs statements that read protected rows, without messages about them.
 *
 * What the server may show about a running statement (buffers, messages, sort
 * statistics, temporary files) is suppressed, and so are errors that may quote
 * rows. The statement runs with the rights of the rows' owner
 * (gate/relations/role_rights.h).
 */
#include "postgres.h"

#include "executor/instrument.h"

#include "gate/relations/role_rights.h"
#include "gate/relations/silence.h"
#include "gate/release/silent_run.h"

void
dp_silent_run_raise_of_resources(const ErrorData *error)
{
	dp_silence_log_cause(error);
	ereport(
		ERROR,
		(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
		 errmsg("insufficient server resources for this question"),
		 errdetail("The question is charged all the same. Which resource is "
				   "missing is not shown, since that may depend on the rows."),
		 errhint("Ask the server's administrator, whose log has the "
				 "cause.")));
}

void
dp_silent_run_raise(ErrorData *error)
{
	if (dp_silence_is_of_resources(error->sqlerrcode))
		dp_silent_run_raise_of_resources(error);
	ReThrowError(error);
}

void
dp_silent_run(Oid role, bool is_resource_kept, void (*function)(void *),
			  void *context)
{
	BufferUsage buffers = pgBufferUsage;
	WalUsage wal = pgWalUsage;
	DpRights rights;
	DpSilence silence;

	dp_silence_keep_errors(&silence);
	dp_role_rights_begin(&rights, role);
	PG_TRY();
	{
		(void) dp_silence_begin(); /* ends with the rights */
		function(context);
	}
	PG_CATCH();
	{
		dp_role_rights_end(&rights);

		/*
		 * Restored also after a cancellation, which the asker may catch to
		 * look at the counters.
		 */
		pgBufferUsage = buffers;
		pgWalUsage = wal;
		dp_silence_raise(&silence, is_resource_kept);
	}
	PG_END_TRY();
	dp_silence_let_errors(&silence);
	dp_role_rights_end(&rights);
	pgBufferUsage = buffers;
	pgWalUsage = wal;
}
