/*
 * marginal_weights.c
 *		The weights of noisy cells in the cells of consistent tables.
 */
#include "core/marginal_weights.h"

#include "core/compact_marginals.h"

/* tau_S / (sigma_T^2 N(T\S) N(A\S)) for each S among the keys of both, in order. */
static void
find_scales(const DpMarginals *marginals, int to, int from, double *scales)
{
	uint64_t both = marginals->members[to] & marginals->members[from];
	uint64_t subset = 0;

	do
	{
		*scales++ = 1 / (dp_marginals_precision(marginals, subset) *
						 marginals->variances[from] *
						 dp_marginals_combinations(
							 marginals, marginals->members[from] & ~subset) *
						 dp_marginals_combinations(
							 marginals, marginals->members[to] & ~subset));
		subset = dp_next_subset(subset, both);
	} while (subset != 0);
}

/* The product over k in S of ((k in G) - 1/N(k)). */
static double
centred(const DpMarginals *marginals, uint64_t subset, uint64_t same)
{
	double product = 1;
	int key;

	for (key = 0; key < marginals->keys; key++)
	{
		if ((subset & dp_key_bit(key)) != 0)
			product *= ((same & dp_key_bit(key)) != 0 ? 1 : 0) -
					   1 / (double) marginals->sizes[key];
	}
	return product;
}

/* The cells with other values of some keys. */
static double
other_cells(const DpMarginals *marginals, uint64_t differ)
{
	double count = 1;
	int key;

	for (key = 0; key < marginals->keys; key++)
	{
		if ((differ & dp_key_bit(key)) != 0)
			count *= (double) (marginals->sizes[key] - 1);
	}
	return count;
}

/* The weights of one table's cells in another's. Returns how many. */
static int
add_weights(const DpMarginals *marginals, int to, int from,
			DpMarginalWeight *weights)
{
	uint64_t both = marginals->members[to] & marginals->members[from];
	double scales[DP_MARGINAL_WEIGHTS_MAX] = {0};
	uint64_t same = 0;
	int count = 0;

	find_scales(marginals, to, from, scales);
	do
	{
		const double *scale = scales;
		uint64_t subset = 0;
		double weight = 0;

		do
		{
			weight += *scale++ * centred(marginals, subset, same);
			subset = dp_next_subset(subset, both);
		} while (subset != 0);
		weights[count++] = (DpMarginalWeight){
			from, weight,
			dp_marginals_combinations(marginals,
									  marginals->members[from] & ~both) *
				other_cells(marginals, both & ~same)};
		same = dp_next_subset(same, both);
	} while (same != 0);
	return count;
}

int
dp_marginals_weights(const DpMarginals *marginals, int table,
					 DpMarginalWeight *weights)
{
	DpCompactMarginals compact = dp_compact_marginals(marginals);
	const DpMarginals *few = &compact.few;
	int count = 0;
	int from;

	for (from = 0; from < few->tables; from++)
	{
		int keys = dp_count_keys(few->members[table] & few->members[from]);

		if (keys > 10 || count + (1 << keys) > DP_MARGINAL_WEIGHTS_MAX)
			return 0;
		count += add_weights(few, table, from, weights + count);
	}
	return count;
}
