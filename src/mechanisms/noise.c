/*
 * noise.c
 *		Choice and preparation of additive noise.
 */
#include <math.h>

#include "mechanisms/expected_error.h"
#include "mechanisms/gaussian.h"
#include "mechanisms/joint_shape.h"
#include "mechanisms/noise.h"
#include "mechanisms/staircase_shape.h"
#include "samplers/geometric.h"

/* x / 2^shift, rounded up */
static dp_uint128
shift_up(dp_uint128 x, int shift)
{
	return (x + ((dp_uint128) 1 << shift) - 1) >> shift;
}

/*
 * For answers of this many parts, each of the noise's sensitivity: the noise gets
 * the sensitivity of all of them. epsilon / quanta = ticks / (2^20 quanta);
 * where that would have more than 62 bits, both ticks and quanta are divided by
 * 2^shift.
 */
static DpStatus
init_laplace(DpNoise *noise, const DpMechanismChoice *choice, uint64_t parts)
{
	dp_uint128 quanta; /* of all parts */
	uint64_t common;
	uint64_t t;
	int shift = 0;

	if (choice->quantum != 0)
	{
		if (!(choice->quantum >= 1 &&
			  choice->quantum <= (double) DP_SENSITIVITY_MAX) ||
			choice->quantum != rint(choice->quantum))
			return DP_PARAMETER_OUT_OF_RANGE;
		noise->quantum = (uint64_t) choice->quantum;
	}

	/* Each part is rounded to the quantum by itself. */
	quanta = (noise->sensitivity + noise->quantum - 1) / noise->quantum;
	if (parts > 1)
		noise->sensitivity = quanta * noise->quantum * parts;
	quanta *= parts;
	while (shift_up(quanta, shift) > DP_SENSITIVITY_MAX)
		shift++;
	if (shift > 0)
	{
		quanta = shift_up(quanta, shift);
		noise->sensitivity = (quanta << shift) * noise->quantum;
		noise->epsilon.ticks = noise->epsilon.ticks >> shift << shift;
	}
	if (noise->epsilon.ticks == 0)
		return DP_EPSILON_OUT_OF_RANGE;

	t = (uint64_t) quanta << DP_EPSILON_BITS;
	noise->s = noise->epsilon.ticks >> shift;
	common = dp_gcd(noise->s, t);
	noise->s /= common;
	noise->t = t / common;
	return DP_OK;
}

static DpStatus
init_staircase(DpNoise *noise, const DpMechanismChoice *choice, uint32_t sums)
{
	bool is_joint = sums > 1 && sums <= DP_JOINT_SUMS_MAX;
	double sensitivity = (double) noise->sensitivity;
	double step = choice->first_step;

	if (step == 0 && choice->gamma > 0)
		step = fmin(fmax(rint(choice->gamma * sensitivity), 1), sensitivity);
	if (step == 0)
		step = is_joint ? dp_joint_best_step(sums, sensitivity, noise->epsilon,
											 choice->cost)
						: dp_staircase_best_step(
							  sensitivity, dp_epsilon_to_double(noise->epsilon),
							  choice->cost);
	if (is_joint)
		return dp_joint_staircase_init(
			&noise->staircase, sums, (uint64_t) noise->sensitivity,
			(uint64_t) step, noise->epsilon, DP_REAL_BITS);
	return dp_staircase_init(&noise->staircase, (uint64_t) noise->sensitivity,
							 (uint64_t) step, noise->epsilon, DP_REAL_BITS);
}

DpStatus
dp_noise_init(DpNoise *noise, const DpMechanismChoice *choice,
			  DpEpsilon epsilon, uint64_t sensitivity)
{
	return dp_noise_init_groups(noise, choice, epsilon, sensitivity,
								dp_contribution_of_row(DP_ADD_REMOVE));
}

/* The least integer whose square is not below x; x < 2^126. */
static uint64_t
ceil_sqrt(dp_uint128 x)
{
	uint64_t root = 0;
	int bit;

	for (bit = 62; bit >= 0; bit--)
	{
		uint64_t more = root | (uint64_t) 1 << bit;

		if ((dp_uint128) more * more <= x)
			root = more;
	}
	return (dp_uint128) root * root < x ? root + 1 : root;
}

