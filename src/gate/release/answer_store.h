/*
 * answer_store.h
 *		Answers that are stored, and those that were stored before.
 *
 * Answers are stored before they go out, so that the question can be replayed.
 * What is too long is not stored, except for chains of privacy levels, whose room
 * is found before the charge (level_chain.h).
 */
#ifndef DP_GATE_RELEASE_ANSWER_STORE_H
#define DP_GATE_RELEASE_ANSWER_STORE_H

#include "gate/release/price.h"

/* Outcomes of questions whose answers are stored. */
#define DP_ANSWER_STORE_REPLAYED (1 << DP_OUTCOME_REPLAYED)
#define DP_ANSWER_STORE_SHARED (1 << DP_OUTCOME_SHARED)

/*
 * Uses stored answers, of some outcomes, as those of all releases that ask for
 * them. only_private: of releases with private keys, whose groups they say.
 */
extern void dp_answer_store_use(List *askers, const DpPrice *price,
								int outcomes, bool only_private);

/*
 * Stores the answers to all fresh questions, which are computed. What somebody
 * else has stored meanwhile becomes the answer, as does the role's level of a
 * chain that was drawn here. Errors: those of dp_ledger_store.
 */
extern void dp_answer_store_keep(DpPrice *price);

/* Copies what was computed to where it is the answer, too. */
extern void dp_answer_store_copy(List *askers, const DpPrice *price);

#endif
