/*
 * chosen_price.c
 *		What an aggregate costs that first chooses its bounds, or its cap.
 */
#include "accounting/chosen_price.h"

#include "accounting/epsilon_share.h"
#include "mechanisms/zcdp.h"

/* The same as a double, if one is charged as just that amount. */
static bool
is_exact(DpAmount amount, double *value)
{
	DpAmount charged;

	*value = (double) amount.ticks / 1e24;
	return dp_amount_from_double(*value, &charged) &&
		   dp_amount_compare(charged, amount) == 0;
}

/* What is left of epsilon. */
static DpStatus
find_rest(DpAmount asked, double share, DpChosenShares *shares)
{
	DpAmount choice;
	DpAmount rest;
	DpEpsilon used;

	if (!dp_amount_from_double(shares->choice, &choice) ||
		dp_amount_compare(choice, asked) >= 0)
		return DP_EPSILON_OUT_OF_RANGE;
	rest.ticks = asked.ticks - choice.ticks;
	if (!is_exact(rest, &shares->rest))
	{
		DP_TRY(
			dp_epsilon_share(shares->asked, 1 - share, false, &shares->rest));
		if (!dp_amount_from_double(shares->rest, &rest) ||
			dp_amount_compare(dp_amount_add(choice, rest), asked) > 0)
			return DP_EPSILON_OUT_OF_RANGE;
	}
	return dp_amount_to_epsilon(rest, &used) ? DP_OK : DP_EPSILON_OUT_OF_RANGE;
}

/* What is left of rho, as the epsilon that costs no more. */
static DpStatus
find_rest_by_rho(DpAmount asked, DpChosenShares *shares)
{
	DpAmount choice;
	DpAmount spent;
	DpAmount price;
	DpEpsilon rest;

	DP_TRY(dp_cost_price(asked, &price));
	if (!dp_amount_from_double(shares->choice, &choice))
		return DP_EPSILON_OUT_OF_RANGE;
	DP_TRY(dp_cost_price(choice, &spent));
	if (dp_amount_compare(spent, price) >= 0)
		return DP_EPSILON_OUT_OF_RANGE;
	DP_TRY(dp_zcdp_to_pure((DpRho){price.ticks - spent.ticks}, &rest));
	shares->rest = dp_epsilon_to_double(rest);
	return DP_OK;
}

DpStatus
dp_chosen_price_divide(double asked, double share, bool by_rho,
					   DpChosenShares *shares)
{
	DpAmount amount;

	shares->asked = asked;
	if (!(share > 0 && share < 1) || !dp_amount_from_double(asked, &amount))
		return DP_EPSILON_OUT_OF_RANGE;
	DP_TRY(dp_epsilon_share(asked, share, by_rho, &shares->choice));
	return by_rho ? find_rest_by_rho(amount, shares)
				  : find_rest(amount, share, shares);
}

DpStatus
dp_chosen_price_of_rest(double rest, bool is_unbounded, DpPrivacyCost *cost)
{
	*cost = dp_cost_none();
	if (!dp_amount_from_double(rest, &cost->epsilon))
		return DP_EPSILON_OUT_OF_RANGE;
	DP_TRY(dp_cost_price(cost->epsilon, &cost->rho)); /* as it is used */
	if (is_unbounded)
		dp_cost_set_unbounded(cost);
	return DP_OK;
}
