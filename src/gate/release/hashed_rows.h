/*
 * hashed_rows.h
 *		Hash tables of public rows, which take no more memory than others may.
 *
 * A hash join builds its table only once there is a row to look up. So whether
 * memory is taken for public rows depends on the protected ones, and whoever
 * asks can choose the public rows. A table that is too large is split by the
 * rows' hashes, but those of one hash stay together: it is checked, before
 * anything protected is read, that they fit into dp_noise.work_mem. The table of
 * a sub-plan is never split: all of its rows must fit.
 */
#ifndef DP_GATE_RELEASE_HASHED_ROWS_H
#define DP_GATE_RELEASE_HASHED_ROWS_H

#include "executor/tuptable.h"
#include "utils/tuplestore.h"

#include "gate/question/units/bounded_plan.h"

/* How many bytes a row takes in a hash table, at most. */
extern double dp_hashed_rows_size(TupleTableSlot *slot);

/*
 * Checks a copy of public rows, by the name of the copy: those that joins and
 * sub-plans may hash, whatever plan is chosen for them. bytes: that all rows
 * take in a hash table. Errors: program_limit_exceeded where too many of them
 * have one hash, or are in a sub-plan.
 */
extern void dp_hashed_rows_check(const DpHashed *hashed, const char *name,
								 Tuplestorestate *store, TupleDesc descriptor,
								 double bytes);

#endif
