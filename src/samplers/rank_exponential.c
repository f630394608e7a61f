/*
 * rank_exponential.c
 *		Exact draws by interval refinement.
 *
 * A uniform real picks a piece in proportion to points * weight. Weights are
 * known as enclosures of 191 bits, the real as 128 bits, which nearly always
 * determines the piece. Where it does not, the same draw is extended and the
 * enclosures are tightened with BIGNUMs, so that the result is that of exact
 * real arithmetic.
 */
#include <openssl/bn.h>

#include "core/uint256.h"
#include "samplers/bernoulli_real.h"
#include "samplers/rank_walk.h"

/* The bits of the first BIGNUM round; each later one doubles them. */
#define REFINED_BITS 512

#define BN_TRY(call) \
	do \
	{ \
		if (!(call)) \
			goto done; \
	} while (0)

/* The weights of one walk, in fixed width. */
typedef struct Weights
{
	DpRankMechanism *mechanism;
	const DpRankDomain *domain;
	DpRankSide side;		/* the side that the following belong to */
	DpRankTable *table;		/* of the side; NULL before the first piece */
	DpWeightBounds current; /* beyond the table: weight of current_k */
	uint64_t current_k;		/* 0: not yet beyond it */
} Weights;

/* The same in BIGNUMs of any precision. */
typedef struct RefinedWeights
{
	const DpRankMechanism *mechanism;
	const DpRankDomain *domain;
	int bits;
	BIGNUM *one[2]; /* lower, upper; likewise below */
	BIGNUM *step[2];
	BIGNUM *end[2];
	BIGNUM *current[2];
	uint64_t current_k;
	DpRankSide side;
} RefinedWeights;

/* Encloses exp(-epsilon k / (2 S)). */
static DpStatus
enclose_weight(const DpRankMechanism *mechanism, uint64_t k, int bits,
			   BIGNUM *lower, BIGNUM *upper)
{
	return dp_enclose_exp(mechanism->epsilon.ticks * k,
						  (uint64_t) mechanism->sensitivity * 2 *
							  DP_EPSILON_ONE,
						  bits, lower, upper);
}

static void
store_weight(const BIGNUM *value, DpWeight *weight)
{
	unsigned char bytes[24];
	int i;

	(void) BN_bn2binpad(value, bytes, sizeof(bytes));
	for (i = 0; i < 3; i++)
		weight->limb[i] = 0;
	for (i = 0; i < 24; i++)
		weight->limb[2 - i / 8] = weight->limb[2 - i / 8] << 8 | bytes[i];
}

static DpStatus
fixed_weight(const DpRankMechanism *mechanism, uint64_t k,
			 DpWeightBounds *bounds)
{
	DpStatus status = DP_OUT_OF_MEMORY;
	BIGNUM *lower = BN_new();
	BIGNUM *upper = BN_new();

	if (lower != NULL && upper != NULL)
		status = enclose_weight(mechanism, k, DP_WEIGHT_BITS, lower, upper);
	if (status == DP_OK)
	{
		store_weight(lower, &bounds->lower);
		store_weight(upper, &bounds->upper);
	}
	BN_free(lower);
	BN_free(upper);
	return status;
}

DpStatus
dp_rank_init(DpRankMechanism *mechanism, int64_t sensitivity, DpEpsilon epsilon,
			 int bits)
{
	uint64_t numerator;

	if (sensitivity < 1 || sensitivity > 2 * DP_RANK_ONE)
		return DP_SENSITIVITY_OUT_OF_RANGE;
	if (bits < 1 || bits > 128)
		return DP_PARAMETER_OUT_OF_RANGE;
	*mechanism = (DpRankMechanism){
		.sensitivity = sensitivity, .epsilon = epsilon, .bits = bits};

	/* The least k with epsilon k / (2 S) >= the cap of the exponent. */
	numerator = (uint64_t) DP_RANK_EXPONENT_CAP * 2 * (uint64_t) sensitivity *
				DP_EPSILON_ONE;
	mechanism->cap = (numerator + epsilon.ticks - 1) / epsilon.ticks;
	DP_TRY(fixed_weight(mechanism, (uint64_t) DP_RANK_ONE, &mechanism->step));
	return fixed_weight(mechanism, mechanism->cap, &mechanism->end);
}

