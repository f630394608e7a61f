/*
 * rows.h
 *		Rows that every charge reads and writes.
 *
 * They are few and always the same, so they go by way of the tables' and the
 * indexes' own functions, without a statement; all else is in statements.h. The
 * caller holds the locks of the relations (ledger/locks.h), so nobody else
 * writes these rows, but superusers by hand.
 */
#ifndef DP_LEDGER_ROWS_H
#define DP_LEDGER_ROWS_H

#include "datatype/timestamp.h"

#include "ledger/budgets.h"
#include "ledger/request.h"

/*
 * Begins in the worker's transaction, which has a snapshot. Tables are opened
 * when they are used.
 */
extern void dp_rows_begin(void);

/* Closes them, before the commit. After an error nothing is to be closed. */
extern void dp_rows_end(void);

/*
 * The stored answer to a question that was asked since a time: palloc'd, with
 * *size bytes, or NULL where none was stored. False when it was not asked.
 */
extern bool dp_rows_find_answer(int relation_id, int role_id,
								const unsigned char *fingerprint,
								TimestampTz since, char **answer, Size *size);

/* Records a charge: a row of the ledger. */
extern void dp_rows_record(int relation_id, int role_id,
						   const DpCharge *charge);

/* Records a question, for the repeat rule, with the answer or NULL. */
extern void dp_rows_keep_answer(int relation_id, int role_id,
								const unsigned char *fingerprint,
								const char *answer, Size size);

/*
 * Writes back what is spent of a budget. Error: t_r_serialization_failure when
 * a superuser has removed it by hand.
 */
extern void dp_rows_write_budget(const DpBudget *budget);

#endif
