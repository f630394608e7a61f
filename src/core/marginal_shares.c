/*
 * marginal_shares.c
 *		Shares of epsilon for tables by several sets of keys.
 */
#include "core/marginal_shares.h"

#include <math.h>
#include <string.h>

/*
 * Sets of keys to sum over in one round of trials; with more, shares are equal.
 */
#define TRIALS_MAX 0x1p16

static double
variance_of_share(double epsilon, bool by_rho, double share)
{
	double ratio;

	if (by_rho)
		return 1 / share;
	if (epsilon * share > 30)
		return 2 * exp(-30) * 30 / (epsilon * share);
	ratio = exp(-epsilon * share);
	return 2 * ratio / (expm1(-epsilon * share) * expm1(-epsilon * share));
}

/* The loss to be minimised, after the variances are set. */
static double
loss_of(DpMarginals *marginals, double epsilon, bool by_rho,
		const double *shares)
{
	double loss = 0;
	int table;

	for (table = 0; table < marginals->tables; table++)
		marginals->variances[table] =
			variance_of_share(epsilon, by_rho, shares[table]);
	for (table = 0; table < marginals->tables; table++)
		loss += log(dp_marginals_variance(marginals, table));
	return loss;
}

/*
 * Multiplies one share, and rescales the others so that all add up to 1; false
 * where one would be too small.
 */
static bool
move_share(int count, double *shares, int number, double factor)
{
	double least = DP_SHARE_LEAST / count;
	double share = shares[number] * factor;
	double others;
	int i;

	if (share < least || share >= 1)
		return false;
	others = (1 - share) / (1 - shares[number]);
	for (i = 0; i < count; i++)
	{
		shares[i] = i == number ? share : shares[i] * others;
		if (shares[i] < least)
			return false;
	}
	return true;
}

/* Improves shares in small steps; returns the loss. */
static double
improve(DpMarginals *marginals, double epsilon, bool by_rho, double *shares)
{
	static const double factors[] = {1.5, 1 / 1.5, 1.1, 1 / 1.1};
	double best = loss_of(marginals, epsilon, by_rho, shares);
	bool better = marginals->tables > 1;
	int round;

	for (round = 0; round < 20 && better; round++)
	{
		size_t trial;

		better = false;
		for (trial = 0; trial < 4 * (size_t) marginals->tables; trial++)
		{
			double moved[DP_MARGINALS_MAX];
			double loss;

			memcpy(moved, shares, sizeof(moved));
			if (!move_share(marginals->tables, moved, (int) (trial / 4),
							factors[trial % 4]))
				continue;
			loss = loss_of(marginals, epsilon, by_rho, moved);
			if (loss >= best - 1e-6)
				continue;
			best = loss;
			better = true;
			memcpy(shares, moved, sizeof(moved));
		}
	}
	return best;
}

/* A table that has all keys of all others; -1: none. */
static int
finest_of(const DpMarginals *marginals)
{
	uint64_t all = 0;
	int table;

	for (table = 0; table < marginals->tables; table++)
		all |= marginals->members[table];
	for (table = 0; table < marginals->tables; table++)
	{
		if (marginals->members[table] == all)
			return table;
	}
	return -1;
}

static void
set_equal(int count, double *shares)
{
	int i;

	memset(shares, 0, DP_MARGINALS_MAX * sizeof(double));
	for (i = 0; i < count; i++)
		shares[i] = 1.0 / count;
}

void
dp_marginals_share(DpMarginals *marginals, double epsilon, bool by_rho,
				   double *shares)
{
	double equal[DP_MARGINALS_MAX];
	double other[DP_MARGINALS_MAX];
	int count = marginals->tables;
	int finest = finest_of(marginals);
	int i;

	set_equal(count, equal);
	if (count > 1 && dp_marginals_are_few(marginals) &&
		dp_marginals_sets(marginals) * count * count <= TRIALS_MAX)
	{
		double loss = improve(marginals, epsilon, by_rho, equal);

		set_equal(count, other);
		for (i = 0; i < count && finest >= 0; i++)
			other[i] = i == finest ? 1 - (count - 1) * DP_SHARE_LEAST / count
								   : DP_SHARE_LEAST / count;
		if (finest >= 0 && improve(marginals, epsilon, by_rho, other) < loss)
			memcpy(equal, other, sizeof(equal));
	}
	memcpy(shares, equal, (size_t) count * sizeof(double));
	for (i = 0; i < count; i++)
		marginals->variances[i] = variance_of_share(epsilon, by_rho, shares[i]);
}
