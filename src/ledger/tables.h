/*
 * tables.h
 *		Direct access to the ledger's tables that every charge reads and writes.
 *
 * These accesses are few and always the same, so they go directly through the
 * tables and indexes, without SQL; everything else is in statements.h. The caller
 * holds the locks of the populations (ledger/locks.h), so nobody else writes these
 * rows, except superusers by hand.
 */
#ifndef DP_LEDGER_TABLES_H
#define DP_LEDGER_TABLES_H

#include "access/skey.h"
#include "executor/tuptable.h"
#include "nodes/execnodes.h"
#include "utils/relcache.h"

/* A table that is read or written. */
typedef struct DpTable
{
	const char *name;
	Relation relation; /* NULL: not opened in this transaction */
	ResultRelInfo *info;
	TupleTableSlot *old_row;
	TupleTableSlot *new_row;
} DpTable;

extern DpTable dp_table_budget;
extern DpTable dp_table_spending;
extern DpTable dp_table_charge;
extern DpTable dp_table_answer;

/*
 * Begins in the worker's transaction, which has a snapshot. Tables are opened
 * when they are used.
 */
extern void dp_tables_begin(void);

/* Closes them, before the commit. After an error nothing is to be closed. */
extern void dp_tables_end(void);

/* The oid of one of the ledger's relations. */
extern Oid dp_tables_oid(const char *name);

/* A column, which is never null, of a row of one of the ledger's tables. */
extern Datum dp_tables_column(Relation table, HeapTuple row, const char *name);

/*
 * Finds the row with such keys, one of this transaction too, as the old row;
 * false when there is none.
 */
extern bool dp_tables_find(DpTable *table, const char *index, int nkeys,
						   ScanKey keys);

/*
 * Prepares a new row, all columns null; or a new version of the old row, to be
 * changed.
 */
extern TupleTableSlot *dp_tables_start(DpTable *table);
extern TupleTableSlot *dp_tables_copy(DpTable *table);

/* Sets a column, from 1. */
extern void dp_tables_set(TupleTableSlot *row, int column, Datum value);

/* Writes the new row; an update, in place of the old one. */
extern void dp_tables_insert(DpTable *table);
extern void dp_tables_update(DpTable *table);

#endif
