/*
 * rank_walk.h
 *		The pieces of the rank-scored domain, one after the other.
 *
 * Private to the rank-scored exponential mechanism: its fast path and its
 * BIGNUM path walk the same pieces in the same order.
 */
#ifndef DP_SAMPLERS_RANK_WALK_H
#define DP_SAMPLERS_RANK_WALK_H

#include "samplers/rank_exponential.h"

/* The side of a walk. On each side k grows in steps of F, up to the cap. */
typedef enum DpRankSide
{
	DP_RANK_CENTRE, /* before the first piece */
	DP_RANK_RIGHT,	/* at the target or above it */
	DP_RANK_LEFT,	/* below the target */
	DP_RANK_END
} DpRankSide;

/* Shared by all walks over the same data; set once. */
typedef struct DpRankDomain
{
	DpPoints *points; /* sorted in [first, last) */
	size_t first;
	size_t last;
	int64_t lower;
	int64_t upper;
	int64_t target;
	uint64_t cap;		 /* greatest k */
	size_t centre_first; /* the run of values around the target: */
	size_t centre_last;	 /* [centre_first, centre_last), maybe empty */
} DpRankDomain;

typedef struct DpRankWalk
{
	const DpRankDomain *domain;
	DpRankSide side; /* of the last piece, unless its k is 0 */
	size_t at;		 /* index in values */
	bool gap_next;	 /* the next piece is a gap, not a value */
} DpRankWalk;

/* Orders the values that matter and finds the centre. */
extern void dp_rank_domain_init(DpRankDomain *domain,
								const DpRankMechanism *mechanism,
								int64_t target, DpPoints *points, int64_t lower,
								int64_t upper);

extern void dp_rank_walk_init(DpRankWalk *walk, const DpRankDomain *domain);

/*
 * The next piece with at least one point; false at the end. Within a side, k
 * never decreases.
 */
extern bool dp_rank_next(DpRankWalk *walk, DpRankPiece *piece);

#endif
