/*
 * test_gaussian_threshold.c
 *		Thresholds for Gaussian counts of groups.
 */
#include <math.h>

#include "mechanisms/expected_error.h"
#include "mechanisms/gaussian_threshold.h"
#include "mechanisms/group_threshold.h"
#include "support/data_sets.h"
#include "support/epsilon.h"
#include "support/tap.h"

static int64_t
threshold_of(double epsilon, double delta, uint64_t greatest,
			 DpContribution contribution, double *sigma)
{
	DpSigma found = {0, 1};
	int64_t threshold = -1;

	if (dp_gaussian_threshold(epsilon_of(epsilon), (dp_int128) (delta * 1e24),
							  greatest, contribution, &found,
							  &threshold) != DP_OK)
		return -1;
	*sigma = dp_sigma_to_double(found);
	return threshold;
}

/* At delta 1e-6, units that count once. */
static void
test_known(void)
{
	static const struct
	{
		double epsilon;
		uint32_t groups;
		double sigma;
		int64_t threshold;
		int64_t exchanged;
	} known[] = {{1, 1, 4.2310, 22, 30},	  {1, 2, 5.9773, 31, 43},
				 {1, 3, 7.3146, 38, 53},	  {1, 4, 8.4511, 44, 62},
				 {1, 5, 9.4474, 50, 70},	  {1, 20, 18.8946, 103, 144},
				 {1, 100, 42.2500, 239, 337}, {.1, 1, 36.3, 175, 246},
				 {.1, 4, 72.6, 367, 518}};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		DpContribution contribution = {DP_ADD_REMOVE, 1, known[i].groups};
		double precision = known[i].epsilon < 1 ? 1e-2 : 1e-4;
		double sigma = 0;
		int64_t found =
			threshold_of(known[i].epsilon, 1e-6, 1, contribution, &sigma);

		is_int(found, known[i].threshold,
			   "the threshold of %u groups at epsilon %g", known[i].groups,
			   known[i].epsilon);
		is_double(sigma / known[i].sigma, 1, precision, "and its noise");

		contribution.neighbours = DP_SUBSTITUTE;
		found = threshold_of(known[i].epsilon, 1e-6, 1, contribution, &sigma);
		is_int(found, known[i].exchanged, "that of units that are exchanged");
		is_double(sigma / known[i].sigma, sqrt(2), 20 * precision,
				  "and its noise");
	}
}

/* P(y) of the noise, P(Y >= k). */
static double
tail_of(double sigma, int64_t k)
{
	double sum = 0;
	int64_t y;

	for (y = k; y < 60 * sigma; y++)
		sum += dp_discrete_gaussian_pmf(sigma, (double) y);
	return sum;
}

/*
 * One unit in one group: what is shown of it, and its noisy count if so, under
 * both tables, summed up. Alone it is shown from the threshold on; with others in
 * the group it changes their count by 1.
 */
static void
test_by_sums(void)
{
	static const double epsilons[] = {0.5, 1, 3};
	static const double deltas[] = {1e-6, 1e-3, 0.1};
	DpContribution contribution = {DP_ADD_REMOVE, 1, 1};
	size_t e;
	size_t d;

	for (e = 0; e < 3; e++)
		for (d = 0; d < 3; d++)
		{
			double sigma = 0;
			int64_t t =
				threshold_of(epsilons[e], deltas[d], 1, contribution, &sigma);
			double more = 0;
			double less = 0;
			double ratio = exp(epsilons[e]);
			double hidden;
			int64_t y;

			ok(tail_of(sigma, t - 1) <= deltas[d],
			   "alone it is shown with delta at most, %g, %g", epsilons[e],
			   deltas[d]);
			ok(1 - ratio * (1 - tail_of(sigma, t - 1)) <= deltas[d],
			   "and not missed with more");

			/* a group of t units, or of t - 1 without it */
			for (y = t; y < t + 60 * sigma; y++)
			{
				double with = dp_discrete_gaussian_pmf(sigma, (double) (y - t));
				double without =
					dp_discrete_gaussian_pmf(sigma, (double) (y - t + 1));

				more += fmax(0, with - ratio * without);
				less += fmax(0, without - ratio * with);
			}
			hidden = (1 - tail_of(sigma, 0)) - ratio * (1 - tail_of(sigma, 1));
			ok(more + fmax(0, hidden) <= deltas[d] && less <= deltas[d],
			   "with others it is hidden among them");
		}
}

