/*
 * silent_run.h
 *		Runs statements that read protected rows, without messages about them.
 */
#ifndef DP_GATE_RELEASE_SILENT_RUN_H
#define DP_GATE_RELEASE_SILENT_RUN_H

#include "server/compat.h"

/*
 * Runs a function that reads protected rows, with the rights of a role,
 * restricted. Errors: its own, if they cannot reveal rows; where
 * is_resource_kept, those of resources, for dp_silent_run_raise; otherwise
 * data_exception.
 */
extern void dp_silent_run(Oid role, bool is_resource_kept,
						  void (*function)(void *), void *context);

/*
 * Raises an error that came between the charge and the rows, and that nobody
 * handles any more. How much memory or disk a question takes depends on the
 * rows, so all errors of that kind are one, insufficient_resources, without
 * content; the cause goes to the server's log, without its message.
 */
pg_noreturn extern void dp_silent_run_raise(ErrorData *error);

/* Raises that one error, whatever the error is. */
pg_noreturn extern void dp_silent_run_raise_of_resources(
	const ErrorData *error);

#endif
