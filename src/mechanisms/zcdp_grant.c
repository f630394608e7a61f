/*
 * zcdp_grant.c
 *		What grants of (epsilon, delta) are worth in rho, and the reverse.
 *
 * Doubles look for a nearly best order; the bound of that order is then verified
 * on enclosures.
 */
#include <math.h>

#include "mechanisms/interval.h"
#include "mechanisms/zcdp.h"
#include "mechanisms/zcdp_grant.h"

/* Terms of -a ln(1-1/a); leaving out the rest does not decrease delta. */
#define TERMS 64

/* Multiples of it are tried as a. */
#define ORDER_ONE 1024
#define ORDER_MAX 0x1p40

/* rho at which the bound of order a is delta, in doubles. */
static double
rho_at(double epsilon, double log_delta, double log_less)
{
	double less = exp(log_less); /* a - 1 */
	double a = 1 + less;

	return (epsilon + (log_delta + log_less + a * log1p(1 / less)) / less) / a;
}

/* The ln(a-1) of the greatest rho: between the neighbours of the best of many. */
static double
best_order(double epsilon, double log_delta)
{
	const double first = -12;
	const double step = 0.125;
	double best = first;
	double low;
	double high;
	double x;

	for (x = first; x <= 25; x += step)
	{
		if (rho_at(epsilon, log_delta, x) > rho_at(epsilon, log_delta, best))
			best = x;
	}
	low = best - step;
	high = best + step;
	while (high - low > 1e-7)
	{
		double third = (high - low) / 3;

		if (rho_at(epsilon, log_delta, low + third) <
			rho_at(epsilon, log_delta, high - third))
			low += third;
		else
			high -= third;
	}
	return (low + high) / 2;
}

/* A bound of the conversion, of a fixed order. */
typedef struct Bound
{
	DpInterval epsilon;
	DpInterval order;	/* a, exactly */
	DpInterval less;	/* a - 1 */
	DpInterval series;	/* at most -a ln(1-1/a) */
	DpInterval allowed; /* delta (a - 1) */
} Bound;

static void
bound_init(DpWork *work, Bound *bound, DpEpsilon epsilon, double delta,
		   uint64_t order)
{
	DpInterval one;
	DpInterval power;
	DpInterval term;
	uint32_t i;

	bound->epsilon = dp_interval_new(work);
	bound->order = dp_interval_new(work);
	bound->less = dp_interval_new(work);
	bound->series = dp_interval_new(work);
	bound->allowed = dp_interval_new(work);
	one = dp_interval_new(work);
	power = dp_interval_new(work);
	term = dp_interval_new(work);

	dp_interval_set_fraction(work, &bound->epsilon, epsilon.ticks,
							 DP_EPSILON_ONE);
	dp_interval_set_fraction(work, &bound->order, order, ORDER_ONE);
	dp_interval_set(work, &one, 1);
	dp_interval_subtract(work, &bound->less, &bound->order, &one);

	dp_interval_set(work, &bound->series, 0);
	dp_interval_copy(work, &power, &one);
	for (i = 0; i < TERMS; i++)
	{
		dp_interval_copy(work, &term, &power);
		dp_interval_divide_word(work, &term, i + 1);
		dp_interval_add(work, &bound->series, &bound->series, &term);
		dp_interval_divide(work, &power, &power, &bound->order);
	}

	dp_interval_set_double(work, &bound->allowed, delta);
	dp_interval_multiply(work, &bound->allowed, &bound->allowed, &bound->less);
}

/* Whether this many units of rho are within the bound, for sure. */
static bool
bound_holds(DpWork *work, const Bound *bound, dp_int128 units)
{
	DpInterval y;
	bool result;

	dp_work_push(work);
	y = dp_interval_new(work);
	dp_interval_set_fraction(work, &y, units, DP_RHO_ONE);
	dp_interval_multiply(work, &y, &y, &bound->order);
	dp_interval_subtract(work, &y, &bound->epsilon, &y);
	dp_interval_multiply(work, &y, &y, &bound->less);
	dp_interval_add(work, &y, &y, &bound->series);
	result = !dp_work_failed(work) && !BN_is_negative(y.lower);
	dp_interval_exp_minus(work, &y, &y);
	result = result && !dp_work_failed(work) &&
			 BN_cmp(y.upper, bound->allowed.lower) <= 0;
	dp_work_pop(work);
	return result;
}

/*
 * The greatest units that are within the bound, between 0, which need not be,
 * and limit; near says where to look first. 0: none.
 */
