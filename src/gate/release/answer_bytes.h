/*
 * answer_bytes.h
 *		Answers as bytes, as the ledger stores them for replay.
 */
#ifndef DP_GATE_RELEASE_ANSWER_BYTES_H
#define DP_GATE_RELEASE_ANSWER_BYTES_H

#include "lib/stringinfo.h"

#include "gate/release/answer_table.h"

/* Answers to a statement are stored as far as they fit in this many bytes: the
 * ledger worker, which writes them, keeps all others waiting meanwhile. */
#define DP_ANSWER_MAX (16 * 1024 * 1024)

/*
 * The answers of one aggregate as bytes to be stored for replay, with all
 * their digits; NULL where they are too long for that. aggno: of the aggregate.
 */
extern StringInfo dp_answer_bytes_write(DpAnswerTable *table, int aggno);

/* Adds such an answer, which is freed, behind its length; false where it is too long. */
extern bool dp_answer_bytes_add(StringInfo bytes, StringInfo answer);

/*
 * Replaces the values of an aggregate's column by stored answers. Rows that
 * are not there yet are added, and those that the bytes do not have get null.
 */
extern void dp_answer_bytes_read(DpAnswerTable *table, int aggno,
								 const char *bytes, Size size);

/*
 * Copies the answers of an aggregate to another one, of the same release or of
 * another; both are one question. Rows that are not there yet are added, as of
 * a stored answer.
 */
extern void dp_answer_bytes_copy(DpAnswerTable *from, int from_aggno,
								 DpAnswerTable *to, int aggno);

#endif
