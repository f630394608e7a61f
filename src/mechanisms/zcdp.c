/*
 * zcdp.c
 *		Costs of mechanisms in rho.
 */
#include <math.h>

#include "mechanisms/interval.h"
#include "mechanisms/zcdp.h"

static dp_int128
rho_max(void)
{
	return DP_RHO_ONE * 10000000000000;
}

/* The least amount that is not below the interval. */
static DpStatus
round_up(DpWork *work, const DpInterval *x, DpRho *rho)
{
	BIGNUM *one = dp_work_number(work);
	BIGNUM *units = dp_work_number(work);
	unsigned char bytes[16];
	int i;

	dp_number_set(work, one, DP_RHO_ONE);
	dp_number_multiply(work, units, x->upper, one);
	if (!dp_work_failed(work) && !BN_rshift(units, units, work->bits))
		work->failed = true;
	if (dp_work_failed(work))
		return DP_OUT_OF_MEMORY;
	if (BN_num_bits(units) > 126 || BN_is_negative(units))
		rho->ticks = rho_max();
	else
	{
		rho->ticks = 0;
		(void) BN_bn2binpad(units, bytes, sizeof(bytes));
		for (i = 0; i < 16; i++)
			rho->ticks = rho->ticks << 8 | bytes[i];
		if (rho->ticks < rho_max())
			rho->ticks++;
		else
			rho->ticks = rho_max();
	}
	return DP_OK;
}

/* x = epsilon / parts */
static void
set_epsilon(DpWork *work, DpInterval *x, DpEpsilon epsilon, uint64_t parts)
{
	dp_interval_set_fraction(work, x, epsilon.ticks,
							 (dp_int128) DP_EPSILON_ONE * parts);
}

/* R(e) = e (1 - h) / (1 + h), h = exp(-e) */
static void
set_pure(DpWork *work, DpInterval *x, const DpInterval *epsilon)
{
	DpInterval one;
	DpInterval h;
	DpInterval sum;

	dp_work_push(work);
	one = dp_interval_new(work);
	h = dp_interval_new(work);
	sum = dp_interval_new(work);
	dp_interval_set(work, &one, 1);
	dp_interval_exp_minus(work, &h, epsilon);
	dp_interval_add(work, &sum, &one, &h);
	dp_interval_subtract(work, &one, &one, &h);
	dp_interval_multiply(work, x, epsilon, &one);
	dp_interval_divide(work, x, x, &sum);
	dp_work_pop(work);
}

/* x = the one whose upper end is less */
static void
set_least(DpWork *work, DpInterval *x, const DpInterval *a)
{
	if (!dp_work_failed(work) && BN_cmp(a->upper, x->upper) < 0)
		dp_interval_copy(work, x, a);
}

/* e - (1 - h) (1 - x^2/6) */
static void
set_laplace(DpWork *work, DpInterval *cost, const DpInterval *e,
			const DpInterval *x)
{
	DpInterval one;
	DpInterval h;
	DpInterval factor;

	dp_work_push(work);
	one = dp_interval_new(work);
	h = dp_interval_new(work);
	factor = dp_interval_new(work);
	dp_interval_set(work, &one, 1);
	dp_interval_exp_minus(work, &h, e);
	dp_interval_subtract(work, &h, &one, &h);
	dp_interval_multiply(work, &factor, x, x);
	dp_interval_divide_word(work, &factor, 6);
	dp_interval_subtract(work, &factor, &one, &factor);
	dp_interval_multiply(work, &factor, &h, &factor);
	dp_interval_subtract(work, cost, e, &factor);
	dp_work_pop(work);
}

/* rho = parts times cost; ends the work. */
static DpStatus
finish(DpWork *work, DpInterval *cost, uint64_t parts, DpRho *rho)
{
	DpInterval times = dp_interval_new(work);
	DpStatus status;

	dp_interval_set(work, &times, parts);
	dp_interval_multiply(work, cost, cost, &times);
	status = round_up(work, cost, rho);
	dp_work_end(work);
	return status;
}

DpStatus
dp_zcdp_of_pure(DpEpsilon epsilon, uint64_t parts, DpRho *rho)
{
	DpWork work;
	DpInterval e;
	DpInterval cost;

	dp_work_begin(&work, DP_RHO_BITS);
	e = dp_interval_new(&work);
	cost = dp_interval_new(&work);
	set_epsilon(&work, &e, epsilon, parts);
	set_pure(&work, &cost, &e);
	return finish(&work, &cost, parts, rho);
}

