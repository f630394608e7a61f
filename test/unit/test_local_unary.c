/*
 * test_local_unary.c
 *		Values as bits: coins, and privacy by enumeration of all reports.
 */
#include <math.h>
#include <stdlib.h>

#include "local/estimate.h"
#include "local/unary.h"
#include "support/big.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

#define BITS 4

static TestRandom source;

static const double epsilons[] = {DP_EPSILON_MIN, 0.1, 0.5, 1, 2, 4, 6};
#define EPSILONS (sizeof(epsilons) / sizeof(epsilons[0]))

/* P(report) of a value, BITS for one without a bit. */
static double
probability(const DpReportLaw *law, int value, unsigned report)
{
	double result = 1;
	int i;

	for (i = 0; i < BITS; i++)
	{
		double one = i == value ? law->p : law->q;

		result *= report >> i & 1 ? one : 1 - one;
	}
	return result;
}

/* The logarithm of the greatest ratio over all values and reports. */
static double
loss_of(const DpReportLaw *law)
{
	double loss = 0;
	unsigned report;
	int v;
	int w;

	for (report = 0; report < 1u << BITS; report++)
	{
		for (v = 0; v <= BITS; v++)
		{
			for (w = 0; w <= BITS; w++)
				loss = fmax(loss, log(probability(law, v, report) /
									  probability(law, w, report)));
		}
	}
	return loss;
}

static void
test_privacy(void)
{
	size_t i;
	size_t j;
	int encoding;

	for (encoding = 0; encoding < 2; encoding++)
	{
		for (i = 0; i < EPSILONS; i++)
		{
			DpReportLaw law = dp_report_law_of_bits((DpEncoding) encoding,
													epsilon_of(epsilons[i]));

			is_double(loss_of(&law),
					  dp_epsilon_to_double(epsilon_of(epsilons[i])), 1e-12,
					  "%s bits, epsilon %g",
					  encoding == DP_ENCODING_OPTIMAL ? "optimal" : "symmetric",
					  epsilons[i]);
		}
	}

	/* a report of a stored response: at most its own epsilon, nearly all */
	for (i = 1; i < EPSILONS; i++)
	{
		for (j = 0; j < i; j++)
		{
			DpUnaryReport report;
			DpReportLaw law;
			double loss;

			if (dp_unary_report_init(&report, epsilon_of(epsilons[i]),
									 epsilon_of(epsilons[j])) != DP_OK)
				abort();
			law = dp_report_law_of_reports(epsilon_of(epsilons[i]), &report);
			loss = loss_of(&law);
			ok(loss <= dp_epsilon_to_double(epsilon_of(epsilons[j])) + 1e-13 &&
				   loss > dp_epsilon_to_double(epsilon_of(epsilons[j])) - 2e-7,
			   "report of epsilon %g of a response of %g: %.9g", epsilons[j],
			   epsilons[i], loss);
		}
	}
}

/*
 * flips / 2^32 is 1-q' = (x-y) / ((1+x)(1-y)), rounded up by less than a unit:
 * flips (1+x)(1-y) >= 2^32 (x-y) > (flips-1) (1+x)(1-y), by other enclosures.
 */
static void
test_flips(void)
{
	size_t i;
	size_t j;

	for (i = 1; i < EPSILONS; i++)
	{
		for (j = 0; j < i; j++)
		{
			DpUnaryReport report;
			Big *x[2];
			Big *y[2];
			Big *one;
			Big *needed;
			Big *unit[2];

			if (dp_unary_report_init(&report, epsilon_of(epsilons[i]),
									 epsilon_of(epsilons[j])) != DP_OK)
				abort();
			big_begin();
			one = big_shift(big_of(1), 256);
			big_exp(big_of(epsilon_of(epsilons[j]).ticks),
					big_of(2 * DP_EPSILON_ONE), 256, &x[0], &x[1]);
			big_exp(big_of(epsilon_of(epsilons[i]).ticks),
					big_of(2 * DP_EPSILON_ONE), 256, &y[0], &y[1]);
			needed = big_shift(big_difference(x[1], y[0]), 32 + 256);
			unit[0] =
				big_product(big_sum(one, x[0]), big_difference(one, y[1]));
			unit[1] =
				big_product(big_sum(one, x[1]), big_difference(one, y[0]));
			ok(big_at_most(needed,
						   big_product(big_of(report.flips), unit[0])) &&
				   big_at_most(big_product(big_of(report.flips - 1), unit[1]),
							   needed) &&
				   report.flips < DP_UNARY_REPORT_ONE / 2,
			   "flips of %g of %g", epsilons[j], epsilons[i]);
			big_end();
		}
	}
}

