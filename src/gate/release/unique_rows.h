/*
 * unique_rows.h
 *		Makes sure that no two rows have the same key.
 *
 * A row of a protected relation must match at most one row of a table that is
 * looked up, or it would count many times. A unique index is not proof enough:
 * in a snapshot that is older than the index, or than a COPY with FREEZE into
 * the table, there may be several rows of a key. So the rows themselves are
 * checked while they are copied.
 */
#ifndef DP_GATE_RELEASE_UNIQUE_ROWS_H
#define DP_GATE_RELEASE_UNIQUE_ROWS_H

#include "executor/tuptable.h"
#include "nodes/pg_list.h"

typedef struct DpUniqueRows DpUniqueRows;

/*
 * columns: numbers of the key's columns, of types that can be hashed, in rows
 * of that descriptor. Takes 8 bytes a row, and spills beyond work_mem.
 */
extern DpUniqueRows *dp_unique_rows_begin(List *columns, TupleDesc descriptor);

/* A row; one with a null in its key equals none. */
extern void dp_unique_rows_add(DpUniqueRows *rows, TupleTableSlot *slot);

/*
 * Errors: object_not_in_prerequisite_state where two rows have equal keys, as
 * the equality of their types has it. name: of the table, for the message.
 * Unequal keys are taken for equal with probability n^2 / 2^65 at most for n
 * rows, anew each time.
 */
extern void dp_unique_rows_end(DpUniqueRows *rows, const char *name);

#endif
