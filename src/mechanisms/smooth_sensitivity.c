/*
 * smooth_sensitivity.c
 *		The lattice, the windows around the median, and the noise.
 */
#include <math.h>

#include "mechanisms/smooth_sensitivity.h"

/* s_0 = 2^LATTICE_BITS stands for one grid step. */
#define LATTICE_BITS 24

/* beta: 2^-11 .. 16 */
#define BETA_MIN ((uint64_t) 1 << 10)
#define BETA_MAX ((uint64_t) 1 << 25)

/* b: at most 1/16. A lattice point is below 2^65, a product below 2^109. */
#define STEP_MAX ((uint64_t) 1 << 17)

#define MARGIN (1 - 1e-9)

/* s_{j+1} of s_j; the factor is 1 + b + b^2/2 in units of 2^-43. */
static dp_uint128
next_point(dp_uint128 point, uint64_t b)
{
	dp_uint128 factor =
		((dp_uint128) 1 << 43) + ((dp_uint128) b << 22) + (dp_uint128) b * b;

	return (point * factor) >> 43;
}

/*
 * The delta that a change of scale by exp(beta) needs in addition to epsilon e.
 */
static double
delta_of_scale(double beta, double e)
{
	double z = (e + beta) / expm1(beta);
	double wider = -exp(-z) * expm1(-beta);
	double narrower = 0;

	if (beta > e)
	{
		double y = (beta - e) / -expm1(-beta);

		narrower = -expm1(-y) + exp(e) * expm1(-y * exp(-beta));
	}
	return fmax(wider, narrower);
}

