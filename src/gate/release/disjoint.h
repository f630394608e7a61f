/*
 * disjoint.h
 *		Aggregates of a release, each about other rows, as one question.
 *
 * Where no row counts in two of some aggregates (gate/facts/exclusive.h), they are
 * asked, charged, stored and replayed together, as one question, which costs
 * what the dearest of them does (accounting/disjoint.h). Each draws the noise
 * that it asks for. In one execution all of them are computed by one statement,
 * over one snapshot: so a person whose row another writer changes meanwhile
 * counts in one of them, too. That is why they have one draw and one answer:
 * answers to the same aggregates from two executions may both be about such a
 * person. For the same reason the cost of several groupings, which are
 * statements of their own, is the sum over the groupings of what the dearest
 * costs there.
 *
 * A sum that counts 0 where its condition does not hold takes part only where 0
 * is within its bounds.
 *
 * Alone stay aggregates of groups by private keys, which are asked together in
 * another way (questions.h), those at privacy levels, and those whose bounds are
 * chosen, which is a question of its own (gate/bound/choices.h). So do those of which
 * the same is asked at another price besides, which is refused (ledger/repeats.h).
 */
#ifndef DP_GATE_RELEASE_DISJOINT_H
#define DP_GATE_RELEASE_DISJOINT_H

#include "lib/stringinfo.h"

#include "accounting/disjoint.h"
#include "gate/release/release_state.h"

/* How many aggregates, each about other rows, one unit of a release can change. */
extern DpTouched dp_disjoint_touched(const DpReleaseState *state);

/*
 * Joins questions of a release, one for each aggregate, in an array: those that
 * are asked together get one object, which make returns, and all get their
 * places in it. Equal ones get one question, too.
 */
extern void dp_disjoint_join(DpReleaseState *state, DpAskedQuestion **questions,
							 DpAskedQuestion *(*make)(DpReleaseState *state,
													  DpAskedQuestion **parts,
													  int count));

/*
 * The answer to a question as bytes; NULL where it is too long. And the part of an
 * answer that is about one of its aggregates, by its place.
 */
extern StringInfo dp_disjoint_write(const DpAskedQuestion *question);
extern const char *dp_disjoint_part(const DpAskedQuestion *question, int place,
									const char *bytes, Size *size);

#endif