/* Published and recomputed numbers. */
static void
test_values(void)
{
	static const struct
	{
		double epsilon;
		double report;
		double f;
		double kept;
	} pairs[] = {{2, 1, 0.53788284, 0.76499629},
				 {4, 1, 0.23840584, 0.66079342},
				 {1, 0.5, 0.75508134, 0.75386592}};
	size_t i;

	for (i = 0; i < 3; i++)
	{
		DpUnaryReport report;
		DpReportLaw law = dp_report_law_of_bits(DP_ENCODING_SYMMETRIC,
												epsilon_of(pairs[i].epsilon));

		is_double(2 * law.q, pairs[i].f, 5e-9, "f of %g", pairs[i].epsilon);
		dp_unary_report_init(&report, epsilon_of(pairs[i].epsilon),
							 epsilon_of(pairs[i].report));
		is_double(1 - ldexp((double) report.flips, -32), pairs[i].kept, 5e-9,
				  "kept in reports of %g of %g", pairs[i].report,
				  pairs[i].epsilon);
	}
}

static void
test_draws(void)
{
	DpRandom *random = random_seeded(&source, 802);
	const int draws = 200000;
	int encoding;
	int bit;
	size_t i;

	for (i = 0; i < EPSILONS; i++)
	{
		for (encoding = 0; encoding < 2; encoding++)
		{
			DpReportLaw law = dp_report_law_of_bits((DpEncoding) encoding,
													epsilon_of(epsilons[i]));

			for (bit = 0; bit < 2; bit++)
			{
				uint64_t count = 0;
				bool report;
				int n;

				for (n = 0; n < draws; n++)
				{
					if (dp_unary_draw(random, (DpEncoding) encoding,
									  epsilon_of(epsilons[i]), bit,
									  &report) != DP_OK)
						abort();
					count += report;
				}
				fits_coin(count, bit ? law.p : law.q, (uint64_t) draws,
						  "encoding %d, epsilon %g, bit %d", encoding,
						  epsilons[i], bit);
			}
		}
	}
	for (i = 0; i < 3; i++)
	{
		DpUnaryReport report;
		DpReportLaw law;
		uint64_t count = 0;
		int n;

		if (dp_unary_report_init(&report, epsilon_of(2),
								 epsilon_of(epsilons[i + 1])) != DP_OK)
			abort();
		law = dp_report_law_of_reports(epsilon_of(2), &report);
		for (n = 0; n < draws; n++)
		{
			bool stored;
			bool result;

			if (dp_unary_draw(random, DP_ENCODING_SYMMETRIC, epsilon_of(2),
							  true, &stored) != DP_OK ||
				dp_unary_report_draw(random, &report, stored, &result) != DP_OK)
				abort();
			count += result;
		}
		fits_coin(count, law.p, (uint64_t) draws, "reports of epsilon %g",
				  epsilons[i + 1]);
	}
}

static void
test_edges(void)
{
	DpUnaryReport report;
	bool bit;
	int encoding;

	ok(dp_unary_report_init(&report, epsilon_of(1), epsilon_of(1)) ==
		   DP_PARAMETER_OUT_OF_RANGE,
	   "a report of as much as the response");
	ok(dp_unary_report_init(&report, epsilon_of(1), epsilon_of(2)) ==
		   DP_PARAMETER_OUT_OF_RANGE,
	   "of more");
	ok(dp_unary_report_init(&report, epsilon_of(1000000), epsilon_of(999999)) ==
			   DP_OK &&
		   report.flips == 1,
	   "of very much: still a flip");
	for (encoding = 0; encoding < 2; encoding++)
		ok(dp_unary_draw(random_failing_after(&source, 1, 0),
						 (DpEncoding) encoding, epsilon_of(1), true,
						 &bit) == DP_RANDOM_FAILED,
		   "no words");
	ok(dp_unary_report_draw(random_failing_after(&source, 1, 0), &report, true,
							&bit) == DP_RANDOM_FAILED,
	   "no words for a report");
}

int
main(void)
{
	test_privacy();
	test_flips();
	test_values();
	test_draws();
	test_edges();
	return done_testing();
}
