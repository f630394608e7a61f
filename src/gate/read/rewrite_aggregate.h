/*
 * rewrite_aggregate.h
 *		The server's aggregates as private ones.
 */
#ifndef DP_GATE_READ_REWRITE_AGGREGATE_H
#define DP_GATE_READ_REWRITE_AGGREGATE_H

#include "nodes/parsenodes.h"

/*
 * The private form of an aggregate of a query, with the type of the server's:
 * where the private one's is another, its value is cast, after it is released.
 *
 * Errors: insufficient_privilege where there is none; feature_not_supported
 * where it is asked for in a way that the private one does not have; with a
 * hint.
 */
extern Node *dp_rewrite_aggregate(const Aggref *aggref, Query *query);

/*
 * Makes the hidden count that turns SELECT DISTINCT or GROUP BY without
 * aggregates into a question.
 */
extern Aggref *dp_rewrite_aggregate_make_of_keys(void);

/* True for that hidden count. */
extern bool dp_rewrite_aggregate_is_of_keys(const Aggref *aggref);

/* What a private aggregate was written as; NULL: as itself. */
extern const char *dp_rewrite_aggregate_written_as(const Aggref *aggref);

/* The name that the question has for it: as written, or its own. */
extern const char *dp_rewrite_aggregate_name(const Aggref *aggref);

#endif
