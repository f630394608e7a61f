/*
 * agreement.h
 *		Whether the answers of groupings are made to agree, and what share of
 *		the price each gets.
 *
 * The counts and sums of several groupings (groupings.h) are tables of the
 * same rows, each with noise of its own. They are made to agree
 * (agreeing_tables.h) where that is so: if each unit counts with the same rows
 * in all of them, for counts and sums with additive noise that is not truncated,
 * and if there are not too many keys to sum over. Other answers are shown as
 * they were drawn. All of that is decided here, on what is public.
 */
#ifndef DP_GATE_RELEASE_AGREEMENT_H
#define DP_GATE_RELEASE_AGREEMENT_H

#include "gate/release/release_state.h"

/*
 * Finds the groupings among the releases of a statement (groupings.h), and gives
 * each its share, in its terms and as parameters of the inner statements: once
 * in an execution, before anything is priced. Returns the releases that ask: of
 * groupings the first. Where the answers are going to
 * agree, shares are such that these err least. Reads public values of keys.
 */
extern List *dp_agreement_share_out(List *states);

/*
 * Whether the answers of an aggregate can be made to agree. Sets the variances
 * of each grouping's answers, in steps of 2^*exponent.
 */
extern bool dp_agreement_applies(const DpGroupings *groupings, int aggno,
								 DpMarginals *marginals, int *exponent);

/*
 * Whether an aggregate's answers agree, before they are there; *deviation: the
 * standard deviation of one of this release's then.
 */
extern bool dp_agreement_is_expected(const DpReleaseState *state, int aggno,
									 double *deviation);

/*
 * The expressions of keys that are one key of the tables of answers: of those that
 * are found together, or of a single one. values: where they are among a grouping's
 * keys, which are all public.
 */
extern List *dp_agreement_key_of(const DpReleaseState *state,
								 const DpKeyValues *values);

/* The index of such a key among those of all groupings; it is added if need be. */
extern int dp_agreement_key(List *key, List **keys);

#endif