/*
 * The joint release, by enumeration: one unit leaves groups and another enters
 * groups, each with so many others in it.
 */
#define DRAWS 200		 /* beyond which noise is negligible */
#define OUTCOMES 800	 /* of one group */
#define PLACES 4		 /* groups of both units */
#define KINDS 7			 /* of a place */
#define NEGLIGIBLE 1e-20 /* as a probability */

/* What a group adds to the joint law: its outcomes under both data sets. */
typedef struct Group
{
	size_t outcomes;
	double before[OUTCOMES];
	double after[OUTCOMES];
} Group;

static double law_of_draws[2 * DRAWS + 1];

static double
draw_of(int64_t y)
{
	return llabs(y) > DRAWS ? 0 : law_of_draws[y + DRAWS];
}

static void
add_outcome(Group *group, double before, double after)
{
	if (before < NEGLIGIBLE && after < NEGLIGIBLE)
		return;
	group->before[group->outcomes] = before;
	group->after[group->outcomes++] = after;
}

/* Not shown at all, or with a noisy count from t on; a group of 0 is not there. */
static void
set_group(Group *group, int64_t before, int64_t after, int64_t t)
{
	int64_t least = (before < after ? before : after) - DRAWS;
	int64_t greatest = (before > after ? before : after) + DRAWS;
	double hidden[2] = {before == 0, after == 0};
	int64_t y;

	group->outcomes = 0;
	for (y = least; y <= greatest; y++)
	{
		double p = before == 0 ? 0 : draw_of(y - before);
		double q = after == 0 ? 0 : draw_of(y - after);

		if (y >= t)
			add_outcome(group, p, q);
		else
		{
			hidden[0] += p;
			hidden[1] += q;
		}
	}
	add_outcome(group, hidden[0], hidden[1]);
}

/* The sum of what P is above ratio Q, over all outcomes of the groups. */
static double
joint_delta(const Group *const *groups, size_t count, double p, double q,
			double ratio)
{
	double sum = 0;
	size_t i;

	if (count == 0)
		return fmax(0, p - ratio * q);
	for (i = 0; i < groups[0]->outcomes; i++)
		sum += joint_delta(groups + 1, count - 1, p * groups[0]->before[i],
						   q * groups[0]->after[i], ratio);
	return sum;
}

/*
 * The worst of all data sets where the unit that leaves is in up to m groups of
 * these kinds, and that which enters in up to `entered`; both ways are among them.
 */
static double
worst_release(double epsilon, int64_t t, uint64_t greatest, size_t left,
			  size_t entered)
{
	static Group leaves[KINDS];
	static Group enters[KINDS];
	const Group *groups[PLACES] = {NULL};
	size_t place[PLACES] = {0};
	size_t places = left + entered;
	size_t kinds = 0;
	double worst = 0;
	int64_t others[] = {0, t, t + DRAWS};
	uint64_t own;
	size_t i;

	set_group(&leaves[kinds], 0, 0, t);
	set_group(&enters[kinds++], 0, 0, t);
	for (own = 1; own <= greatest; own++)
		for (i = 0; i < 3; i++, kinds++)
		{
			int64_t all = others[i] + (int64_t) own;

			set_group(&leaves[kinds], all, others[i], t);
			set_group(&enters[kinds], others[i], all, t);
		}

	/* places of a unit in descending order of their kinds */
	for (;;)
	{
		for (i = 0; i < places; i++)
			groups[i] = i < left ? &leaves[place[i]] : &enters[place[i]];
		worst = fmax(worst, joint_delta(groups, places, 1, 1, exp(epsilon)));
		for (i = 0; i < places; i++)
		{
			size_t end =
				i == left - 1 || i == places - 1 ? kinds - 1 : place[i + 1];

			if (place[i] < end)
			{
				place[i]++;
				break;
			}
			place[i] = 0;
		}
		if (i == places)
			return worst;
	}
}

