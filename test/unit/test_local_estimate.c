/*
 * test_local_estimate.c
 *		Estimates from reports: unbiased, and their standard errors, by
 *		enumeration; numbers that were computed elsewhere.
 */
#include <math.h>

#include "local/estimate.h"
#include "support/epsilon.h"
#include "support/tap.h"

static void
test_values(void)
{
	static const struct
	{
		double epsilon;
		uint32_t values;
		double p;
		double q;
		double none;
		double half;
	} cases[] = {
		{1, 2, .73105858, .26894142, .92067359, .92067359},
		{1, 10, .23196932, .08533674, 3.63024869, 5.95815552},
		{2, 10, .45085306, .06101633, .37699760, 1.00306817},
	};
	size_t i;
	DpReportLaw law;
	DpUnaryReport report = {DP_UNARY_REPORT_ONE / 4};

	for (i = 0; i < 3; i++)
	{
		law = dp_report_law_of_response(epsilon_of(cases[i].epsilon),
										cases[i].values);
		is_double(law.p, cases[i].p, 5e-9, "p, case %zu", i);
		is_double(law.q, cases[i].q, 5e-9, "q, case %zu", i);
		is_double(law.difference, law.p - law.q, 1e-15, "p-q, case %zu", i);
		is_double(dp_estimate_variance(&law, 0), cases[i].none, 5e-9,
				  "variance where nobody has the value, case %zu", i);
		is_double(dp_estimate_variance(&law, 0.5), cases[i].half, 5e-9,
				  "where half of all do, case %zu", i);
	}

	/* the epsilon next below ln 3 is off by less than 10^-6 */
	law = dp_report_law_of_response(epsilon_of(log(3)), 4);
	is_double(law.p, 0.5, 1e-6, "p of ln 3");
	is_double(law.q, 1.0 / 6, 1e-6, "q of ln 3");
	is_double(dp_estimate_variance(&law, 0), 1.25, 1e-5, "variance of ln 3");
	is_double(dp_estimate_variance(&law, 0.5), 1.75, 1e-5, "and of half");

	law = dp_report_law_of_bits(DP_ENCODING_OPTIMAL, epsilon_of(1));
	is_double(dp_estimate_variance(&law, 0), 3.68269438, 5e-9, "optimal, 1");
	law = dp_report_law_of_bits(DP_ENCODING_OPTIMAL, epsilon_of(2));
	is_double(dp_estimate_variance(&law, 0), .72406166, 5e-9, "optimal, 2");
	law = dp_report_law_of_bits(DP_ENCODING_SYMMETRIC, epsilon_of(1));
	is_double(dp_estimate_variance(&law, 0), 3.91769809, 5e-9, "symmetric, 1");
	law = dp_report_law_of_bits(DP_ENCODING_SYMMETRIC, epsilon_of(2));
	is_double(dp_estimate_variance(&law, 0), .92067359, 5e-9, "symmetric, 2");

	/* f = 1/2, a quarter of the stored bits flipped */
	law = dp_report_law_of_reports(epsilon_of(2 * log(3)), &report);
	is_double(law.p, .625, 1e-6, "p of reports");
	is_double(law.q, .375, 1e-6, "q of reports");
	is_double(2 * log(law.p / law.q), 1.02165125, 1e-6, "and their epsilon");
}

/*
 * All reports about n values of 0 .. 2: the law of randomised response gives
 * each sequence its probability.
 */
#define ROWS 6
#define SEQUENCES 729

static void
test_moments(void)
{
	static const int truths[][ROWS] = {{0, 0, 0, 0, 0, 0},
									   {0, 1, 2, 0, 1, 2},
									   {1, 1, 1, 1, 1, 0},
									   {2, 2, 1, 2, 2, 1}};
	static const double epsilons[] = {0.001, 0.3, 1, 3};
	size_t t;
	size_t e;
	int s;
	int i;

	for (e = 0; e < 4; e++)
	{
		DpReportLaw law = dp_report_law_of_response(epsilon_of(epsilons[e]), 3);

		for (t = 0; t < 4; t++)
		{
			double holders = 0;
			double mean = 0;
			double square = 0;
			double errors = 0;
			double variance;
			bool finite = true;

			for (i = 0; i < ROWS; i++)
				holders += truths[t][i] == 0;
			for (s = 0; s < SEQUENCES; s++)
			{
				double probability = 1;
				double reports = 0;
				DpEstimate estimate;
				int rest = s;

				for (i = 0; i < ROWS; i++, rest /= 3)
				{
					probability *= rest % 3 == truths[t][i] ? law.p : law.q;
					reports += rest % 3 == 0;
				}
				estimate = dp_estimate_of(&law, reports, ROWS);
				mean += probability * estimate.count;
				square += probability * (estimate.count - holders) *
						  (estimate.count - holders);
				errors += probability * estimate.standard_error *
						  estimate.standard_error;
				finite = finite && isfinite(estimate.standard_error);
			}
			variance = ROWS * dp_estimate_variance(&law, holders / ROWS);
			is_double(mean, holders, 1e-9 * (1 + variance),
					  "mean, epsilon %g, data %zu", epsilons[e], t);
			is_double(square, variance, 1e-9 * variance, "variance");
			is_double(errors, variance, 1e-9 * variance,
					  "and what standard errors say of it");
			ok(finite, "they are numbers");
		}
	}
}

int
main(void)
{
	test_values();
	test_moments();
	return done_testing();
}
