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

#include "accounting/chosen_price.h"
#include "aggregates/call.h"
#include "aggregates/describe.h"
#include "gate/release/release_plan.h"

/* Bounds that are chosen when a question is answered, or were with its answer. */
typedef struct DpChosenBounds
{
	bool
		are_known; /* else the widest stand for them: nothing may depend on them */
	bool are_none; /* no bin has values enough: the answers are null */
	DpEdge lower;
	DpEdge upper;
} DpChosenBounds;

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
	double
		share_of_price; /* The grouping's share of the price; 0: not found yet. */
	DpCall **asked;		/* By aggregate, as asked for; NULL: not read yet. */
	DpCall **calls;		/* By aggregate, with the share; NULL: not read yet. */
	const char **mechanisms; /* By aggregate, what it draws in place of auto
							  * (deciding_count.h); NULL: as asked for. */

	/*
	 * By how much a grouping's noise costs more rho than that of the finest one (m in
	 * groupings.h); 1 for that one, and for releases that are no groupings.
	 */
	uint64 merged;

	DpChosenBounds
		*chosen; /* By aggregate, for those whose bounds are chosen. */
	uint32
		*caps; /* By aggregate: a cap that was chosen; 0: none, or not yet. */
	DpChosenShares
		*shares; /* By aggregate, of its epsilon; asked 0: not yet. */
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

/* Whether an aggregate's bounds are chosen with its answer. */
extern bool dp_terms_bounds_are_chosen(const DpTerms *terms, int aggno);

/* Whether its cap on the rows of a unit is; and whether one of both is. */
extern bool dp_terms_cap_is_chosen(const DpTerms *terms, int aggno);
extern bool dp_terms_chooses(const DpTerms *terms, int aggno);

/* How the epsilon of such an aggregate is divided between choice and answer. */
extern DpChosenShares dp_terms_shares(DpTerms *terms, int aggno);

/* Sets its bounds, once they are known. lower = upper = {0, 0}: there are none. */
extern void dp_terms_set_bounds(DpTerms *terms, int aggno, DpEdge lower,
								DpEdge upper);

/* Sets the cap that was chosen for an aggregate. */
extern void dp_terms_set_cap(DpTerms *terms, int aggno, uint32 cap);

/*
 * Sets the mechanism of an aggregate, written as in SQL; NULL: the one that it asks
 * for. Calls that were read before are read anew.
 */
extern void dp_terms_set_mechanism(DpTerms *terms, int aggno,
								   const char *mechanism);

/* What an aggregate is of: a base type. */
extern Oid dp_terms_type(const DpTerms *terms, int aggno);

/* The bounds of an aggregate as it takes them. */
extern void dp_terms_bounds(const DpTerms *terms, int aggno, Datum bounds[2]);

/* Whether it is answered at privacy levels (gate/bound/levels.h). */
extern bool dp_terms_have_levels(DpTerms *terms, int aggno);

/*
 * Describes a call, with what it costs here. Error: feature_not_supported for
 * gaussian noise that cannot be charged.
 */
extern void dp_terms_describe(DpTerms *terms, int aggno,
							  DpDescription *description);

/*
 * The same of choosing its bounds or its cap, which is paid once, whatever groupings
 * there are.
 */
extern void dp_terms_describe_choice(DpTerms *terms, int aggno,
									 DpDescription *description);

/* The mechanism in words: of a description or, where something is chosen, of both. */
extern const char *dp_terms_mechanism(const DpTerms *terms, int aggno,
									  const DpDescription *description);

/* An epsilon is not charged below what was asked for. */
extern void dp_terms_raise_epsilon(DpPrivacyCost *cost, DpAmount asked);

#endif