static void
test_by_enumeration(void)
{
	static const struct
	{
		double epsilon;
		double delta;
		uint64_t greatest;
		uint32_t groups;
		DpNeighbours neighbours;
	} cases[] = {
		{1, 1e-6, 1, 1, DP_SUBSTITUTE}, {.5, 1e-3, 1, 1, DP_SUBSTITUTE},
		{1, 1e-3, 2, 1, DP_SUBSTITUTE}, {3, 0.1, 2, 1, DP_SUBSTITUTE},
		{3, 0.1, 1, 2, DP_SUBSTITUTE},	{4, 0.01, 1, 2, DP_SUBSTITUTE},
		{1, 1e-6, 1, 2, DP_ADD_REMOVE}, {2, 1e-3, 2, 2, DP_ADD_REMOVE},
		{3, 0.1, 1, 3, DP_ADD_REMOVE}};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpContribution contribution = {cases[i].neighbours, 1, cases[i].groups};
		bool exchanged = cases[i].neighbours == DP_SUBSTITUTE;
		double worst[2];
		double sigma = 0;
		int64_t t = threshold_of(cases[i].epsilon, cases[i].delta,
								 cases[i].greatest, contribution, &sigma);
		int64_t y;
		size_t less;

		for (y = -DRAWS; y <= DRAWS; y++)
			law_of_draws[y + DRAWS] =
				dp_discrete_gaussian_pmf(sigma, (double) y);
		for (less = 0; less < 2; less++)
		{
			worst[less] = worst_release(cases[i].epsilon, t - (int64_t) less,
										cases[i].greatest, cases[i].groups,
										exchanged ? cases[i].groups : 0);
			if (!exchanged)
				worst[less] =
					fmax(worst[less],
						 worst_release(cases[i].epsilon, t - (int64_t) less,
									   cases[i].greatest, 0, cases[i].groups));
		}
		ok(worst[0] <= cases[i].delta,
		   "%s %u groups of %d, every mixture costs delta at most: %.6g of %g",
		   exchanged ? "exchanged in" : "in", cases[i].groups,
		   (int) cases[i].greatest, worst[0], cases[i].delta);
		ok(worst[1] > cases[i].delta, "and with a lower threshold more: %.6g",
		   worst[1]);
	}
}

/*
 * More groups: the law of the sum of n draws, which the privacy loss of n changed
 * counts follows, by convolution.
 */
#define GREATEST_SUM 2000
#define SUMS (2 * GREATEST_SUM + 1)
#define MOST_GROUPS 6

static double sums[2 * MOST_GROUPS + 1][SUMS];

static void
set_sums(double sigma, size_t most)
{
	size_t n;
	int64_t s;
	int64_t y;

	for (s = 0; s < SUMS; s++)
		sums[0][s] = s == GREATEST_SUM;
	for (y = -DRAWS; y <= DRAWS; y++)
		law_of_draws[y + DRAWS] = dp_discrete_gaussian_pmf(sigma, (double) y);
	for (n = 1; n <= most; n++)
		for (s = 0; s < SUMS; s++)
			for (sums[n][s] = 0, y = -DRAWS; y <= DRAWS; y++)
				if (s - y >= 0 && s - y < SUMS)
					sums[n][s] += sums[n - 1][s - y] * law_of_draws[y + DRAWS];
}

/*
 * Of j groups that are gone, i that are new, and n far above the threshold that
 * change by 1.
 */
