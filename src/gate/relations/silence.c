/*
 * silence.c
 *		Reading protected rows without messages, whatever the session sets.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "pgtime.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "gate/relations/silence.h"
#include "server/citus.h"
#include "server/resources.h"
#include "server/settings.h"
#include "server/statement_error.h"

/*
 * The asker's time zone, while the administrators' is in force. Each silence
 * sets it, and it is read at once, before look-ups begin another; so it needs
 * no reset.
 */
static pg_tz *askers_zone = NULL;

int
dp_silence_begin(void)
{
	static const char *const settings[][2] = {
		{"client_min_messages", "error"},
		{"track_activities",
		 "off"}, /* would show how far a file is read, and its size */
		{"track_counts", "off"},
		{"trace_sort", "off"}, /* where the server has it */
		{"log_temp_files", "-1"},
		{"auto_explain.log_min_duration", "-1"},

		/* numbers have one text each */
		{"extra_float_digits", "1"},
	};
	int nest = NewGUCNestLevel();
	size_t i;

	askers_zone = session_timezone;
	dp_resources_fix();
	for (i = 0; i < lengthof(settings); i++)
		dp_setting_change(settings[i][0], settings[i][1]);
	dp_citus_pin();
	return nest;
}

void
dp_silence_keep_zone(const PlannedStmt *plan)
{
	foreach_ptr (RangeTblEntry, rte, plan->rtable)
	{
		if (rte->relkind == RELKIND_FOREIGN_TABLE)
			return;
	}
	if (askers_zone != session_timezone)
		dp_setting_change("TimeZone", pg_get_timezone_name(askers_zone));
}

bool
dp_silence_is_of_resources(int code)
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

void
dp_silence_log_cause(const ErrorData *error)
{
	ereport(
		LOG_SERVER_ONLY,
		(errmsg("a question about a protected relation failed"),
		 errdetail("SQLSTATE %s in %s.", unpack_sql_state(error->sqlerrcode),
				   error->funcname != NULL ? error->funcname : "?")));
}

bool
dp_silence_may_depend_on_rows(const ErrorData *error)
{
	if (ERRCODE_TO_CATEGORY(error->sqlerrcode) ==
			ERRCODE_OPERATOR_INTERVENTION ||
		error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		return false;
	return !dp_is_statement_error(error);
}

/* True where a function of the server's in this process raised the error. */
static bool
comes_from(const ErrorData *error, const char *file, const char *function)
{
	return error->filename != NULL && error->funcname != NULL &&
		   strcmp(error->filename, file) == 0 &&
		   strcmp(error->funcname, function) == 0;
}

/*
 * A cancellation, timeout or termination, or a privilege that is missing. The
 * server raises each in one place, with texts that are fixed or name an object;
 * what a remote server says has the same codes only.
 */
static bool
is_servers(const ErrorData *error)
{
	return comes_from(error, "postgres.c", "ProcessInterrupts") ||
		   comes_from(error, "aclchk.c", "aclcheck_error");
}

static void
fail(int level)
{
	ereport(level,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("the protected relation could not be read"),
			 errhint("Ask its owner, to whom a plain query shows the cause.")));
}

/*
 * Replaces the message of an error that ends the session, which cannot be
 * caught. It runs after the callbacks that add context of rows.
 */
static void
replace_last_words(void *silence)
{
	MemoryContext old = MemoryContextSwitchTo(((DpSilence *) silence)->reserve);
	ErrorData *error = CopyErrorData();

	MemoryContextSwitchTo(old);
	if (error->elevel == FATAL)
	{
		error_context_stack = ((DpSilence *) silence)->callback.previous;
		if (is_servers(error))
			ereport(FATAL, (errcode(error->sqlerrcode),
							errmsg_internal("%s", error->message)));
		fail(FATAL);
	}
	FreeErrorData(error);
}

void
dp_silence_keep_errors(DpSilence *silence)
{
	silence->reserve =
		AllocSetContextCreate(CurrentMemoryContext, "error beneath a release",
							  ALLOCSET_DEFAULT_SIZES);
	silence->callback.callback = replace_last_words;
	silence->callback.arg = silence;
	silence->callback.previous = error_context_stack;
	error_context_stack = &silence->callback;
}

void
dp_silence_let_errors(const DpSilence *silence)
{
	error_context_stack = silence->callback.previous;
	MemoryContextDelete(silence->reserve);
}

void
dp_silence_raise(const DpSilence *silence, bool is_resource_kept)
{
	ErrorData *error;

	error_context_stack = silence->callback.previous;
	MemoryContextSwitchTo(silence->reserve);
	error = CopyErrorData();
	FlushErrorState();
	if (is_resource_kept && dp_silence_is_of_resources(error->sqlerrcode))
		ReThrowError(error);
	if (dp_is_statement_error(error))
	{
		error->context = NULL;
		error->internalquery = NULL;
		ThrowErrorData(error);
	}
	if (is_servers(error))
		ereport(ERROR, (errcode(error->sqlerrcode),
						errmsg_internal("%s", error->message)));
	dp_silence_log_cause(error);
	fail(ERROR);
	pg_unreachable();
}
