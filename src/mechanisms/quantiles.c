/*
 * quantiles.c
 *		The tree of fractions, and the halving of the values along it.
 */
#include <math.h>

#include "mechanisms/quantiles.h"

/* Points of the finer grid are below 2^FINE_BITS. */
#define FINE_BITS 52

/*
 * Prepares node (first + last) / 2 of the fractions first .. last - 1, and the
 * nodes below it. Their interval is that between the neighbouring fractions.
 */
static DpStatus
init_nodes(DpQuantiles *quantiles, uint32_t first, uint32_t last,
		   DpEpsilon epsilon, DpNeighbours neighbours)
{
	uint32_t middle = (first + last) / 2;
	double from = first == 0 ? 0 : quantiles->fractions[first - 1];
	double to = last == quantiles->distinct ? 1 : quantiles->fractions[last];
	bool is_root = first == 0 && last == quantiles->distinct;

	if (first == last)
		return DP_OK;

	/* An exchange may affect two nodes: each gets half, for one value. */
	if (!is_root && neighbours == DP_SUBSTITUTE)
		epsilon.ticks /= 2;
	if (epsilon.ticks == 0)
		return DP_EPSILON_OUT_OF_RANGE;
	DP_TRY(dp_quantile_init(
		&quantiles->nodes[middle],
		(quantiles->fractions[middle] - from) / (to - from), epsilon,
		dp_contribution_of_row(is_root ? neighbours : DP_ADD_REMOVE)));
	if (!is_root)
		neighbours = DP_ADD_REMOVE; /* epsilon is halved already */
	DP_TRY(init_nodes(quantiles, first, middle, epsilon, neighbours));
	return init_nodes(quantiles, middle + 1, last, epsilon, neighbours);
}

/* Inserts a fraction among the different ones, which remain sorted. */
static void
insert_fraction(DpQuantiles *quantiles, double fraction)
{
	uint32_t node = quantiles->distinct;
	uint32_t i;

	while (node > 0 && quantiles->fractions[node - 1] >= fraction)
		node--;
	if (node < quantiles->distinct && quantiles->fractions[node] == fraction)
		return;
	for (i = quantiles->distinct; i > node; i--)
		quantiles->fractions[i] = quantiles->fractions[i - 1];
	quantiles->fractions[node] = fraction;
	quantiles->distinct++;
}

/* A multiple of 2^-20. */
static double
rounded(double fraction)
{
	return rint(fraction * (double) DP_RANK_ONE) / (double) DP_RANK_ONE;
}

DpStatus
dp_quantiles_init(DpQuantiles *quantiles, const double *fractions,
				  uint32_t count, DpEpsilon epsilon,
				  DpContribution contribution)
{
	uint32_t i;

	if (count < 1 || count > DP_QUANTILES_MAX)
		return DP_PARAMETER_OUT_OF_RANGE;
	quantiles->count = count;
	quantiles->distinct = 0;
	for (i = 0; i < count; i++)
	{
		if (!(fractions[i] >= 0 && fractions[i] <= 1))
			return DP_PARAMETER_OUT_OF_RANGE;
		insert_fraction(quantiles, rounded(fractions[i]));
	}
	for (i = 0; i < count; i++)
	{
		uint32_t node = 0;

		while (quantiles->fractions[node] != rounded(fractions[i]))
			node++;
		quantiles->node_of[i] = node;
	}
	quantiles->levels = 1;
	while (quantiles->distinct >> quantiles->levels > 0)
		quantiles->levels++;

	DP_TRY(dp_contribution_share(contribution, contribution.rows, epsilon,
								 &epsilon));
	epsilon.ticks /= quantiles->levels;
	return init_nodes(quantiles, 0, quantiles->distinct, epsilon,
					  dp_contribution_within(contribution));
}

DpStatus
dp_quantiles_rho(const DpQuantiles *quantiles, DpEpsilon epsilon,
				 DpContribution contribution, DpRho *rho)
{
	return dp_zcdp_of_bounded_range(
		epsilon, quantiles->levels * dp_contribution_groups(contribution), rho);
}

double
dp_quantiles_sensitivity(const DpQuantiles *quantiles)
{
	int64_t greatest = 0;
	uint32_t i;

	for (i = 0; i < quantiles->distinct; i++)
	{
		if (quantiles->nodes[i].rank.sensitivity > greatest)
			greatest = quantiles->nodes[i].rank.sensitivity;
	}
	return (double) greatest / (double) DP_RANK_ONE;
}

/* The number of points in order that are up to one. */
static size_t
count_up_to(DpPoints *points, size_t first, size_t count, int64_t point)
{
	size_t below = 0;

	while (count > 0)
	{
		size_t half = count / 2;

		if (dp_points_at(points, first + below + half) <= point)
		{
			below += half + 1;
			count -= half + 1;
		}
		else
			count = half;
	}
	return below;
}

/* Moves the values up to a point to the front, and returns their number. */
static size_t
split(int64_t *values, size_t count, int64_t point)
{
	size_t below = 0;
	size_t i;

	for (i = 0; i < count; i++)
	{
		int64_t value = values[i];

		if (value > point)
			continue;
		values[i] = values[below];
		values[below++] = value;
	}
	return below;
}

/* The answers of the nodes first .. last - 1, from the values of theirs. */
static DpStatus
draw_nodes(DpRandom *random, DpQuantiles *quantiles, uint32_t first,
		   uint32_t last, int64_t *values, size_t count, int64_t lower,
		   int64_t upper, int64_t *answers)
{
	uint32_t middle = (first + last) / 2;
	size_t below;
	int64_t point;

	if (first == last)
		return DP_OK;
	DP_TRY(dp_quantile_draw(random, &quantiles->nodes[middle], values, count,
							lower, upper, &point));
	answers[middle] = point;
	if (last - first == 1)
		return DP_OK;
	below = split(values, count, point);
	DP_TRY(draw_nodes(random, quantiles, first, middle, values, below, lower,
					  point, answers));
	return draw_nodes(random, quantiles, middle + 1, last, values + below,
					  count - below, point, upper, answers);
}