/* The weight of the next rank. */
static void
step_weight(const DpRankMechanism *mechanism, const DpWeightBounds *from,
			DpWeightBounds *to)
{
	to->lower = dp_weight_multiply(&from->lower, &mechanism->step.lower, false);
	to->upper = dp_weight_multiply(&from->upper, &mechanism->step.upper, true);
}

/* The table that starts at `first`, which is in 1 .. F. */
static DpStatus
find_table(DpRankMechanism *mechanism, uint64_t first, DpRankTable **table)
{
	int i;

	for (i = 0; i < DP_RANK_TABLES; i++)
	{
		*table = &mechanism->tables[i];
		if ((*table)->first == first)
			return DP_OK;
	}
	*table = &mechanism->tables[mechanism->next_table++ % DP_RANK_TABLES];
	(*table)->first = 0; /* until its first weight is computed */
	DP_TRY(fixed_weight(mechanism, first, &(*table)->weights[0]));
	(*table)->first = first;
	(*table)->filled = 1;
	return DP_OK;
}

/* The weight of the piece that the walk has just returned. */
static DpStatus
weight_of(Weights *w, const DpRankWalk *walk, const DpRankPiece *piece,
		  const DpWeightBounds **bounds)
{
	static const DpWeightBounds exactly_one = {{{0, 0, (uint64_t) 1 << 63}},
											   {{0, 0, (uint64_t) 1 << 63}}};
	const uint64_t one = (uint64_t) DP_RANK_ONE;

	if (piece->k == 0)
	{
		*bounds = &exactly_one;
		return DP_OK;
	}
	if (piece->k == w->domain->cap)
	{
		*bounds = &w->mechanism->end;
		return DP_OK;
	}
	if (w->table == NULL || w->side != walk->side)
	{
		uint64_t first = (piece->k - 1) % one + 1;

		DP_TRY(find_table(w->mechanism, first, &w->table));
		w->side = walk->side;
		w->current_k = 0;
	}
	if ((piece->k - w->table->first) / one < DP_RANK_TABLE)
	{
		uint64_t index = (piece->k - w->table->first) / one;

		for (; w->table->filled <= index; w->table->filled++)
			step_weight(w->mechanism, &w->table->weights[w->table->filled - 1],
						&w->table->weights[w->table->filled]);
		*bounds = &w->table->weights[index];
		return DP_OK;
	}

	/* Beyond the table, rank by rank. */
	if (w->current_k == 0)
	{
		DP_TRY(fixed_weight(w->mechanism, piece->k, &w->current));
		w->current_k = piece->k;
	}
	for (; w->current_k < piece->k; w->current_k += one)
		step_weight(w->mechanism, &w->current, &w->current);
	*bounds = &w->current;
	return DP_OK;
}

/*
 * Sums points * weight piece by piece. With until == NULL, over all pieces.
 * Otherwise the drawn point is in [until[0], until[1]], and the walk stops at
 * the piece that certainly contains it (*found), or at one whose border may lie
 * within it.
 */
static DpStatus
accumulate(Weights *w, const DpUint256 until[2], DpUint256 sum[2],
		   DpRankPiece *piece, bool *found)
{
	DpRankWalk walk;

	sum[0] = sum[1] = (DpUint256){{0, 0, 0, 0}};
	*found = false;
	w->table = NULL;
	dp_rank_walk_init(&walk, w->domain);
	while (dp_rank_next(&walk, piece))
	{
		const DpWeightBounds *bounds;

		DP_TRY(weight_of(w, &walk, piece, &bounds));
		dp_uint256_add_product(&sum[0], &bounds->lower, piece->points);
		dp_uint256_add_product(&sum[1], &bounds->upper, piece->points);
		if (until == NULL)
			continue;
		if (dp_uint256_compare(&until[1], &sum[0]) <= 0)
		{
			*found = true;
			return DP_OK;
		}
		if (dp_uint256_compare(&sum[1], &until[0]) > 0)
			return DP_OK;
	}
	return DP_OK;
}