/* A double finds it approximately: e tanh(e/2) is increasing, and at most e. */
DpStatus
dp_zcdp_to_pure(DpRho rho, DpEpsilon *epsilon)
{
	double price = (double) rho.ticks * 1e-24;
	double low = price;
	double high = price + 2 * sqrt(price);
	DpRho cost;
	int step;

	for (step = 0; step < 200; step++)
	{
		double middle = (low + high) / 2;

		if (middle * tanh(middle / 2) <= price)
			low = middle;
		else
			high = middle;
	}
	high = fmin(high, DP_EPSILON_MAX) * (double) DP_EPSILON_ONE;
	epsilon->ticks = (uint64_t) high + 2;
	if (epsilon->ticks > (uint64_t) (DP_EPSILON_MAX * DP_EPSILON_ONE))
		epsilon->ticks = (uint64_t) (DP_EPSILON_MAX * DP_EPSILON_ONE);
	for (; epsilon->ticks > 0; epsilon->ticks--)
	{
		DP_TRY(dp_zcdp_of_pure(*epsilon, 1, &cost));
		if (cost.ticks <= rho.ticks)
			return DP_OK;
	}
	return DP_EPSILON_OUT_OF_RANGE;
}

DpStatus
dp_zcdp_of_laplace(uint64_t s, uint64_t t, dp_uint128 sensitivity,
				   uint64_t parts, DpRho *rho)
{
	DpWork work;
	DpInterval x;
	DpInterval e;
	DpInterval cost;
	DpInterval other;

	if (sensitivity < 1 || sensitivity >> 126 != 0)
		return DP_SENSITIVITY_OUT_OF_RANGE;
	dp_work_begin(&work, DP_RHO_BITS);
	x = dp_interval_new(&work);
	e = dp_interval_new(&work);
	cost = dp_interval_new(&work);
	other = dp_interval_new(&work);
	dp_interval_set_fraction(&work, &x, s, t);
	dp_interval_set(&work, &e, (dp_int128) sensitivity);
	dp_interval_multiply(&work, &e, &e, &x);
	set_pure(&work, &cost, &e);
	if (sensitivity > 1)
	{
		set_laplace(&work, &other, &e, &x);
		set_least(&work, &cost, &other);
	}
	return finish(&work, &cost, parts, rho);
}

/* parts times numerator/denominator e^2, or R(e) */
static DpStatus
least_of_square(DpEpsilon epsilon, uint64_t parts, uint32_t numerator,
				uint32_t denominator, DpRho *rho)
{
	DpWork work;
	DpInterval e;
	DpInterval cost;
	DpInterval square;

	dp_work_begin(&work, DP_RHO_BITS);
	e = dp_interval_new(&work);
	cost = dp_interval_new(&work);
	square = dp_interval_new(&work);
	set_epsilon(&work, &e, epsilon, parts);
	set_pure(&work, &cost, &e);
	dp_interval_multiply(&work, &square, &e, &e);
	dp_interval_multiply_word(&work, &square, numerator);
	dp_interval_divide_word(&work, &square, denominator);
	set_least(&work, &cost, &square);
	return finish(&work, &cost, parts, rho);
}

DpStatus
dp_zcdp_of_bounded_range(DpEpsilon epsilon, uint64_t parts, DpRho *rho)
{
	return least_of_square(epsilon, parts, 1, 8, rho);
}

DpStatus
dp_zcdp_of_one_sided(DpEpsilon epsilon, uint64_t parts, DpRho *rho)
{
	return least_of_square(epsilon, parts, 9, 32, rho);
}

DpStatus
dp_zcdp_of_gaussian(uint64_t p, uint64_t q, dp_uint128 squared, DpRho *rho)
{
	DpWork work;
	DpInterval x;
	BIGNUM *numerator;
	BIGNUM *denominator;
	BIGNUM *factor;

	if (p < 1 || q < 1 || squared < 1 || squared >> 126 != 0)
		return DP_PARAMETER_OUT_OF_RANGE;
	dp_work_begin(&work, DP_RHO_BITS);
	x = dp_interval_new(&work);
	numerator = dp_work_number(&work);
	denominator = dp_work_number(&work);
	factor = dp_work_number(&work);
	dp_number_set(&work, factor, q);
	dp_number_set(&work, numerator, (dp_int128) squared);
	dp_number_multiply(&work, numerator, numerator, factor);
	dp_number_multiply(&work, numerator, numerator, factor);
	dp_number_set(&work, factor, p);
	dp_number_set(&work, denominator, 2);
	dp_number_multiply(&work, denominator, denominator, factor);
	dp_number_multiply(&work, denominator, denominator, factor);
	dp_interval_set_ratio(&work, &x, numerator, denominator);
	return finish(&work, &x, 1, rho);
}
