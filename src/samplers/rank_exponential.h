/*
 * rank_exponential.h
 *		The exponential mechanism over a finite grid, scored by rank.
 *
 * For a grid point v let L be the number of values below it and c the number
 * equal to it. With F = 2^20 and a target rank t (in units of 1/F):
 *
 *		k(v) = min(cap, max(0, F L - t, t - F (L + c)))
 *		P(v) proportional to exp(-epsilon k(v) / (2 S))
 *
 * where S is the most by which one record can change k (in units of 1/F). The
 * cap, the k at which the exponent reaches DP_RANK_EXPONENT_CAP, makes the ends
 * of the domain flat; it is part of the score and costs no exactness.
 *
 * Guarantee: epsilon-DP for every S that is true of the data's neighbours.
 * Sources: Munoz Medina and Gillenwater, Duff; Haney et al. 2022 for the
 * interval refinement.
 */
#ifndef DP_SAMPLERS_RANK_EXPONENTIAL_H
#define DP_SAMPLERS_RANK_EXPONENTIAL_H

#include "core/epsilon.h"
#include "core/points.h"
#include "core/uint256.h"
#include "random/source.h"

#define DP_RANK_BITS 20
#define DP_RANK_ONE ((int64_t) 1 << DP_RANK_BITS)

/*
 * The score becomes flat where the weight is exp(-128) of that at the target.
 */
#define DP_RANK_EXPONENT_CAP 128

#define DP_RANK_DRAW_BITS 128

/* A weight as an enclosure. */
typedef struct DpWeightBounds
{
	DpWeight lower;
	DpWeight upper;
} DpWeightBounds;

/*
 * The weights of k = first, first + F, first + 2F, ..., found as they are
 * needed and remembered: all draws of a mechanism share them.
 */
#define DP_RANK_TABLE 128

typedef struct DpRankTable
{
	uint64_t first; /* 1 .. F; 0: this table is free */
	unsigned filled;
	DpWeightBounds weights[DP_RANK_TABLE];
} DpRankTable;

/*
 * A fraction of j/4 needs at most four tables; other fractions reuse them in
 * turn.
 */
#define DP_RANK_TABLES 4

/* A prepared mechanism: plain data, changed by draws only as a cache. */
typedef struct DpRankMechanism
{
	int64_t sensitivity; /* S: 1 .. 2F */
	DpEpsilon epsilon;
	uint64_t cap;		 /* greatest k */
	int bits;			 /* of the first draw */
	DpWeightBounds step; /* weight of k = F */
	DpWeightBounds end;	 /* weight of k = cap */
	DpRankTable tables[DP_RANK_TABLES];
	unsigned next_table; /* the one to reuse next when all are taken */
} DpRankMechanism;

/*
 * Prepares draws. sensitivity: 1 .. 2F; bits: DP_RANK_DRAW_BITS outside tests
 * (1 .. 128). Errors: DP_SENSITIVITY_OUT_OF_RANGE, DP_PARAMETER_OUT_OF_RANGE
 * (bits), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_rank_init(DpRankMechanism *mechanism, int64_t sensitivity,
							 DpEpsilon epsilon, int bits);

/*
 * The number of ranks on each side of the target beyond which the score is
 * flat.
 */
extern uint64_t dp_rank_reach(int64_t sensitivity, DpEpsilon epsilon);

/*
 * Draws one grid point.
 *
 * target: t, F times the rank to find; may be negative, at most F * count.
 * values[0 .. count-1]: each in lower .. upper; they are reordered.
 * lower <= upper, upper - lower < 2^53, count < 2^40.
 * Total: any count (0 too), any duplicates, any epsilon.
 * Errors: DP_RANDOM_FAILED, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_rank_draw(DpRandom *random, DpRankMechanism *mechanism,
							 int64_t target, int64_t *values, size_t count,
							 int64_t lower, int64_t upper, int64_t *result);

/* The same for points that need not be in an array. */
extern DpStatus dp_rank_draw_points(DpRandom *random,
									DpRankMechanism *mechanism, int64_t target,
									DpPoints *points, int64_t lower,
									int64_t upper, int64_t *result);

/*
 * A maximal set of grid points of one weight, as the draw sees them:
 * start .. start + points - 1, all with the same k.
 */
typedef struct DpRankPiece
{
	int64_t start;
	uint64_t points;
	uint64_t k;
} DpRankPiece;

/*
 * Lists the pieces, for tests and for expected errors. values: as above.
 * Returns the number of pieces; at most `capacity` of them are stored.
 */
extern size_t dp_rank_pieces(const DpRankMechanism *mechanism, int64_t target,
							 int64_t *values, size_t count, int64_t lower,
							 int64_t upper, DpRankPiece *pieces,
							 size_t capacity);

#endif
