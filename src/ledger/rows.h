/*
 * rows.h
 *		Direct access to the rows that every charge reads and writes.
 *
 * They are few and always the same, so they are accessed directly through the
 * tables and indexes, without SQL; everything else is in statements.h. The
 * caller holds the locks of the relations (ledger/locks.h), so nobody else
 * writes these rows, except superusers by hand.
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
 * A question of one role (role_id 0: of all, for a chain) about one relation.
 */
typedef struct DpAskedQuestion
{
	int relation_id;
	int role_id;
	const unsigned char *fingerprint;
} DpAskedQuestion;

typedef enum DpAnswerState
{
	DP_ANSWER_NONE,	   /* the question was not asked, or given up */
	DP_ANSWER_AWAITED, /* it is charged, and its answer is not stored */
	DP_ANSWER_GIVEN
} DpAnswerState;

/*
 * What became of a question that was asked since a time; where an answer is to
 * be replayed, *is_stored, and *size is that of its bytes.
 */
extern DpAnswerState dp_rows_find_answer(DpAskedQuestion question,
										 TimestampTz since, bool *is_stored,
										 Size *size);

/* The bytes of the answer that was found last, which is stored. */
extern void dp_rows_read_answer(char *to);

/*
 * Records a charge to the budgets of a relation, its purse, for a question:
 * a row of the ledger. Its ledger_id.
 */
extern int64 dp_rows_record(int purse_id, DpAskedQuestion question,
							const DpCharge *charge);

/* Whether a row of the ledger is a charge to a purse for this question. */
extern bool dp_rows_is_charge(int64 ledger_id, int purse_id,
							  DpAskedQuestion question);

/*
 * Records that a question was charged for, and waits for its answer. Where it
 * has been asked since a time, and not given up, it cannot be given up any
 * more: an earlier answer may be out.
 */
extern void dp_rows_await_answer(DpAskedQuestion question, int64 ledger_id,
								 TimestampTz since);

/*
 * Keeps the answer of a charge, or NULL; nothing where the question does not
 * wait for it: it has been asked again meanwhile.
 */
extern void dp_rows_keep_answer(DpAskedQuestion question, int64 ledger_id,
								const char *answer, Size size);

/*
 * The question may be asked again, where it waits for the answer of that
 * charge, and there is no other.
 */
extern void dp_rows_give_up(DpAskedQuestion question, int64 ledger_id);

/*
 * Records that a total has paid for a chain of answers for all roles, of which
 * none is stored from now on.
 */
extern void dp_rows_await_chain(DpAskedQuestion question, int64 ledger_id);

/*
 * Whether a chain that was paid for may still be stored. One whose payer has
 * given up may, by somebody who asked meanwhile.
 */
extern bool dp_rows_may_keep_chain(DpAskedQuestion question);

/* Keeps a chain of answers for all roles, where it may be kept. */
extern void dp_rows_keep_chain(DpAskedQuestion question, const char *chain,
							   Size size);

/*
 * Writes back what is spent of a budget. Error: t_r_serialization_failure when
 * a superuser has removed it by hand.
 */
extern void dp_rows_write_budget(const DpBudget *budget);

#endif
