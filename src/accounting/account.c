/*
 * account.c
 *		Accountants.
 */
#include "accounting/account.h"
#include "mechanisms/zcdp.h"
#include "mechanisms/zcdp_grant.h"

DpPrivacyCost
dp_cost_none(void)
{
	return (DpPrivacyCost){.epsilon = {0}};
}

bool
dp_cost_is_none(const DpPrivacyCost *cost)
{
	return cost->epsilon.ticks == 0 && cost->delta.ticks == 0 &&
		   cost->unbounded.ticks == 0 && cost->rho.ticks == 0 &&
		   cost->pool.ticks == 0;
}

/*
 * The least epsilon of mechanisms, 2^-20 .. 10^6, that is not below an amount;
 * false where there is none.
 */
static bool
round_up(DpAmount amount, DpEpsilon *epsilon)
{
	DpAmount back;

	if (amount.ticks <= DP_RHO_ONE >> DP_EPSILON_BITS)
	{
		epsilon->ticks = 1;
		return true;
	}
	if (!dp_amount_to_epsilon(amount, epsilon))
		return false;
	back.ticks = (dp_int128) epsilon->ticks *
				 (DP_RHO_ONE >> DP_EPSILON_BITS); /* 10^24 = 2^24 5^24 */
	if (dp_amount_compare(back, amount) < 0)
		epsilon->ticks++;
	return true;
}

DpStatus
dp_cost_of_pure(DpAmount epsilon, DpAmount delta, DpPrivacyCost *cost)
{
	DpEpsilon rounded;
	DpRho rho;

	*cost = (DpPrivacyCost){.epsilon = epsilon,
							.delta = delta,
							.rho = epsilon, /* R(e) <= e */
							.pool = delta};
	if (epsilon.ticks == 0 || !round_up(epsilon, &rounded))
		return DP_OK;
	DP_TRY(dp_zcdp_of_pure(rounded, 1, &rho));
	cost->rho.ticks = rho.ticks;
	return DP_OK;
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
		return pool.ticks == 0 ? DP_OK : DP_PARAMETER_OUT_OF_RANGE;
	if (pool.ticks < 0 || dp_amount_compare(pool, delta) >= 0)
		return DP_PARAMETER_OUT_OF_RANGE;
	if (!dp_amount_to_epsilon(epsilon, &rounded))
		return DP_EPSILON_OUT_OF_RANGE;
	DP_TRY(dp_zcdp_of_grant(
		rounded, dp_amount_to_delta(dp_amount_left(delta, pool)), &rho));
	grant->rho.ticks = rho.ticks;
	return DP_OK;
}

void
dp_cost_set_unbounded(DpPrivacyCost *cost)
{
	cost->epsilon.ticks = 0;
	cost->unbounded.ticks = DP_RHO_ONE;
}

DpStatus
dp_cost_limit_epsilon(DpPrivacyCost *cost, bool is_known)
{
	DpRho rho = {cost->rho.ticks};
	DpEpsilon epsilon;
	DpAmount amount;
	DpStatus status;

	if (cost->unbounded.ticks > 0)
		return DP_OK;
	status =
		dp_zcdp_cost_of_rho(rho, dp_amount_to_delta(cost->delta), &epsilon);
	if (status == DP_OUT_OF_MEMORY)
		return status;
	if (status == DP_OK)
	{
		amount.ticks = (dp_int128) epsilon.ticks *
					   (DP_RHO_ONE >> DP_EPSILON_BITS); /* exactly */
		if (!is_known || dp_amount_compare(amount, cost->epsilon) < 0)
			cost->epsilon = amount;
	}
	else if (!is_known)
		dp_cost_set_unbounded(cost);
	return DP_OK;
}

DpStatus
dp_cost_price(DpAmount epsilon, DpAmount *rho)
{
	DpEpsilon used;
	DpRho price;

	if (!dp_amount_to_epsilon(epsilon, &used))
		return DP_EPSILON_OUT_OF_RANGE;
	DP_TRY(dp_zcdp_of_pure(used, 1, &price));
	rho->ticks = price.ticks;
	return DP_OK;
}

DpPrivacyCost
dp_cost_add(const DpPrivacyCost *a, const DpPrivacyCost *b)
{
	return (DpPrivacyCost){.epsilon = dp_amount_add(a->epsilon, b->epsilon),
						   .delta = dp_amount_add(a->delta, b->delta),
						   .unbounded =
							   dp_amount_add(a->unbounded, b->unbounded),
						   .rho = dp_amount_add(a->rho, b->rho),
						   .pool = dp_amount_add(a->pool, b->pool)};
}

DpPrivacyCost
dp_grant_left(const DpGrant *grant, const DpPrivacyCost *spent)
{
	DpPrivacyCost left = dp_cost_none();

	if (grant->accountant == DP_ACCOUNTANT_PURE)
	{
		if (spent->unbounded.ticks > 0)
			return left;
		left.epsilon = dp_amount_left(grant->epsilon, spent->epsilon);
		left.delta = dp_amount_left(grant->delta, spent->delta);
		return left;
	}
	left.rho = dp_amount_left(grant->rho, spent->rho);
	left.pool = dp_amount_left(grant->pool, spent->pool);
	return left;
}

DpFit
dp_grant_fit(const DpGrant *grant, const DpPrivacyCost *spent,
			 const DpPrivacyCost *charge)
{
	DpPrivacyCost left = dp_grant_left(grant, spent);

	if (grant->accountant == DP_ACCOUNTANT_PURE)
	{
		if (spent->unbounded.ticks > 0 || charge->unbounded.ticks > 0)
			return DP_FITS_NO_EPSILON;
		if (dp_amount_compare(charge->epsilon, left.epsilon) > 0)
			return DP_EXCEEDS_EPSILON;
		if (dp_amount_compare(charge->delta, left.delta) > 0)
			return DP_EXCEEDS_DELTA;
		return DP_FITS;
	}
	if (dp_amount_compare(charge->rho, left.rho) > 0)
		return DP_EXCEEDS_RHO;
	if (dp_amount_compare(charge->pool, left.pool) > 0)
		return DP_EXCEEDS_DELTA;
	return DP_FITS;
}

static double
to_double(DpAmount amount)
{
	return (double) amount.ticks * 1e-24;
}

double
dp_cost_epsilon_of_rho(DpAmount rho, DpAmount delta)
{
	return dp_zcdp_to_epsilon(to_double(rho), dp_amount_to_delta(delta));
}
