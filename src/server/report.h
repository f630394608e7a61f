/*
 * report.h
 *		From the statuses of the pure folders to PostgreSQL's errors.
 *
 * The texts name parameters and limits, never data.
 */
#ifndef DP_SERVER_REPORT_H
#define DP_SERVER_REPORT_H

#include "core/status.h"
#include "mechanisms/mechanism.h"
#include "random/source.h"
#include "server/compat.h"

/* Raises the error for a status other than DP_OK; returns on DP_OK. */
extern void dp_report_status(DpStatus status);

/*
 * Parses a mechanism's text. Errors: invalid_parameter_value, with a hint that
 * lists the names or parameters.
 */
extern void dp_report_parse_mechanism(const char *text,
									  DpMechanismChoice *choice);

/* The error for a temporary file that has less than was written. */
pg_noreturn extern void dp_report_short_file(void);

/* The process's random source. Errors: out_of_memory. */
extern DpRandom *dp_report_random(void);

#endif