/* The BIGNUM counterpart of weight_of. */
static DpStatus
refined_weight_of(RefinedWeights *w, const DpRankWalk *walk,
				  const DpRankPiece *piece, BN_CTX *ctx, BIGNUM *const **bounds)
{
	if (piece->k == 0 || piece->k == w->domain->cap)
	{
		*bounds = piece->k == 0 ? w->one : w->end;
		return DP_OK;
	}
	if (w->side != walk->side)
	{
		DP_TRY(enclose_weight(w->mechanism, piece->k, w->bits, w->current[0],
							  w->current[1]));
		w->current_k = piece->k;
		w->side = walk->side;
	}
	for (; w->current_k < piece->k; w->current_k += (uint64_t) DP_RANK_ONE)
	{
		int i;

		for (i = 0; i < 2; i++)
		{
			if (!BN_mul(w->current[i], w->current[i], w->step[i], ctx) ||
				!BN_rshift(w->current[i], w->current[i], w->bits))
				return DP_OUT_OF_MEMORY;
		}
		if (!BN_add_word(w->current[1], 1))
			return DP_OUT_OF_MEMORY;
	}
	*bounds = w->current;
	return DP_OK;
}

/* The BIGNUM counterpart of accumulate. */
static DpStatus
refined_accumulate(RefinedWeights *w, BIGNUM *const until[2],
				   BIGNUM *const sum[2], BIGNUM *product, BN_CTX *ctx,
				   DpRankPiece *piece, bool *found)
{
	DpRankWalk walk;

	BN_zero(sum[0]);
	BN_zero(sum[1]);
	*found = false;
	w->side = DP_RANK_CENTRE;
	dp_rank_walk_init(&walk, w->domain);
	while (dp_rank_next(&walk, piece))
	{
		BIGNUM *const *bounds;
		int i;

		DP_TRY(refined_weight_of(w, &walk, piece, ctx, &bounds));
		for (i = 0; i < 2; i++)
		{
			if (!BN_copy(product, bounds[i]) ||
				!BN_mul_word(product, piece->points) ||
				!BN_add(sum[i], sum[i], product))
				return DP_OUT_OF_MEMORY;
		}
		if (until == NULL)
			continue;
		if (BN_cmp(until[1], sum[0]) <= 0)
		{
			*found = true;
			return DP_OK;
		}
		if (BN_cmp(sum[1], until[0]) > 0)
			return DP_OK;
	}
	return DP_OK;
}

/* until = floor(r W_lower / 2^bits), ceil((r + 1) W_upper / 2^bits) */
static int
refined_interval(const BIGNUM *r, int bits, BIGNUM *const total[2],
				 BIGNUM *until[2], BN_CTX *ctx)
{
	return BN_mul(until[0], r, total[0], ctx) &&
		   BN_rshift(until[0], until[0], bits) && BN_copy(until[1], r) &&
		   BN_add_word(until[1], 1) &&
		   BN_mul(until[1], until[1], total[1], ctx) &&
		   BN_rshift(until[1], until[1], bits) && BN_add_word(until[1], 1);
}

/* Appends random bits to r until it has this many. */
static DpStatus
extend_draw(DpRandom *random, BIGNUM *r, int have, int want)
{
	while (have < want)
	{
		int step = want - have < 64 ? want - have : 64;
		uint64_t word;

		DP_TRY(dp_random_word(random, &word));
		if (!BN_lshift(r, r, step) || !BN_add_word(r, word >> (64 - step)))
			return DP_OUT_OF_MEMORY;
		have += step;
	}
	return DP_OK;
}

