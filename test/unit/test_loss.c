/*
 * test_loss.c
 *		Laws of noise and of answers to counts, losses, and remaps: against the
 *		closed forms of the papers, against sums over the samplers' own laws, and
 *		against every other guess.
 */
#include <math.h>
#include <stddef.h>

#include "support/tap.h"
#include "planning/remap.h"

#define N 10

static const char *const mechanisms[] = {
	"laplace",
	"truncated_laplace",
	"geometric",
	"truncated_geometric",
	"geometric(quantum=3)",
	"truncated_geometric(quantum=4)",
	"staircase",
	"staircase(cost=l2)",
	"truncated_staircase(gamma=0.3)",
	"discrete_staircase(r=1)",
	"gaussian(delta=0.01)",
	"two_stage(levels=3)",
	"two_stage(levels=8)",
};

#define MECHANISMS (sizeof(mechanisms) / sizeof(mechanisms[0]))

static const double priors[][N + 1] = {
	{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	{512, 256, 128, 64, 32, 16, 8, 4, 2, 1, 0.5},
	{0, 0, 1, 0, 0, 0, 0, 0, 1, 3, 0},
	{0.3, 7, 0.01, 2, 0, 11, 5, 1e-9, 3, 1, 1e3},
};

#define PRIORS (sizeof(priors) / sizeof(priors[0]))

static DpCountLaw
law_of(const char *text, double epsilon, double sensitivity)
{
	DpMechanismChoice choice;
	DpCountLaw law = {0};

	if (dp_mechanism_parse(text, &choice) != DP_MECHANISM_VALID ||
		dp_count_law_init(&law, &choice, epsilon, sensitivity, N) != DP_OK)
		diag("%s could not be prepared", text);
	return law;
}

static double
bayes(const char *text, double epsilon, DpLoss loss, const double *prior)
{
	DpCountLaw law = law_of(text, epsilon, 1);
	double result = NAN;

	(void) dp_loss_bayes(&law, loss, prior, &result);
	return result;
}

static double
worst(const char *text, double epsilon, DpLoss loss)
{
	DpCountLaw law = law_of(text, epsilon, 1);
	double result = NAN;

	(void) dp_loss_worst(&law, loss, &result);
	return result;
}

static double
remapped(const char *text, double epsilon, DpLoss loss, const double *prior)
{
	DpCountLaw law = law_of(text, epsilon, 1);
	double result = NAN;

	(void) dp_remap_loss(&law, loss, prior, &result);
	return result;
}

/* Chen, Pal, Golubchik (13), (14), (15); section 5's optimum of a count. */
static void
test_published(void)
{
	static const double epsilons[] = {0.1, 0.5, 1, 2, 5, 10};
	size_t i;

	for (i = 0; i < sizeof(epsilons) / sizeof(epsilons[0]); i++)
	{
		double e = epsilons[i];
		double a = exp(-e);
		double root = sqrt(a);
		double part = 1 - (1 - root) * (1 - root) / 2;

		is_double(worst("geometric", e, DP_LOSS_ABSOLUTE) /
					  (2 * a / (1 - a * a)),
				  1, 1e-12, "(13) at epsilon %g", e);
		is_double(worst("laplace", e, DP_LOSS_ABSOLUTE) / (root / (1 - a)), 1,
				  1e-9, "(14) at epsilon %g", e);

		/* gamma is found to about 8 digits, as the loss is flat there */
		is_double(worst("staircase", e, DP_LOSS_ABSOLUTE) /
					  (part * root / (1 - a)),
				  1, 1e-7, "(15) at epsilon %g", e);
	}
	is_double(worst("geometric", 1, DP_LOSS_SQUARED), 1.841347188, 1e-9,
			  "E X^2 of geometric noise");
	is_double(worst("geometric", 1, DP_LOSS_BINARY), 1 - tanh(0.5), 1e-15,
			  "P(X <> 0) of geometric noise");
	is_double(worst("geometric", 40, DP_LOSS_BINARY) / (2 * exp(-40)), 1, 1e-12,
			  "a small P(X <> 0), to all digits");
	is_double(worst("truncated_geometric", 1, DP_LOSS_ABSOLUTE), 0.84518469,
			  5e-9, "worst case of the truncated geometric mechanism");
	is_double(remapped("geometric", 1, DP_LOSS_ABSOLUTE, priors[0]), 0.72854448,
			  5e-9, "the Bayesian optimum");
}

/* Wide noise: where sums end and closed forms take over. */
static void
test_wide(void)
{
	double e = 1.5e-5;
	double just = worst("laplace", e, DP_LOSS_SQUARED);
	double wider = worst("laplace", e / 2, DP_LOSS_SQUARED);

	is_double(just / (2 / (e * e)), 1, 1e-9, "E X^2, summed");
	is_double(wider / (8 / (e * e)), 1, 1e-9, "E X^2, in closed form");
	is_double(worst("laplace", e, DP_LOSS_ABSOLUTE) * e, 1, 1e-9,
			  "E|X|, summed");
	is_double(worst("staircase", e, DP_LOSS_ABSOLUTE) * e, 1, 1e-9,
			  "E|X| of a staircase, summed");
	is_double(worst("laplace", 1e6, DP_LOSS_ABSOLUTE), 0, 0, "no noise");
	is_double(worst("staircase", 1e6, DP_LOSS_SQUARED), 0, 1e-200,
			  "no noise by a staircase");
}

/* The probabilities of all positions, over as many as there are. */
static void
test_total(const char *text, double epsilon, double sensitivity)
{
	DpCountLaw law = law_of(text, epsilon, sensitivity);
	int low = law.clamped ? 0 : -2000;
	int high = law.clamped ? law.last : 2000;
	bool one = true;
	bool tables = true;
	DpCountTable table;
	int x;
	int i;

	(void) dp_count_table_init(&table, &law, high + N - low);
	for (x = 0; x <= N; x++)
	{
		int start = (int) dp_count_law_start(&law, x);
		double sum = 0;

		for (i = low; i <= high; i++)
		{
			double p = exp(dp_count_law_log_pmf(&law, x, i));

			sum += p;
			tables = tables && fabs(p - dp_count_table_pmf(&table, &law, start,
														   i)) <= 1e-15;
		}
		one = one && fabs(sum - 1) < 1e-10;
	}
	dp_count_table_free(&table);
	ok(one, "%s, epsilon %g, sensitivity %g: probabilities add up to 1", text,
	   epsilon, sensitivity);
	ok(tables, "%s, epsilon %g, sensitivity %g: tables hold them", text,
	   epsilon, sensitivity);
}

/* No position tells two counts apart by more than epsilon allows. */
static void
test_private(const char *text, double sensitivity)
{
	DpCountLaw law = law_of(text, 0.7, sensitivity);
	int low = law.clamped ? 0 : -60;
	int high = law.clamped ? law.last : 60;
	double greatest = 0;
	int x;
	int y;
	int i;

	/* which is never pure */
	if (law.noise.mechanism == DP_GAUSSIAN)
		return;
	for (x = 0; x <= N; x++)
		for (y = x; y <= N && y - x <= sensitivity; y++)
			for (i = low; i <= high; i++)
				greatest =
					fmax(greatest, fabs(dp_count_law_log_pmf(&law, x, i) -
										dp_count_law_log_pmf(&law, y, i)));
	ok(greatest <= 0.7 * (1 + 1e-9) && greatest > 0.5,
	   "%s, sensitivity %g: counts are told apart by %g at most", text,
	   sensitivity, greatest);
}

/* Losses from the law itself, one answer after the other. */
static void
test_sums(const char *text, DpLoss loss)
{
	DpCountLaw law = law_of(text, 0.4, 1);
	int low = law.clamped ? 0 : -400;
	int high = law.clamped ? law.last : 400;
	double greatest = 0;
	double sum = 0;
	double total = 0;
	int x;
	int i;

	for (x = 0; x <= N; x++)
	{
		double here = 0;

		for (i = low; i <= high; i++)
			here += exp(dp_count_law_log_pmf(&law, x, i)) *
					dp_loss_between(loss, dp_count_law_value(&law, i), x);
		greatest = fmax(greatest, here);
		sum += priors[3][x] * here;
		total += priors[3][x];
	}
	is_double(worst(text, 0.4, loss) / greatest, 1, 1e-9,
			  "%s, loss %d: worst case", text, (int) loss);
	is_double(bayes(text, 0.4, loss, priors[3]) / (sum / total), 1, 1e-9,
			  "%s, loss %d: with a prior", text, (int) loss);
}

/*
 * A remapped answer's loss against that of every other guess, halves too; and
 * the sum over answers against dp_remap_loss.
 */
static void
test_best(const char *text, DpLoss loss, const double *prior)
{
	DpCountLaw law = law_of(text, 0.8, 1);
	int low = law.clamped ? 0 : -150;
	int high = law.clamped ? law.last : 150;
	bool best = true;
	double sum = 0;
	double total = 0;
	int i;
	int x;
	int half;

	for (x = 0; x <= N; x++)
		total += prior[x];
	for (i = low; i <= high; i++)
	{
		double guess = NAN;
		double here = 0;

		(void) dp_remap_answer(&law, loss, prior, dp_count_law_value(&law, i),
							   &guess);
		for (x = 0; x <= N; x++)
			here += prior[x] / total * exp(dp_count_law_log_pmf(&law, x, i)) *
					dp_loss_between(loss, guess, x);
		for (half = 0; half <= 2 * N; half++)
		{
			double other = 0;

			for (x = 0; x <= N; x++)
				other += prior[x] / total *
						 exp(dp_count_law_log_pmf(&law, x, i)) *
						 dp_loss_between(loss, half / 2.0, x);
			best = best && here <= other * (1 + 1e-9);
		}
		sum += here;
	}
	ok(best, "%s, loss %d: no other guess is better", text, (int) loss);
	is_double(remapped(text, 0.8, loss, prior) / sum, 1, 1e-9,
			  "%s, loss %d: what is left", text, (int) loss);
	ok(remapped(text, 0.8, loss, prior) <=
		   bayes(text, 0.8, loss, prior) * (1 + 1e-12),
	   "%s, loss %d: remapping does no harm", text, (int) loss);
}

/* The universally optimal mechanism: none with the same epsilon is better. */
static void
test_geometric_is_best(void)
{
	size_t m;
	size_t p;
	int loss;

	for (m = 0; m < MECHANISMS; m++)
	{
		DpCountLaw law = law_of(mechanisms[m], 0.8, 1);
		bool best = true;

		/* which has another guarantee */
		if (law.noise.mechanism == DP_GAUSSIAN)
			continue;
		for (p = 0; p < PRIORS; p++)
			for (loss = 0; loss < 3; loss++)
				best =
					best &&
					remapped("geometric", 0.8, (DpLoss) loss, priors[p]) <=
						remapped(mechanisms[m], 0.8, (DpLoss) loss, priors[p]) *
							(1 + 1e-9);
		ok(best, "no prior and no loss for which %s is better than geometric",
		   mechanisms[m]);
	}
}

static double
remap_one(const char *text, double epsilon, DpLoss loss, const double *prior,
		  double answer)
{
	DpCountLaw law = law_of(text, epsilon, 1);
	double guess = NAN;

	(void) dp_remap_answer(&law, loss, prior, answer, &guess);
	return guess;
}

static void
test_guesses(void)
{
	static const double ends[N + 1] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

	is_double(remap_one("geometric", 1, DP_LOSS_ABSOLUTE, priors[0], -1e300), 0,
			  0, "an answer far below");
	is_double(remap_one("gaussian(delta=0.01)", 1, DP_LOSS_ABSOLUTE, priors[0],
						1e300),
			  N, 0, "an answer far above");
	is_double(remap_one("staircase", 1e6, DP_LOSS_SQUARED, priors[0], 3.4), 3,
			  1e-12, "hardly any noise, and an answer that is no count");
	is_double(remap_one("geometric", 0.001, DP_LOSS_BINARY, priors[3], 0), N, 0,
			  "hardly any information: the prior's mode");
	is_double(remap_one("geometric", 1, DP_LOSS_ABSOLUTE, ends, 5), 0, 0,
			  "of two counts that are equally likely, the lower");
	is_double(remap_one("geometric", 1, DP_LOSS_SQUARED, ends, 5), 5, 1e-12,
			  "their mean");
	is_double(remap_one("laplace", 20, DP_LOSS_BINARY, ends, 6), N, 0,
			  "the nearer of two counts");
	is_double(
		remap_one("two_stage(levels=3)", 5, DP_LOSS_ABSOLUTE, priors[0], 5.1),
		5, 0, "an answer between two levels");
}

static void
test_levels(void)
{
	DpCountLaw law = law_of("two_stage(levels=3)", 1, N);
	DpCountLaw quantum = law_of("truncated_geometric(quantum=4)", 1, 1);

	is_double(dp_count_law_start(&law, 2), 0, 0, "2 of 10 is the lowest level");
	is_double(dp_count_law_start(&law, 3), 1, 0, "3 of 10 is the middle one");
	is_double(dp_count_law_value(&law, 2), N, 0, "the greatest level is n");
	is_double(law.noise.width, 2, 0, "all levels within a sensitivity of n");
	is_double(dp_count_law_start(&quantum, 2), 1, 0, "2 is rounded up to 4");
	is_double(dp_count_law_value(&quantum, 3), N, 0, "12 is clamped to 10");
	is_double(dp_count_law_position(&quantum, 9), 3, 0, "9 is as near to 10");
	is_double(dp_count_law_position(&quantum, 8.9), 2, 0, "8.9 is nearer to 8");
}

static void
test_errors(void)
{
	DpMechanismChoice geometric = {.mechanism = DP_GEOMETRIC};
	DpMechanismChoice exponential = {.mechanism = DP_EXPONENTIAL};
	DpCountLaw law;
	DpLoss loss;

	ok(dp_count_law_init(&law, &geometric, 1, 1.5, N) ==
		   DP_SENSITIVITY_OUT_OF_RANGE,
	   "whole noise of a sensitivity that is not");
	ok(dp_count_law_init(&law, &geometric, 1, NAN, N) ==
		   DP_SENSITIVITY_OUT_OF_RANGE,
	   "no sensitivity");
	ok(dp_count_law_init(&law, &geometric, 0, 1, N) == DP_EPSILON_OUT_OF_RANGE,
	   "no epsilon");
	ok(dp_count_law_init(&law, &exponential, 1, 1, N) ==
		   DP_MECHANISM_NOT_APPLICABLE,
	   "no noise");
	ok(dp_loss_parse("squared", &loss) && loss == DP_LOSS_SQUARED &&
		   !dp_loss_parse("Squared", &loss) && !dp_loss_parse("", &loss),
	   "names of losses");
	law = law_of("laplace", 1e-6, 1);
	ok(dp_remap_answers(&law) > DP_REMAP_MAX, "noise that is too wide");
	law = law_of("geometric", 1e-6, 1);
	is_int(dp_remap_answers(&law), N + 1, "whose ends tell nothing more");
}

int
main(void)
{
	size_t m;
	int loss;

	test_published();
	test_wide();
	for (m = 0; m < MECHANISMS; m++)
	{
		test_total(mechanisms[m], 0.3, 1);
		test_total(mechanisms[m], 3, 2);
		test_private(mechanisms[m], 1);
		for (loss = 0; loss < 3; loss++)
		{
			test_sums(mechanisms[m], (DpLoss) loss);
			test_best(mechanisms[m], (DpLoss) loss, priors[m % PRIORS]);
		}
	}
	test_private("discrete_staircase", 4);
	test_private("staircase", 3);
	test_private("two_stage(levels=6)", 4);
	test_geometric_is_best();
	test_guesses();
	test_levels();
	test_errors();
	return done_testing();
}