uint64_t
dp_noise_greatest_sensitivity(DpContribution contribution)
{
	uint64_t squared = 1;

	if (contribution.groups > 0)
		squared = (contribution.neighbours == DP_SUBSTITUTE ? 4 : 1) *
				  (uint64_t) contribution.groups;
	return DP_SENSITIVITY_MAX / ceil_sqrt(squared);
}

/* The square of the L2 sensitivity of all groups, below 2^119. */
static dp_uint128
squared_distance(const DpChange *change, DpContribution contribution)
{
	dp_uint128 square = (dp_uint128) change->sensitivity * change->sensitivity;
	dp_uint128 exchanged = (dp_uint128) change->exchanged * change->exchanged;

	if (contribution.groups == 0)
	{
		if (change->numbers > 1 && contribution.neighbours == DP_SUBSTITUTE)
			return (square + 1) / 2;
		return square;
	}
	if (contribution.neighbours == DP_SUBSTITUTE)
	{
		square *= 2;
		if (change->numbers == 1 && exchanged > square)
			square = exchanged;
	}
	return square * contribution.groups;
}

static DpStatus
set_distance(DpNoise *noise, const DpChange *change,
			 DpContribution contribution)
{
	noise->squared = squared_distance(change, contribution);
	noise->sensitivity = ceil_sqrt(noise->squared);
	return noise->sensitivity > DP_SENSITIVITY_MAX ? DP_SENSITIVITY_OUT_OF_RANGE
												   : DP_OK;
}

static bool
is_in_range(const DpChange *change)
{
	return change->sensitivity >= 1 &&
		   change->sensitivity <= DP_SENSITIVITY_MAX &&
		   change->exchanged <= 2 * DP_SENSITIVITY_MAX && change->numbers >= 1;
}

/* All but sigma. */
static DpStatus
begin_gaussian(DpNoise *noise, DpEpsilon epsilon, const DpChange *change,
			   DpContribution contribution)
{
	*noise =
		(DpNoise){.mechanism = DP_GAUSSIAN, .epsilon = epsilon, .quantum = 1};
	return set_distance(noise, change, contribution);
}

DpStatus
dp_noise_init_sigma(DpNoise *noise, DpEpsilon epsilon, const DpChange *change,
					DpContribution contribution, DpSigma sigma)
{
	if (!is_in_range(change))
		return DP_SENSITIVITY_OUT_OF_RANGE;
	DP_TRY(begin_gaussian(noise, epsilon, change, contribution));
	noise->sigma = sigma;
	return DP_OK;
}

static DpStatus
init_gaussian(DpNoise *noise, const DpMechanismChoice *choice,
			  const DpChange *change, DpContribution contribution)
{
	DpGaussianReach reach = {0};
	bool is_exchange =
		contribution.groups > 0 && contribution.neighbours == DP_SUBSTITUTE;

	DP_TRY(begin_gaussian(noise, noise->epsilon, change, contribution));
	reach.numbers = dp_contribution_parts(contribution) * change->numbers;
	reach.squared = noise->squared;
	reach.distance = (uint64_t) noise->sensitivity;

	/* Numbers that change by at most the sensitivity, even in an exchange. */
	if (change->numbers == 1 &&
		(!is_exchange || change->exchanged <= change->sensitivity))
		reach.change = change->sensitivity;
	return dp_gaussian_calibrate(noise->epsilon, choice->delta, &reach,
								 &noise->sigma);
}

/* The square root of the variance of one answer. */
static double
deviation_of(const DpNoise *noise)
{
	DpError error;

	dp_expected_error_of(noise, dp_epsilon_to_double(noise->epsilon), &error);
	return error.root_mean_square;
}

DpStatus
dp_noise_choose_by_rho(DpNoise *noise, DpEpsilon epsilon,
					   const DpChange *change, DpContribution contribution)
{
	DpNoise gaussian;
	DpRho price;

	DP_TRY(begin_gaussian(&gaussian, epsilon, change, contribution));
	DP_TRY(dp_zcdp_of_pure(epsilon, 1, &price));
	DP_TRY(dp_gaussian_of_rho(price, gaussian.squared, &gaussian.sigma));
	if (deviation_of(&gaussian) <= deviation_of(noise))
		*noise = gaussian;
	return DP_OK;
}

