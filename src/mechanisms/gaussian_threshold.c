/*
 * gaussian_threshold.c
 *		The least threshold for Gaussian counts.
 */
#include <math.h>

#include "mechanisms/gaussian.h"
#include "mechanisms/gaussian_threshold.h"
#include "mechanisms/group_threshold.h"

#define THRESHOLD_MAX ((uint64_t) 1 << 62)

/* The number of steps in which the number of lone groups advances. */
#define STEPS 100

#define SENSITIVITY_MAX ((dp_uint128) 1 << 42)

/* What is asked: for noise and threshold together. */
typedef struct Question
{
	DpSigma sigma;
	uint64_t change;
	uint64_t groups;
	bool exchanged;
	dp_int128 loss; /* epsilon, of 2^-60 */
	DpInterval delta;
} Question;

/* x = delta of so many counts */
static void
set_counts(DpWork *work, DpInterval *x, const Question *question,
		   uint64_t numbers, dp_int128 loss)
{
	DpGaussianReach reach = {.numbers = numbers, .change = question->change};

	if (numbers > 0)
		dp_gaussian_delta(work, x, question->sigma, &reach, loss);
	else
		dp_interval_set(work, x, loss < 0);
}

/*
 * loss - number p / (1-p), rounded down; p is the upper end, in units of
 * 2^-bits, and below 1/2. Where the difference is too large to represent, the
 * result is below every relevant loss.
 */
static dp_int128
lowered(DpWork *work, dp_int128 loss, uint64_t number, const DpInterval *p)
{
	DpInterval one;
	DpInterval rest;
	dp_int128 less = loss + ((dp_int128) 1 << 100);
	unsigned char bytes[16];
	int i;

	dp_work_push(work);
	one = dp_interval_new(work);
	rest = dp_interval_new(work);
	dp_interval_set(work, &one, 1);
	dp_interval_subtract(work, &rest, &one, p);
	dp_interval_divide(work, &rest, p, &rest);
	dp_interval_set(work, &one, number);
	dp_interval_multiply(work, &rest, &rest, &one);
	if (!dp_work_failed(work) &&
		!BN_rshift(rest.upper, rest.upper, work->bits - DP_LOSS_BITS))
		work->failed = true;
	if (!dp_work_failed(work) && BN_num_bits(rest.upper) < 100)
	{
		(void) BN_bn2binpad(rest.upper, bytes, sizeof(bytes));
		for (less = 0, i = 0; i < 16; i++)
			less = less << 8 | bytes[i];
		less++;
	}
	dp_work_pop(work);
	return loss - less;
}

/* Whether the rule holds for first .. last lone groups, of a p below 1/2. */
static bool
holds(DpWork *work, const Question *question, uint64_t first, uint64_t last,
	  const DpInterval *p)
{
	uint64_t numbers =
		question->exchanged ? 2 * question->groups : question->groups - first;
	dp_int128 loss;
	DpInterval lone;
	DpInterval x;
	bool result;

	dp_work_push(work);
	lone = dp_interval_new(work);
	x = dp_interval_new(work);
	loss = lowered(work, question->loss, last, p);

	/* last p + delta(epsilon) <= delta; for an exchange, with less epsilon */
	set_counts(work, &x, question, numbers,
			   question->exchanged ? loss : question->loss);
	dp_interval_set(work, &lone, last);
	dp_interval_multiply(work, &lone, &lone, p);
	dp_interval_add(work, &x, &x, &lone);
	result =
		!dp_work_failed(work) && BN_cmp(x.upper, question->delta.lower) <= 0;
	if (result && !question->exchanged)
	{
		set_counts(work, &x, question, numbers, loss);
		result = !dp_work_failed(work) &&
				 BN_cmp(x.upper, question->delta.lower) <= 0;
	}
	dp_work_pop(work);
	return result;
}

/* Whether k is great enough, for any number of lone groups. */
static bool
is_enough(DpWork *work, const Question *question, uint64_t k)
{
	uint64_t step = (question->groups + STEPS - 1) / STEPS;
	uint64_t last = question->groups;
	DpInterval p;
	DpInterval half;
	bool result;

	dp_work_push(work);
	p = dp_interval_new(work);
	half = dp_interval_new(work);
	dp_gaussian_tail(work, &p, question->sigma, (dp_int128) k);
	dp_interval_set(work, &half, 1);
	dp_interval_divide_word(work, &half, 2);
	result = !dp_work_failed(work) && BN_cmp(p.upper, half.lower) < 0;
	if (question->exchanged)
		result = result && holds(work, question, last, last, &p);
	else
	{
		/* From the most lone groups down, where a small k fails first. */
		for (; result && last >= step; last -= step)
			result = holds(work, question, last - step + 1, last, &p);
		result = result && holds(work, question, 0, last, &p);
	}
	dp_work_pop(work);
	return result;
}

