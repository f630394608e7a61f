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
 * Lengths: joined to a protected row, long values could make one that is too
 * long for the server, and the failure would reveal it.
 */
#ifndef DP_GATE_RELEASE_PUBLIC_ROWS_H
#define DP_GATE_RELEASE_PUBLIC_ROWS_H

#include "executor/tuptable.h"
#include "nodes/pg_list.h"

typedef struct DpPublicRowsCheck DpPublicRowsCheck;

/*
 * key: numbers of columns, of types that can be hashed, in which no two rows may
 * agree; NIL: any may. Takes 8 bytes a row for a key, and spills beyond
 * work_mem.
 */
extern DpPublicRowsCheck *dp_public_rows_begin(const List *key,
											   TupleDesc descriptor);

/* A row; one with a null in its key equals none. */
extern void dp_public_rows_add(DpPublicRowsCheck *rows, TupleTableSlot *slot);

/*
 * Where there is a key, to be called after the last row. Errors: object_not_in_prerequisite_state
 * where two rows have equal keys, as the equality of their types has it. name:
 * of the table, for the message. Unequal keys are taken for equal with
 * probability n^2 / 2^65 at most for n rows, anew each time.
 */
extern void dp_public_rows_end(DpPublicRowsCheck *rows, const char *name);

#endif
