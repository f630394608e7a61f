/*
 * gaussian_threshold.c
 *		The least threshold for Gaussian counts.
 */
#include <math.h>

#include "mechanisms/gaussian.h"
#include "mechanisms/gaussian_threshold.h"
#include "mechanisms/group_threshold.h"

/* How many blocks of pairs one threshold is tried on. */
#define BLOCKS_MAX 400

/* Terms of -ln(1-p). */
#define SERIES 64

/* What is asked: for noise and threshold together. */
typedef struct Question
{
	DpSigma sigma;
	uint64_t change;
	uint64_t groups;
	uint64_t parts; /* N of the header */
	dp_int128 loss; /* epsilon, of 2^-60 */
	DpInterval delta;
} Question;

/* Numbers of groups that only one of two neighbours has. */
typedef struct Range
{
	uint64_t first;
	uint64_t last;
} Range;

/* What a group that only one of them has tells by not being shown. */
typedef struct Silence
{
	DpInterval probability; /* 1 - p */
	DpInterval loss;		/* -ln(1 - p) */
} Silence;

/*
 * p: its upper end below 1/2. -ln(1-p) is the sum of p^r/r; from r = SERIES + 1 on
 * that is at most p^(SERIES + 1).
 */
static Silence
new_silence(DpWork *work, const DpInterval *p)
{
	Silence silence = {dp_interval_new(work), dp_interval_new(work)};
	DpInterval power;
	DpInterval term;
	uint32_t r;

	dp_work_push(work);
	power = dp_interval_new(work);
	term = dp_interval_new(work);
	dp_interval_set(work, &silence.probability, 1);
	dp_interval_subtract(work, &silence.probability, &silence.probability, p);
	dp_interval_set(work, &silence.loss, 0);
	dp_interval_copy(work, &power, p);
	for (r = 1; r <= SERIES; r++)
	{
		dp_interval_copy(work, &term, &power);
		dp_interval_divide_word(work, &term, r);
		dp_interval_add(work, &silence.loss, &silence.loss, &term);
		dp_interval_multiply(work, &power, &power, p);
	}
	if (!dp_work_failed(work) &&
		!BN_add(silence.loss.upper, silence.loss.upper, power.upper))
		work->failed = true;
	dp_work_pop(work);
	return silence;
}

/* x = a^n, a in 0 .. 1 */
static void
set_power(DpWork *work, DpInterval *x, const DpInterval *a, uint64_t n)
{
	DpInterval square;

	dp_work_push(work);
	square = dp_interval_new(work);
	dp_interval_copy(work, &square, a);
	dp_interval_set(work, x, 1);
	for (; n > 0; n >>= 1)
	{
		if (n & 1)
			dp_interval_multiply(work, x, x, &square);
		dp_interval_multiply(work, &square, &square, &square);
	}
	dp_work_pop(work);
}

/* loss + (gone - new) silence, rounded down; silence: 0 .. 1. */
static dp_int128
moved(DpWork *work, dp_int128 loss, uint64_t gone, uint64_t new,
	  const DpInterval *silence)
{
	bool up = gone >= new;
	DpInterval times;
	const BIGNUM *end;
	dp_int128 by = 0;
	unsigned char bytes[16];
	int i;

	dp_work_push(work);
	times = dp_interval_new(work);
	dp_interval_set(work, &times, up ? gone - new : new - gone);
	dp_interval_multiply(work, &times, &times, silence);
	end = up ? times.lower : times.upper;
	if (!dp_work_failed(work) &&
		(!BN_rshift(times.lower, end, work->bits - DP_LOSS_BITS) ||
		 BN_bn2binpad(times.lower, bytes, sizeof(bytes)) < 0))
		work->failed = true;
	for (i = 0; i < 16 && !dp_work_failed(work); i++)
		by = by << 8 | bytes[i];
	dp_work_pop(work);
	return up ? loss + by : loss - by - 1;
}

/* x = delta of this many counts; of none, 1 - exp(loss) if loss is negative. */
static void
set_counts(DpWork *work, DpInterval *x, const Question *question,
		   uint64_t numbers, dp_int128 loss)
{
	DpGaussianReach reach = {.numbers = numbers, .change = question->change};
	DpInterval one;

	if (numbers > 0)
	{
		dp_gaussian_delta(work, x, question->sigma, &reach, loss);
		return;
	}
	dp_work_push(work);
	one = dp_interval_new(work);
	dp_interval_set(work, &one, 1);
	dp_interval_set_fraction(work, x, loss < 0 ? -loss : 0,
							 (dp_int128) 1 << DP_LOSS_BITS);
	dp_interval_exp_minus(work, x, x);
	dp_interval_subtract(work, x, &one, x);
	dp_work_pop(work);
}

/*
 * Whether the rule holds for all pairs of a block: shown by its bound for the
 * most changed counts, the most groups that are gone, and the least epsilon.
 */
