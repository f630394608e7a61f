/*
 * test_smooth_sensitivity.c
 *		Smooth sensitivity of the median: the definition, its smoothness under
 *		every neighbour, and the privacy of the noise scaled to it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanisms/median.h"
#include "support/data_sets.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

static TestRandom source;

static DpSmooth
prepare_for(DpMechanism mechanism, DpConstants constants, double epsilon,
			double delta, uint64_t span, DpContribution contribution)
{
	DpMechanismChoice choice = {
		.mechanism = mechanism, .constants = constants, .delta = delta};
	DpSmooth smooth;

	if (dp_smooth_init(&smooth, &choice, epsilon_of(epsilon), span,
					   contribution) != DP_OK)
		abort();
	return smooth;
}

static DpSmooth
prepare(DpMechanism mechanism, double epsilon, double delta, uint64_t span)
{
	return prepare_for(mechanism, DP_CONSTANTS_TIGHT, epsilon, delta, span,
					   dp_contribution_of_row(DP_ADD_REMOVE));
}

static int
compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *) a;
	int64_t right = *(const int64_t *) b;

	return (left > right) - (left < right);
}

/* The definition, over sorted values: J from all windows and all k. */
static uint64_t
naive_index(const DpSmooth *smooth, const int64_t *values, int64_t count,
			int64_t lower, int64_t upper)
{
	int64_t m = (count + 1) / 2 - 1; /* floor((count-1)/2) */
	int64_t best = 0;
	int64_t k;

	for (k = 0; k <= count + 2; k++)
	{
		dp_uint128 point = (dp_uint128) 1 << 24;
		uint64_t widest = 1;
		int64_t j = 0;
		int64_t t;

		for (t = 0; t <= k + 1; t++)
		{
			int64_t right = m + t;
			int64_t left = m + t - k - 1;
			int64_t x =
				right < 0 ? lower : (right >= count ? upper : values[right]);
			int64_t y =
				left < 0 ? lower : (left >= count ? upper : values[left]);

			if ((uint64_t) (x - y) > widest)
				widest = (uint64_t) (x - y);
		}
		while (point < (dp_uint128) widest << 24)
		{
			dp_uint128 factor = ((dp_uint128) 1 << 43) +
								((dp_uint128) smooth->b << 22) +
								(dp_uint128) smooth->b * smooth->b;

			point = point * factor >> 43;
			j++;
		}
		j -= (int64_t) smooth->q * k;
		if (j > best)
			best = j;
	}
	return (uint64_t) best;
}

/* Values of several kinds: spread, bunched, at the ends. */
static size_t
random_values(uint64_t *state, int64_t *values, size_t most, int64_t span)
{
	size_t count = random_next_below(state, most + 1);
	int kind = (int) random_next_below(state, 4);
	size_t i;

	for (i = 0; i < count; i++)
	{
		uint64_t range = (uint64_t) span + 1;

		if (kind == 1)
			range = range / 50 + 1;
		values[i] = (int64_t) random_next_below(state, range);
		if (kind == 2 && random_next_below(state, 2))
			values[i] = random_next_below(state, 2) ? span : 0;
		if (kind == 3)
			values[i] = span / 2 + (int64_t) random_next_below(
									   state, (uint64_t) span / 100 + 1);
	}
	return count;
}

static const double some_epsilons[] = {0.05, 0.3, 1, 3, 20};

static void
test_definition(void)
{
	uint64_t state = 531;
	size_t e;

	for (e = 0; e < sizeof(some_epsilons) / sizeof(some_epsilons[0]); e++)
	{
		bool same = true;
		int round;

		for (round = 0; round < 400; round++)
		{
			int64_t values[64];
			int64_t sorted[64];
			int64_t span = round % 3 ? 1000 : (int64_t) 1 << 40;
			DpSmooth smooth =
				prepare(DP_SMOOTH_CAUCHY, some_epsilons[e], 0, (uint64_t) span);
			size_t count = random_values(&state, values, 60, span);

			memcpy(sorted, values, sizeof(sorted));
			qsort(sorted, count, sizeof(int64_t), compare);
			same = same &&
				   dp_smooth_index(&smooth, values, count, 0, span) ==
					   naive_index(&smooth, sorted, (int64_t) count, 0, span);
		}
		ok(same, "the index is the one of its definition, epsilon %g",
		   some_epsilons[e]);
	}
}

