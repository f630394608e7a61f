/*
 * terms.h
 *		The terms on which the aggregates of a release are answered.
 *
 * What each asks for in this execution: its parameters, checked, epsilon and
 * mechanism among them, which the session may have set. They are read once, when
 * they are first needed, and hold for all that follows: what is charged is what
 * is drawn, shown and stored.
 */
#ifndef DP_GATE_RELEASE_TERMS_H
#define DP_GATE_RELEASE_TERMS_H

#include "nodes/execnodes.h"

#include "aggregates/call.h"
#include "aggregates/describe.h"
#include "gate/release/release_plan.h"

typedef struct DpTerms
{
	const DpOutline *outline;
	PlanState *node; /* Evaluates parameters; its memory keeps the calls. */

	/*
	 * How much of the epsilon that was asked for each aggregate gets: less than 1
	 * in one of several groupings (agreement.h), which sets it before any
	 * call is read.
	 */
	double share;
	double share_of_price; /* The same of the price; 0: not found yet. */
	DpCall **asked;		   /* By aggregate, as asked for; NULL: not read yet. */
	DpCall **calls; /* By aggregate, with the share; NULL: not read yet. */

	/*
	 * How many times the rho of its noise a grouping costs (groupings.h): m; 1 for
	 * the finest one, and for releases that are no groupings.
	 */
	uint64 merged;
} DpTerms;

/* Terms of which nothing is read yet. */
extern void dp_terms_init(DpTerms *terms, const DpReleasePlan *plan,
						  PlanState *node);

/*
 * The parameters of an aggregate, by its number; dp_terms_asked: with all of the
 * epsilon asked for. Errors: as dp_call_check; those of dp_levels_choose.
 */
extern const DpCall *dp_terms_call(DpTerms *terms, int aggno);
extern const DpCall *dp_terms_asked(DpTerms *terms, int aggno);

/* Whether it is answered at privacy levels (gate/question/units/levels.h). */
extern bool dp_terms_have_levels(DpTerms *terms, int aggno);

/*
 * Describes a call, with what it costs here. Error: feature_not_supported for
 * gaussian noise that cannot be charged.
 */
extern void dp_terms_describe(DpTerms *terms, int aggno,
							  DpDescription *description);

/* An epsilon is not charged below what was asked for. */
extern void dp_terms_raise_epsilon(DpPrivacyCost *cost, DpAmount asked);

#endif
