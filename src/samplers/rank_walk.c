/*
 * rank_walk.c
 *		Cuts the domain into pieces of equal score.
 *
 * In ascending order x[0] .. x[n-1] the pieces are the values (runs of equal
 * ones) and the gaps between them. The gap before x[i] has L = i and c = 0;
 * the run at [i, j) has L = i and L + c = j. So on the right of the target
 * both a gap and the run after it have k = F i - t, on the left both a gap
 * and the run before it have k = t - F i.
 *
 * Only ranks within reach of the target are sorted. Beyond them every point has
 * k = cap, values or gaps, so the rest on each side is one piece.
 */
#include "samplers/rank_walk.h"

uint64_t
dp_rank_reach(int64_t sensitivity, DpEpsilon epsilon)
{
	/* The least k with epsilon k / (2 S) >= cap, in whole ranks, plus one. */
	uint64_t numerator =
		(uint64_t) DP_RANK_EXPONENT_CAP * 2 * (uint64_t) sensitivity;

	return numerator / epsilon.ticks + 2;
}

static size_t
clamp_rank(int64_t rank, size_t count)
{
	if (rank < 0)
		return 0;
	return (uint64_t) rank > count ? count : (size_t) rank;
}

void
dp_rank_domain_init(DpRankDomain *domain, const DpRankMechanism *mechanism,
					int64_t target, DpPoints *points, int64_t lower,
					int64_t upper)
{
	size_t count = points->count;
	/* Rounded towards minus infinity, for negative targets too. */
	int64_t rank = target >> DP_RANK_BITS;
	int64_t rest = target & (DP_RANK_ONE - 1);
	int64_t reach =
		(int64_t) dp_rank_reach(mechanism->sensitivity, mechanism->epsilon);
	size_t centre;

	domain->points = points;
	domain->first = clamp_rank(rank - reach, count);
	domain->last = clamp_rank(rank + 1 + reach, count);
	domain->lower = lower;
	domain->upper = upper;
	domain->target = target;
	domain->cap = mechanism->cap;

	/*
	 * The target is so far below the values that every point has k = cap. Then
	 * the draw is uniform, which weights of one express exactly.
	 */
	if (target < 0 && (uint64_t) -target >= mechanism->cap)
		domain->cap = 0;
	dp_points_order(points, domain->first, domain->last);

	/*
	 * The target falls into a run when it lies strictly between two ranks, or
	 * on the border of two equal values.
	 */
	centre = clamp_rank(rank, count);
	domain->centre_first = domain->centre_last = centre;
	if (rank >= 0 && centre < domain->last &&
		(rest != 0 ||
		 (centre > domain->first &&
		  dp_points_at(points, centre - 1) == dp_points_at(points, centre))))
	{
		int64_t value = dp_points_at(points, centre);

		while (domain->centre_first > domain->first &&
			   dp_points_at(points, domain->centre_first - 1) == value)
			domain->centre_first--;
		while (domain->centre_last < domain->last &&
			   dp_points_at(points, domain->centre_last) == value)
			domain->centre_last++;
	}
}

void
dp_rank_walk_init(DpRankWalk *walk, const DpRankDomain *domain)
{
	walk->domain = domain;
	walk->side = DP_RANK_CENTRE;
	walk->at = domain->centre_first;
	walk->gap_next = false;
}

/*
 * The gap before the value at this index; empty when they touch. The values on
 * its two sides differ: equal ones are walked as one run.
 */
static void
set_gap(const DpRankDomain *d, size_t at, DpRankPiece *piece)
{
	/* Modulo 2^64: the points next to the ends need not fit the type. */
	uint64_t start = at > d->first
						 ? (uint64_t) dp_points_at(d->points, at - 1) + 1
						 : (uint64_t) d->lower;
	uint64_t end = at < d->last ? (uint64_t) dp_points_at(d->points, at)
								: (uint64_t) d->upper + 1;

	piece->start = (int64_t) start;
	piece->points = end - start;
}