static double
mixture_delta(double epsilon, double sigma, double p, size_t j, size_t i,
			  size_t n)
{
	double gone = pow(1 - p, (double) j);
	double new = pow(1 - p, (double) i);
	double sum = -expm1((double) j * log1p(-p));
	int64_t s;

	for (s = 0; s < SUMS; s++)
	{
		double loss =
			((double) n / 2 + (double) (s - GREATEST_SUM)) / (sigma * sigma);

		sum += sums[n][s] * fmax(0, gone - exp(epsilon) * new *exp(-loss));
	}
	return sum;
}

static double
worst_mixture(double epsilon, double sigma, int64_t t, size_t groups,
			  bool exchanged)
{
	double p = tail_of(sigma, t - 1);
	double worst = 0;
	size_t j;
	size_t i;

	for (j = 0; j <= groups; j++)
		for (i = 0; i <= groups; i++)
			if (exchanged || i == 0 || j == 0)
				worst = fmax(
					worst, mixture_delta(epsilon, sigma, p, j, i,
										 (exchanged ? 2 : 1) * groups - j - i));
	return worst;
}

static void
test_by_convolution(void)
{
	static const uint32_t sizes[] = {1, 2, 3, 5, MOST_GROUPS};
	static const struct
	{
		double epsilon;
		double delta;
	} costs[] = {{1, 1e-6}, {0.5, 1e-3}, {3, 0.1}, {0.1, 0.2}};
	size_t c;
	size_t k;
	int exchanged;

	for (c = 0; c < sizeof(costs) / sizeof(costs[0]); c++)
		for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
			for (exchanged = 0; exchanged < 2; exchanged++)
			{
				DpContribution contribution = {
					exchanged ? DP_SUBSTITUTE : DP_ADD_REMOVE, 1, sizes[k]};
				double sigma = 0;
				double worst;
				int64_t t = threshold_of(costs[c].epsilon, costs[c].delta, 1,
										 contribution, &sigma);

				set_sums(sigma, (exchanged ? 2 : 1) * sizes[k]);
				worst = worst_mixture(costs[c].epsilon, sigma, t, sizes[k],
									  exchanged);
				ok(worst <= costs[c].delta,
				   "%s %u groups at epsilon %g: %.6g of %g",
				   exchanged ? "exchanged in" : "in", sizes[k],
				   costs[c].epsilon, worst, costs[c].delta);
				worst = worst_mixture(costs[c].epsilon, sigma, t - 1, sizes[k],
									  exchanged);
				ok(worst > costs[c].delta, "and one lower more: %.6g", worst);
			}
}

static void
test_rules(void)
{
	DpContribution one = {DP_ADD_REMOVE, 1, 5};
	DpContribution exchanged = {DP_SUBSTITUTE, 1, 5};
	DpContribution many = {DP_ADD_REMOVE, 1, 400};
	DpSigma sigma = {20, 1};
	double first = 0;
	double second = 0;
	int64_t threshold = 0;

	ok(threshold_of(1, 1e-6, 1, one, &first) <
			   threshold_of(1, 1e-6, 1, exchanged, &second) &&
		   fabs(second / first - sqrt(2.0)) < 1e-3,
	   "units that are exchanged need more");
	is_double((double) threshold_of(1, 1e-6, 3, one, &second),
			  3.0 * (double) threshold_of(1, 1e-6, 1, one, &first), 3,
			  "counts of three three times as much");
	ok(threshold_of(1, 1e-6, 1, many, &first) < 2.1 * 239, "400 groups");

	dp_gaussian_threshold_of_rho(sigma, (dp_int128) (1e-6 * 1e24), 2, one,
								 &threshold);
	ok(5 * tail_of(20, threshold - 2) <= 1e-6 &&
		   5 * tail_of(20, threshold - 3) > 1e-6,
	   "the threshold for a rho is the least of its delta");
	is_int(dp_gaussian_threshold_of_rho(sigma, 0, 1, one, &threshold),
		   DP_PARAMETER_OUT_OF_RANGE, "there is none without delta");
	one.groups = 0;
	is_int(dp_gaussian_threshold_of_rho(sigma, 1, 1, one, &threshold),
		   DP_PARAMETER_OUT_OF_RANGE, "nor without groups");
}

