/*
 * public_rows.h
 *		What is checked of public rows while they are copied, before anything
 *		protected is read.
 *
 * Keys: a row of a protected relation must match at most one row of a table that
 * is looked up, or it would count many times. A unique index is not proof
 * enough: in a snapshot that is older than the index, or than a COPY with FREEZE
 * into the table, there may be several rows of a key.
 *
 * Hash tables: a hash join builds its table only once there is a row to look up.
 * So whether memory is taken for public rows depends on the protected ones, and
 * whoever asks can choose the public rows. A table that is too large is split by
 * the rows' hashes, but those of one hash stay together: these must fit into
 * dp_noise.work_mem. The table of a sub-query is never split: all of its rows must
 * fit, those of several copies as if each were joined to each.
 *
 * Lengths: joined to a protected row, long values could make one that is too
 * long for the server, and the failure would reveal it.
 */
#ifndef DP_GATE_RELEASE_PUBLIC_ROWS_H
#define DP_GATE_RELEASE_PUBLIC_ROWS_H

#include "executor/tuptable.h"
#include "utils/tuplestore.h"

#include "gate/question/units/bounded_plan.h"

typedef struct DpPublicRows DpPublicRows;

/*
 * Of a copy in a store, by the name by which the statements beneath find it. key:
 * numbers of columns, of types that can be hashed, in which no two rows may agree;
 * NIL: any may. Takes 8 bytes a row for a key, and spills beyond work_mem.
 */
extern DpPublicRows *dp_public_rows_begin(const char *name,
										  Tuplestorestate *store,
										  TupleDesc descriptor,
										  const List *key);

/* A row; one with a null in its key equals none. */
extern void dp_public_rows_add(DpPublicRows *rows, TupleTableSlot *slot);

/*
 * Where there is a key, to be called after the last row. Errors: object_not_in_prerequisite_state
 * where two rows have equal keys, as the equality of their types has it. name:
 * of the table, for the message. Unequal keys are taken for equal with
 * probability n^2 / 2^65 at most for n rows, anew each time.
 */
extern void dp_public_rows_end(DpPublicRows *rows, const char *name);

/*
 * Checks copies (DpPublicRows) that joins and sub-queries may hash, whatever plan
 * is chosen for them. Errors: program_limit_exceeded where too many rows have one
 * hash, or are in a sub-query.
 */
extern void dp_public_rows_check(const DpHashed *hashed, const List *copies);

#endif
