/*
 * kept_results.h
 *		Results of functions of dates, kept while a statement runs.
 *
 * Days recur, and functions of them take longer than a look-up: date_trunc and
 * extract take a date apart and need the rules of a time zone. So a wrapped form
 * whose other arguments are constants keeps what it found for an argument.
 *
 * A kept result is what the function would return again, since it depends on its
 * argument, on constants and on the session's time zone alone (DP_RULE_KEPT in
 * wrapped.h): everything is forgotten where that zone is another. Nothing that
 * propagates is kept, as no result comes of it. Functions that are kept never look
 * for interrupts, so none is missed.
 *
 * A call has a table of fixed size, in which an argument has one place: what was
 * there before is forgotten. A process has at most DP_KEPT_RESULTS_MOST of them,
 * which go with the statement; and where arguments recur seldom, a table is given
 * up. So the memory is bounded, whatever rows hold.
 */
#ifndef DP_EXPRESSIONS_KEPT_RESULTS_H
#define DP_EXPRESSIONS_KEPT_RESULTS_H

#include "postgres.h"

/* Tables that a process has at once. */
#define DP_KEPT_RESULTS_MOST 64

/* The name of their memory contexts. */
#define DP_KEPT_RESULTS_NAME "dp_noise kept results"

typedef struct DpKeptResults DpKeptResults;

/*
 * A table for one call, which lives as long as a memory context. Arguments are
 * passed by value. NULL: there are as many tables as there may be.
 */
extern DpKeptResults *dp_kept_results_make(MemoryContext parent,
										   Oid result_type);

/* Finds what was kept; a result that is passed by reference is a copy. */
extern bool dp_kept_results_find(DpKeptResults *kept, Datum argument,
								 NullableDatum *result);

/* False: arguments do not recur, and the table is gone. */
extern bool dp_kept_results_keep(DpKeptResults *kept, Datum argument,
								 NullableDatum result);

#endif
