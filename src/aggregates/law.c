/*
 * law.c
 *		From calls to the laws of their answers, and those as bytes.
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "aggregates/law.h"
#include "aggregates/prepare.h"

static void
set_range(DpLaw *law, int64 least, int64 greatest)
{
	law->has_least = law->has_greatest = true;
	law->least = least;
	law->greatest = greatest;
}

void
dp_law_of_count(const DpCall *call, const DpPrepared *prepared, DpLaw *law)
{
	law->noise = prepared->noise;
	law->kind = DP_LAW_NOISE;
	law->has_least = call->choice.truncated;
}

/* Truncated: the bounds tell what sign a sum has. */
void
dp_law_of_sum(const DpCall *call, const DpPrepared *prepared, DpLaw *law)
{
	const DpSum *sum = &prepared->sum;

	law->noise = sum->noise;
	law->kind = sum->sensitivity > 0 ? DP_LAW_NOISE : DP_LAW_EXACT;
	law->exponent = sum->exponent;
	law->has_least = call->choice.truncated && call->grid.lower >= 0;
	law->has_greatest = call->choice.truncated && call->grid.upper <= 0;
}

void
dp_law_of_mean(const DpCall *call, const DpPrepared *prepared, DpLaw *law)
{
	const DpMean *mean = &prepared->mean;

	law->exponent = call->grid.exponent;
	set_range(law, call->grid.lower, call->grid.upper);
	if (mean->span == 0)
		law->kind = DP_LAW_EXACT;
	else if (mean->mechanism == DP_TWO_STAGE)
	{
		law->kind = DP_LAW_LEVELS;
		law->noise = mean->two_stage.noise;
		law->levels = mean->two_stage.levels;
	}
	else
	{
		law->kind = DP_LAW_RATIO;
		law->noise = mean->noise;
		law->steps = mean->steps;
	}
}

void
dp_law_of_variance(const DpCall *call, const DpPrepared *prepared, DpLaw *law)
{
	const DpVariance *variance = &prepared->variance;

	law->exponent = call->grid.exponent;
	set_range(law, call->grid.lower, call->grid.upper);
	law->noise = variance->noise;
	law->steps = variance->steps;
	law->kind = variance->span == 0						   ? DP_LAW_EXACT
				: call->aggregate == DP_AGGREGATE_VARIANCE ? DP_LAW_VARIANCE
														   : DP_LAW_DEVIATION;
}

/*
 * Noise on the greatest or on the least value, clamped to the bounds; a walk.
 */
void
dp_law_of_extreme(const DpCall *call, const DpPrepared *prepared, DpLaw *law)
{
	const DpExtreme *extreme = &prepared->extreme;

	if (call->categories != NULL)
		return;
	law->exponent = call->grid.exponent;
	set_range(law, call->grid.lower, call->grid.upper);
	if (extreme->span == 0)
		law->kind = DP_LAW_EXACT;
	else if (dp_mechanism_is_noise(extreme->mechanism))
	{
		law->kind = DP_LAW_NOISE;
		law->noise = extreme->noise;
	}
	else if (extreme->mechanism == DP_ABOVE_THRESHOLD)
	{
		Assert(extreme->walk.t_threshold == extreme->walk.t_counts);
		law->kind = call->aggregate == DP_AGGREGATE_MAX ? DP_LAW_WALK_UP
														: DP_LAW_WALK_DOWN;
		law->noise.s = extreme->walk.s;
		law->noise.t = extreme->walk.t_counts;
		law->steps = extreme->steps;
		law->threshold = (int64) extreme->walk.threshold;
	}
}

void
dp_law_of_call(const DpCall *call, DpLaw *law)
{
	const DpAggregateTraits *traits = dp_aggregate_get(call->aggregate);
	DpPrepared prepared;

	memset(law, 0, sizeof(*law)); /* DP_LAW_NONE */
	if (traits->law == NULL)
		return;
	dp_prepare_call(call, &prepared);
	traits->law(call, &prepared, law);
}

/* Writes one number to the bytes, or reads it from them. */
static void
transfer(StringInfo bytes, bool writes, uint64 *number)
{
	if (writes)
		pq_sendint64(bytes, *number);
	else
		*number = (uint64) pq_getmsgint64(bytes);
}

/*
 * All fields that intervals are made of, in the same order for reading and
 * writing.
 */
static void
transfer_law(StringInfo bytes, bool writes, DpLaw *law)
{
	DpNoise *noise = &law->noise;
	uint64 numbers[] = {
		law->kind,		noise->mechanism,  (uint64) law->exponent,
		law->has_least, law->has_greatest, law->has_threshold};

	transfer(bytes, writes, &numbers[0]);
	transfer(bytes, writes, &numbers[1]);
	transfer(bytes, writes, &numbers[2]);
	transfer(bytes, writes, &numbers[3]);
	transfer(bytes, writes, &numbers[4]);
	transfer(bytes, writes, &numbers[5]);
	transfer(bytes, writes, &noise->quantum);
	transfer(bytes, writes, &noise->s);
	transfer(bytes, writes, &noise->t);
	transfer(bytes, writes, &noise->staircase.sensitivity);
	transfer(bytes, writes, &noise->staircase.first_step);
	transfer(bytes, writes, &noise->staircase.epsilon.ticks);
	transfer(bytes, writes, &noise->sigma.numerator);
	transfer(bytes, writes, &noise->sigma.denominator);
	transfer(bytes, writes, (uint64 *) &law->least);
	transfer(bytes, writes, (uint64 *) &law->greatest);
	transfer(bytes, writes, &law->levels);
	transfer(bytes, writes, &law->steps);
	transfer(bytes, writes, (uint64 *) &law->threshold);
	law->kind = (DpLawKind) numbers[0];
	noise->mechanism = (DpMechanism) numbers[1];
	law->exponent = (int) numbers[2];
	law->has_least = numbers[3] != 0;
	law->has_greatest = numbers[4] != 0;
	law->has_threshold = numbers[5] != 0;
}

void
dp_law_write(const DpLaw *law, StringInfo bytes)
{
	DpLaw copy = *law;

	transfer_law(bytes, true, &copy);
}

void
dp_law_read(StringInfo bytes, DpLaw *law)
{
	memset(law, 0, sizeof(*law));
	transfer_law(bytes, false, law);
}
