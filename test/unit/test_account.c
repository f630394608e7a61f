/*
 * test_account.c
 *		What fits a budget, to the last unit.
 */
#include <math.h>
#include <stdlib.h>

#include "accounting/account.h"
#include "mechanisms/zcdp.h"
#include "support/random_fixed.h"
#include "support/tap.h"

static DpAmount
amount_of(const char *text)
{
	DpAmount amount = {0};

	if (!dp_amount_parse(text, false, &amount))
		abort();
	return amount;
}

static DpGrant
grant_of(DpAccountant accountant, const char *epsilon, const char *delta,
		 const char *pool)
{
	DpGrant grant;

	if (dp_grant_init(&grant, accountant, amount_of(epsilon), amount_of(delta),
					  amount_of(pool)) != DP_OK)
		abort();
	return grant;
}

/* A geometric count at this epsilon: pure there, R here. */
static DpPrivacyCost
count_of(const char *epsilon)
{
	DpPrivacyCost cost = dp_cost_none();
	DpEpsilon rounded;
	DpRho rho;

	cost.epsilon = amount_of(epsilon);
	if (!dp_amount_to_epsilon(cost.epsilon, &rounded) ||
		dp_zcdp_of_pure(rounded, 1, &rho) != DP_OK)
		abort();
	cost.rho.ticks = rho.ticks;
	return cost;
}

/* How many of them fit, one after the other. */
static int
how_many(const DpGrant *grant, const DpPrivacyCost *charge)
{
	DpPrivacyCost spent = dp_cost_none();
	int number = 0;

	while (number < 100000 && dp_grant_fit(grant, &spent, charge) == DP_FITS)
	{
		spent = dp_cost_add(&spent, charge);
		number++;
	}
	return number;
}

static void
test_pure(void)
{
	DpGrant grant = grant_of(DP_ACCOUNTANT_PURE, "1", "0.000001", "0");
	DpPrivacyCost charge = count_of("0.1");
	DpPrivacyCost spent = dp_cost_none();

	is_int(how_many(&grant, &charge), 10, "ten times 0.1 is 1");
	charge.epsilon.ticks++;
	is_int(how_many(&grant, &charge), 9, "a unit more is more");
	charge = count_of("0.1");
	charge.delta = amount_of("0.0000003");
	is_int(how_many(&grant, &charge), 3, "three deltas");
	spent.delta = amount_of("0.000001");
	is_int(dp_grant_fit(&grant, &spent, &charge), DP_EXCEEDS_DELTA,
		   "no delta is left");
	charge.unbounded.ticks = DP_RHO_ONE;
	is_int(dp_grant_fit(&grant, &spent, &charge), DP_FITS_NO_EPSILON,
		   "what has no epsilon does not fit");
	spent = dp_cost_none();
	charge = count_of("1.000001");
	is_int(dp_grant_fit(&grant, &spent, &charge), DP_EXCEEDS_EPSILON,
		   "nor what is dearer");
}

/* What is known of an epsilon alone. */
static void
test_cost_of_pure(void)
{
	DpPrivacyCost cost;
	DpPrivacyCost more;
	DpPrivacyCost spent = dp_cost_none();
	DpGrant grant = grant_of(DP_ACCOUNTANT_PURE, "1", "0.000001", "0");

	is_int(dp_cost_of_pure(amount_of("1"), amount_of("0.5"), &cost), DP_OK,
		   "the cost of epsilon 1");
	is_double((double) cost.rho.ticks * 1e-24, 0.462117157260, 1e-11, "R(1)");
	ok(dp_amount_compare(cost.pool, amount_of("0.5")) == 0 &&
		   cost.unbounded.ticks == 0,
	   "and its delta");
	(void) dp_cost_of_pure(amount_of("0.1"), amount_of("0"), &cost);
	ok(dp_amount_compare(cost.rho, count_of("0.1").rho) > 0,
	   "no less than what is used of it");
	(void) dp_cost_of_pure(amount_of("0.2"), amount_of("0"), &more);
	ok(2 * cost.rho.ticks <= more.rho.ticks, "two cost no more than both");
	(void) dp_cost_of_pure(amount_of("0.000000000000000000000001"),
						   amount_of("0"), &cost);
	ok(cost.rho.ticks > 0, "next to nothing is not nothing");
	(void) dp_cost_of_pure(dp_amount_greatest(), amount_of("0"), &cost);
	ok(dp_amount_compare(cost.rho, dp_amount_greatest()) == 0,
	   "and never more than epsilon");
	(void) dp_cost_of_pure(amount_of("0"), amount_of("0"), &cost);
	ok(dp_cost_is_none(&cost), "nothing costs nothing");
	spent.unbounded.ticks = DP_RHO_ONE;
	is_int(dp_grant_fit(&grant, &spent, &cost), DP_FITS_NO_EPSILON,
		   "nothing fits after what has no epsilon");
	ok(dp_grant_left(&grant, &spent).epsilon.ticks == 0, "nothing is left");
}

