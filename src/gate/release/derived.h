/*
 * derived.h
 *		Answers that follow from stored ones.
 *
 * A question about some groups of another one (gate/facts/finer.h) is answered from
 * what that was answered, where the asker might have that replayed now: it was paid
 * for, and is not forgotten. That is post-processing, and costs nothing. The ledger
 * is asked about the finer question just as if that were asked, so whatever refuses
 * or forgets it keeps it from answers that would follow from it.
 *
 * Whether an answer is derived depends on the question, on which other ones the
 * asker has got answered, and on the laws of the noise: it is, where its interval
 * is no wider than that of a charged one would be. No value decides.
 */
#ifndef DP_GATE_RELEASE_DERIVED_H
#define DP_GATE_RELEASE_DERIVED_H

#include "gate/release/price.h"

/*
 * Derives the answers that can be, of questions that would be charged otherwise:
 * their charges are then settled as replayed, with the answer. Where the ledger
 * cannot say what would become of them, none is. Errors: those of dp_ledger_try.
 */
extern void dp_derived_find(DpPrice *price);

/* A charge as one for another question, if that has an answer: it costs nothing. */
extern DpCharge dp_derived_charge(const DpCharge *charge,
								  const unsigned char *fingerprint);

#endif