/* The greatest beta for that delta; it grows with delta. */
static double
greatest_beta(double delta, double e)
{
	double low = 0;
	double high = (double) BETA_MAX / (double) DP_SMOOTH_ONE;
	int i;

	for (i = 0; i < 200; i++)
	{
		double middle = (low + high) / 2;

		if (delta_of_scale(middle, e) <= delta * MARGIN)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void
set_cauchy(DpSmooth *smooth, DpConstants constants, uint64_t units)
{
	/* units are of 2^-20: all of epsilon is 2 units */
	smooth->beta = constants == DP_CONSTANTS_NRS ? units / 3 : units;
	if (smooth->beta > BETA_MAX)
		smooth->beta = BETA_MAX;
	smooth->alpha =
		constants == DP_CONSTANTS_NRS ? units / 3 : 2 * units - smooth->beta;
}

static void
set_laplace(DpSmooth *smooth, DpConstants constants, uint64_t units,
			double delta)
{
	double half = (double) units / (double) DP_SMOOTH_ONE;
	double beta = greatest_beta(delta, half);

	if (constants == DP_CONSTANTS_NRS)
		beta = fmin(beta, half / log(2 / delta));
	smooth->alpha = units;
	smooth->beta = (uint64_t) (beta * MARGIN * (double) DP_SMOOTH_ONE);
}

/*
 * The share of delta of one row in one group. c rows at epsilon/c and delta'
 * each are (epsilon, c exp(epsilon) delta')-DP together.
 */
static double
share_of_delta(double delta, DpEpsilon epsilon, DpContribution contribution)
{
	double share = delta / (double) dp_contribution_parts(contribution);

	if (contribution.rows > 1)
		share = share / contribution.rows /
				exp(dp_epsilon_to_double(epsilon) /
					(double) dp_contribution_parts(contribution)) *
				MARGIN;
	return share;
}

DpStatus
dp_smooth_init(DpSmooth *smooth, const DpMechanismChoice *choice,
			   DpEpsilon epsilon, uint64_t span, DpContribution contribution)
{
	DpEpsilon share;
	dp_uint128 point = (dp_uint128) 1 << LATTICE_BITS;

	*smooth = (DpSmooth){
		.mechanism = choice->mechanism, .span = span, .bits = DP_ROUNDED_BITS};
	DP_TRY(dp_contribution_share(contribution, contribution.rows, epsilon,
								 &share));
	if (share.ticks < 3)
		return DP_EPSILON_OUT_OF_RANGE;
	if (choice->mechanism == DP_SMOOTH_CAUCHY)
		set_cauchy(smooth, choice->constants, share.ticks);
	else if (choice->mechanism != DP_SMOOTH_LAPLACE)
		return DP_MECHANISM_NOT_APPLICABLE;
	else if (!(choice->delta > 0 && choice->delta < 1))
		return DP_PARAMETER_OUT_OF_RANGE;
	else
		set_laplace(smooth, choice->constants, share.ticks,
					share_of_delta(choice->delta, epsilon, contribution));
	if (smooth->beta < BETA_MIN)
	{
		smooth->beta = 0;
		smooth->alpha = 2 * share.ticks;
		return DP_OK;
	}
	smooth->q = (smooth->beta + STEP_MAX - 1) / STEP_MAX;
	smooth->b = smooth->beta / smooth->q;
	while (point < (dp_uint128) (span > 0 ? span : 1) << LATTICE_BITS)
	{
		point = next_point(point, smooth->b);
		smooth->reach++;
	}
	return DP_OK;
}

/* Values around the median, with the bounds beyond them. */
typedef struct Around
{
	DpPoints *points;
	int64_t count;
	int64_t median; /* its index; -1 without values */
	int64_t lower;
	int64_t upper;
} Around;

static int64_t
at(const Around *a, int64_t index)
{
	return dp_points_at(a->points, (size_t) index);
}

/* A_k */
static uint64_t
widest_window(const Around *a, int64_t k)
{
	int64_t first = a->median - k - 1; /* left ends: first .. last */
	int64_t last = a->median;
	uint64_t widest = 0;
	int64_t i;

	/*
	 * Of left ends before the values, the nearest, -1, has the furthest right
	 * end.
	 */
	if (first < 0)
	{
		int64_t right = k < a->count ? at(a, k) : a->upper;

		widest = (uint64_t) right - (uint64_t) a->lower;
		first = 0;
	}
	/* Likewise, of right ends beyond the values, the first one, count. */
	if (last + k + 1 >= a->count)
	{
		int64_t index = a->count - k - 1;
		int64_t left = index >= 0 ? at(a, index) : a->lower;
		uint64_t width = (uint64_t) a->upper - (uint64_t) left;

		if (width > widest)
			widest = width;
		last = a->count - k - 2;
	}
	for (i = first; i <= last; i++)
	{
		uint64_t width = (uint64_t) at(a, i + k + 1) - (uint64_t) at(a, i);

		if (width > widest)
			widest = width;
	}
	return widest;
}

/* Sorts the values that windows of up to this many gaps can reach. */
static void
order_around(Around *a, DpPoints *points, uint64_t reach, int64_t lower,
			 int64_t upper)
{
	size_t count = points->count;
	int64_t first;
	int64_t last;

	*a = (Around){points, (int64_t) count, ((int64_t) count - 1) / 2, lower,
				  upper};
	if (count == 0)
	{
		a->median = -1;
		return;
	}
	first = a->median - (int64_t) reach - 2;
	last = a->median + (int64_t) reach + 3;
	dp_points_order(points, first > 0 ? (size_t) first : 0,
					last < a->count ? (size_t) last : count);
}

uint64_t
dp_smooth_index(const DpSmooth *smooth, int64_t *values, size_t count,
				int64_t lower, int64_t upper)
{
	DpPoints points = dp_points_of_array(values, count);

	return dp_smooth_index_points(smooth, &points, lower, upper);
}

uint64_t
dp_smooth_index_points(const DpSmooth *smooth, DpPoints *points, int64_t lower,
					   int64_t upper)
{
	Around around;
	dp_uint128 point = (dp_uint128) 1 << LATTICE_BITS;
	uint64_t step = 0; /* of point in the lattice */
	uint64_t index = 0;
	uint64_t k;

	if (smooth->beta == 0)
	{
		order_around(&around, points, 0, lower, upper);
		return 0;
	}
	order_around(&around, points, smooth->reach / smooth->q, lower, upper);

	/* Windows widen with k; beyond the widest, j - q k only falls. */
	for (k = 0; smooth->q * k + index < smooth->reach || k == 0; k++)
	{
		uint64_t width = widest_window(&around, (int64_t) k);

		while (point < (dp_uint128) width << LATTICE_BITS)
		{
			point = next_point(point, smooth->b);
			step++;
		}
		if (step > smooth->q * k && step - smooth->q * k > index)
			index = step - smooth->q * k;
		if (width == smooth->span)
			break;
	}
	return index;
}

DpScale
dp_smooth_scale(const DpSmooth *smooth, uint64_t index)
{
	dp_uint128 point = (dp_uint128) 1 << LATTICE_BITS;

	if (smooth->beta == 0)
		point = (dp_uint128) (smooth->span > 0 ? smooth->span : 1)
				<< LATTICE_BITS;
	for (; index > 0; index--)
		point = next_point(point, smooth->b);

	/* point / 2^24 * 2^21 / alpha */
	return (DpScale){point, smooth->alpha * 8};
}

DpStatus
dp_smooth_draw_points(DpRandom *random, const DpSmooth *smooth,
					  DpPoints *points, int64_t lower, int64_t upper,
					  int64_t *result)
{
	DpScale scale = dp_smooth_scale(
		smooth, dp_smooth_index_points(smooth, points, lower, upper));
	int64_t median = points->count > 0
						 ? dp_points_at(points, (points->count - 1) / 2)
						 : lower;
	int64_t noise;
	DP_RECORD_CALL(random, dp_mechanism_name(smooth->mechanism));

	DP_RECORD_SAME("alpha", smooth->alpha);
	DP_RECORD_SAME("beta", smooth->beta);
	DP_RECORD_SAME("lower", lower);
	DP_RECORD_SAME("upper", upper);
	DP_RECORD_TRUE("median", median);
	DP_RECORD_TRUE("scale_numerator", (dp_int128) scale.numerator);
	DP_RECORD_TRUE("scale_denominator", (dp_int128) scale.denominator);
	if (smooth->mechanism == DP_SMOOTH_CAUCHY)
		DP_TRY(dp_rounded_cauchy_draw(random, scale, smooth->span, smooth->bits,
									  &noise));
	else
		DP_TRY(dp_rounded_laplace_draw(random, scale, smooth->span,
									   smooth->bits, &noise));
	*result =
		(int64_t) dp_int128_clamp((dp_int128) median + noise, lower, upper);
	return DP_OK;
}
