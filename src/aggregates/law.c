/*
 * law.c
 *		From calls to the laws of their answers, and those as bytes.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"

#include "aggregates/law.h"
#include "aggregates/prepare.h"
#include "server/memo.h"

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
	const DpAggregateTraits *traits = dp_aggregate_get(call->aggregate);

	law->exponent = call->grid.exponent;
	set_range(law, call->grid.lower, call->grid.upper);
	law->noise = variance->noise;
	law->steps = variance->steps;
	if (variance->span == 0)
		law->kind = DP_LAW_EXACT;
	else if (traits->is_root)
		law->kind =
			traits->of_population ? DP_LAW_DEVIATION_POP : DP_LAW_DEVIATION;
	else
		law->kind =
			traits->of_population ? DP_LAW_VARIANCE_POP : DP_LAW_VARIANCE;
}

/* Its grids are those of the question (DpEnd). */
void
dp_law_of_regression(const DpCall *call, const DpPrepared *prepared, DpLaw *law)
{
	(void) call;
	law->kind = DP_LAW_REGRESSION;
	law->noise = prepared->regression.noise;
	law->steps = prepared->regression.steps;
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

DpStatus
dp_law_known_width(const DpLaw *law, double level, bool of_rows,
				   dp_uint128 *width)
{
	typedef struct Key
	{
		DpLaw law;
		double level;
		bool of_rows;
	} Key;
	static DpMemo memo = {.key_size = sizeof(Key),
						  .value_size = sizeof(dp_uint128)};
	Key key;

	memset(&key, 0, sizeof(key)); /* gaps as well */
	memcpy(&key.law, law, sizeof(key.law));
	key.level = level;
	key.of_rows = of_rows;
	if (dp_memo_find(&memo, &key, width))
		return DP_OK;
	DP_TRY(of_rows ? dp_law_rows_width(law, level, width)
				   : dp_law_width(law, level, width));
	dp_memo_keep(&memo, &key, width);
	return DP_OK;
}

/* What a law is as bytes. */
#define LAW_NUMBERS 20
#define LAW_SIZE (LAW_NUMBERS * (int) sizeof(uint64))

/* The first of its numbers, which have narrower types in a DpLaw. */
enum
{
	NUMBER_KIND,
	NUMBER_MECHANISM,
	NUMBER_EXPONENT,
	NUMBER_HAS_LEAST,
	NUMBER_HAS_GREATEST,
	NUMBER_HAS_THRESHOLD,
	NUMBER_SUMS,
	NARROW_NUMBERS
};

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
 * writing. numbers: the narrow ones.
 */
static void
transfer_law(StringInfo bytes, bool writes, uint64 *numbers, DpLaw *law)
{
	DpNoise *noise = &law->noise;
	int i;

	for (i = 0; i < NARROW_NUMBERS; i++)
		transfer(bytes, writes, &numbers[i]);
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
}

void
dp_law_write(const DpLaw *law, StringInfo bytes)
{
	DpLaw copy = *law;
	uint64 numbers[NARROW_NUMBERS] = {
		[NUMBER_KIND] = law->kind,
		[NUMBER_MECHANISM] = law->noise.mechanism,
		[NUMBER_EXPONENT] = (uint64) law->exponent,
		[NUMBER_HAS_LEAST] = law->has_least,
		[NUMBER_HAS_GREATEST] = law->has_greatest,
		[NUMBER_HAS_THRESHOLD] = law->has_threshold,
		[NUMBER_SUMS] = law->noise.staircase.sums};

	transfer_law(bytes, true, numbers, &copy);
}

/* False if a number is none of those that its narrower type has. */
static bool
read_numbers(StringInfo bytes, DpLaw *law)
{
	uint64 numbers[NARROW_NUMBERS];
	int64 exponent;

	transfer_law(bytes, false, numbers, law);
	exponent = (int64) numbers[NUMBER_EXPONENT];
	if (numbers[NUMBER_KIND] > DP_LAW_REGRESSION ||
		numbers[NUMBER_MECHANISM] >= DP_MECHANISM_END ||
		exponent < PG_INT16_MIN || exponent > PG_INT16_MAX ||
		numbers[NUMBER_HAS_LEAST] > 1 || numbers[NUMBER_HAS_GREATEST] > 1 ||
		numbers[NUMBER_HAS_THRESHOLD] > 1 ||
		numbers[NUMBER_SUMS] > DP_JOINT_SUMS_MAX)
		return false;
	law->kind = (DpLawKind) numbers[NUMBER_KIND];
	law->noise.mechanism = (DpMechanism) numbers[NUMBER_MECHANISM];
	law->exponent = (int) exponent;
	law->has_least = numbers[NUMBER_HAS_LEAST] == 1;
	law->has_greatest = numbers[NUMBER_HAS_GREATEST] == 1;
	law->has_threshold = numbers[NUMBER_HAS_THRESHOLD] == 1;
	law->noise.staircase.sums = (uint32_t) numbers[NUMBER_SUMS];
	return true;
}

/* Whether answers are made as the law says, and of as many sums. */
static bool
is_made_so(const DpLaw *law, const DpAggregateTraits *traits)
{
	switch (law->kind)
	{
		case DP_LAW_NONE:
		case DP_LAW_EXACT:
			return true;
		case DP_LAW_NOISE:
		case DP_LAW_WALK_UP:
		case DP_LAW_WALK_DOWN:
			return traits->law != NULL && traits->sums == 0;
		case DP_LAW_LEVELS:
		case DP_LAW_RATIO:
			return traits->sums == 2;
		case DP_LAW_VARIANCE:
		case DP_LAW_DEVIATION:
		case DP_LAW_VARIANCE_POP:
		case DP_LAW_DEVIATION_POP:
			return traits->sums == 3;
		case DP_LAW_REGRESSION:
			return traits->sums == DP_REGRESSION_SUMS;
	}
	return false;
}

/*
 * Whether the steps of the law are steps of the type, which has no parts of a
 * whole where answers are integers, dates or times. A count that is shown has
 * type bigint.
 */
static bool
fits_type(const DpLaw *law, const DpAggregateTraits *traits, Oid type)
{
	bool is_whole = type == INT2OID || type == INT4OID || type == INT8OID ||
					dp_ordered_type(type) != NULL;

	if (law->has_threshold && type != INT8OID)
		return false;
	return !is_whole || traits->sums > 0 || law->exponent >= 0;
}

void
dp_law_read(StringInfo bytes, const DpAggregateTraits *traits, Oid type,
			DpLaw *law)
{
	memset(law, 0, sizeof(*law));
	if (bytes->len - bytes->cursor < LAW_SIZE || !read_numbers(bytes, law) ||
		!dp_law_is_sound(law) || !is_made_so(law, traits) ||
		!fits_type(law, traits, type))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("a stored law of a private answer is damaged"),
				 errhint("The owner of the relation can delete its stored "
						 "answers with dp_noise.forget_answers.")));
}