/* A change of one row: added, removed or exchanged. */
static size_t
change_row(uint64_t *state, int64_t *values, size_t count, int64_t span)
{
	int kind = (int) random_next_below(state, count > 0 ? 3 : 1);
	int64_t value = (int64_t) random_next_below(state, (uint64_t) span + 1);

	if (random_next_below(state, 4) == 0)
		value = random_next_below(state, 2) ? span : 0;
	if (kind == 0)
	{
		values[count] = value;
		return count + 1;
	}
	if (kind == 1)
	{
		values[random_next_below(state, count)] = values[count - 1];
		return count - 1;
	}
	values[random_next_below(state, count)] = value;
	return count;
}

static int64_t
median_of(const int64_t *values, size_t count)
{
	int64_t sorted[64];

	if (count == 0)
		return 0;
	memcpy(sorted, values, count * sizeof(int64_t));
	qsort(sorted, count, sizeof(int64_t), compare);
	return sorted[(count - 1) / 2];
}

static void
test_smoothness(void)
{
	uint64_t state = 532;
	size_t e;

	for (e = 0; e < sizeof(some_epsilons) / sizeof(some_epsilons[0]); e++)
	{
		bool smooth_enough = true;
		bool covers = true;
		bool changes = false;
		int round;

		for (round = 0; round < 60000; round++)
		{
			int64_t one[64];
			int64_t other[64];
			int64_t span = 1 + (int64_t) random_next_below(&state, 500);
			DpSmooth smooth =
				prepare(DP_SMOOTH_CAUCHY, some_epsilons[e], 0, (uint64_t) span);
			size_t count = random_values(&state, one, 12, span);
			size_t other_count;
			int64_t change;
			uint64_t a;
			uint64_t b;

			memcpy(other, one, sizeof(other));
			other_count = change_row(&state, other, count, span);
			change = median_of(one, count) - median_of(other, other_count);
			a = dp_smooth_index(&smooth, one, count, 0, span);
			b = dp_smooth_index(&smooth, other, other_count, 0, span);
			smooth_enough =
				smooth_enough && (a > b ? a - b : b - a) <= smooth.q;
			changes = changes || a != b;
			/* S alpha is the scale */
			{
				DpScale scale = dp_smooth_scale(&smooth, a);

				covers = covers && (double) llabs(change) <=
									   (double) scale.numerator /
										   (double) scale.denominator *
										   (double) smooth.alpha /
										   DP_SMOOTH_ONE;
			}
		}
		ok(smooth_enough && changes,
		   "neighbours differ by at most beta, epsilon %g", some_epsilons[e]);
		ok(covers, "the median moves by less than the sensitivity");
	}
}

/* The lattice grows by at most exp(beta) a point, and by something. */
static void
test_lattice(void)
{
	static const double epsilons[] = {0.001, 0.1, 1, 10, 40, 1000000};
	size_t e;

	for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
	{
		DpSmooth smooth =
			prepare(DP_SMOOTH_CAUCHY, epsilons[e], 0, (uint64_t) 1 << 40);
		double beta = (double) smooth.b / DP_SMOOTH_ONE;
		bool good = true;
		uint64_t j;

		for (j = 0; j < smooth.reach && j < 500; j++)
		{
			DpScale one = dp_smooth_scale(&smooth, j);
			DpScale next = dp_smooth_scale(&smooth, j + 1);
			double growth = (double) next.numerator / (double) one.numerator;

			good = good && growth > 1 && log(growth) <= beta * (1 + 1e-12);
		}
		ok(good, "the lattice at epsilon %g", epsilons[e]);
		ok(smooth.q * smooth.b <= smooth.beta && beta <= 1.0 / 16,
		   "its points are fine");
		ok(smooth.alpha + smooth.beta <= 2 * epsilon_of(epsilons[e]).ticks,
		   "no more than epsilon is used");
	}
	ok(prepare(DP_SMOOTH_CAUCHY, 0.0009, 0, 1000).beta == 0,
	   "below 2^-10 the sensitivity is the span");
	{
		DpScale scale =
			dp_smooth_scale(&(DpSmooth){.mechanism = DP_SMOOTH_CAUCHY,
										.alpha = DP_SMOOTH_ONE,
										.span = 1000},
							0);

		is_double((double) scale.numerator / (double) scale.denominator, 1000,
				  1e-9, "which is its scale");
	}
}