/*
 * Noise that is there: its threshold is the one of that sigma, which is the least also
 * where another sigma than the calibrated one is given.
 */
static void
test_of_sigma(void)
{
	static const double times[] = {1, 1.25, 2};
	DpContribution contribution = {DP_ADD_REMOVE, 1, 3};
	DpEpsilon epsilon = epsilon_of(3);
	double sigma = 0;
	int64_t known = threshold_of(3, 0.1, 1, contribution, &sigma);
	size_t i;

	for (i = 0; i < 3; i++)
	{
		DpSigma given = {(uint64_t) (sigma * times[i] * 0x1p20), 1 << 20};
		int64_t t = 0;
		int64_t y;
		size_t less;
		double worst[2];

		is_int(dp_gaussian_threshold_of_sigma(given, epsilon,
											  (dp_int128) (0.1 * 1e24), 1,
											  contribution, &t),
			   DP_OK, "%g times the noise has a threshold", times[i]);
		ok(i == 0 ? t == known : t >= known, "which is no lower");
		for (y = -DRAWS; y <= DRAWS; y++)
			law_of_draws[y + DRAWS] =
				dp_discrete_gaussian_pmf(dp_sigma_to_double(given), (double) y);
		for (less = 0; less < 2; less++)
			worst[less] = fmax(worst_release(3, t - (int64_t) less, 1, 3, 0),
							   worst_release(3, t - (int64_t) less, 1, 0, 3));
		ok(worst[0] <= 0.1, "groups and counts cost delta at most: %.6g",
		   worst[0]);
		ok(worst[1] > 0.1, "and with a lower threshold more: %.6g", worst[1]);
	}
	is_int(dp_gaussian_threshold_of_sigma((DpSigma){1, 1 << 20}, epsilon, 1, 1,
										  contribution, &known),
		   DP_PARAMETER_OUT_OF_RANGE, "noise of too little has none");
}

/*
 * Beside geometric counts, for one epsilon and delta: thresholds, and the errors of
 * the counts, which are answers, too.
 */
static void
test_beside_geometric(void)
{
	static const struct
	{
		double epsilon;
		uint32_t groups;
		DpNeighbours neighbours;
		int64_t thresholds[2]; /* geometric, Gaussian */
		int64_t errors[2];	   /* of 95% */
	} known[] = {{1, 3, DP_ADD_REMOVE, {45, 38}, {9, 14}},
				 {1, 7, DP_ADD_REMOVE, {107, 59}, {21, 22}},
				 {1, 8, DP_ADD_REMOVE, {124, 64}, {24, 23}},
				 {1, 20, DP_ADD_REMOVE, {324, 103}, {60, 37}},
				 {1, 100, DP_ADD_REMOVE, {1775, 239}, {300, 83}},
				 {.1, 20, DP_ADD_REMOVE, {3226, 867}, {599, 318}},
				 {1, 3, DP_SUBSTITUTE, {87, 53}, {18, 20}},
				 {1, 4, DP_SUBSTITUTE, {118, 62}, {24, 23}},
				 {1, 20, DP_SUBSTITUTE, {647, 144}, {120, 52}}};
	dp_int128 delta = (dp_int128) (1e-6 * 1e24);
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		DpMechanismChoice choices[2] = {
			{.mechanism = DP_GEOMETRIC},
			{.mechanism = DP_GAUSSIAN,
			 .delta = dp_gaussian_threshold_noise_delta(delta)}};
		DpContribution contribution = {known[i].neighbours, 1, known[i].groups};
		DpEpsilon epsilon = epsilon_of(known[i].epsilon);
		DpChange change = {1, 1, 1};
		int j;

		for (j = 0; j < 2; j++)
		{
			DpNoise noise;
			DpError error = {0};
			int64_t t = 0;

			if (dp_noise_init_change(&noise, &choices[j], epsilon, &change,
									 contribution) == DP_OK)
			{
				dp_expected_error_of(&noise, known[i].epsilon, &error);
				if (j == 0)
					dp_group_threshold(&noise, 1, delta, contribution, &t);
				else
					dp_gaussian_threshold_of_sigma(noise.sigma, epsilon, delta,
												   1, contribution, &t);
			}
			is_int(t, known[i].thresholds[j], "%s: the threshold of %u groups",
				   dp_mechanism_name(noise.mechanism), known[i].groups);
			is_double(error.half_width_95, (double) known[i].errors[j], 0,
					  "and its error");
		}
	}
}

