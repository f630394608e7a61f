/*
 * estimate.c
 *		Laws of reports, and estimates of counts from them.
 */
#include <math.h>

#include "local/estimate.h"

DpReportLaw
dp_report_law_of_response(DpEpsilon epsilon, uint32_t values)
{
	double e = dp_epsilon_to_double(epsilon);
	double below = 1 + (values - 1) * exp(-e);

	return (DpReportLaw){1 / below, exp(-e) / below, -expm1(-e) / below};
}

DpReportLaw
dp_report_law_of_bits(DpEncoding encoding, DpEpsilon epsilon)
{
	double e = dp_epsilon_to_double(epsilon);

	if (encoding == DP_ENCODING_SYMMETRIC)
		return (DpReportLaw){1 / (1 + exp(-e / 2)),
							 exp(-e / 2) / (1 + exp(-e / 2)), tanh(e / 4)};
	return (DpReportLaw){0.5, exp(-e) / (1 + exp(-e)), tanh(e / 2) / 2};
}

/* A bit is reported unchanged if it was flipped neither time, or both times. */
DpReportLaw
dp_report_law_of_reports(DpEpsilon epsilon, const DpUnaryReport *report)
{
	DpReportLaw stored = dp_report_law_of_bits(DP_ENCODING_SYMMETRIC, epsilon);
	double flip = (double) report->flips / (double) DP_UNARY_REPORT_ONE;

	return (DpReportLaw){stored.p * (1 - flip) + stored.q * flip,
						 stored.q * (1 - flip) + stored.p * flip,
						 stored.difference * (1 - 2 * flip)};
}

DpEstimate
dp_estimate_of(const DpReportLaw *law, double reports, double total)
{
	double d = law->difference;
	double count = (reports - total * law->q) / d;
	double variance = total * law->q * (1 - law->q) / (d * d) +
					  count * (1 - law->p - law->q) / d;

	/* where reports are noisy counts, they may be below 0 or above the total */
	return (DpEstimate){count, sqrt(fmax(variance, 0))};
}

double
dp_estimate_variance(const DpReportLaw *law, double share)
{
	double d = law->difference;

	return (share * law->p * (1 - law->p) +
			(1 - share) * law->q * (1 - law->q)) /
		   (d * d);
}