static void
set_value(int64_t value, DpRankPiece *piece)
{
	piece->start = value;
	piece->points = 1;
}

/* k at the border of this many values, from the side walked on. */
static uint64_t
k_at(const DpRankDomain *d, size_t at, DpRankSide side)
{
	int64_t distance = (int64_t) at * DP_RANK_ONE - d->target;
	uint64_t k;

	if (side == DP_RANK_LEFT)
		distance = -distance;
	k = distance > 0 ? (uint64_t) distance : 0;
	return k < d->cap ? k : d->cap;
}

/* The run around the target, if it falls into one; the right side follows. */
static void
walk_centre(DpRankWalk *walk, DpRankPiece *piece)
{
	const DpRankDomain *d = walk->domain;

	walk->side = DP_RANK_RIGHT;
	walk->at = d->centre_last;
	walk->gap_next = true;
	if (d->centre_first < d->centre_last)
	{
		set_value(dp_points_at(d->points, d->centre_first), piece);
		piece->k = 0;
	}
}

/* The run that begins at the walk's place, which is the next on the right. */
static void
walk_right_run(DpRankWalk *walk, DpRankPiece *piece)
{
	const DpRankDomain *d = walk->domain;
	int64_t value = dp_points_at(d->points, walk->at);

	set_value(value, piece);
	while (walk->at < d->last && dp_points_at(d->points, walk->at) == value)
		walk->at++;
}

/* The run that ends at the walk's place, which is the next on the left. */
static void
walk_left_run(DpRankWalk *walk, DpRankPiece *piece)
{
	const DpRankDomain *d = walk->domain;
	int64_t value = dp_points_at(d->points, walk->at - 1);

	set_value(value, piece);
	while (walk->at > d->first &&
		   dp_points_at(d->points, walk->at - 1) == value)
		walk->at--;
}

/* The next gap or run of a side, if any is left; then the walk leaves it. */
static void
walk_side(DpRankWalk *walk, DpRankPiece *piece)
{
	const DpRankDomain *d = walk->domain;
	bool is_right = walk->side == DP_RANK_RIGHT;

	piece->k = k_at(d, walk->at, walk->side);
	if (walk->gap_next)
	{
		set_gap(d, walk->at, piece);
		walk->gap_next = false;
	}
	else if (is_right ? walk->at < d->last : walk->at > d->first)
	{
		if (is_right)
			walk_right_run(walk, piece);
		else
			walk_left_run(walk, piece);
		walk->gap_next = true;
	}
	else if (is_right)
	{
		/* Without a centre run the middle gap belongs to the right side. */
		walk->side = DP_RANK_LEFT;
		walk->at = d->centre_first;
		walk->gap_next = d->centre_first < d->centre_last;
	}
	else
		walk->side = DP_RANK_END;
}

bool
dp_rank_next(DpRankWalk *walk, DpRankPiece *piece)
{
	piece->points = 0;
	while (piece->points == 0)
	{
		if (walk->side == DP_RANK_END)
			return false;
		if (walk->side == DP_RANK_CENTRE)
			walk_centre(walk, piece);
		else
			walk_side(walk, piece);
	}
	return true;
}

size_t
dp_rank_pieces(const DpRankMechanism *mechanism, int64_t target,
			   int64_t *values, size_t count, int64_t lower, int64_t upper,
			   DpRankPiece *pieces, size_t capacity)
{
	DpPoints points = dp_points_of_array(values, count);
	DpRankDomain domain;
	DpRankWalk walk;
	DpRankPiece piece;
	size_t number = 0;

	dp_rank_domain_init(&domain, mechanism, target, &points, lower, upper);
	dp_rank_walk_init(&walk, &domain);
	while (dp_rank_next(&walk, &piece))
	{
		if (number < capacity)
			pieces[number] = piece;
		number++;
	}
	return number;
}
