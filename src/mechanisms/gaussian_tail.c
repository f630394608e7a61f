/*
 * gaussian_tail.c
 *		Enclosures of sums and integrals of exp(-x^2 / (2 v)).
 */
#include "mechanisms/gaussian_tail.h"

/* From this v on, sums may be computed by integrals. */
#define WIDE 256

/* From this z^2 on, Mills' ratio is computed by its asymptotic series. */
#define FAR 160

/*
 * Bits that the other series loses: those of exp(FAR / 2) twice, and a few
 * more.
 */
#define LOST_BITS 264

/* Terms of the Euler-Maclaurin formula. */
#define CORRECTIONS 16

/* x = (a b) / (c d), integers. */
static void
set_quotient(DpWork *work, DpInterval *x, const BIGNUM *a, const BIGNUM *b,
			 const BIGNUM *c, const BIGNUM *d)
{
	BIGNUM *numerator;
	BIGNUM *denominator;

	dp_work_push(work);
	numerator = dp_work_number(work);
	denominator = dp_work_number(work);
	dp_number_multiply(work, numerator, a, b);
	dp_number_multiply(work, denominator, c, d);
	dp_interval_set_ratio(work, x, numerator, denominator);
	dp_work_pop(work);
}

/* x = numerator / (denominator v), numerator an integer */
static void
set_over_v(DpWork *work, DpInterval *x, const DpBell *bell, dp_int128 numerator,
		   dp_int128 denominator)
{
	BIGNUM *above;
	BIGNUM *below;

	dp_work_push(work);
	above = dp_work_number(work);
	below = dp_work_number(work);
	dp_number_set(work, above, numerator);
	dp_number_set(work, below, denominator);
	set_quotient(work, x, above, bell->denominator, below, bell->numerator);
	dp_work_pop(work);
}

void
dp_bell_exponent(DpWork *work, DpInterval *x, const DpBell *bell,
				 const BIGNUM *numerator, const BIGNUM *denominator)
{
	BIGNUM *above;
	BIGNUM *below;
	BIGNUM *two;

	dp_work_push(work);
	above = dp_work_number(work);
	below = dp_work_number(work);
	two = dp_work_number(work);
	dp_number_multiply(work, above, numerator, numerator);
	dp_number_multiply(work, below, denominator, denominator);
	dp_number_set(work, two, 2);
	dp_number_multiply(work, below, below, two);
	set_quotient(work, x, above, bell->denominator, below, bell->numerator);
	dp_work_pop(work);
}

/* x = 1 / x, above 0 */
static void
invert(DpWork *work, DpInterval *x)
{
	DpInterval one;

	dp_work_push(work);
	one = dp_interval_new(work);
	dp_interval_set(work, &one, 1);
	dp_interval_divide(work, x, &one, x);
	dp_work_pop(work);
}

/* Makes x wider by so much, which is not negative, on both sides. */
static void
widen(DpWork *work, DpInterval *x, const DpInterval *by)
{
	if (!dp_work_failed(work) && !(BN_sub(x->lower, x->lower, by->upper) &&
								   BN_add(x->upper, x->upper, by->upper)))
		work->failed = true;
}

/*
 * Terms u_j = exp(-(2 k j + j^2)/(2 v)), whose ratio falls by exp(-1/v) from one
 * to the next. When one is a few units, the rest of the sum is at most
 * u/(1 - ratio). Ratios are at most exp(-1/8) by then, so that rounding up does not
 * keep terms above that.
 */
static void
sum_terms(DpWork *work, DpInterval *x, const DpBell *bell, dp_int128 k)
{
	DpInterval term;
	DpInterval ratio;
	DpInterval fall;
	DpInterval rest;

	dp_work_push(work);
	term = dp_interval_new(work);
	ratio = dp_interval_new(work);
	fall = dp_interval_new(work);
	rest = dp_interval_new(work);
	set_over_v(work, &ratio, bell, 2 * k + 1, 2);
	dp_interval_exp_minus(work, &ratio, &ratio);
	set_over_v(work, &fall, bell, 1, 1);
	dp_interval_exp_minus(work, &fall, &fall);
	dp_interval_set(work, &term, 1);
	dp_interval_set(work, x, 0);
	while (!dp_work_failed(work) && BN_num_bits(term.upper) > 8)
	{
		dp_interval_add(work, x, x, &term);
		dp_interval_multiply(work, &term, &term, &ratio);
		dp_interval_multiply(work, &ratio, &ratio, &fall);
	}
	dp_interval_set(work, &rest, 1);
	dp_interval_subtract(work, &rest, &rest, &ratio);
	dp_interval_divide(work, &rest, &term, &rest);
	if (!dp_work_failed(work) && !BN_add(x->upper, x->upper, rest.upper))
		work->failed = true;
	dp_work_pop(work);
}