#define UPPER 5
#define POINTS (UPPER + 1)

static double laws[SETS_MAX][POINTS];

/* P(answer = v) for every data set: the closed form, rounded and clamped. */
static void
list_laws(const DpSmooth *smooth, double part)
{
	double (*below)(double, double) = smooth->mechanism == DP_SMOOTH_CAUCHY
										  ? dp_rounded_cauchy_below
										  : dp_rounded_laplace_below;
	size_t i;
	int64_t v;

	for (i = 0; i < set_count; i++)
	{
		uint64_t index =
			dp_smooth_index(smooth, sets[i].rows, sets[i].count, 0, UPPER);
		DpScale scale = dp_smooth_scale(smooth, index);
		double s = part * (double) scale.numerator / (double) scale.denominator;
		int64_t median = median_of(sets[i].rows, sets[i].count);

		for (v = 0; v <= UPPER; v++)
			laws[i][v] = (v == UPPER ? 1 : below(s, (double) (v - median))) -
						 (v == 0 ? 0 : below(s, (double) (v - 1 - median)));
	}
}

/* The greatest sum of max(0, P - exp(epsilon) Q) over neighbours. */
static double
greatest_delta(double epsilon, DpNeighbours neighbours)
{
	double worst = 0;
	size_t i;
	size_t j;

	for (i = 0; i < set_count; i++)
	{
		for (j = 0; j < set_count; j++)
		{
			double delta = 0;
			int v;

			if (!are_neighbours(&sets[i], &sets[j], neighbours))
				continue;
			for (v = 0; v <= UPPER; v++)
				delta += fmax(0, laws[i][v] - exp(epsilon) * laws[j][v]);
			worst = fmax(worst, delta);
		}
	}
	return worst;
}

/*
 * The greatest rho over neighbours. With delta it is that of the laws without
 * what one has more than exp(epsilon) times the other, which is randomised
 * response but for delta (Kairouz, Oh, Viswanath 2015).
 */
static double
greatest_rho(double epsilon, double delta, DpNeighbours neighbours)
{
	double worst = 0;
	size_t i;
	size_t j;

	if (delta == 0)
		return greatest_set_rho(laws[0], POINTS, neighbours);
	for (i = 0; i < set_count; i++)
	{
		for (j = 0; j < set_count; j++)
		{
			double p[POINTS];
			double q[POINTS];
			double of_p = 0;
			double of_q = 0;
			int v;

			if (!are_neighbours(&sets[i], &sets[j], neighbours))
				continue;
			for (v = 0; v <= UPPER; v++)
			{
				p[v] = fmin(laws[i][v], exp(epsilon) * laws[j][v]);
				q[v] = fmin(laws[j][v], exp(epsilon) * laws[i][v]);
				of_p += p[v];
				of_q += q[v];
			}
			for (v = 0; v <= UPPER; v++)
			{
				p[v] /= of_p;
				q[v] /= of_q;
			}
			worst = fmax(worst, distribution_rho(p, q, POINTS));
		}
	}
	return worst;
}

