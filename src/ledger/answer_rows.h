/*
 * answer_rows.h
 *		Questions and their answers as rows (tables.h).
 *
 * A row is of one asker (budget_id: the own row of budget), or of a draw, which is
 * made once for all (budget_id 0). An asker's row names the draw that answers it,
 * if there is one, and the charge that had claimed the draw then: the draw is the
 * one that was paid for as long as no other charge has claimed it. answers.c says
 * what that is for.
 */
#ifndef DP_LEDGER_ANSWER_ROWS_H
#define DP_LEDGER_ANSWER_ROWS_H

#include "datatype/timestamp.h"

#include "ledger/request.h"

/* What names a row. */
typedef struct DpAnswerName
{
	int population_id;
	int64 budget_id; /* 0: a draw, for all */
	const unsigned char *fingerprint;
} DpAnswerName;

typedef enum DpAnswerState
{
	DP_ANSWER_ASKED,	/* it is charged, and its answer is not stored */
	DP_ANSWER_ANSWERED, /* of an asker without bytes: there is an answer */
	DP_ANSWER_GIVEN_UP	/* nobody saw one, and it may be asked again */
} DpAnswerState;

/* What a row says. */
typedef struct DpAnswerRow
{
	DpAnswerState state;
	TimestampTz at;	 /* of an answer: when it was stored */
	int64 charge_id; /* whose answer it waits for; of a draw: that claimed it */
	bool has_draw;	 /* of an asker: whether a draw answers it */
	unsigned char draw[DP_FINGERPRINT_SIZE];
	int64 claim;		/* the charge that had claimed that draw */
	uint64 incarnation; /* of a draw: in which others may join; 0: nobody may */
	bool is_stored;		/* whether it has bytes */
	Size size;			/* the number of its bytes */
} DpAnswerRow;

/* Finds a row; false when there is none. */
extern bool dp_answer_rows_find(DpAnswerName question, DpAnswerRow *row);

/* The bytes of the row that was found last, which has them. */
extern void dp_answer_rows_read(char *to);

/* Writes a row, new or in place of the old one, with its bytes or NULL. */
extern void dp_answer_rows_write(DpAnswerName question, const DpAnswerRow *row,
								 const char *answer);

#endif
