/*
 * risk.c
 *		The bound on an adversary's posterior, and its inverse.
 */
#include <float.h>
#include <math.h>

#include "planning/risk.h"

/* Exactly the prior at epsilon 0, and never above 1. */
double
dp_disclosure_risk_of(double epsilon, double prior)
{
	return prior / (prior + (1 - prior) * exp(-epsilon));
}

/*
 * The logarithm of the ratio of the odds, risk (1-prior) / (prior (1-risk)),
 * which is 1 + (risk-prior) / (prior (1-risk)). Rounding of doubles may have
 * raised it, and dp_disclosure_risk_of, by a few units in the last place. These
 * are subtracted: too small an epsilon is on the safe side. A change of epsilon
 * by x changes the risk by about risk (1-risk) x.
 */
double
dp_epsilon_for_risk_of(double risk, double prior)
{
	double rise;
	double epsilon;

	if (!(risk > prior))
		return 0;
	rise = (risk - prior) / (1 - risk);
	if (rise < prior)
		epsilon = log1p(rise / prior);
	else
		epsilon = log(rise + prior) - log(prior); /* a quotient may overflow */
	return fmax(0, epsilon -
					   4 * DBL_EPSILON * (1 / (1 - risk) + fabs(log(prior))));
}