/* auto by rho: the best noise for one number. */
static DpStatus
init_by_rho(DpNoise *noise, DpEpsilon epsilon, const DpChange *change,
			DpContribution contribution)
{
	DpMechanismChoice pure = {
		.mechanism = change->sensitivity == 1 ? DP_GEOMETRIC : DP_STAIRCASE,
		.cost = DP_COST_SQUARED};

	DP_TRY(dp_noise_init_change(noise, &pure, epsilon, change, contribution));
	return dp_noise_choose_by_rho(noise, epsilon, change, contribution);
}

DpStatus
dp_noise_init_groups(DpNoise *noise, const DpMechanismChoice *choice,
					 DpEpsilon epsilon, uint64_t sensitivity,
					 DpContribution contribution)
{
	DpChange change = {sensitivity, 2 * sensitivity, 1};

	if (sensitivity > DP_SENSITIVITY_MAX)
		return DP_SENSITIVITY_OUT_OF_RANGE;
	return dp_noise_init_change(noise, choice, epsilon, &change, contribution);
}

DpStatus
dp_noise_init_change(DpNoise *noise, const DpMechanismChoice *choice,
					 DpEpsilon epsilon, const DpChange *change,
					 DpContribution contribution)
{
	uint64_t sensitivity = change->sensitivity;

	if (!is_in_range(change))
		return DP_SENSITIVITY_OUT_OF_RANGE;
	if (choice->mechanism == DP_AUTO && choice->by_rho)
		return init_by_rho(noise, epsilon, change, contribution);
	*noise = (DpNoise){.mechanism = choice->mechanism,
					   .epsilon = epsilon,
					   .sensitivity = sensitivity,
					   .quantum = 1};
	if (noise->mechanism == DP_AUTO)
		noise->mechanism = sensitivity == 1 ? DP_GEOMETRIC : DP_STAIRCASE;

	switch (dp_mechanism_noise(noise->mechanism))
	{
		case DP_NOISE_LAPLACE:
			return init_laplace(noise, choice,
								dp_contribution_parts(contribution));
		case DP_NOISE_STAIRCASE:
			DP_TRY(dp_contribution_share(contribution, 1, epsilon,
										 &noise->epsilon));
			return init_staircase(noise, choice, change->numbers);
		case DP_NOISE_GAUSSIAN:
			return init_gaussian(noise, choice, change, contribution);
		case DP_NOISE_NONE:
			break;
	}
	return DP_MECHANISM_NOT_APPLICABLE;
}

DpStatus
dp_noise_rho(const DpNoise *noise, uint32_t sums, DpContribution contribution,
			 DpRho *rho)
{
	uint64_t groups = dp_contribution_groups(contribution);
	uint64_t parts = dp_contribution_parts(contribution);
	dp_uint128 quanta;
	DpEpsilon all;

	switch (dp_mechanism_noise(noise->mechanism))
	{
		case DP_NOISE_LAPLACE:
			quanta = noise->sensitivity / noise->quantum +
					 (noise->sensitivity % noise->quantum > 0);
			return dp_zcdp_of_laplace(noise->s, noise->t,
									  quanta / groups + (quanta % groups > 0),
									  groups, rho);
		case DP_NOISE_STAIRCASE:
			/* parts / groups of its own epsilon in each group */
			sums /= noise->staircase.sums;
			all.ticks = noise->epsilon.ticks * parts * sums;
			return dp_zcdp_of_pure(all, groups * sums, rho);
		case DP_NOISE_GAUSSIAN:
			return dp_zcdp_of_gaussian(noise->sigma.numerator,
									   noise->sigma.denominator, noise->squared,
									   rho);
		case DP_NOISE_NONE:
			break;
	}
	return DP_MECHANISM_NOT_APPLICABLE;
}

DpStatus
dp_noise_draw(DpRandom *random, const DpNoise *noise, dp_int128 *value)
{
	switch (dp_mechanism_noise(noise->mechanism))
	{
		case DP_NOISE_LAPLACE:
			DP_TRY(dp_discrete_laplace_draw(random, noise->s, noise->t, value));
			*value *= noise->quantum;
			return DP_OK;
		case DP_NOISE_STAIRCASE:
			if (noise->staircase.sums > 1)
				return DP_MECHANISM_NOT_APPLICABLE;
			return dp_staircase_draw(random, &noise->staircase, value);
		case DP_NOISE_GAUSSIAN:
			return dp_discrete_gaussian_draw(random, noise->sigma, value);
		case DP_NOISE_NONE:
			break;
	}
	return DP_MECHANISM_NOT_APPLICABLE;
}