/* Finds the piece of a draw for which the fixed width was not enough. */
static DpStatus
find_refined(DpRandom *random, const DpRankMechanism *mechanism,
			 const DpRankDomain *domain, dp_uint128 draw, DpRankPiece *piece)
{
	DpStatus status = DP_OUT_OF_MEMORY;
	RefinedWeights w = {.mechanism = mechanism, .domain = domain};
	int have = mechanism->bits;
	BN_CTX *ctx = BN_CTX_new();
	BIGNUM *r;
	BIGNUM *product;
	BIGNUM *until[2];
	BIGNUM *total[2];
	BIGNUM *sum[2];
	bool found = false;
	int i;

	if (ctx == NULL)
		return DP_OUT_OF_MEMORY;
	BN_CTX_start(ctx);
	r = BN_CTX_get(ctx);
	product = BN_CTX_get(ctx);
	for (i = 0; i < 2; i++)
	{
		w.step[i] = BN_CTX_get(ctx);
		w.one[i] = BN_CTX_get(ctx);
		w.end[i] = BN_CTX_get(ctx);
		w.current[i] = BN_CTX_get(ctx);
		until[i] = BN_CTX_get(ctx);
		total[i] = BN_CTX_get(ctx);
		sum[i] = BN_CTX_get(ctx);
	}
	/* After one failure BN_CTX_get gives only NULL. */
	BN_TRY(sum[1] != NULL);
	BN_TRY(BN_set_word(r, (uint64_t) (draw >> 64)));
	BN_TRY(BN_lshift(r, r, 64) && BN_add_word(r, (uint64_t) draw));

	for (w.bits = REFINED_BITS; !found; w.bits *= 2)
	{
		status = extend_draw(random, r, have, w.bits);
		if (status != DP_OK)
			goto done;
		have = w.bits;
		status = enclose_weight(mechanism, 0, w.bits, w.one[0], w.one[1]);
		if (status == DP_OK)
			status = enclose_weight(mechanism, (uint64_t) DP_RANK_ONE, w.bits,
									w.step[0], w.step[1]);
		if (status == DP_OK)
			status = enclose_weight(mechanism, domain->cap, w.bits, w.end[0],
									w.end[1]);
		if (status != DP_OK)
			goto done;
		status =
			refined_accumulate(&w, NULL, total, product, ctx, piece, &found);
		if (status != DP_OK)
			goto done;
		status = DP_OUT_OF_MEMORY;
		BN_TRY(refined_interval(r, w.bits, total, until, ctx));
		status =
			refined_accumulate(&w, until, sum, product, ctx, piece, &found);
		if (status != DP_OK)
			goto done;
	}

done:
	BN_CTX_end(ctx);
	BN_CTX_free(ctx);
	return status;
}

DpStatus
dp_rank_draw(DpRandom *random, DpRankMechanism *mechanism, int64_t target,
			 int64_t *values, size_t count, int64_t lower, int64_t upper,
			 int64_t *result)
{
	DpPoints points = dp_points_of_array(values, count);

	return dp_rank_draw_points(random, mechanism, target, &points, lower, upper,
							   result);
}

/* What dp_rank_draw_points is given (random/record.h). */
static void
record(const DpRankMechanism *mechanism, int64_t target, DpPoints *points,
	   int64_t lower, int64_t upper)
{
	DP_RECORD_SAME("sensitivity", mechanism->sensitivity);
	DP_RECORD_SAME("epsilon", mechanism->epsilon.ticks);
	DP_RECORD_SAME("cap", mechanism->cap);
	DP_RECORD_SAME("lower", lower);
	DP_RECORD_SAME("upper", upper);
	DP_RECORD_TRUE("target", target);
#ifdef DP_RECORD
	dp_points_gather(points);
	for (size_t i = 0; i < points->count; i++)
		DP_RECORD_TRUE("value", dp_points_at(points, i));
#else
	(void) points;
#endif
}

DpStatus
dp_rank_draw_points(DpRandom *random, DpRankMechanism *mechanism,
					int64_t target, DpPoints *points, int64_t lower,
					int64_t upper, int64_t *result)
{
	DpRankDomain domain;
	DpRankPiece piece;
	Weights w = {.mechanism = mechanism, .domain = &domain};
	int bits = mechanism->bits;
	DpUint256 until[2];
	DpUint256 total[2];
	DpUint256 sum[2];
	uint64_t high;
	uint64_t low;
	uint64_t offset;
	dp_uint128 r;
	bool found;
	DP_RECORD_CALL(random, "rank");

	record(mechanism, target, points, lower, upper);
	dp_rank_domain_init(&domain, mechanism, target, points, lower, upper);
	DP_TRY(accumulate(&w, NULL, total, &piece, &found));

	DP_TRY(dp_random_word(random, &high));
	DP_TRY(dp_random_word(random, &low));
	r = ((dp_uint128) high << 64 | low) >> (128 - bits);
	until[0] = dp_uint256_scale(&total[0], r, bits, false);
	if (r + 1 != 0)
		until[1] = dp_uint256_scale(&total[1], r + 1, bits, true);
	else
		until[1] = total[1]; /* r + 1 = 2^128 */
	DP_TRY(accumulate(&w, until, sum, &piece, &found));
	if (!found)
		DP_TRY(find_refined(random, mechanism, &domain, r, &piece));

	DP_TRY(dp_random_below(random, piece.points, &offset));
	*result = piece.start + (int64_t) offset;
	DP_RECORD_RESULT("result", *result);
	return DP_OK;
}
