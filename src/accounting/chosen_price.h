/*
 * chosen_price.h
 *		What an aggregate costs that first chooses its bounds, or its cap.
 *
 * It asks for one epsilon and takes two steps: bounds by a noisy histogram
 * (mechanisms/bounds.h), then the aggregate within these. A share of what was asked
 * for buys the first step, the rest the second:
 *
 *		epsilon: b = share of asked, r = asked - b, in amounts, exactly.
 *		rho:	 R(b) <= share of R(asked), R(r) <= R(asked) - R(b), R(e) = e tanh(e/2).
 *
 * Together they never cost more than asked, (asked, 0) and R(asked), but for 10^-24 of
 * rho, as both prices are rounded up.
 *
 * Proof. The first step is b-DP for a unit, the second r-DP for a unit whatever
 * bounds it is given, since its noise is calibrated to the bounds and values are
 * clamped to them. The bounds are all that the second step knows of the first. So
 * (adaptive composition)
 *
 *		pure: both are (b + r)-DP, and b + r <= asked.
 *		zCDP: the first costs at most R(b), the second at most R(r): each mechanism
 *		is r-DP, or gaussian noise that auto calibrates to R(r). Where epsilon was
 *		divided, R(b) + R(r) <= R(b + r) <= R(asked), as R(e)/e increases; where rho
 *		was, by construction. Gaussian noise alone has no finite epsilon, and then
 *		the whole has none.
 *		delta: neither step has one; only auto may choose bounds.
 *
 * A unit that is exchanged changes both steps as neighbours that are exchanged
 * change them; each is r- or b-DP for these. A unit may be in several groups, and in
 * the groups of several groupings. The second step is r-DP for all of them together
 * (mechanisms/contribution.h, gate/release/agreement.h), but the bounds are chosen
 * once over all rows without groups, where a unit counts with no more rows than in
 * one group: that is b-DP as it stands. Where groups merge in a coarser grouping, the
 * rho of the second step is multiplied as for any other noise (gate/release/terms.h).
 *
 * The same holds where the first step is a cap on the rows of a unit, by a walk that is
 * b-DP for a unit (mechanisms/chosen_cap.h), and the second an aggregate within that
 * cap: its noise is calibrated to the cap, to which each unit is bounded in each group,
 * so it is r-DP for a unit whatever cap it is given. The walk, too, costs at most R(b),
 * for units that are exchanged as well (mechanisms/above_threshold.h); it is charged
 * that. It counts each unit once, by its largest group, whatever groups count of it.
 * Gaussian noise for an (epsilon, delta) and others that are not auto's are refused, as
 * for bounds: what they cost, and whether they can be had, may depend on the cap.
 *
 * The price is charged before bounds are known, so it must not depend on them: the
 * second step is charged R(r) rather than the rho of its noise, which is no more.
 */
#ifndef DP_ACCOUNTING_CHOSEN_PRICE_H
#define DP_ACCOUNTING_CHOSEN_PRICE_H

#include "accounting/account.h"

/* How an epsilon is divided. */
typedef struct DpChosenShares
{
	double asked;  /* for both */
	double choice; /* for choosing bounds, or a cap */
	double rest;   /* for the aggregate within them */
} DpChosenShares;

/*
 * share: of the first step, in (0, 1). by_rho: whether the price in rho is divided,
 * for aggregates that may have no epsilon. Errors: DP_EPSILON_OUT_OF_RANGE (too
 * little is left for a step), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_chosen_price_divide(double asked, double share, bool by_rho,
									   DpChosenShares *shares);

/*
 * The cost of the second step, at a part of the rest or at all of it; and of a first
 * one that is a walk. is_unbounded: its noise may have no finite epsilon. Errors:
 * DP_EPSILON_OUT_OF_RANGE, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_chosen_price_of_rest(double rest, bool is_unbounded,
										DpPrivacyCost *cost);

#endif
