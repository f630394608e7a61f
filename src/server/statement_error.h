/*
 * statement_error.h
 *		Errors that may be shown to whoever asks, even where protected rows are
 *		being read.
 *
 * Beneath a release errors lose their content, since most may quote a row or
 * depend on one (gate/relations/silence.h). Those raised here keep it:
 * their texts name relations, settings and parts of the statement, never a
 * value, and what raises them is the statement, the session, other sessions'
 * DDL or code of the owner, never a row, nor that there is one.
 *
 * The server keeps the domain with the error. It takes it to be a catalogue of
 * translations, of which there is none by that name. No message from elsewhere
 * has it: what a remote server or a parallel worker sends comes without one.
 */
#ifndef DP_SERVER_STATEMENT_ERROR_H
#define DP_SERVER_STATEMENT_ERROR_H

#include "postgres.h"

#define DP_STATEMENT_DOMAIN "dp_noise statement"

/* ereport(ERROR, ...) of such an error. */
#define dp_statement_error(...) \
	ereport_domain(ERROR, DP_STATEMENT_DOMAIN, __VA_ARGS__)

static inline bool
dp_is_statement_error(const ErrorData *error)
{
	return error->domain != NULL &&
		   strcmp(error->domain, DP_STATEMENT_DOMAIN) == 0;
}

#endif