static dp_int128
find_greatest(DpWork *work, const Bound *bound, dp_int128 near, dp_int128 limit)
{
	dp_int128 low = 0;
	dp_int128 high = limit + 1;
	dp_int128 width = near / 1000000000000 + 1;

	if (near > width && bound_holds(work, bound, near - width))
		low = near - width;
	if (near + width < high && !bound_holds(work, bound, near + width))
		high = near + width;
	while (high - low > 1)
	{
		dp_int128 middle = low + (high - low) / 2;

		if (bound_holds(work, bound, middle))
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The greatest rho of one order, which is a multiple of 1 / ORDER_ONE; or 0. */
static DpStatus
find_at_order(DpEpsilon epsilon, double delta, double order, DpRho *rho)
{
	double value = dp_epsilon_to_double(epsilon);
	double near =
		rho_at(value, log(delta), log(order / (double) ORDER_ONE - 1));
	DpWork work;
	Bound bound;
	DpStatus status;

	near = fmin(fmax(near, 0), value);
	dp_work_begin(&work, DP_RHO_BITS + 2 * (-ilogb(delta)));
	bound_init(&work, &bound, epsilon, delta, (uint64_t) order);
	rho->ticks = find_greatest(&work, &bound, (dp_int128) (near * 1e24),
							   (dp_int128) (value * 1e24));
	status = dp_work_failed(&work) ? DP_OUT_OF_MEMORY : DP_OK;
	dp_work_end(&work);
	return status;
}

/* Near a = 1, where the terms do not suffice, greater orders may be better. */
DpStatus
dp_zcdp_of_grant(DpEpsilon epsilon, double delta, DpRho *rho)
{
	double less;

	if (!(delta > 0 && delta < 1))
		return DP_PARAMETER_OUT_OF_RANGE;
	less = exp(best_order(dp_epsilon_to_double(epsilon), log(delta)));
	less = fmax(rint(ORDER_ONE * less), 1);
	for (;;)
	{
		DP_TRY(find_at_order(epsilon, delta, fmin(ORDER_ONE + less, ORDER_MAX),
							 rho));
		if (rho->ticks > 0)
			return DP_OK;
		if (ORDER_ONE + less >= ORDER_MAX)
			return DP_PARAMETER_OUT_OF_RANGE;
		less *= 2;
	}
}

double
dp_zcdp_of_grant_about(double epsilon, double delta)
{
	return rho_at(epsilon, log(delta), best_order(epsilon, log(delta)));
}

/* epsilon at which the bound of order a is delta, for an amount of rho. */
static double
epsilon_at(double rho, double log_delta, double log_less)
{
	double less = exp(log_less);
	double a = 1 + less;

	return a * rho - (log_delta + log_less + a * log1p(1 / less)) / less;
}

/* The ln(a-1) of the least epsilon. */
static double
best_order_of_rho(double rho, double log_delta)
{
	double best = INFINITY;
	double at = 0;
	double x;
	double step;

	for (x = -12; x <= 40; x += 0.125)
	{
		if (epsilon_at(rho, log_delta, x) < best)
		{
			best = epsilon_at(rho, log_delta, x);
			at = x;
		}
	}
	for (step = 0.0625; step > 1e-9; step /= 2)
	{
		double side;

		for (side = -step; side <= step; side += 2 * step)
		{
			if (epsilon_at(rho, log_delta, at + side) < best)
			{
				best = epsilon_at(rho, log_delta, at + side);
				at += side;
				break;
			}
		}
	}
	return at;
}

double
dp_zcdp_to_epsilon(double rho, double delta)
{
	double log_delta = log(delta);
	double best;

	if (rho <= 0)
		return 0;
	best = epsilon_at(rho, log_delta, best_order_of_rho(rho, log_delta));
	return fmax(best * (1 + 1e-12), 0);
}

/* Whether (epsilon, delta) is worth so much rho, by the bound of one order. */
static DpStatus
is_worth(DpEpsilon epsilon, double delta, double order, DpRho rho, bool *result)
{
	DpWork work;
	Bound bound;
	DpStatus status;

	dp_work_begin(&work, DP_RHO_BITS + 2 * (-ilogb(delta)));
	bound_init(&work, &bound, epsilon, delta, (uint64_t) order);
	*result = bound_holds(&work, &bound, rho.ticks);
	status = dp_work_failed(&work) ? DP_OUT_OF_MEMORY : DP_OK;
	dp_work_end(&work);
	return status;
}

/* From what doubles propose, up in doubling steps. */
DpStatus
dp_zcdp_cost_of_rho(DpRho rho, double delta, DpEpsilon *epsilon)
{
	const uint64_t limit = (uint64_t) (DP_EPSILON_MAX * DP_EPSILON_ONE);
	double value = (double) rho.ticks * 1e-24;
	double order;
	double proposed;
	uint64_t step;
	bool found = false;

	if (!(delta > 0 && delta < 1) || rho.ticks < 1)
		return DP_PARAMETER_OUT_OF_RANGE;
	order = exp(best_order_of_rho(value, log(delta)));
	order = fmin(ORDER_ONE + fmax(rint(ORDER_ONE * order), 1), ORDER_MAX);
	proposed =
		fmax(epsilon_at(value, log(delta), log(order / ORDER_ONE - 1)), 0);
	if (!(proposed < DP_EPSILON_MAX))
		return DP_EPSILON_OUT_OF_RANGE;
	epsilon->ticks = (uint64_t) (proposed * (double) DP_EPSILON_ONE);
	for (step = 1; !found; step *= 2)
	{
		epsilon->ticks += step;
		if (epsilon->ticks > limit)
			return DP_EPSILON_OUT_OF_RANGE;
		DP_TRY(is_worth(*epsilon, delta, order, rho, &found));
	}
	return DP_OK;
}
