/*
 * rounded_real.c
 *		Cells of real numbers, refined until they round to one integer.
 *
 * OpenSSL's BIGNUMs are released before every return.
 */
#include <math.h>

#include <openssl/bn.h>

#include "samplers/bernoulli.h"
#include "samplers/rounded_real.h"

#define BN_TRY(call) \
	do \
	{ \
		if (!(call)) \
			return DP_OUT_OF_MEMORY; \
	} while (0)

/*
 * A real number drawn so far: for Cauchy the point (u, v) of the unit square,
 * for Laplace the number v alone, each in [x, x + 1) / 2^bits.
 */
typedef struct Cell
{
	DpRandom *random;
	BN_CTX *ctx;
	BIGNUM *u;
	BIGNUM *v;
	int bits;
	DpScale scale;
	BIGNUM *numerator; /* of the scale */
	uint64_t limit;
} Cell;

typedef DpStatus (*DrawMagnitude)(Cell *cell, int bits, uint64_t *magnitude);

/* Appends random bits to x. */
static DpStatus
append_bits(DpRandom *random, BIGNUM *x, int bits)
{
	while (bits > 0)
	{
		int step = bits < 32 ? bits : 32;
		uint64_t word;

		DP_TRY(dp_random_word(random, &word));
		BN_TRY(BN_lshift(x, x, step) && BN_add_word(x, word >> (64 - step)));
		bits -= step;
	}
	return DP_OK;
}

/*
 * min(limit, floor(scale * above / below + 1/2)): above and below are 0 or
 * more; a quotient by 0 is the limit.
 */
static DpStatus
round_quotient(const Cell *cell, const BIGNUM *above, const BIGNUM *below,
			   uint64_t *magnitude)
{
	DpStatus status = DP_OUT_OF_MEMORY;
	BIGNUM *top;
	BIGNUM *bottom;

	*magnitude = cell->limit;
	if (BN_is_zero(below))
		return DP_OK;
	BN_CTX_start(cell->ctx);
	top = BN_CTX_get(cell->ctx);
	bottom = BN_CTX_get(cell->ctx);
	if (bottom != NULL && BN_copy(bottom, below) &&
		BN_mul_word(bottom, cell->scale.denominator) &&
		BN_mul(top, above, cell->numerator, cell->ctx) &&
		BN_lshift1(top, top) && BN_add(top, top, bottom) &&
		BN_lshift1(bottom, bottom) && BN_div(top, NULL, top, bottom, cell->ctx))
	{
		status = DP_OK;
		if (BN_num_bits(top) < 64)
		{
			uint64_t quotient = (uint64_t) BN_get_word(top);

			if (quotient < cell->limit)
				*magnitude = quotient;
		}
	}
	BN_CTX_end(cell->ctx);
	return status;
}

/* x^2 + y^2 */
static int
sum_squares(BIGNUM *sum, const BIGNUM *x, const BIGNUM *y, BN_CTX *ctx)
{
	BIGNUM *square = BN_CTX_get(ctx);

	return square != NULL && BN_sqr(sum, x, ctx) && BN_sqr(square, y, ctx) &&
		   BN_add(sum, sum, square);
}

/*
 * Whether the cell is inside the unit circle (-1), outside (1), or neither (0).
 */
static DpStatus
side_of_circle(const Cell *cell, int *side)
{
	DpStatus status = DP_OUT_OF_MEMORY;
	BIGNUM *near;
	BIGNUM *far;
	BIGNUM *u;
	BIGNUM *v;
	BIGNUM *one;

	BN_CTX_start(cell->ctx);
	near = BN_CTX_get(cell->ctx);
	far = BN_CTX_get(cell->ctx);
	u = BN_CTX_get(cell->ctx);
	v = BN_CTX_get(cell->ctx);
	one = BN_CTX_get(cell->ctx);
	if (one != NULL && BN_copy(u, cell->u) && BN_copy(v, cell->v) &&
		BN_add_word(u, 1) && BN_add_word(v, 1) &&
		sum_squares(near, cell->u, cell->v, cell->ctx) &&
		sum_squares(far, u, v, cell->ctx) && BN_one(one) &&
		BN_lshift(one, one, 2 * cell->bits))
	{
		status = DP_OK;
		*side = BN_cmp(far, one) <= 0 ? -1 : (BN_cmp(near, one) >= 0 ? 1 : 0);
	}
	BN_CTX_end(cell->ctx);
	return status;
}

static DpStatus
refine_point(Cell *cell, int bits)
{
	DP_TRY(append_bits(cell->random, cell->u, bits));
	DP_TRY(append_bits(cell->random, cell->v, bits));
	cell->bits += bits;
	return DP_OK;
}

/* The least and greatest v/u of the cell. */
static DpStatus
round_corners(const Cell *cell, uint64_t *least, uint64_t *greatest)
{
	DpStatus status;
	BIGNUM *more;

	BN_CTX_start(cell->ctx);
	more = BN_CTX_get(cell->ctx);
	if (more == NULL || !BN_copy(more, cell->u) || !BN_add_word(more, 1))
		status = DP_OUT_OF_MEMORY;
	else
		status = round_quotient(cell, cell->v, more, least);
	if (status == DP_OK)
	{
		if (!BN_copy(more, cell->v) || !BN_add_word(more, 1))
			status = DP_OUT_OF_MEMORY;
		else
			status = round_quotient(cell, more, cell->u, greatest);
	}
	BN_CTX_end(cell->ctx);
	return status;
}