/* (v/a) (1 - 1/z^2 + 3/z^4 - 15/z^6 ...) */
static void
integral_far(DpWork *work, DpInterval *x, const DpBell *bell,
			 const BIGNUM *numerator, const BIGNUM *denominator)
{
	DpInterval term;
	DpInterval step;
	DpInterval next;
	uint32_t j;

	dp_work_push(work);
	term = dp_interval_new(work);
	step = dp_interval_new(work);
	next = dp_interval_new(work);
	set_quotient(work, &term, bell->numerator, denominator, bell->denominator,
				 numerator);
	dp_bell_exponent(work, &step, bell, numerator, denominator);
	dp_interval_multiply_word(work, &step, 2);
	invert(work, &step);
	dp_interval_copy(work, x, &term);
	for (j = 1;; j++)
	{
		dp_interval_multiply(work, &next, &term, &step);
		dp_interval_multiply_word(work, &next, 2 * j - 1);
		if (dp_work_failed(work) || BN_num_bits(next.upper) <= 1 ||
			BN_cmp(next.upper, term.upper) >= 0)
			break;
		dp_interval_copy(work, &term, &next);
		if (j & 1)
			dp_interval_subtract(work, x, x, &term);
		else
			dp_interval_add(work, x, x, &term);
	}
	widen(work, x, &next);
	dp_work_pop(work);
}

/* x -= a sum z^2k/(2k+1)!!, z^2 below FAR. */
static void
subtract_series(DpWork *work, DpInterval *x, const DpInterval *z2,
				const BIGNUM *numerator, const BIGNUM *denominator)
{
	DpInterval term;
	uint32_t k;

	dp_work_push(work);
	term = dp_interval_new(work);
	dp_interval_set_ratio(work, &term, numerator, denominator);
	for (k = 1; !dp_work_failed(work); k++)
	{
		dp_interval_subtract(work, x, x, &term);

		/* Each term is less than half of the one before it by now. */
		if (k > FAR && BN_num_bits(term.upper) <= 2)
			break;
		dp_interval_multiply(work, &term, &term, z2);
		dp_interval_divide_word(work, &term, 2 * k + 1);
	}
	widen(work, x, &term);
	dp_work_pop(work);
}

/* sqrt(pi v / 2) exp(z^2/2) less that series, with more bits. */
static void
integral_near(DpWork *work, DpInterval *x, const DpBell *bell,
			  const BIGNUM *numerator, const BIGNUM *denominator)
{
	DpInterval sum;
	DpInterval z2;
	DpInterval factor;

	work->bits += LOST_BITS;
	dp_work_push(work);
	sum = dp_interval_new(work);
	z2 = dp_interval_new(work);
	factor = dp_interval_new(work);
	dp_bell_exponent(work, &z2, bell, numerator, denominator);
	dp_interval_exp_minus(work, &factor, &z2);
	invert(work, &factor);
	dp_interval_multiply_word(work, &z2, 2);

	dp_interval_pi(work, &sum);
	dp_interval_divide_word(work, &sum, 2);
	dp_interval_set_ratio(work, x, bell->numerator, bell->denominator);
	dp_interval_multiply(work, &sum, &sum, x);
	dp_interval_sqrt(work, &sum, &sum);
	dp_interval_multiply(work, &sum, &sum, &factor);
	subtract_series(work, &sum, &z2, numerator, denominator);

	work->bits -= LOST_BITS;
	if (!dp_work_failed(work) && !(BN_rshift(x->lower, sum.lower, LOST_BITS) &&
								   BN_rshift(x->upper, sum.upper, LOST_BITS) &&
								   BN_add_word(x->upper, 1)))
		work->failed = true;
	if (!dp_work_failed(work) && BN_is_negative(sum.lower))
		BN_zero(x->lower);
	dp_work_pop(work);
}

void
dp_bell_integral(DpWork *work, DpInterval *x, const DpBell *bell,
				 const BIGNUM *numerator, const BIGNUM *denominator)
{
	DpInterval far;
	bool is_far;

	dp_work_push(work);
	far = dp_interval_new(work);
	dp_interval_set(work, &far, FAR / 2);
	dp_bell_exponent(work, x, bell, numerator, denominator);
	is_far = !dp_work_failed(work) && BN_cmp(x->lower, far.lower) >= 0;
	dp_work_pop(work);
	if (is_far)
		integral_far(work, x, bell, numerator, denominator);
	else
		integral_near(work, x, bell, numerator, denominator);
}

/* The first coefficients of (x/2)/sinh(x/2), of x^0, x^2, x^4 ... */
static void
set_coefficients(DpWork *work, DpInterval *b)
{
	DpInterval inverse[CORRECTIONS + 1]; /* of 4^j (2j+1)!: those of sinh */
	DpInterval product = dp_interval_new(work);
	uint32_t i;
	uint32_t j;

	for (i = 0; i <= CORRECTIONS; i++)
	{
		b[i] = dp_interval_new(work);
		inverse[i] = dp_interval_new(work);
		dp_interval_set(work, &b[i], i == 0);
		dp_interval_set(work, &inverse[i], 1);
		if (i > 0)
		{
			dp_interval_copy(work, &inverse[i], &inverse[i - 1]);
			dp_interval_divide_word(work, &inverse[i],
									4 * (2 * i) * (2 * i + 1));
		}
		for (j = 1; j <= i; j++)
		{
			dp_interval_multiply(work, &product, &b[i - j], &inverse[j]);
			dp_interval_subtract(work, &b[i], &b[i], &product);
		}
	}
}