/*
 * Of a rho: a unit alone in one group, and with others in another. Which groups
 * are shown, with their noisy counts, is rho-zCDP but for the event that the first
 * one is, which has the delta of its own; the same of counts that a threshold has
 * let pass, and so that are hidden.
 */
#define LAW 400

static void
test_rho(void)
{
	static const double epsilons[] = {0.5, 1, 3};
	static const int64_t others[] = {-4, -1, 0, 3}; /* above the threshold */
	DpContribution contribution = {DP_ADD_REMOVE, 1, 2};
	size_t e;
	size_t o;

	for (e = 0; e < 3; e++)
	{
		DpMechanismChoice choice = {.mechanism = DP_AUTO, .by_rho = true};
		DpChange change = {1, 1, 1};
		DpNoise noise;
		DpRho rho = {0};
		double sigma;
		double worst = 0;
		int64_t t = 0;

		if (dp_noise_init_change(&noise, &choice, epsilon_of(epsilons[e]),
								 &change, contribution) != DP_OK ||
			noise.mechanism != DP_GAUSSIAN ||
			dp_gaussian_threshold_of_rho(noise.sigma, (dp_int128) (1e-4 * 1e24),
										 1, contribution, &t) != DP_OK)
		{
			ok(epsilons[e] > 2.5, "gaussian noise up to 2.5");
			continue;
		}
		sigma =
			(double) noise.sigma.numerator / (double) noise.sigma.denominator;
		ok(1 - pow(1 - tail_of(sigma, t - 1), 2) <= 1e-4,
		   "alone in both it is shown with delta at most");
		dp_noise_rho(&noise, 1, contribution, &rho);
		for (o = 0; o < sizeof(others) / sizeof(others[0]); o++)
		{
			double with[LAW] = {0};
			double without[LAW] = {0};
			int64_t y;

			/* hidden, then the noisy counts from the threshold on */
			for (y = -2 * LAW; y < 12 * sigma + 10; y++)
			{
				int64_t place = y < 0 ? 0 : y + 1;

				with[place] += dp_discrete_gaussian_pmf(
					sigma, (double) (y - others[o] - 1));
				without[place] +=
					dp_discrete_gaussian_pmf(sigma, (double) (y - others[o]));
			}
			worst = fmax(worst, distribution_rho(with, without,
												 (int64_t) (12 * sigma) + 10));
			worst = fmax(worst, distribution_rho(without, with,
												 (int64_t) (12 * sigma) + 10));
		}
		ok(2 * worst <= (double) rho.ticks * 1e-24 * (1 + 1e-9),
		   "and in both with others it costs the rho that it tells: %.5f of "
		   "%.5f",
		   2 * worst, (double) rho.ticks * 1e-24);
	}
}

int
main(void)
{
	test_known();
	test_by_sums();
	test_by_enumeration();
	test_by_convolution();
	test_rules();
	test_of_sigma();
	test_beside_geometric();
	test_rho();
	return done_testing();
}