static DpStatus
draw_cauchy(Cell *cell, int bits, uint64_t *magnitude)
{
	uint64_t least;
	uint64_t greatest;
	int side = 1;

	while (side != -1)
	{
		/* A new point, or more digits of one on the circle. */
		if (side == 1)
		{
			BN_zero(cell->u);
			BN_zero(cell->v);
			cell->bits = 0;
		}
		DP_TRY(refine_point(cell, bits));
		DP_TRY(side_of_circle(cell, &side));
	}
	for (;;)
	{
		DP_TRY(round_corners(cell, &least, &greatest));
		if (least == greatest)
			break;
		DP_TRY(refine_point(cell, bits));
	}
	*magnitude = least;
	return DP_OK;
}

/* True with probability 2^-bits. */
static DpStatus
all_zero(DpRandom *random, int bits, bool *result)
{
	*result = true;
	while (bits > 0 && *result)
	{
		int step = bits < 64 ? bits : 64;
		uint64_t word;

		DP_TRY(dp_random_word(random, &word));
		*result = word >> (64 - step) == 0;
		bits -= step;
	}
	return DP_OK;
}

/* True with probability exp(-2^-i), as dp_bernoulli_exp_product counts it. */
static DpStatus
exp_of_power(DpRandom *random, int i, bool *result)
{
	bool even = true;
	uint64_t k;

	for (k = 1;; k++)
	{
		bool success;

		DP_TRY(dp_bernoulli(random, 1, k, &success));
		if (success)
			DP_TRY(all_zero(random, i, &success));
		if (!success)
			break;
		even = !even;
	}
	*result = even;
	return DP_OK;
}

/*
 * True with probability 1 / (1 + exp(2^-i)): a fair coin proposes 0 or 1; 0 is
 * always accepted, 1 with probability exp(-2^-i).
 */
static DpStatus
draw_digit(DpRandom *random, int i, bool *digit)
{
	for (;;)
	{
		uint64_t word;
		bool taken;

		DP_TRY(dp_random_word(random, &word));
		*digit = (word & 1) != 0;
		if (!*digit)
			return DP_OK;
		DP_TRY(exp_of_power(random, i, &taken));
		if (taken)
			return DP_OK;
	}
}

static DpStatus
refine_number(Cell *cell, int bits)
{
	while (bits-- > 0)
	{
		bool digit;

		DP_TRY(draw_digit(cell->random, ++cell->bits, &digit));
		BN_TRY(BN_lshift1(cell->v, cell->v));
		if (digit)
			BN_TRY(BN_add_word(cell->v, 1));
	}
	return DP_OK;
}

static DpStatus
draw_laplace(Cell *cell, int bits, uint64_t *magnitude)
{
	uint64_t whole = 0;
	bool success;

	for (;;)
	{
		DP_TRY(dp_bernoulli_exp(cell->random, 1, 1, &success));
		if (!success)
			break;
		whole++;
	}
	BN_TRY(BN_set_word(cell->v, whole));
	for (;;)
	{
		uint64_t greatest;

		DP_TRY(refine_number(cell, bits));
		BN_TRY(BN_one(cell->u) && BN_lshift(cell->u, cell->u, cell->bits));
		DP_TRY(round_quotient(cell, cell->v, cell->u, magnitude));
		BN_TRY(BN_add_word(cell->v, 1));
		DP_TRY(round_quotient(cell, cell->v, cell->u, &greatest));
		if (*magnitude == greatest)
			return DP_OK;
		BN_TRY(BN_sub_word(cell->v, 1));
	}
}

/* Draws a magnitude and gives it a sign. */
static DpStatus
draw(DpRandom *random, DpScale scale, uint64_t limit, int bits,
	 DrawMagnitude draw_magnitude, int64_t *value)
{
	DpStatus status = DP_OUT_OF_MEMORY;
	Cell cell = {.random = random, .scale = scale, .limit = limit};
	uint64_t magnitude;
	uint64_t sign;

	DP_TRY(dp_random_word(random, &sign));
	cell.ctx = BN_CTX_new();
	if (cell.ctx == NULL)
		return DP_OUT_OF_MEMORY;
	BN_CTX_start(cell.ctx);
	cell.u = BN_CTX_get(cell.ctx);
	cell.v = BN_CTX_get(cell.ctx);
	cell.numerator = BN_CTX_get(cell.ctx);
	if (cell.numerator != NULL &&
		BN_set_word(cell.numerator, (uint64_t) (scale.numerator >> 64)) &&
		BN_lshift(cell.numerator, cell.numerator, 64) &&
		BN_add_word(cell.numerator, (uint64_t) scale.numerator))
		status = draw_magnitude(&cell, bits, &magnitude);
	BN_CTX_end(cell.ctx);
	BN_CTX_free(cell.ctx);
	if (status == DP_OK)
		*value = (sign & 1) ? -(int64_t) magnitude : (int64_t) magnitude;
	return status;
}

DpStatus
dp_rounded_cauchy_draw(DpRandom *random, DpScale scale, uint64_t limit,
					   int bits, int64_t *value)
{
	return draw(random, scale, limit, bits, draw_cauchy, value);
}

DpStatus
dp_rounded_laplace_draw(DpRandom *random, DpScale scale, uint64_t limit,
						int bits, int64_t *value)
{
	return draw(random, scale, limit, bits, draw_laplace, value);
}

double
dp_rounded_cauchy_below(double scale, double z)
{
	return 0.5 + atan((z + 0.5) / scale) / acos(-1.0);
}

double
dp_rounded_laplace_below(double scale, double z)
{
	double x = (z + 0.5) / scale;

	return x < 0 ? 0.5 * exp(x) : 1 - 0.5 * exp(-x);
}
