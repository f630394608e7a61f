/*
 * account.h
 *		Accountants: what a budget grants, and which charges fit it.
 *
 * A budget is granted as (epsilon, delta) and kept by one of two accountants.
 *
 * pure: epsilons and deltas add up (sequential composition).
 *
 * zcdp: rho adds up. The deltas of mechanisms that may fail with that
 * probability (selection of private keys, smooth_laplace) add up in a pool of
 * their own. The grant is converted once, when it is made: the pool takes the
 * part of delta that the grantor names, and the rest of (epsilon, delta) is
 * converted to a rho (mechanisms/zcdp_grant.h), rounded down. A question is
 * admitted while the sum of rho and the sum of deltas, each including the new
 * charge, are within those two.
 *
 * Guarantee of zcdp: together all answers are (epsilon, delta)-DP, however each
 * question, its mechanism and its price were chosen after the answers before
 * it. Proof for a pool of 0: given the past, E exp((a-1) L_i) <= exp(a (a-1)
 * rho_i) with rho_i fixed by the past, so the product of exp((a-1) L_i - a
 * (a-1) rho_i) is a supermartingale, and what was stopped in time has D_a <= a
 * rho for the rho of the grant (Feldman, Zrnic 2021, arXiv:2008.11193: a
 * privacy filter). With deltas it is the filter for approximate zCDP of
 * Whitehouse, Ramdas, Rogers, Wu 2023 (arXiv:2203.05481):
 * delta-pool-approximate rho-zCDP, hence (epsilon, delta of the conversion +
 * pool)-DP. That holds for limits of rho and of delta that are fixed
 * beforehand, not for stopping when epsilon(rho, remaining delta) reaches a
 * limit. So neither part may be spent on the other.
 *
 * A charge is expressed in every currency, and each budget counts it in its
 * own. A charge without a finite epsilon fits no pure budget, and no further
 * charge fits a pure budget that contains one. Amounts are exact (amount.h):
 * ten equal charges fit a grant of ten times one of them.
 */
#ifndef DP_ACCOUNTING_ACCOUNT_H
#define DP_ACCOUNTING_ACCOUNT_H

#include "accounting/amount.h"

typedef enum DpAccountant
{
	DP_ACCOUNTANT_PURE,
	DP_ACCOUNTANT_ZCDP
} DpAccountant;

/* What a budget grants. */
typedef struct DpGrant
{
	DpAccountant accountant;
	DpAmount epsilon; /* as granted */
	DpAmount delta;	  /* as granted, including the pool */
	DpAmount rho;	  /* zcdp: what may be spent */
	DpAmount pool;	  /* zcdp: for deltas of mechanisms; below delta */
} DpGrant;

/*
 * The cost of one question, or of several together, in every currency.
 * Questions that are not (epsilon, delta)-DP by themselves are counted in a
 * field of their own, so that costs can be added and subtracted like numbers.
 */
typedef struct DpPrivacyCost
{
	DpAmount epsilon; /* pure: the sum over questions that have one */
	DpAmount delta;
	DpAmount unbounded; /* the number of questions without a finite epsilon */
	DpAmount rho;		/* zcdp */
	DpAmount pool;
} DpPrivacyCost;

/* Why a charge is refused. */
typedef enum DpFit
{
	DP_FITS,
	DP_FITS_NO_EPSILON, /* no finite epsilon, in a pure budget */
	DP_EXCEEDS_EPSILON,
	DP_EXCEEDS_DELTA, /* zcdp: the pool */
	DP_EXCEEDS_RHO
} DpFit;

/* The cost of nothing, and whether a cost is nothing. */
extern DpPrivacyCost dp_cost_none(void);
extern bool dp_cost_is_none(const DpPrivacyCost *cost);

/*
 * The cost of any (epsilon, delta)-DP mechanism: in rho R(epsilon)
 * (mechanisms/zcdp.h), and delta from the pool, since with probability 1 -
 * delta it is a function of randomised response (Kairouz, Oh, Viswanath 2015).
 * Also of several such mechanisms together: R(a) + R(b) <= R(a + b). Errors:
 * DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_cost_of_pure(DpAmount epsilon, DpAmount delta,
								DpPrivacyCost *cost);

/*
 * Converts a grant. pool: the part of delta for the deltas of mechanisms; 0 for
 * a pure budget. Errors: DP_EPSILON_OUT_OF_RANGE (zcdp: epsilon is not in 2^-20
 * .. 10^6), DP_PARAMETER_OUT_OF_RANGE (zcdp: delta is not below 1, or the pool
 * not below delta; a pool of a pure budget), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_grant_init(DpGrant *grant, DpAccountant accountant,
							  DpAmount epsilon, DpAmount delta, DpAmount pool);

/*
 * Whether a charge fits after what was spent; otherwise, the first currency
 * whose sum would be too great. A currency in which the charge is 0 may be
 * overdrawn: a grant may have been reduced.
 */
extern DpFit dp_grant_fit(const DpGrant *grant, const DpPrivacyCost *spent,
						  const DpPrivacyCost *charge);

/*
 * Marks a cost as one without a finite epsilon: counts 1 in place of its
 * epsilon.
 */
extern void dp_cost_set_unbounded(DpPrivacyCost *cost);

/*
 * The epsilon of a cost of which rho covers delta, from these two: as in
 * dp_zcdp_cost_of_rho. is_known: the cost has an epsilon already, and gets the
 * lesser of both; else it is without a finite epsilon where there is none.
 * Nothing changes where it is without one. Errors: DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_cost_limit_epsilon(DpPrivacyCost *cost, bool is_known);

/*
 * The price in rho of an aggregate that asks for epsilon: R of the epsilon that
 * is used (dp_amount_to_epsilon). Errors: DP_EPSILON_OUT_OF_RANGE,
 * DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_cost_price(DpAmount epsilon, DpAmount *rho);

/*
 * The epsilon that an amount of rho amounts to at a delta, rounded up, for people to
 * read: it is not what is charged, and does not add up.
 */
extern double dp_cost_epsilon_of_rho(DpAmount rho, DpAmount delta);

/* The cost of both together. */
extern DpPrivacyCost dp_cost_add(const DpPrivacyCost *a,
								 const DpPrivacyCost *b);

/*
 * What is left of each currency of the grant; 0 for currencies of the other
 * accountant.
 */
extern DpPrivacyCost dp_grant_left(const DpGrant *grant,
								   const DpPrivacyCost *spent);

#endif
