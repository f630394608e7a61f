/*
 * row_table.h
 *		The rows of a release while they are made, found by their keys.
 *
 * They are kept in the order of the domain in which they are made, never in
 * that of the data, and numbered from 0. All columns but the keys begin as
 * NULL.
 */
#ifndef DP_GATE_RELEASE_ROW_TABLE_H
#define DP_GATE_RELEASE_ROW_TABLE_H

#include "nodes/pg_list.h"

typedef struct DpRowTable DpRowTable;

/*
 * No rows yet. columns: of expressions, whose types the columns have; the first
 * `keys` of them are the keys, of types that can be hashed. Lives in the
 * current memory context.
 */
extern DpRowTable *dp_row_table_make(List *columns, int keys);

extern int64 dp_row_table_count(const DpRowTable *rows);
extern int dp_row_table_columns(const DpRowTable *rows);

/* The number of the row of some keys; -1 when there is none. */
extern int64 dp_row_table_find(DpRowTable *rows, const Datum *keys,
							   const bool *nulls);

/* The same; adds a row, with copies of the keys, where there is none. */
extern int64 dp_row_table_add(DpRowTable *rows, const Datum *keys,
							  const bool *nulls);

/* Sets a column to a copy of a value. */
extern void dp_row_table_set(DpRowTable *rows, int64 row, int column,
							 Datum value, bool isnull);

/* Sets a column to NULL in all rows. */
extern void dp_row_table_clear(DpRowTable *rows, int column);

/*
 * The numbers of all rows in the order of their keys, palloc'd: the first key
 * first, NULL last, texts byte by byte.
 */
extern int64 *dp_row_table_order(const DpRowTable *rows);

/* The columns of a row; valid until a row is added. */
extern const Datum *dp_row_table_values(const DpRowTable *rows, int64 row);
extern const bool *dp_row_table_nulls(const DpRowTable *rows, int64 row);

#endif
