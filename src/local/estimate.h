/*
 * estimate.h
 *		Estimates of how often each value occurs, from randomised reports.
 *
 * This is post-processing in doubles: nothing here draws noise or sees true
 * values.
 *
 * A value is reported ("it is this one", or its bit is 1) with probability p if
 * it is the true one, and with q if it is not. Of n reports, c of this value,
 * (c - nq) / (p-q) is an unbiased estimate of how many of the n have it. Its
 * variance for given data, of which N have the value, is
 *
 *		(N p(1-p) + (n-N) q(1-q)) / (p-q)^2
 *			= n q(1-q) / (p-q)^2 + N (1-p-q) / (p-q),
 *
 * linear in N, so that the estimate in the place of N makes it an unbiased
 * estimate of the variance. That one is never negative: c is 0 .. n, and at the
 * ends it is n pq / (p-q)^2 and n (1-p)(1-q) / (p-q)^2.
 *
 * Estimates are not clamped to 0 .. n: sums of clamped ones are biased.
 */
#ifndef DP_LOCAL_ESTIMATE_H
#define DP_LOCAL_ESTIMATE_H

#include "local/unary.h"

typedef struct DpReportLaw
{
	double p;
	double q;
	double difference; /* p-q, to full precision */
} DpReportLaw;

/* The law of randomised response over this many values. */
extern DpReportLaw dp_report_law_of_response(DpEpsilon epsilon,
											 uint32_t values);

/* The law of the bits of a value, and of reports of stored symmetric bits. */
extern DpReportLaw dp_report_law_of_bits(DpEncoding encoding,
										 DpEpsilon epsilon);
extern DpReportLaw dp_report_law_of_reports(DpEpsilon epsilon,
											const DpUnaryReport *report);

typedef struct DpEstimate
{
	double count;
	double standard_error; /* an estimate: the root of an unbiased variance */
} DpEstimate;

/* reports: c; total: n. */
extern DpEstimate dp_estimate_of(const DpReportLaw *law, double reports,
								 double total);

/*
 * The variance of a count's estimate for each report, in data of which a share
 * (0 .. 1) has the value: for planning.
 */
extern double dp_estimate_variance(const DpReportLaw *law, double share);

#endif
