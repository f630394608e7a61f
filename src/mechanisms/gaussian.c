/*
 * gaussian.c
 *		Calibration: proposed by doubles, verified by enclosures.
 */
#include <math.h>

#include "mechanisms/gaussian.h"
#include "mechanisms/zcdp_grant.h"

/* The denominator of sigma, and the sigma from which on it is 1. */
#define SCALE ((uint64_t) 1 << 20)
#define LARGE 0x1p40

/* From this standard deviation on, sums are approximated by integrals. */
#define WIDE 64.0

/* The part of delta that proposals use, to allow for errors of doubles. */
#define ALLOWANCE (1 - 1e-9)

/* The number of proposals to verify before the sigma of rho is taken. */
#define TRIALS 24

/* Mills' ratio of z: what is above z of the normal law over its density. */
static double
mills(double z)
{
	double fraction = 0;
	int k;

	if (z < 6)
		return sqrt(acos(-1.0) / 2) * exp(z * z / 2) * erfc(z / sqrt(2.0));
	for (k = 60; k >= 1; k--)
		fraction = k / (z + fraction);
	return 1 / (z + fraction);
}

/* delta of continuous noise of deviation s; z: where the loss is epsilon. */
static double
continuous_delta(double z, double distance, double s)
{
	double loss = mills(z) - mills(z + distance / s);

	return exp(-z * z / 2) / sqrt(2 * acos(-1.0)) * loss;
}

/*
 * The same of discrete noise, with the first correction of sums that are taken
 * for integrals; t: the first integer at which the loss is above epsilon.
 */
static double
wide_delta(double t, double distance, double s, double epsilon)
{
	double z = (t - 0.5) / s;
	double w = z + distance / s;
	double more = 0;

	if (fabs(t) < 0x1p40)
		more = distance / s * (z + w) / 2 - epsilon;
	return exp(-z * z / 2) / sqrt(2 * acos(-1.0)) *
		   (mills(z) - z / (24 * s * s) -
			exp(-more) * (mills(w) - w / (24 * s * s)));
}

/* The sum of the bell from k on over its first term. */
static double
bell_sum(double v, double k)
{
	double ratio = exp(-(2 * k + 1) / (2 * v));
	double fall = exp(-1 / v);
	double term = 1;
	double sum = 0;

	while (term > 1e-18)
	{
		sum += term;
		term *= ratio;
		ratio *= fall;
	}
	return sum;
}

/* exp(loss) times the sum of the bell from k on. */
static double
bell_tail(double v, double k, double loss, double total)
{
	if (k < 1)
		return exp(loss) * (total - bell_tail(v, 1 - k, 0, total));
	return exp(loss - k * k / (2 * v)) * bell_sum(v, k);
}

/* An approximation of dp_gaussian_delta. */
static double
exact_delta(double sigma, const DpGaussianReach *reach, double epsilon)
{
	double n = (double) reach->numbers;
	double c = (double) reach->change;
	double v = n * sigma * sigma;
	double s = sqrt(v);
	double t = floor(epsilon * sigma * sigma / c - n * c / 2) + 1;
	double slack = n > 1 ? 5 * (n - 1) * exp(-9.8696 * sigma * sigma) : 0;
	double total;

	if (n > 1 && (sigma < 0.5 || slack > 0.5))
		return 1;
	if (s > WIDE)
		return wide_delta(t, n * c, s, epsilon);
	total = 1 + 2 * exp(-1 / (2 * v)) * bell_sum(v, 1);
	return (exp(slack) * bell_tail(v, t, 0, total) -
			exp(-slack) * bell_tail(v, t + n * c, epsilon, total)) /
		   total;
}

/* An approximation of dp_gaussian_vector_delta. */
static double
vector_delta(double sigma, const DpGaussianReach *reach, double epsilon,
			 double delta)
{
	double n = (double) reach->numbers;
	double distance = (double) reach->distance;
	double width = sqrt(2 * (epsilon + log(2 * n) - log(delta) + 60));
	double eta = n * (width / (2 * sigma) + 1 / (2 * sigma * sigma));
	double left = epsilon - 2 * eta;

	if (left <= 0)
		return 1;
	return exp(eta) *
		   continuous_delta(left * sigma / distance - distance / (2 * sigma),
							distance, sigma);
}

static double
model(double sigma, const DpGaussianReach *reach, double epsilon, double delta)
{
	return reach->change > 0 ? exact_delta(sigma, reach, epsilon)
							 : vector_delta(sigma, reach, epsilon, delta);
}

/*
 * A sigma that is barely great enough, above 0 and at most high, for which
 * delta is known to be low enough.
 */
static double
propose(const DpGaussianReach *reach, double epsilon, double delta, double high)
{
	double low = high;
	double target = delta * ALLOWANCE;
	int i;

	do
	{
		high = low;
		low /= 2;
	} while (low > 0x1p-30 && model(low, reach, epsilon, delta) <= target);
	for (i = 0; i < 48; i++)
	{
		double middle = (low + high) / 2;

		if (model(middle, reach, epsilon, delta) <= target)
			high = middle;
		else
			low = middle;
	}
	return high;
}

static void
begin(DpWork *work, double delta)
{
	dp_work_begin(work, DP_GAUSSIAN_BITS - ilogb(delta));
}

