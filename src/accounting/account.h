/*
 * account.h
 *		Accountants: what a budget holds, and what fits it.
 *
 * A budget is granted in (epsilon, delta) and kept by one of two accountants.
 *
 * pure: epsilons and deltas add up (sequential composition).
 *
 * zcdp: rho adds up, and the deltas of mechanisms that are private but for that
 * probability (groups by private keys, smooth_laplace) from a pool of their own.
 * The grant is converted once, when it is given: of delta, the pool takes the part
 * that its giver names, and what is left of (epsilon, delta) is worth a rho
 * (mechanisms/zcdp.h), rounded down. Questions are admitted while the sum of rho
 * and the sum of deltas, each with the new charge in it, are within those two.
 *
 * Guarantee of zcdp: together all answers are (epsilon, delta)-DP, however each
 * question, its mechanism and its price were chosen after the answers before it.
 * Proof for a pool of 0: given the past, E exp((a-1) L_i) <= exp(a (a-1) rho_i) with
 * rho_i fixed by the past, so the product of exp((a-1) L_i - a (a-1) rho_i) is a
 * supermartingale, and what was stopped in time has D_a <= a rho for the rho of the
 * grant (Feldman, Zrnic 2021, arXiv:2008.11193: a privacy filter). With deltas it is
 * the filter for approximate zCDP of Whitehouse, Ramdas, Rogers, Wu 2023
 * (arXiv:2203.05481): delta-pool-approximate rho-zCDP, hence (epsilon, delta of the
 * conversion + pool)-DP. That holds for a box that is fixed beforehand, not for
 * stopping where epsilon(rho, the delta that is left) reaches a limit; so neither
 * part may be spent from the other.
 *
 * A charge is one of everything, and lands on each budget in its own currency. What
 * has no finite epsilon fits no pure budget, and nothing fits one after it. Amounts are exact (amount.h): ten times
 * a charge fits a grant of ten times it.
 */
#ifndef DP_ACCOUNTING_ACCOUNT_H
#define DP_ACCOUNTING_ACCOUNT_H

#include "accounting/amount.h"

typedef enum DpAccountant
{
	DP_ACCOUNTANT_PURE,
	DP_ACCOUNTANT_ZCDP
} DpAccountant;

/* What a budget holds. */
typedef struct DpGrant
{
	DpAccountant accountant;
	DpAmount epsilon; /* as it was granted */
	DpAmount delta;	  /* all of it */
	DpAmount rho;	  /* zcdp: what may be spent */
	DpAmount pool;	  /* zcdp: of deltas; below delta */
} DpGrant;

/*
 * What a question costs, or questions together have cost: one of everything.
 * Those that are not (epsilon, delta)-DP by themselves are counted beside, so that
 * they add up, and can be taken off again, like all else.
 */
typedef struct DpPrivacyCost
{
	DpAmount epsilon; /* pure; of those that have one */
	DpAmount delta;
	DpAmount unbounded; /* how many have no finite epsilon; 1 each */
	DpAmount rho;		/* zcdp */
	DpAmount pool;
} DpPrivacyCost;

/* Why a charge is refused. */
typedef enum DpFit
{
	DP_FITS,
	DP_FITS_NO_EPSILON, /* no finite epsilon, and a pure budget */
	DP_EXCEEDS_EPSILON,
	DP_EXCEEDS_DELTA, /* of zcdp: the pool */
	DP_EXCEEDS_RHO
} DpFit;

/* The cost of nothing, and whether a cost is that. */
extern DpPrivacyCost dp_cost_none(void);
extern bool dp_cost_is_none(const DpPrivacyCost *cost);

/*
 * The cost of what is (epsilon, delta)-DP, and of which nothing more is known: in
 * rho R(epsilon) (mechanisms/zcdp.h), and delta from the pool, since it is a function
 * of randomised response but for that probability (Kairouz, Oh, Viswanath 2015).
 * Also of several such things together: R(a) + R(b) <= R(a + b). Errors:
 * DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_cost_of_pure(DpAmount epsilon, DpAmount delta,
								DpPrivacyCost *cost);

/*
 * Converts a grant. pool: of delta, for the deltas of mechanisms; 0 of a pure
 * budget. Errors: DP_EPSILON_OUT_OF_RANGE (zcdp: epsilon is not in 2^-20 .. 10^6),
 * DP_PARAMETER_OUT_OF_RANGE (zcdp: delta is not below 1, or the pool not below
 * delta; a pool of a pure budget), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_grant_init(DpGrant *grant, DpAccountant accountant,
							  DpAmount epsilon, DpAmount delta, DpAmount pool);

/*
 * Whether a charge may follow what was spent: of the sums with the charge in them,
 * the first that is too great. What a charge asks nothing of may be overdrawn, where
 * a grant was made smaller.
 */
extern DpFit dp_grant_fit(const DpGrant *grant, const DpPrivacyCost *spent,
						  const DpPrivacyCost *charge);

/* That it has no finite epsilon: one of those, in the place of its epsilon. */
extern void dp_cost_set_unbounded(DpPrivacyCost *cost);

/*
 * The price in rho of an aggregate that asks for epsilon: R of what is used of
 * that (dp_amount_to_epsilon). Errors: DP_EPSILON_OUT_OF_RANGE, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_cost_price(DpAmount epsilon, DpAmount *rho);

/* The epsilon that an amount of rho comes to at a delta, as in
 * dp_grant_epsilon_spent. */
extern double dp_cost_epsilon_of_rho(DpAmount rho, DpAmount delta);

/* Both together. */
extern DpPrivacyCost dp_cost_add(const DpPrivacyCost *a,
								 const DpPrivacyCost *b);

/* What is left of each currency of the grant; of the other accountant's 0. */
extern DpPrivacyCost dp_grant_left(const DpGrant *grant,
								   const DpPrivacyCost *spent);

/*
 * The epsilon that all of what was spent comes to at the grant's delta, for people
 * to read: of a zcdp budget that of the rho spent, rounded up. It is not what is
 * charged, and does not add up. Infinite where nothing finite is known.
 */
extern double dp_grant_epsilon_spent(const DpGrant *grant,
									 const DpPrivacyCost *spent);

#endif
