/*
 * gaussian_delta.c
 *		Upper bounds of delta for discrete Gaussian noise.
 */
#include <math.h>

#include "mechanisms/gaussian_delta.h"
#include "mechanisms/gaussian_tail.h"

static BIGNUM *
new_number(DpWork *work, dp_int128 value)
{
	BIGNUM *number = dp_work_number(work);

	dp_number_set(work, number, value);
	return number;
}

/* x = e */
static void
set_loss(DpWork *work, DpInterval *x, dp_int128 loss)
{
	dp_interval_set_fraction(work, x, loss, (dp_int128) 1 << DP_LOSS_BITS);
}

/* v = n sigma^2 */
static DpBell
new_bell(DpWork *work, DpSigma sigma, uint64_t numbers)
{
	BIGNUM *p = new_number(work, sigma.numerator);
	BIGNUM *q = new_number(work, sigma.denominator);
	DpBell bell;

	bell.numerator = new_number(work, numbers);
	bell.denominator = dp_work_number(work);
	dp_number_multiply(work, bell.numerator, bell.numerator, p);
	dp_number_multiply(work, bell.numerator, bell.numerator, p);
	dp_number_multiply(work, bell.denominator, q, q);
	return bell;
}

/* Cut to 0 .. 1. */
static void
clamp(DpWork *work, DpInterval *x)
{
	DpInterval one;

	if (dp_work_failed(work))
		return;
	dp_work_push(work);
	one = dp_interval_new(work);
	dp_interval_set(work, &one, 1);
	if (BN_is_negative(x->lower))
		BN_zero(x->lower);
	if (BN_is_negative(x->upper))
		BN_zero(x->upper);
	if (!dp_work_failed(work) && BN_cmp(x->upper, one.upper) > 0)
	{
		if (BN_cmp(x->lower, one.upper) > 0)
			dp_interval_copy(work, x, &one);
		else if (!BN_copy(x->upper, one.upper))
			work->failed = true;
	}
	dp_work_pop(work);
}

/* floor(a / b), b > 0; false where it is far out of range. */
static bool
floor_of(DpWork *work, const BIGNUM *a, const BIGNUM *b, dp_int128 *result)
{
	BIGNUM *quotient = dp_work_number(work);
	BIGNUM *rest = dp_work_number(work);
	unsigned char bytes[16];
	int i;

	if (!dp_work_failed(work) && !BN_div(quotient, rest, a, b, work->ctx))
		work->failed = true;
	if (dp_work_failed(work) || BN_num_bits(quotient) > 110)
		return false;
	*result = 0;
	(void) BN_bn2binpad(quotient, bytes, sizeof(bytes));
	for (i = 0; i < 16; i++)
		*result = *result << 8 | bytes[i];
	if (BN_is_negative(a))
		*result = -*result - !BN_is_zero(rest);
	return true;
}

/*
 * t of the header, for e = loss / 2^60:
 * (2 loss p^2 - 2^60 n c^2 q^2) / (2^61 c q^2), rounded down, and one.
 */
static bool
find_first(DpWork *work, DpSigma sigma, const DpGaussianReach *reach,
		   dp_int128 loss, dp_int128 *t)
{
	BIGNUM *p = new_number(work, sigma.numerator);
	BIGNUM *q2 = new_number(work, sigma.denominator);
	BIGNUM *left = new_number(work, 2 * loss);
	BIGNUM *right = new_number(work, reach->numbers);
	BIGNUM *below = new_number(work, reach->change);
	BIGNUM *one = new_number(work, (dp_int128) 1 << DP_LOSS_BITS);

	dp_number_multiply(work, left, left, p);
	dp_number_multiply(work, left, left, p);
	dp_number_multiply(work, q2, q2, q2);
	dp_number_multiply(work, q2, q2, one);
	dp_number_multiply(work, right, right, below);
	dp_number_multiply(work, right, right, below);
	dp_number_multiply(work, right, right, q2);
	dp_number_multiply(work, below, below, q2);
	if (dp_work_failed(work) || !BN_sub(left, left, right) ||
		!BN_lshift1(below, below) || !floor_of(work, left, below, t))
		return false;
	*t += 1;
	return true;
}

/*
 * x = exp(e) times the sum of the bell from k on, where k >= 1 or e <= 0. With
 * k >= 1 the exponent k^2/(2 v) - e is not negative where it is used.
 */
static void
set_tail(DpWork *work, DpInterval *x, const DpBell *bell,
		 const DpInterval *total, dp_int128 k, dp_int128 loss)
{
	DpInterval exponent;
	DpInterval factor;
	bool below = k < 1;

	dp_work_push(work);
	exponent = dp_interval_new(work);
	factor = dp_interval_new(work);
	set_loss(work, &factor, loss);
	if (below)
		k = 1 - k;
	dp_bell_sum(work, x, bell, k);
	dp_bell_exponent(work, &exponent, bell, new_number(work, k),
					 new_number(work, 1));
	if (!below)
		dp_interval_subtract(work, &exponent, &exponent, &factor);
	dp_interval_exp_minus(work, &exponent, &exponent);
	dp_interval_multiply(work, x, x, &exponent);
	if (below)
	{
		dp_interval_subtract(work, x, total, x);
		set_loss(work, &factor, -loss);
		dp_interval_exp_minus(work, &factor, &factor);
		dp_interval_multiply(work, x, x, &factor);
	}
	dp_work_pop(work);
}