/* The bound of R / f(a); slope: a/v. */
static void
set_remainder(DpWork *work, DpInterval *x, const DpBell *bell,
			  const DpInterval *slope)
{
	const dp_int128 odd = (dp_int128) 191898783962510625; /* 31!! */
	DpInterval power;
	DpInterval root;
	int i;

	dp_work_push(work);
	power = dp_interval_new(work);
	root = dp_interval_new(work);
	dp_interval_copy(work, x, slope);
	dp_interval_divide_word(work, x, 2);
	set_over_v(work, &power, bell, 1, 4);
	for (i = 0; i < 5; i++)
	{
		dp_interval_multiply(work, x, x, x);
		if (i < 4)
			dp_interval_multiply(work, &power, &power, &power);
	}
	dp_interval_set(work, &root, 2 * odd);
	dp_interval_multiply(work, &power, &power, &root);
	dp_interval_add(work, x, x, &power);
	dp_interval_set_ratio(work, &root, bell->numerator, bell->denominator);
	dp_interval_sqrt(work, &root, &root);
	dp_interval_multiply(work, x, x, &root);
	dp_interval_multiply_word(work, x, 2);
	dp_work_pop(work);
}

/*
 * x += sum of b_i h_(2i-1), where h_n = (-1)^n f^(n)(a) / f(a): h_0 = 1,
 * h_1 = a/v, h_(n+1) = (a/v) h_n - (n/v) h_(n-1).
 */
static void
add_corrections(DpWork *work, DpInterval *x, const DpBell *bell,
				const DpInterval *slope)
{
	DpInterval b[CORRECTIONS + 1];
	DpInterval h[3];
	DpInterval inverse;
	uint32_t n;

	dp_work_push(work);
	set_coefficients(work, b);
	for (n = 0; n < 3; n++)
		h[n] = dp_interval_new(work);
	inverse = dp_interval_new(work);
	set_over_v(work, &inverse, bell, 1, 1);
	dp_interval_set(work, &h[0], 1);
	dp_interval_copy(work, &h[1], slope);
	for (n = 1; n < 2 * CORRECTIONS; n++)
	{
		if (n & 1)
		{
			dp_interval_multiply(work, &h[2], &b[(n + 1) / 2], &h[1]);
			dp_interval_add(work, x, x, &h[2]);
		}
		dp_interval_multiply(work, &h[2], &h[1], slope);
		dp_interval_multiply(work, &h[0], &h[0], &inverse);
		dp_interval_multiply_word(work, &h[0], n);
		dp_interval_subtract(work, &h[2], &h[2], &h[0]);
		dp_interval_copy(work, &h[0], &h[1]);
		dp_interval_copy(work, &h[1], &h[2]);
	}
	dp_work_pop(work);
}

/* f(a)/f(k) times the formula. k^2 - a^2 = k - 1/4. */
static void
sum_by_integral(DpWork *work, DpInterval *x, const DpBell *bell, dp_int128 k)
{
	BIGNUM *numerator;
	BIGNUM *denominator;
	DpInterval slope;
	DpInterval other;

	dp_work_push(work);
	numerator = dp_work_number(work);
	denominator = dp_work_number(work);
	slope = dp_interval_new(work);
	other = dp_interval_new(work);
	dp_number_set(work, numerator, 2 * k - 1);
	dp_number_set(work, denominator, 2);
	set_over_v(work, &slope, bell, 2 * k - 1, 2);
	dp_bell_integral(work, x, bell, numerator, denominator);
	add_corrections(work, x, bell, &slope);
	set_remainder(work, &other, bell, &slope);
	widen(work, x, &other);

	set_over_v(work, &other, bell, 4 * k - 1, 8);
	dp_interval_exp_minus(work, &other, &other);
	invert(work, &other);
	dp_interval_multiply(work, x, x, &other);
	dp_work_pop(work);
}

void
dp_bell_sum(DpWork *work, DpInterval *x, const DpBell *bell, dp_int128 k)
{
	BIGNUM *least;
	bool is_wide;

	dp_work_push(work);
	least = dp_work_number(work);
	dp_number_set(work, least, 8 * k < WIDE ? WIDE : 8 * k);
	dp_number_multiply(work, least, least, bell->denominator);
	is_wide = !dp_work_failed(work) && BN_cmp(bell->numerator, least) >= 0;
	dp_work_pop(work);
	if (is_wide)
		sum_by_integral(work, x, bell, k);
	else
		sum_terms(work, x, bell, k);
}

void
dp_bell_total(DpWork *work, DpInterval *x, const DpBell *bell)
{
	DpInterval other;

	dp_work_push(work);
	other = dp_interval_new(work);
	dp_bell_sum(work, x, bell, 1);
	set_over_v(work, &other, bell, 1, 2);
	dp_interval_exp_minus(work, &other, &other);
	dp_interval_multiply(work, x, x, &other);
	dp_interval_multiply_word(work, x, 2);
	dp_interval_set(work, &other, 1);
	dp_interval_add(work, x, x, &other);
	dp_work_pop(work);
}