static void
test_rho(void)
{
	static const double epsilons[] = {0.1, 0.5, 1, 2.5};
	static const double deltas[] = {0, 0.01, 1e-5};
	size_t e;
	size_t d;
	int n;

	all_sets(0, UPPER, 4);
	for (n = 0; n < 2; n++)
	{
		DpContribution row =
			dp_contribution_of_row(n ? DP_SUBSTITUTE : DP_ADD_REMOVE);

		for (d = 0; d < sizeof(deltas) / sizeof(deltas[0]); d++)
		{
			DpMechanism mechanism = d ? DP_SMOOTH_LAPLACE : DP_SMOOTH_CAUCHY;
			bool cheap = true;

			for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
			{
				DpMedian median = {.mechanism = mechanism};
				DpEpsilon epsilon = epsilon_of(epsilons[e]);
				DpRho cost = {0};

				median.smooth = prepare_for(mechanism, DP_CONSTANTS_TIGHT,
											epsilons[e], deltas[d], UPPER, row);
				dp_median_rho(&median, epsilon, row, &cost);
				list_laws(&median.smooth, 1);
				cheap = cheap &&
						greatest_rho(epsilons[e], deltas[d], row.neighbours) <=
							(double) cost.ticks * 1e-24 + 1e-9;
			}
			ok(cheap, "%s costs the rho that it tells, %s, delta %g",
			   dp_mechanism_name(mechanism), n ? "substitute" : "add_remove",
			   deltas[d]);
		}
	}
}

static void
test_privacy(void)
{
	static const double epsilons[] = {0.002, 0.1, 0.5, 1, 2.5, 8};
	static const double deltas[] = {0.4, 0.01, 1e-5};
	size_t e;
	size_t d;
	int n;
	int c;

	all_sets(0, UPPER, 4);
	for (n = 0; n < 2; n++)
	{
		DpNeighbours neighbours = n ? DP_SUBSTITUTE : DP_ADD_REMOVE;
		const char *name = n ? "substitute" : "add_remove";

		for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
		{
			double epsilon = epsilons[e];
			/* elsewhere so small a domain hides too little noise */
			bool tells = epsilon >= 0.1 && epsilon <= 2.5;

			for (c = 0; c < 2; c++)
			{
				DpSmooth smooth = prepare_for(
					DP_SMOOTH_CAUCHY, c ? DP_CONSTANTS_NRS : DP_CONSTANTS_TIGHT,
					epsilon, 0, UPPER, dp_contribution_of_row(neighbours));

				list_laws(&smooth, 1);
				ok(greatest_set_loss(laws[0], POINTS, neighbours) <=
					   epsilon + 1e-9,
				   "smooth_cauchy, %s, epsilon %g, constants %d", name, epsilon,
				   c);
				list_laws(&smooth, c ? 0.1 : 0.3);
				ok(!tells ||
					   greatest_set_loss(laws[0], POINTS, neighbours) > epsilon,
				   "and not with a part of the noise");
				for (d = 0; d < sizeof(deltas) / sizeof(deltas[0]); d++)
				{
					smooth = prepare_for(
						DP_SMOOTH_LAPLACE,
						c ? DP_CONSTANTS_NRS : DP_CONSTANTS_TIGHT, epsilon,
						deltas[d], UPPER, dp_contribution_of_row(neighbours));
					list_laws(&smooth, 1);
					ok(greatest_delta(epsilon, neighbours) <= deltas[d] + 1e-12,
					   "smooth_laplace, %s, epsilon %g, delta %g", name,
					   epsilon, deltas[d]);
					if (deltas[d] > 0.1 || !tells)
						continue;
					list_laws(&smooth, 0.2);
					ok(greatest_delta(epsilon, neighbours) > deltas[d],
					   "and not with a fifth of the noise");
				}
			}
		}
	}
}