static void
test_zcdp(void)
{
	DpGrant grant = grant_of(DP_ACCOUNTANT_ZCDP, "1", "0.000001", "0");
	DpGrant half = grant_of(DP_ACCOUNTANT_ZCDP, "1", "0.000001", "0.0000005");
	DpPrivacyCost charge = dp_cost_none();
	DpPrivacyCost spent = dp_cost_none();
	DpPrivacyCost left;

	is_double((double) grant.rho.ticks * 1e-24, 0.02435597035, 1e-11,
			  "what the grant is worth");
	is_double((double) half.rho.ticks * 1e-24, 0.02293744668, 1e-11,
			  "with half of delta in the pool");

	/* 1/100 of the grant, and a unit more */
	charge.rho.ticks = grant.rho.ticks / 100;
	is_int(how_many(&grant, &charge), 100, "a hundred hundredths fit");
	charge.rho.ticks++;
	is_int(how_many(&grant, &charge), 99, "of a unit more one less");
	charge.rho.ticks = grant.rho.ticks;
	is_int(dp_grant_fit(&grant, &spent, &charge), DP_FITS, "all at once");
	charge.rho.ticks++;
	is_int(dp_grant_fit(&grant, &spent, &charge), DP_EXCEEDS_RHO,
		   "but not a unit more");

	/* Neither is spent from the other. */
	charge = dp_cost_none();
	charge.pool.ticks = 1;
	is_int(dp_grant_fit(&grant, &spent, &charge), DP_EXCEEDS_DELTA,
		   "without a pool no delta");
	charge.pool = amount_of("0.0000005");
	is_int(how_many(&half, &charge), 1, "the pool once");
	charge.unbounded.ticks = DP_RHO_ONE;
	is_int(dp_grant_fit(&half, &spent, &charge), DP_FITS,
		   "what has no epsilon fits");

	spent = dp_cost_add(&spent, &charge);
	left = dp_grant_left(&half, &spent);
	ok(left.pool.ticks == 0 && left.rho.ticks == half.rho.ticks &&
		   left.epsilon.ticks == 0,
	   "what is left of each");
	is_double(
		dp_cost_epsilon_of_rho(half.rho, dp_amount_left(half.delta, half.pool)),
		1, 1e-5, "all rho is the epsilon granted");
	is_int(how_many(&grant, &(DpPrivacyCost){.epsilon = {1}}), 100000,
		   "what costs no rho is not counted here");
}

/* Published: from so many equal counts on zcdp has the lesser noise. */
static void
test_many_counts(void)
{
	DpGrant grant = grant_of(DP_ACCOUNTANT_ZCDP, "1", "0.000001", "0");
	double rho = (double) grant.rho.ticks * 1e-24;

	is_double(sqrt(100 / (2 * rho)), 45.3, 0.05, "the error of 100 counts");
	is_double(sqrt(1000 / (2 * rho)), 143.3, 0.05, "and of 1000");
	ok(10 / (2 * rho) > 2 * 10 * 10 && 11 / (2 * rho) < 2 * 11 * 11,
	   "it pays from eleven counts on");
}

/* Costs in any order come to the same, and what fits is the whole sum. */
static void
test_order(void)
{
	DpGrant grant = grant_of(DP_ACCOUNTANT_ZCDP, "3", "0.000000001", "0");
	uint64_t state = 71;
	bool good = true;
	int round;

	for (round = 0; round < 1000; round++)
	{
		DpPrivacyCost spent = dp_cost_none();
		dp_int128 sum = 0;
		DpPrivacyCost charge = dp_cost_none();
		DpFit fit;

		do
		{
			charge.rho.ticks =
				(dp_int128) (random_next(&state) >> 1) *
				(1 + (dp_int128) random_next_below(&state, 9000));
			fit = dp_grant_fit(&grant, &spent, &charge);
			good = good && (fit == DP_FITS) ==
							   (sum + charge.rho.ticks <= grant.rho.ticks);
			if (fit == DP_FITS)
			{
				spent = dp_cost_add(&spent, &charge);
				sum += charge.rho.ticks;
			}
		} while (fit == DP_FITS);
		good = good && spent.rho.ticks == sum && sum <= grant.rho.ticks;
	}
	ok(good, "the sum with the new charge in it decides");
}

static void
test_limits(void)
{
	const DpAmount none = {0};
	DpAmount most = dp_amount_greatest();
	DpPrivacyCost all = {most, most, most, most, most};
	DpPrivacyCost sum = dp_cost_add(&all, &all);
	DpGrant grant;

	ok(dp_amount_compare(sum.rho, most) == 0 &&
		   dp_amount_compare(sum.epsilon, most) == 0,
	   "sums saturate");
	is_int(
		dp_grant_init(&grant, DP_ACCOUNTANT_ZCDP, amount_of("1"), none, none),
		DP_PARAMETER_OUT_OF_RANGE, "zcdp without delta");
	is_int(dp_grant_init(&grant, DP_ACCOUNTANT_ZCDP, amount_of("1"),
						 amount_of("0.1"), amount_of("0.1")),
		   DP_PARAMETER_OUT_OF_RANGE, "all of delta for the pool");
	is_int(dp_grant_init(&grant, DP_ACCOUNTANT_ZCDP, amount_of("1"),
						 amount_of("1"), none),
		   DP_PARAMETER_OUT_OF_RANGE, "a delta of 1");
	is_int(
		dp_grant_init(&grant, DP_ACCOUNTANT_ZCDP, none, amount_of("0.1"), none),
		DP_EPSILON_OUT_OF_RANGE, "no epsilon");
	is_int(dp_grant_init(&grant, DP_ACCOUNTANT_ZCDP, amount_of("1000001"),
						 amount_of("0.1"), none),
		   DP_EPSILON_OUT_OF_RANGE, "too much epsilon");
	is_int(dp_grant_init(&grant, DP_ACCOUNTANT_PURE, amount_of("1"),
						 amount_of("0.1"), amount_of("0.01")),
		   DP_PARAMETER_OUT_OF_RANGE, "a pool of a pure budget");
	is_int(dp_grant_init(&grant, DP_ACCOUNTANT_ZCDP, amount_of("1"),
						 amount_of("0.000000000000000000000001"), none),
		   DP_OK, "the least delta");
}

int
main(void)
{
	test_pure();
	test_cost_of_pure();
	test_zcdp();
	test_many_counts();
	test_order();
	test_limits();
	return done_testing();
}