/* Whether delta is enough, with numbers of the work. */
static bool
verify(DpWork *work, DpSigma sigma, const DpGaussianReach *reach,
	   DpEpsilon epsilon, double delta)
{
	dp_int128 loss = (dp_int128) epsilon.ticks
					 << (DP_LOSS_BITS - DP_EPSILON_BITS);
	DpInterval allowed;
	DpInterval x;
	bool result;

	dp_work_push(work);
	allowed = dp_interval_new(work);
	x = dp_interval_new(work);
	dp_interval_set_double(work, &allowed, delta);
	if (reach->change > 0)
		dp_gaussian_delta(work, &x, sigma, reach, loss);
	else
		dp_gaussian_vector_delta(work, &x, sigma, reach, loss);
	result = !dp_work_failed(work) && BN_cmp(x.upper, allowed.lower) <= 0;
	dp_work_pop(work);
	return result;
}

/* The least p with D^2 q^2 / (2 p^2) <= rho; 0: it is above 2^61. */
static uint64_t
numerator_of_rho(DpWork *work, dp_uint128 squared, uint64_t scale, DpRho rho)
{
	BIGNUM *above;
	BIGNUM *below;
	BIGNUM *root;
	uint64_t p = 0;

	dp_work_push(work);
	above = dp_work_number(work);
	below = dp_work_number(work);
	root = dp_work_number(work);
	dp_number_set(work, above, (dp_int128) squared);
	dp_number_set(work, below, (dp_int128) scale * (dp_int128) scale);
	dp_number_multiply(work, above, above, below);
	dp_number_set(work, below, DP_RHO_ONE);
	dp_number_multiply(work, above, above, below);
	dp_number_set(work, below, 2 * rho.ticks);

	/* ceil(sqrt(x)) = floor(sqrt(x)) + 1 at most */
	if (!dp_work_failed(work) && !BN_div(above, NULL, above, below, work->ctx))
		work->failed = true;
	dp_number_sqrt(work, root, above);
	if (!dp_work_failed(work) && BN_num_bits(root) <= 61)
		p = (uint64_t) BN_get_word(root) + 1;
	dp_work_pop(work);
	return p <= DP_SIGMA_MAX ? p : 0;
}

static DpStatus
set_sigma(DpWork *work, DpRho rho, dp_uint128 squared, DpSigma *sigma)
{
	sigma->denominator = SCALE;
	sigma->numerator = numerator_of_rho(work, squared, SCALE, rho);
	if (sigma->numerator == 0)
	{
		sigma->denominator = 1;
		sigma->numerator = numerator_of_rho(work, squared, 1, rho);
	}
	if (dp_work_failed(work))
		return DP_OUT_OF_MEMORY;
	return sigma->numerator == 0 ? DP_PARAMETER_OUT_OF_RANGE : DP_OK;
}

DpStatus
dp_gaussian_of_rho(DpRho rho, dp_uint128 squared, DpSigma *sigma)
{
	DpWork work;
	DpStatus status;

	if (rho.ticks < 1 || rho.ticks >> 125 != 0 || squared < 1 ||
		squared > (dp_uint128) 1 << 84)
		return DP_PARAMETER_OUT_OF_RANGE;
	dp_work_begin(&work, DP_GAUSSIAN_BITS);
	status = set_sigma(&work, rho, squared, sigma);
	dp_work_end(&work);
	return status;
}

/* The sigma of the rho that the grant is worth. */
static DpStatus
sigma_of_rho(DpWork *work, DpEpsilon epsilon, double delta, dp_uint128 squared,
			 DpSigma *sigma)
{
	DpRho rho;

	DP_TRY(dp_zcdp_of_grant(epsilon, delta, &rho));
	return set_sigma(work, rho, squared, sigma);
}

/*
 * As dp_gaussian_calibrate; high: a sigma that is approximately great enough.
 */
static DpStatus
find(DpWork *work, DpEpsilon epsilon, double delta,
	 const DpGaussianReach *reach, double high, DpSigma *sigma)
{
	double value = dp_epsilon_to_double(epsilon);
	double proposed = propose(reach, value, delta, high);
	uint64_t step;
	int i;

	/* For a vector the margin may cost more than calibration gains. */
	if (reach->change == 0 &&
		proposed > (double) reach->distance /
					   sqrt(2 * dp_zcdp_of_grant_about(value, delta)))
		return sigma_of_rho(work, epsilon, delta, reach->squared, sigma);
	if (proposed <= (double) DP_SIGMA_MAX / 2)
	{
		sigma->denominator = proposed < LARGE ? SCALE : 1;
		sigma->numerator =
			(uint64_t) ceil(proposed * (double) sigma->denominator);
		step = 1 + (sigma->numerator >> 30);
		for (i = 0; i < TRIALS; i++)
		{
			if (verify(work, *sigma, reach, epsilon, delta))
				return DP_OK;
			if (dp_work_failed(work))
				return DP_OUT_OF_MEMORY;
			sigma->numerator += step;
			step *= 2;
		}
	}
	return sigma_of_rho(work, epsilon, delta, reach->squared, sigma);
}

DpStatus
dp_gaussian_calibrate(DpEpsilon epsilon, double delta,
					  const DpGaussianReach *reach, DpSigma *sigma)
{
	double value = dp_epsilon_to_double(epsilon);
	double log_delta;
	double high;
	DpWork work;
	DpStatus status;

	if (!(delta > 0 && delta < 1))
		return DP_PARAMETER_OUT_OF_RANGE;

	/* rho + 2 sqrt(rho ln(1/delta)) = epsilon (Bun, Steinke 2016) */
	log_delta = -log(delta);
	high = value / (sqrt(value + log_delta) + sqrt(log_delta));
	high = (double) reach->distance / (sqrt(2.0) * high) * 1.01;
	begin(&work, delta);
	status = find(&work, epsilon, delta, reach, high, sigma);
	dp_work_end(&work);
	return status;
}
