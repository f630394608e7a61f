/*
 * rows.h
 *		Rows that every charge reads and writes.
 *
 * They are few and always the same, so they go by way of the table's and the
 * index's own functions, without a statement; what is rare is in statements.h.
 * The caller holds the locks of the relations (ledger/locks.h), so nobody else
 * writes these rows, but superusers by hand.
 */
#ifndef DP_LEDGER_ROWS_H
#define DP_LEDGER_ROWS_H

#include "datatype/timestamp.h"
#include "storage/itemptr.h"

#include "ledger/budgets.h"
#include "ledger/request.h"

/* Opens the tables, in the worker's transaction, which has a snapshot. schema:
 * oid of dp_noise. */
extern void dp_rows_begin(Oid schema);

/* Closes them, before the commit. After an error nothing is to be closed. */
extern void dp_rows_end(void);

/*
 * The stored answer to a question that was asked since a time: palloc'd, with
 * *size bytes, or NULL where none was stored. False when it was not asked.
 */
extern bool dp_rows_find_answer(int relation_id, int role_id,
								const unsigned char *fingerprint,
								TimestampTz since, char **answer, Size *size);

/* Records a charge: a ledger row and, for the repeat rule, the question, with
 * the answer or NULL. */
extern void dp_rows_record(int relation_id, int role_id, const DpCharge *charge,
						   const char *answer);

/* Whether the row of a budget is the one that was last read or written: a
 * superuser may have changed it by hand. */
extern bool dp_rows_holds(const DpBudget *budget);

/*
 * Writes back what is spent of a budget, and its place. Errors:
 * t_r_serialization_failure when somebody else has changed the row, so that
 * what was read does not hold.
 */
extern void dp_rows_write_budget(DpBudget *budget);

#endif
