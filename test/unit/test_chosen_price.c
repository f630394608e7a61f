/*
 * test_chosen_price.c
 *		Bounds and an answer within them cost no more than was asked for.
 */
#include "accounting/chosen_price.h"
#include "support/tap.h"

static const double askeds[] = {1e-4,  0.001,
								0.01,  0.1,
								0.3,   0.123456789012345,
								0.999, 1,
								1.5,   2.718281828459045,
								10,	   1000};
static const double shares[] = {0.001, 0.01, 0.1, 0.2, 1.0 / 3,
								0.5,   0.7,	 0.8, 0.9};

#define COUNT(array) ((int) (sizeof(array) / sizeof((array)[0])))

static DpPrivacyCost
cost_of(double epsilon)
{
	DpPrivacyCost cost;

	ok(dp_chosen_price_of_rest(epsilon, false, &cost) == DP_OK,
	   "%.17g has a price", epsilon);
	return cost;
}

/* Both steps of one question, in the accountants that can have it. */
static void
test_question(double asked, double share, bool by_rho)
{
	DpPrivacyCost whole = cost_of(asked);
	DpChosenShares parts;
	DpPrivacyCost bounds;
	DpPrivacyCost rest;
	DpPrivacyCost both;
	DpStatus status = dp_chosen_price_divide(asked, share, by_rho, &parts);

	if (status != DP_OK)
	{
		ok(status == DP_EPSILON_OUT_OF_RANGE && asked * share < 0.01,
		   "%.17g: a share of %g is too little", asked, share);
		return;
	}
	bounds = cost_of(parts.choice);
	ok(dp_chosen_price_of_rest(parts.rest, by_rho, &rest) == DP_OK,
	   "%.17g at %g: the rest has a price", asked, share);
	both = dp_cost_add(&bounds, &rest);
	ok(parts.choice > 0 && parts.rest > 0, "%.17g at %g: two steps", asked,
	   share);
	ok(both.rho.ticks <= whole.rho.ticks + 1, /* rounded up twice */
	   "%.17g at %g: no more rho than asked for", asked, share);
	ok(both.delta.ticks == 0 && both.pool.ticks == 0, "%.17g at %g: no delta",
	   asked, share);
	if (by_rho)
		ok(rest.epsilon.ticks == 0 && rest.unbounded.ticks > 0 &&
			   (double) both.rho.ticks >
				   0.97 * (double) whole.rho.ticks - 1e18 * asked,
		   "%.17g at %g: without an epsilon, and nearly all of rho", asked,
		   share);
	else
		ok(dp_amount_compare(both.epsilon, whole.epsilon) <= 0 &&
			   rest.unbounded.ticks == 0 &&
			   (double) both.epsilon.ticks >
				   (double) whole.epsilon.ticks - 2.1e16,
		   "%.17g at %g: no more epsilon than asked for, and nearly all", asked,
		   share);
}

static void
test_exact(void)
{
	DpChosenShares parts;

	ok(dp_chosen_price_divide(1, 0.2, false, &parts) == DP_OK &&
		   parts.choice == 0.2 &&
		   cost_of(parts.rest).epsilon.ticks == cost_of(0.8).epsilon.ticks,
	   "1 is 0.2 and 0.8");
	ok(dp_chosen_price_divide(0.3, 1.0 / 3, false, &parts) == DP_OK &&
		   dp_cost_add(
			   &(DpPrivacyCost){.epsilon = cost_of(parts.choice).epsilon},
			   &(DpPrivacyCost){.epsilon = cost_of(parts.rest).epsilon})
				   .epsilon.ticks == cost_of(0.3).epsilon.ticks,
	   "a third and the rest are the whole");
	is_int(dp_chosen_price_divide(1, 0, false, &parts), DP_EPSILON_OUT_OF_RANGE,
		   "no share");
	is_int(dp_chosen_price_divide(1, 1, true, &parts), DP_EPSILON_OUT_OF_RANGE,
		   "all of it");
}

int
main(void)
{
	int i;
	int j;

	for (i = 0; i < COUNT(askeds); i++)
	{
		for (j = 0; j < COUNT(shares); j++)
		{
			test_question(askeds[i], shares[j], false);
			test_question(askeds[i], shares[j], true);
		}
	}
	test_exact();
	return done_testing();
}