/* The least k with number P(Y >= k) <= delta. */
static DpStatus
least_of_tail(DpWork *work, DpSigma sigma, uint64_t number,
			  const DpInterval *delta, uint64_t *k)
{
	uint64_t low = 0;
	uint64_t high = 1;
	uint64_t middle = 1;
	bool doubling = true;
	DpInterval p;
	DpInterval times;

	dp_work_push(work);
	p = dp_interval_new(work);
	times = dp_interval_new(work);
	dp_interval_set(work, &times, number);
	while (doubling || high - low > 1)
	{
		dp_gaussian_tail(work, &p, sigma, (dp_int128) middle);
		dp_interval_multiply(work, &p, &p, &times);
		if (dp_work_failed(work) || high > THRESHOLD_MAX)
			break;
		if (BN_cmp(p.upper, delta->lower) <= 0)
		{
			doubling = false;
			high = middle;
		}
		else
			low = middle;
		if (doubling)
			high = 2 * high;
		middle = doubling ? high : low + (high - low) / 2;
	}
	dp_work_pop(work);
	*k = high;
	if (dp_work_failed(work))
		return DP_OUT_OF_MEMORY;
	return high > THRESHOLD_MAX ? DP_PARAMETER_OUT_OF_RANGE : DP_OK;
}

/*
 * The least k: starts at the k that m lone groups need, which is slightly too
 * small, goes up in doubling steps, and then bisects.
 */
static DpStatus
find(DpWork *work, const Question *question, uint64_t *k)
{
	uint64_t low;
	uint64_t high;
	uint64_t step = 1;

	DP_TRY(least_of_tail(work, question->sigma, question->groups,
						 &question->delta, &high));
	low = high - 1;
	while (!is_enough(work, question, high))
	{
		if (dp_work_failed(work))
			return DP_OUT_OF_MEMORY;
		if (high > THRESHOLD_MAX)
			return DP_PARAMETER_OUT_OF_RANGE;
		low = high;
		high += step;
		step *= 2;
	}
	while (high - low > 1)
	{
		uint64_t middle = low + (high - low) / 2;

		if (is_enough(work, question, middle))
			high = middle;
		else
			low = middle;
	}
	*k = high;
	return dp_work_failed(work) ? DP_OUT_OF_MEMORY : DP_OK;
}

static DpStatus
check(dp_int128 delta, uint64_t greatest, DpContribution contribution)
{
	if (delta < 1 || delta > DP_DELTA_ONE || contribution.groups < 1 ||
		greatest < 1)
		return DP_PARAMETER_OUT_OF_RANGE;
	if (greatest > SENSITIVITY_MAX ||
		(dp_uint128) greatest * greatest * dp_contribution_parts(contribution) >
			SENSITIVITY_MAX * SENSITIVITY_MAX)
		return DP_SENSITIVITY_OUT_OF_RANGE;
	return DP_OK;
}

static DpStatus
add_greatest(uint64_t k, uint64_t greatest, int64_t *threshold)
{
	if (k > THRESHOLD_MAX - greatest)
		return DP_PARAMETER_OUT_OF_RANGE;
	*threshold = (int64_t) (greatest + k);
	return DP_OK;
}

/* The sigma for the counts alone, with all but a thousandth of delta. */
static DpStatus
find_sigma(DpEpsilon epsilon, dp_int128 delta, const Question *question,
		   DpSigma *sigma)
{
	DpGaussianReach reach = {.numbers = (question->exchanged ? 2 : 1) *
										question->groups,
							 .change = question->change};

	reach.squared =
		(dp_uint128) question->change * question->change * reach.numbers;
	reach.distance = (uint64_t) ceil(sqrt((double) reach.squared));
	return dp_gaussian_calibrate(epsilon, (double) delta * 0.999e-24, &reach,
								 sigma);
}

DpStatus
dp_gaussian_threshold(DpEpsilon epsilon, dp_int128 delta, uint64_t greatest,
					  DpContribution contribution, DpSigma *sigma,
					  int64_t *threshold)
{
	Question question = {.change = greatest,
						 .groups = contribution.groups,
						 .exchanged = contribution.neighbours == DP_SUBSTITUTE,
						 .loss = (dp_int128) epsilon.ticks
								 << (DP_LOSS_BITS - DP_EPSILON_BITS)};
	DpWork work;
	DpStatus status;
	uint64_t k;

	DP_TRY(check(delta, greatest, contribution));
	DP_TRY(find_sigma(epsilon, delta, &question, &question.sigma));
	dp_work_begin(&work, DP_GAUSSIAN_BITS + 80);
	question.delta = dp_interval_new(&work);
	dp_interval_set_fraction(&work, &question.delta, delta, DP_DELTA_ONE);
	status = find(&work, &question, &k);
	dp_work_end(&work);
	DP_TRY(status);
	*sigma = question.sigma;
	return add_greatest(k, greatest, threshold);
}

DpStatus
dp_gaussian_threshold_of_rho(DpSigma sigma, dp_int128 delta, uint64_t greatest,
							 DpContribution contribution, int64_t *threshold)
{
	DpWork work;
	DpInterval allowed;
	DpStatus status;
	uint64_t k;

	DP_TRY(check(delta, greatest, contribution));
	dp_work_begin(&work, DP_GAUSSIAN_BITS + 80);
	allowed = dp_interval_new(&work);
	dp_interval_set_fraction(&work, &allowed, delta, DP_DELTA_ONE);
	status = least_of_tail(&work, sigma, contribution.groups, &allowed, &k);
	dp_work_end(&work);
	DP_TRY(status);
	return add_greatest(k, greatest, threshold);
}