/* x = 1 + 2 tau, which is not below exp(tau), or 0 where nothing is known. */
static void
set_slack(DpWork *work, DpInterval *x, DpSigma sigma, uint64_t numbers)
{
	DpInterval pi;

	dp_interval_set(work, x, numbers == 1);
	if (numbers == 1 || sigma.numerator < (sigma.denominator + 1) / 2)
		return;
	dp_work_push(work);
	pi = dp_interval_new(work);
	dp_interval_pi(work, &pi);
	dp_interval_multiply(work, &pi, &pi, &pi);
	dp_interval_set_fraction(work, x, sigma.numerator, sigma.denominator);
	dp_interval_multiply(work, x, x, x);
	dp_interval_multiply(work, x, x, &pi);
	dp_interval_exp_minus(work, x, x);
	dp_interval_set(work, &pi, (dp_int128) (numbers - 1) * 10);
	dp_interval_multiply(work, x, x, &pi);

	/* exp(tau) <= 1 + 2 tau for tau <= 1 */
	dp_interval_set(work, &pi, 2);
	if (!dp_work_failed(work) && BN_cmp(x->upper, pi.upper) > 0)
		dp_interval_set(work, x, 0);
	else
	{
		dp_interval_set(work, &pi, 1);
		dp_interval_add(work, x, x, &pi);
	}
	dp_work_pop(work);
}

void
dp_gaussian_delta(DpWork *work, DpInterval *x, DpSigma sigma,
				  const DpGaussianReach *reach, dp_int128 loss)
{
	DpBell bell;
	DpInterval total;
	DpInterval other;
	DpInterval slack;
	dp_int128 t;

	dp_work_push(work);
	bell = new_bell(work, sigma, reach->numbers);
	total = dp_interval_new(work);
	other = dp_interval_new(work);
	slack = dp_interval_new(work);
	set_slack(work, &slack, sigma, reach->numbers);
	if (dp_work_failed(work) || BN_is_zero(slack.lower) ||
		!find_first(work, sigma, reach, loss, &t))
		dp_interval_set(work, x, 1);
	else
	{
		dp_bell_total(work, &total, &bell);
		set_tail(work, x, &bell, &total, t, 0);
		set_tail(work, &other, &bell, &total,
				 t + (dp_int128) reach->numbers * (dp_int128) reach->change,
				 loss);
		dp_interval_multiply(work, x, x, &slack);
		dp_interval_divide(work, &other, &other, &slack);
		dp_interval_subtract(work, x, x, &other);
		if (!dp_work_failed(work) && BN_is_negative(x->lower))
			BN_zero(x->lower);
		if (!dp_work_failed(work) && BN_is_negative(x->upper))
			BN_zero(x->upper);
		dp_interval_divide(work, x, x, &total);
		clamp(work, x);
	}
	dp_work_pop(work);
}

void
dp_gaussian_tail(DpWork *work, DpInterval *x, DpSigma sigma, dp_int128 k)
{
	DpBell bell;
	DpInterval total;

	dp_work_push(work);
	bell = new_bell(work, sigma, 1);
	total = dp_interval_new(work);
	dp_bell_total(work, &total, &bell);
	set_tail(work, x, &bell, &total, k, 0);
	dp_interval_divide(work, x, x, &total);
	clamp(work, x);
	dp_work_pop(work);
}

/*
 * x = G(e), e = loss / 2^60 - 2 eta >= 0, where 2 eta = number / p^2. With
 * a1 = e s^2/D - D/2 and a2 = a1 + D, and M the integrals of the bell relative
 * to its values, G = exp(-a1^2/(2 s^2)) (M(a1) - M(a2)) / (s sqrt(2 pi)), since
 * exp(e) is the ratio of the bell at a1 and a2.
 */
