/*
 * account.c
 *		Accountants.
 */
#include <math.h>

#include "accounting/account.h"
#include "mechanisms/zcdp.h"

DpCost
dp_cost_none(void)
{
	return (DpCost){.is_finite = true};
}

DpStatus
dp_grant_init(DpGrant *grant, DpAccountant accountant, DpAmount epsilon,
			  DpAmount delta, DpAmount pool)
{
	DpEpsilon rounded;
	DpRho rho;

	*grant = (DpGrant){.accountant = accountant,
					   .epsilon = epsilon,
					   .delta = delta,
					   .pool = pool};
	if (accountant == DP_ACCOUNTANT_PURE)
		return pool.units == 0 ? DP_OK : DP_PARAMETER_OUT_OF_RANGE;
	if (pool.units < 0 || dp_amount_compare(pool, delta) >= 0)
		return DP_PARAMETER_OUT_OF_RANGE;
	if (!dp_amount_to_epsilon(epsilon, &rounded))
		return DP_EPSILON_OUT_OF_RANGE;
	DP_TRY(dp_zcdp_of_grant(
		rounded, dp_amount_to_delta(dp_amount_left(delta, pool)), &rho));
	grant->rho.units = rho.units;
	return DP_OK;
}

DpCost
dp_cost_add(const DpCost *a, const DpCost *b)
{
	return (DpCost){.is_finite = a->is_finite && b->is_finite,
					.epsilon = dp_amount_add(a->epsilon, b->epsilon),
					.delta = dp_amount_add(a->delta, b->delta),
					.rho = dp_amount_add(a->rho, b->rho),
					.pool = dp_amount_add(a->pool, b->pool)};
}

DpFit
dp_grant_fit(const DpGrant *grant, const DpCost *spent, const DpCost *charge)
{
	DpCost sum = dp_cost_add(spent, charge);

	if (grant->accountant == DP_ACCOUNTANT_PURE)
	{
		if (!sum.is_finite)
			return DP_FITS_NO_EPSILON;
		if (dp_amount_compare(sum.epsilon, grant->epsilon) > 0)
			return DP_EXCEEDS_EPSILON;
		if (dp_amount_compare(sum.delta, grant->delta) > 0)
			return DP_EXCEEDS_DELTA;
		return DP_FITS;
	}
	if (dp_amount_compare(sum.rho, grant->rho) > 0)
		return DP_EXCEEDS_RHO;
	if (dp_amount_compare(sum.pool, grant->pool) > 0)
		return DP_EXCEEDS_DELTA;
	return DP_FITS;
}

DpCost
dp_grant_left(const DpGrant *grant, const DpCost *spent)
{
	DpCost left = dp_cost_none();

	if (grant->accountant == DP_ACCOUNTANT_PURE)
	{
		left.epsilon = dp_amount_left(grant->epsilon, spent->epsilon);
		left.delta = dp_amount_left(grant->delta, spent->delta);
		return left;
	}
	left.rho = dp_amount_left(grant->rho, spent->rho);
	left.pool = dp_amount_left(grant->pool, spent->pool);
	return left;
}

static double
to_double(DpAmount amount)
{
	return (double) amount.units * 1e-24;
}

double
dp_grant_epsilon_spent(const DpGrant *grant, const DpCost *spent)
{
	if (grant->accountant == DP_ACCOUNTANT_PURE)
		return spent->is_finite ? to_double(spent->epsilon) : INFINITY;
	return dp_zcdp_to_epsilon(
		to_double(spent->rho),
		dp_amount_to_delta(dp_amount_left(grant->delta, grant->pool)));
}
