/*
 * price.h
 *		The price of a statement: what is charged, and to whom.
 *
 * A charge for each question and population, and for each selection of groups
 * that counts on its own. The price follows from the questions, which are public.
 */
#ifndef DP_GATE_RELEASE_PRICE_H
#define DP_GATE_RELEASE_PRICE_H

#include "gate/release/release_state.h"

/*
 * A charge, and what became of it. A question about several populations has
 * several of these in turn, all but the first of them joint.
 */
typedef struct DpPricedCharge
{
	DpReleaseState *state; /* The release that asks. */
	DpQuestion *question; /* What it asks; NULL: the selection of its groups. */
	DpCharge charge;
	DpChargeResult result; /* What became of it so far. */
	char *answer; /* To be stored, its size in the charge; NULL: nothing. */
} DpPricedCharge;

/* Whether the ledger is asked about a charge: not about what is replayed. */
static inline bool
dp_price_is_asked(const DpPricedCharge *priced)
{
	return priced->result.outcome != DP_OUTCOME_REPLAYED;
}

/* Whether the answer has to be computed: it is not shared either. */
static inline bool
dp_price_is_fresh(const DpPricedCharge *priced)
{
	return priced->result.outcome == DP_OUTCOME_CHARGED;
}

typedef struct DpPrice
{
	int count;
	DpPricedCharge *charges;	/* In the order of the releases; palloc'd. */
	DpAskedRelation *relations; /* What the charges are about; palloc'd. */
	uint32 relation_count;

	/*
	 * What the ledger is told if the statement fails: a charge for each population.
	 * Listed by charge_request.c once it is charged.
	 */
	DpCharge *failing;
	uint32 failing_count;
} DpPrice;

/*
 * Prices the questions of releases that ask, which were found, and the selections of
 * groups that are known by now. Nothing is charged yet.
 */
extern DpPrice dp_price_make(List *askers);

/*
 * What the selection of groups asks for and costs: of a count of its own all,
 * of one of the aggregates' the delta of its threshold.
 */
extern void dp_price_selection(const DpReleaseState *state, DpAmount *asked,
							   DpPrivacyCost *cost);

/* The charge of a price that has a question's answer. */
extern DpPricedCharge *dp_price_of(const DpPrice *price,
								   const DpQuestion *question);

#endif
