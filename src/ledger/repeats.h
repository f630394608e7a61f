/*
 * repeats.h
 *		Questions that were asked before, by the same role or by another.
 *
 * Whoever asks the same again could average noise away. So a question that the
 * asker has asked before is refused, or replayed from the answer that is stored,
 * or charged again, as the population's rule (on_repeat) says. And whoever asks
 * what another has got answered gets that answer, where answers are shared: for a
 * price of the own, and none of the grant. Stored answers are copied into the
 * request, for the reply. answers.c says why that is sound.
 */
#ifndef DP_LEDGER_REPEATS_H
#define DP_LEDGER_REPEATS_H

#include "ledger/answer_rows.h"
#include "ledger/budgets.h"
#include "ledger/store.h"

/* What counts for a question, of all its populations. */
typedef struct DpRepeatRule
{
	DpOnRepeat on_repeat; /* the strictest */
	bool shares_answers;  /* all do */
	TimestampTz since;	  /* answers stored before are forgotten */
} DpRepeatRule;

/* How a question is answered. */
typedef struct DpDrawing
{
	bool uses_draw;	 /* by a draw for all */
	bool grant_pays; /* for it */
	int64 claim;	 /* the one it joins; 0: this charge claims the draw, ... */
	int64 first;	 /* ... or the charge of this number does; -1: none */
	TimestampTz since; /* of the rule, by which the asker's own count */
} DpDrawing;

/* The rule of a population. */
extern DpRepeatRule dp_repeats_rule(const DpPopulation *population);

/* That of a question that is about both. */
extern DpRepeatRule dp_repeats_join(DpRepeatRule one, DpRepeatRule other);

/*
 * What becomes of the question of a charge, which is set as its outcome, as far as
 * it was asked before, earlier in the same request too. budget_id: of the asker's
 * own row; 0: it has none yet. drawings: of the charges before, and to be set of
 * this one. Otherwise says why it is refused.
 */
extern DpRefusal dp_repeats_check(DpStoreRequest *request, uint32 number,
								  int64 budget_id, DpRepeatRule rule,
								  DpDrawing *drawings, DpReply *refusal);

/*
 * Notes that a charge was made: the asker's question waits for its answer, or has
 * the one that is shared; and so does a draw that it claims.
 */
extern void dp_repeats_record(const DpStoreRequest *request, uint32 number,
							  int64 budget_id, int64 charge_id,
							  const DpDrawing *drawing);

/* The names of rows: of an asker's question, and of the draw of a charge. */
extern DpAnswerName dp_repeats_question(const DpCharge *charge,
										int64 budget_id);
extern DpAnswerName dp_repeats_draw(const DpCharge *charge);

/* Room for bytes of an answer to a charge in the reply. */
extern char *dp_repeats_make_room(DpStoreRequest *request, uint32 number,
								  Size size);

#endif
