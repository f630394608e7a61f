/*
 * silence.h
 *		Reading protected rows without messages about them.
 *
 * Planning and reading protected rows may raise errors that quote rows: a
 * foreign table's errors contain a line of its file, or whatever a remote
 * server said. Even to the message of a cancellation the server adds what was
 * being read. So an error from an inner statement is passed on, without its
 * context, only if this extension says that it depends on no row
 * (server/statement_error.h), if the statement was cancelled, or if a privilege
 * is missing; all others become one error without content. Error codes do not
 * help to tell them apart, since they do not say who raised an error. Nor does
 * it help that this extension raised one: what it says of a function's
 * arguments may quote a row, where the owner's code passes one on.
 */
#ifndef DP_GATE_RELATIONS_SILENCE_H
#define DP_GATE_RELATIONS_SILENCE_H

#include "postgres.h"

#include "nodes/plannodes.h"
#include "server/compat.h"

/* What is needed to keep the contents of errors from the asker. */
typedef struct DpSilence
{
	ErrorContextCallback callback; /* the last to see an error */
	MemoryContext reserve;		   /* used when there is no more memory */
} DpSilence;

/*
 * To be called before a statement on protected rows is planned or run. Begins
 * a level of settings under which the server counts, reports and logs nothing
 * about it, and uses memory and chooses plans as its administrators have
 * configured it (server/resources.h), not the asker. Returns the level, to be
 * ended by AtEOXact_GUC.
 */
extern int dp_silence_begin(void);

/*
 * Until the end of that level, the time zone is the asker's, which is part of
 * the question. If a statement reads foreign tables, it stays the
 * administrators', in which their texts are read.
 */
extern void dp_silence_keep_zone(const PlannedStmt *plan);

/*
 * From now on, errors that end the session are suppressed like those that
 * dp_silence_raise handles. To be called before PG_TRY.
 */
extern void dp_silence_keep_errors(DpSilence *silence);
extern void dp_silence_let_errors(const DpSilence *silence);

/*
 * Ends the handling of an error, in PG_CATCH, once rights and settings are set
 * back. is_resource_kept: errors of resources go on as they are, to be replaced
 * by dp_silent_run_raise. Errors: as above; data_exception for all others.
 */
pg_noreturn extern void dp_silence_raise(const DpSilence *silence,
										 bool is_resource_kept);

/*
 * True for errors of memory, disk and limits of the server, and for its
 * internal errors, for example about sizes of memory.
 */
extern bool dp_silence_is_of_resources(int code);

/*
 * Whether an error that ended a release, after the messages of others were
 * replaced, may depend on its rows: all but cancellations, timeouts and
 * terminations, which tell no more than how long it took, and errors about the
 * statement (server/statement_error.h).
 */
extern bool dp_silence_may_depend_on_rows(const ErrorData *error);

/* Writes to the server's log what ended a question, without its message. */
extern void dp_silence_log_cause(const ErrorData *error);

#endif