/* What noise is, and what dp_noise_add is given (random/record.h). */
static void
record_noise(const DpNoise *noise)
{
	DP_RECORD_PREPARED(noise);
	DP_RECORD_SAME("mechanism", noise->mechanism);
	DP_RECORD_SAME("epsilon", noise->epsilon.ticks);
	DP_RECORD_SAME("sensitivity", (dp_int128) noise->sensitivity);
	DP_RECORD_SAME("squared", (dp_int128) noise->squared);
	DP_RECORD_SAME("quantum", noise->quantum);
	DP_RECORD_SAME("s", noise->s);
	DP_RECORD_SAME("t", noise->t);
	DP_RECORD_SAME("width", noise->staircase.sensitivity);
	DP_RECORD_SAME("first_step", noise->staircase.first_step);
	DP_RECORD_SAME("width_epsilon", noise->staircase.epsilon.ticks);
	DP_RECORD_SAME("sigma_numerator", noise->sigma.numerator);
	DP_RECORD_SAME("sigma_denominator", noise->sigma.denominator);
}

static void
record(const DpNoise *noise, dp_int128 truth)
{
	record_noise(noise);
	DP_RECORD_TRUE("truth", truth);
}

DpStatus
dp_noise_add(DpRandom *random, const DpNoise *noise, dp_int128 truth,
			 dp_int128 *answer)
{
	dp_int128 quantum = (dp_int128) noise->quantum;
	dp_int128 value;
	DP_RECORD_CALL(random, "noise");

	record(noise, truth);
	DP_TRY(dp_noise_draw(random, noise, &value));
	if (quantum > 1)
	{
		dp_int128 rest;

		/* So that there is a multiple of the quantum on each side of truth. */
		truth = dp_int128_clamp(truth, DP_INT128_MIN + quantum,
								DP_INT128_MAX - quantum);
		truth += quantum / 2;
		rest = truth % quantum;
		truth -= rest < 0 ? rest + quantum : rest;
	}
	*answer = dp_int128_add_saturating(truth, value);
	return DP_OK;
}

/* One draw of a joint staircase. */
static DpStatus
add_joint(DpRandom *random, const DpNoise *noise, uint32_t sums,
		  dp_int128 *values)
{
	dp_int128 drawn[DP_JOINT_SUMS_MAX];
	uint32_t i;
	DP_RECORD_CALL(random, "joint");

	if (sums != noise->staircase.sums)
		return DP_MECHANISM_NOT_APPLICABLE;
	record_noise(noise);
	for (i = 0; i < sums; i++)
		DP_RECORD_TRUE("truth", values[i]);
	DP_TRY(dp_joint_staircase_draw(random, &noise->staircase, drawn));
	for (i = 0; i < sums; i++)
		values[i] = dp_int128_add_saturating(values[i], drawn[i]);
	return DP_OK;
}

DpStatus
dp_noise_add_all(DpRandom *random, const DpNoise *noise, uint32_t sums,
				 dp_int128 *values)
{
	uint32_t i;

	if (noise->staircase.sums > 1)
		return add_joint(random, noise, sums, values);
	for (i = 0; i < sums; i++)
		DP_TRY(dp_noise_add(random, noise, values[i], &values[i]));
	return DP_OK;
}

double
dp_noise_pmf(const DpNoise *noise, double value)
{
	double quantum = (double) noise->quantum;

	switch (dp_mechanism_noise(noise->mechanism))
	{
		case DP_NOISE_LAPLACE:
			if (fmod(value, quantum) != 0)
				return 0;
			return dp_discrete_laplace_pmf(noise->s, noise->t, value / quantum);
		case DP_NOISE_STAIRCASE:
			if (noise->staircase.sums > 1)
				break;
			return dp_staircase_pmf((double) noise->sensitivity,
									(double) noise->staircase.first_step,
									dp_epsilon_to_double(noise->epsilon),
									value);
		case DP_NOISE_GAUSSIAN:
			return dp_discrete_gaussian_pmf(dp_sigma_to_double(noise->sigma),
											value);
		case DP_NOISE_NONE:
			break;
	}
	return NAN;
}
