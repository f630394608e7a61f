/*
 * rows.h
 *		The rows of a release while they are made, found by their keys.
 *
 * They are kept in the order of the domain in which they are made, never in
 * that of the data, and numbered from 0. All columns but the keys begin as
 * NULL.
 */
#ifndef DP_GATE_RELEASE_ROWS_H
#define DP_GATE_RELEASE_ROWS_H

#include "nodes/pg_list.h"

typedef struct DpRows DpRows;

/*
 * No rows yet. columns: of expressions, whose types the columns have; the first
 * `keys` of them are the keys, of types that can be hashed. Lives in the
 * current memory context.
 */
extern DpRows *dp_gate_rows_make(List *columns, int keys);

extern int64 dp_gate_rows_count(const DpRows *rows);
extern int dp_gate_rows_columns(const DpRows *rows);

/* The number of the row of some keys; -1 when there is none. */
extern int64 dp_gate_rows_find(DpRows *rows, const Datum *keys,
							   const bool *nulls);

/* The same; adds a row, with copies of the keys, where there is none. */
extern int64 dp_gate_rows_add(DpRows *rows, const Datum *keys,
							  const bool *nulls);

/* Sets a column to a copy of a value. */
extern void dp_gate_rows_set(DpRows *rows, int64 row, int column, Datum value,
							 bool isnull);

/* Sets a column to NULL in all rows. */
extern void dp_gate_rows_clear(DpRows *rows, int column);

/*
 * The numbers of all rows in the order of their keys, palloc'd: the first key
 * first, NULL last, texts byte by byte.
 */
extern int64 *dp_gate_rows_order(const DpRows *rows);

/* The columns of a row; valid until a row is added. */
extern const Datum *dp_gate_rows_values(const DpRows *rows, int64 row);
extern const bool *dp_gate_rows_nulls(const DpRows *rows, int64 row);

#endif