static void
set_continuous(DpWork *work, DpInterval *x, DpSigma sigma, uint64_t distance,
			   const BIGNUM *numerator)
{
	DpBell bell = new_bell(work, sigma, 1);
	BIGNUM *first = dp_work_number(work);  /* a1 */
	BIGNUM *second = dp_work_number(work); /* a2 */
	BIGNUM *below = new_number(work, distance);
	BIGNUM *square = new_number(work, distance);
	DpInterval all = dp_interval_new(work);
	DpInterval other = dp_interval_new(work);
	bool negative;

	/* numerator / (2^60 q^2 D) -+ D/2 over the common 2^61 q^2 D */
	dp_number_multiply(work, below, below, bell.denominator);
	dp_number_multiply(work, square, square, below);
	if (dp_work_failed(work) || !BN_lshift(below, below, DP_LOSS_BITS + 1) ||
		!BN_lshift(square, square, DP_LOSS_BITS) ||
		!BN_lshift1(first, numerator) || !BN_add(second, first, square) ||
		!BN_sub(first, first, square))
	{
		work->failed = true;
		return;
	}
	negative = BN_is_negative(first);
	BN_set_negative(first, 0);

	/* s sqrt(2 pi) */
	dp_interval_pi(work, &all);
	dp_interval_multiply_word(work, &all, 2);
	dp_interval_set_ratio(work, &other, bell.numerator, bell.denominator);
	dp_interval_multiply(work, &all, &all, &other);
	dp_interval_sqrt(work, &all, &all);

	dp_bell_integral(work, x, &bell, first, below);
	dp_bell_integral(work, &other, &bell, second, below);
	if (negative)
		dp_interval_add(work, x, x, &other);
	else
		dp_interval_subtract(work, x, x, &other);
	dp_bell_exponent(work, &other, &bell, first, below);
	dp_interval_exp_minus(work, &other, &other);
	dp_interval_multiply(work, x, x, &other);
	if (negative)
		dp_interval_subtract(work, x, &all, x);
	if (!dp_work_failed(work) && BN_is_negative(x->lower))
		BN_zero(x->lower);
	dp_interval_divide(work, x, x, &all);
}

/*
 * T: so great that w is far below G. The bound holds for any T, so doubles may
 * choose it; 2^-bits is below every relevant delta.
 */
static uint64_t
choose_width(const DpWork *work, uint64_t numbers, dp_int128 loss)
{
	return (uint64_t) ceil(sqrt(
		2 * (ldexp((double) loss, -DP_LOSS_BITS) + log(2.0 * (double) numbers) +
			 (work->bits - DP_GAUSSIAN_BITS) * log(2.0) + 32)));
}

/* x = 4 n exp(-(T^2/2 - e - eta)), which is not below (1 + exp(e + eta)) w */
static void
set_outside(DpWork *work, DpInterval *x, uint64_t width, uint64_t numbers,
			dp_int128 loss, const DpInterval *eta)
{
	DpInterval exponent;

	dp_work_push(work);
	exponent = dp_interval_new(work);
	dp_interval_set(work, &exponent, (dp_int128) width * (dp_int128) width);
	dp_interval_divide_word(work, &exponent, 2);
	set_loss(work, x, loss);
	dp_interval_subtract(work, &exponent, &exponent, x);
	dp_interval_subtract(work, &exponent, &exponent, eta);
	if (!dp_work_failed(work) && BN_is_negative(exponent.lower))
		dp_interval_set(work, x, 1);
	else
	{
		dp_interval_exp_minus(work, &exponent, &exponent);
		dp_interval_set(work, x, (dp_int128) numbers * 4);
		dp_interval_multiply(work, x, x, &exponent);
	}
	dp_work_pop(work);
}

void
dp_gaussian_vector_delta(DpWork *work, DpInterval *x, DpSigma sigma,
						 const DpGaussianReach *reach, dp_int128 loss)
{
	uint64_t width = choose_width(work, reach->numbers, loss);
	BIGNUM *double_eta; /* times p^2 */
	BIGNUM *square;		/* p^2 */
	BIGNUM *number;
	DpInterval eta;
	DpInterval outside;
	DpInterval one;

	dp_work_push(work);
	double_eta = new_number(work, width);
	square = new_number(work, sigma.numerator);
	number = new_number(work, sigma.denominator);
	eta = dp_interval_new(work);
	outside = dp_interval_new(work);
	one = dp_interval_new(work);

	/* 2 eta = n (T p q + q^2) / p^2 */
	dp_number_multiply(work, double_eta, double_eta, square);
	if (!dp_work_failed(work) && !BN_add(double_eta, double_eta, number))
		work->failed = true;
	dp_number_multiply(work, double_eta, double_eta, number);
	dp_number_set(work, number, reach->numbers);
	dp_number_multiply(work, double_eta, double_eta, number);
	dp_number_multiply(work, square, square, square);
	dp_interval_set_ratio(work, &eta, double_eta, square);
	dp_interval_divide_word(work, &eta, 2);
	set_outside(work, &outside, width, reach->numbers, loss, &eta);

	/* (e - 2 eta) 2^60 p^2 */
	dp_number_set(work, number, loss);
	dp_number_multiply(work, number, number, square);
	if (!dp_work_failed(work) &&
		!(BN_lshift(double_eta, double_eta, DP_LOSS_BITS) &&
		  BN_sub(number, number, double_eta)))
		work->failed = true;
	dp_interval_set(work, &one, 1);
	if (dp_work_failed(work) || BN_is_negative(number) ||
		BN_cmp(eta.upper, one.upper) >= 0)
		dp_interval_set(work, x, 1);
	else
	{
		set_continuous(work, x, sigma, reach->distance, number);
		dp_interval_exp_minus(work, &eta, &eta);
		dp_interval_divide(work, x, x, &eta);
		dp_interval_add(work, x, x, &outside);
		clamp(work, x);
	}
	dp_work_pop(work);
}