static bool
holds(DpWork *work, const Question *question, const Silence *silence,
	  Range gone, Range new)
{
	DpInterval hidden;
	DpInterval one;
	DpInterval x;
	bool result;

	dp_work_push(work);
	hidden = dp_interval_new(work);
	one = dp_interval_new(work);
	x = dp_interval_new(work);
	dp_interval_set(work, &one, 1);

	/* 1 - q (1 - delta_n) */
	set_counts(
		work, &x, question, question->parts - gone.first - new.first,
		moved(work, question->loss, gone.first, new.last, &silence->loss));
	dp_interval_subtract(work, &x, &one, &x);
	set_power(work, &hidden, &silence->probability, gone.last);
	dp_interval_multiply(work, &x, &x, &hidden);
	dp_interval_subtract(work, &x, &one, &x);
	result =
		!dp_work_failed(work) && BN_cmp(x.upper, question->delta.lower) <= 0;
	dp_work_pop(work);
	return result;
}

/* The same, by halves where one bound is not enough; left: blocks to try. */
static bool
holds_by_halves(DpWork *work, const Question *question, const Silence *silence,
				Range gone, Range new, int *left)
{
	Range *longer =
		gone.last - gone.first >= new.last - new.first ? &gone : &new;
	Range whole = *longer;
	uint64_t middle = whole.first + (whole.last - whole.first) / 2;

	if (*left == 0 || dp_work_failed(work))
		return false;
	--*left;
	if (holds(work, question, silence, gone, new))
		return true;
	if (whole.first == whole.last)
		return false;

	/* From the most groups down, where a small k fails first. */
	*longer = (Range){middle + 1, whole.last};
	if (!holds_by_halves(work, question, silence, gone, new, left))
		return false;
	*longer = (Range){whole.first, middle};
	return holds_by_halves(work, question, silence, gone, new, left);
}

/* Whether k is great enough, whatever groups only one of them has. */
static bool
is_enough(DpWork *work, const Question *question, uint64_t k)
{
	Range all = {0, question->groups};
	Range none = {0, 0};
	int left = BLOCKS_MAX;
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
	if (result)
	{
		Silence silence = new_silence(work, &p);

		if (question->parts > question->groups)
			result = holds_by_halves(work, question, &silence, all, all, &left);
		else
			result =
				holds_by_halves(work, question, &silence, all, none, &left) &&
				holds_by_halves(work, question, &silence, none, all, &left);
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
		if (dp_work_failed(work) || high > DP_THRESHOLD_MAX)
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
	return high > DP_THRESHOLD_MAX ? DP_PARAMETER_OUT_OF_RANGE : DP_OK;
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
		if (high > DP_THRESHOLD_MAX)
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
	if (greatest > DP_SENSITIVITY_MAX ||
		(dp_uint128) greatest * greatest * dp_contribution_parts(contribution) >
			(dp_uint128) DP_SENSITIVITY_MAX * DP_SENSITIVITY_MAX)
		return DP_SENSITIVITY_OUT_OF_RANGE;
	return DP_OK;
}

static DpStatus
add_greatest(uint64_t k, uint64_t greatest, int64_t *threshold)
{
	if (k > DP_THRESHOLD_MAX - greatest)
		return DP_PARAMETER_OUT_OF_RANGE;
	*threshold = (int64_t) (greatest + k);
	return DP_OK;
}

double
dp_gaussian_threshold_noise_delta(dp_int128 delta)
{
	return (double) delta * 0.999e-24;
}

/* The sigma for the counts alone. */
static DpStatus
find_sigma(DpEpsilon epsilon, dp_int128 delta, uint64_t greatest,
		   DpContribution contribution, DpSigma *sigma)
{
	DpGaussianReach reach = {.numbers = dp_contribution_parts(contribution),
							 .change = greatest};

	reach.squared = (dp_uint128) greatest * greatest * reach.numbers;
	reach.distance = (uint64_t) ceil(sqrt((double) reach.squared));
	return dp_gaussian_calibrate(
		epsilon, dp_gaussian_threshold_noise_delta(delta), &reach, sigma);
}

DpStatus
dp_gaussian_threshold_of_sigma(DpSigma sigma, DpEpsilon epsilon,
							   dp_int128 delta, uint64_t greatest,
							   DpContribution contribution, int64_t *threshold)
{
	Question question = {.sigma = sigma,
						 .change = greatest,
						 .groups = contribution.groups,
						 .parts = dp_contribution_parts(contribution),
						 .loss = (dp_int128) epsilon.ticks
								 << (DP_LOSS_BITS - DP_EPSILON_BITS)};
	DpWork work;
	DpStatus status;
	uint64_t k;

	DP_TRY(check(delta, greatest, contribution));
	dp_work_begin(&work, DP_GAUSSIAN_BITS + 80);
	question.delta = dp_interval_new(&work);
	dp_interval_set_fraction(&work, &question.delta, delta, DP_DELTA_ONE);
	status = find(&work, &question, &k);
	dp_work_end(&work);
	DP_TRY(status);
	return add_greatest(k, greatest, threshold);
}

DpStatus
dp_gaussian_threshold(DpEpsilon epsilon, dp_int128 delta, uint64_t greatest,
					  DpContribution contribution, DpSigma *sigma,
					  int64_t *threshold)
{
	DP_TRY(check(delta, greatest, contribution));
	DP_TRY(find_sigma(epsilon, delta, greatest, contribution, sigma));
	return dp_gaussian_threshold_of_sigma(*sigma, epsilon, delta, greatest,
										  contribution, threshold);
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
