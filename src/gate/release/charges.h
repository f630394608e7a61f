/*
 * charges.h
 *		The price of the releases of a statement, question by question.
 */
#ifndef DP_GATE_RELEASE_CHARGES_H
#define DP_GATE_RELEASE_CHARGES_H

#include "aggregates/call.h"
#include "aggregates/describe.h"
#include "gate/release/state.h"

/*
 * A question about one population, its price and its outcome: one charge. A
 * question about several populations is several of these in turn.
 */
typedef struct DpQuestion
{
	DpReleaseState *state;
	int aggno; /* of the aggregate; their number: the selection of groups */
	DpMechanismChoice choice;	 /* as asked for */
	DpContribution contribution; /* that it is priced for */
	uint32 cap;					 /* values of a unit that count; 0: not said */
	unsigned char alone[DP_FINGERPRINT_SIZE]; /* what answers it by itself:
											   * draw.h */
	DpCharge charge; /* joint: for another population of the question before */
	DpChargeResult result; /* what became of it so far */
	char *answer;		   /* to be stored, its size in the charge; or NULL */
	int same; /* the number of an equal question before it, whose answer is its
			   * own, too; -1: none (equal_questions.h) */
} DpQuestion;

/* What a statement asks the ledger. */
typedef struct DpAsking
{
	int count;
	DpQuestion *questions;		/* palloc'd */
	DpAskedRelation *relations; /* that these are about; palloc'd */
	uint32 relation_count;

	/* What is told if the statement fails: a charge for each population. */
	DpCharge *failing;
	uint32 failing_count;
} DpAsking;

/*
 * The questions of releases, in order, each a charge without an answer: one
 * for each aggregate, and one for a selection of groups that counts on its
 * own; of several populations, one for each of them in turn. They have no
 * outcome yet, and none is the same as another.
 */
extern DpAsking dp_gate_price_questions(List *states);

/*
 * The number of charges for a release; those of groupings are the first one's.
 */
extern int dp_gate_count_charges(const DpReleaseState *state);

/* True for the selection of groups; false for an aggregate. */
extern bool dp_gate_is_selection(const DpQuestion *question);

/*
 * What the selection of groups asks for and costs: of a count of its own all,
 * of one of the aggregates' the delta of its threshold.
 */
extern void dp_gate_price_selection(const DpReleaseState *state,
									DpAmount *asked, DpPrivacyCost *cost);

/*
 * The parameters of one aggregate, checked, as of this execution. True where it
 * is answered at privacy levels (gate/release/chain.h).
 */
extern bool dp_gate_read_call(DpReleaseState *state, Aggref *aggref,
							  DpCall *call);

/*
 * Describes a call of this execution, with what it costs here. Error:
 * feature_not_supported for gaussian noise that cannot be charged.
 */
extern void dp_gate_describe(const DpReleaseState *state, const DpCall *call,
							 DpDescription *description);

#endif