/* A part of sorted points, as points of their own. */
typedef struct Part
{
	DpPoints points;
	DpPoints *all;
	size_t start; /* rank of the first among all */
} Part;

/* All are sorted already. */
static void
order_part(DpPoints *points, size_t first, size_t last)
{
	(void) points;
	(void) first;
	(void) last;
}

static void
fetch_part(DpPoints *points, size_t rank)
{
	Part *part = (Part *) points;
	DpPoints *all = part->all;
	size_t end = part->start + points->count;

	(void) dp_points_at(all, part->start + rank);
	points->first = all->first > part->start ? all->first - part->start : 0;
	points->last = (all->last < end ? all->last : end) - part->start;
	points->values = all->values + (part->start + points->first - all->first);
}

/* draw_nodes of this many points from a rank on, which are in order. */
static DpStatus
draw_ordered_nodes(DpRandom *random, DpQuantiles *quantiles, uint32_t first,
				   uint32_t last, DpPoints *all, size_t start, size_t count,
				   int64_t lower, int64_t upper, int64_t *answers)
{
	uint32_t middle = (first + last) / 2;
	Part part = {
		.points = {.count = count, .order = order_part, .fetch = fetch_part},
		.all = all,
		.start = start};
	size_t below;
	int64_t point;

	if (first == last)
		return DP_OK;
	DP_TRY(dp_quantile_draw_points(random, &quantiles->nodes[middle],
								   &part.points, lower, upper, &point));
	answers[middle] = point;
	if (last - first == 1)
		return DP_OK;
	below = count_up_to(all, start, count, point);
	DP_TRY(draw_ordered_nodes(random, quantiles, first, middle, all, start,
							  below, lower, point, answers));
	return draw_ordered_nodes(random, quantiles, middle + 1, last, all,
							  start + below, count - below, point, upper,
							  answers);
}

int
dp_quantiles_digits(int64_t lower, int64_t upper)
{
	uint64_t span = (uint64_t) upper - (uint64_t) lower;
	int bits = 0;

	while (bits < FINE_BITS && (span >> (FINE_BITS - 1 - bits)) == 0)
		bits++;
	return bits;
}

DpStatus
dp_quantiles_refine(DpRandom *random, int64_t *values, size_t count,
					int64_t lower, int bits)
{
	uint64_t mask = ((uint64_t) 1 << bits) - 1;
	size_t i;

	for (i = 0; i < count; i++)
	{
		uint64_t word;
		DP_RECORD_CHOICE(random, values[i]);

		DP_TRY(dp_random_word(random, &word));
		values[i] =
			(int64_t) ((((uint64_t) values[i] - (uint64_t) lower) << bits) |
					   (word & mask));
	}
	return DP_OK;
}

/* The point of the grid that a point of the finer one belongs to. */
static int64_t
coarse(int64_t point, int64_t lower, int bits)
{
	return (int64_t) ((uint64_t) lower + ((uint64_t) point >> bits));
}

/* The greatest point of the finer grid. */
static int64_t
greatest_fine(int64_t lower, int64_t upper, int bits)
{
	return (int64_t) ((((uint64_t) upper - (uint64_t) lower + 1) << bits) - 1);
}

/* From the answers of the nodes to those asked for. */
static void
set_results(const DpQuantiles *quantiles, const int64_t *answers, int64_t lower,
			int bits, int64_t *results)
{
	size_t i;

	for (i = 0; i < quantiles->count; i++)
		results[i] = coarse(answers[quantiles->node_of[i]], lower, bits);
}

DpStatus
dp_quantiles_draw(DpRandom *random, DpQuantiles *quantiles, int64_t *values,
				  size_t count, int64_t lower, int64_t upper, int64_t *results)
{
	int64_t answers[DP_QUANTILES_MAX];
	int bits = dp_quantiles_digits(lower, upper);
	size_t i;

	DP_TRY(dp_quantiles_refine(random, values, count, lower, bits));
	DP_TRY(draw_nodes(random, quantiles, 0, quantiles->distinct, values, count,
					  0, greatest_fine(lower, upper, bits), answers));
	for (i = 0; i < count; i++)
		values[i] = coarse(values[i], lower, bits);
	set_results(quantiles, answers, lower, bits, results);
	return DP_OK;
}

DpStatus
dp_quantiles_draw_refined(DpRandom *random, DpQuantiles *quantiles,
						  DpPoints *points, int64_t lower, int64_t upper,
						  int64_t *results)
{
	int64_t answers[DP_QUANTILES_MAX];
	int bits = dp_quantiles_digits(lower, upper);

	dp_points_order(points, 0, points->count);
	DP_TRY(draw_ordered_nodes(random, quantiles, 0, quantiles->distinct, points,
							  0, points->count, 0,
							  greatest_fine(lower, upper, bits), answers));
	set_results(quantiles, answers, lower, bits, results);
	return DP_OK;
}

double
dp_quantiles_error(const DpQuantiles *quantiles, int64_t lower, int64_t upper,
				   double tail)
{
	double points = ldexp((double) upper - (double) lower + 1,
						  dp_quantiles_digits(lower, upper));
	double greatest = 0;
	uint32_t i;

	for (i = 0; i < quantiles->distinct; i++)
		greatest =
			fmax(greatest, dp_rank_error(&quantiles->nodes[i].rank, points,
										 tail / quantiles->distinct));
	return quantiles->levels * greatest;
}