/* Noise beside the median of a single data set follows its scale. */
static void
test_draws(void)
{
	static const DpMechanism kinds[] = {DP_SMOOTH_CAUCHY, DP_SMOOTH_LAPLACE};
	DpRandom *random = random_seeded(&source, 533);
	size_t k;

	for (k = 0; k < 2; k++)
	{
		const int draws = 60000;
		int64_t values[] = {40, 10, 30, 31, 60, 29, 28};
		DpSmooth smooth = prepare(kinds[k], 0.9, 0.001, 100);
		uint64_t counts[101] = {0};
		double probabilities[101];
		double (*below)(double, double) =
			k == 0 ? dp_rounded_cauchy_below : dp_rounded_laplace_below;
		DpScale scale = dp_smooth_scale(
			&smooth, dp_smooth_index(&smooth, values, 7, 0, 100));
		double s = (double) scale.numerator / (double) scale.denominator;
		int i;

		for (i = 0; i < draws; i++)
		{
			DpPoints points = dp_points_of_array(values, 7);
			int64_t result = -1;

			if (dp_smooth_draw_points(random, &smooth, &points, 0, 100,
									  &result) == DP_OK &&
				result >= 0 && result <= 100)
				counts[result]++;
		}
		for (i = 0; i <= 100; i++)
			probabilities[i] = (i == 100 ? 1 : below(s, i - 30)) -
							   (i == 0 ? 0 : below(s, i - 31));
		fits(counts, probabilities, 101, draws, "draws of %s",
			 dp_mechanism_name(kinds[k]));
	}
}

static void
test_parameters(void)
{
	DpMechanismChoice choice = {.mechanism = DP_SMOOTH_LAPLACE};
	DpContribution row = dp_contribution_of_row(DP_ADD_REMOVE);
	DpContribution rows = {DP_ADD_REMOVE, 5, 0};
	DpContribution groups = {DP_ADD_REMOVE, 1, 4};
	DpSmooth smooth;
	DpSmooth one;

	is_int(dp_smooth_init(&smooth, &choice, epsilon_of(1), 10, row),
		   DP_PARAMETER_OUT_OF_RANGE, "no delta");
	choice.mechanism = DP_LAPLACE;
	is_int(dp_smooth_init(&smooth, &choice, epsilon_of(1), 10, row),
		   DP_MECHANISM_NOT_APPLICABLE, "another mechanism");
	choice.mechanism = DP_SMOOTH_CAUCHY;
	is_int(dp_smooth_init(&smooth, &choice, (DpEpsilon){2}, 10, row),
		   DP_EPSILON_OUT_OF_RANGE, "an epsilon that cannot be shared");

	smooth = prepare_for(DP_SMOOTH_CAUCHY, DP_CONSTANTS_TIGHT, 2, 0, 10, rows);
	one = prepare(DP_SMOOTH_CAUCHY, 0.4, 0, 10);
	ok(smooth.alpha == one.alpha && smooth.beta == one.beta,
	   "five rows of a unit: a fifth of epsilon");
	smooth =
		prepare_for(DP_SMOOTH_LAPLACE, DP_CONSTANTS_TIGHT, 2, 1e-3, 10, groups);
	one = prepare(DP_SMOOTH_LAPLACE, 0.5, 1e-3 / 4, 10);
	ok(smooth.alpha == one.alpha && smooth.beta == one.beta,
	   "four groups: a quarter of epsilon and of delta");
	smooth =
		prepare_for(DP_SMOOTH_LAPLACE, DP_CONSTANTS_TIGHT, 2, 1e-3, 10, rows);
	one = prepare(DP_SMOOTH_LAPLACE, 0.4, 1e-3 / 5, 10);
	ok(smooth.alpha == one.alpha && smooth.beta < one.beta,
	   "five rows: less than a fifth of delta");
	ok(prepare(DP_SMOOTH_LAPLACE, 1, 1e-3, 10).beta >
		   prepare_for(DP_SMOOTH_LAPLACE, DP_CONSTANTS_NRS, 1, 1e-3, 10, row)
			   .beta,
	   "the tight beta is greater than the published one");
}

int
main(void)
{
	test_definition();
	test_smoothness();
	test_lattice();
	test_privacy();
	test_rho();
	test_draws();
	test_parameters();
	return done_testing();
}
