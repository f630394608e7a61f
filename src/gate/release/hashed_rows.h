/*
 * hashed_rows.h
 *		Hash tables of public rows, which take no more memory than others may.
 *
 * A hash join builds its table only once there is a row to look up. So whether
 * memory is taken for public rows depends on the protected ones, and whoever
 * asks can choose the public rows. A table that is too large is split by the
 * rows' hashes, but those of one hash stay together: it is checked, before
 * anything protected is read, that they fit into dp_noise.work_mem. The table of
 * a sub-query is never split: all of its rows must fit, those of several copies as
 * if each were joined to each.
 */
#ifndef DP_GATE_RELEASE_HASHED_ROWS_H
#define DP_GATE_RELEASE_HASHED_ROWS_H

#include "executor/tuptable.h"
#include "utils/tuplestore.h"

#include "gate/run/inner_plan.h"

/* A copy of public rows. */
typedef struct DpHashedCopy
{
	const char *name; /* By which the statements beneath find it. */
	Tuplestorestate *store;
	TupleDesc descriptor;
	double bytes; /* What all rows take in the hash table of a join, at most. */
} DpHashedCopy;

/* How many bytes a row takes in a hash table, at most. */
extern double dp_hashed_rows_size(TupleTableSlot *slot);

/*
 * Checks copies (DpHashedCopy) that joins and sub-queries may hash, whatever plan
 * is chosen for them. Errors: program_limit_exceeded where too many rows have one
 * hash, or are in a sub-query.
 */
extern void dp_hashed_rows_check(const DpHashed *hashed, const List *copies);

#endif
