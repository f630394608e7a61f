/*
 * median_error.c
 *		The error of the median of several answers.
 */
#include <math.h>

#include "planning/median_error.h"

/* Below this, geometric noise is Laplace noise to 9 digits. */
#define FINE_EPSILON 1e-4

/* Terms that are smaller than this part of a sum are left out. */
#define NEGLIGIBLE 1e-18

/* log C(k, i) */
static double
log_choose(double k, double i)
{
	return lgamma(k + 1) - lgamma(i + 1) - lgamma(k - i + 1);
}

/*
 * P(at least j of k), each with probability p < 1/2, j >= k/2: terms fall from
 * the first one on.
 */
static double
binomial_tail(int k, double p, int j)
{
	double term = exp(log_choose(k, j) + j * log(p) + (k - j) * log1p(-p));
	double sum = term;

	for (; j < k && term > NEGLIGIBLE * sum; j++)
	{
		term *= (double) (k - j) / (j + 1) * (p / (1 - p));
		sum += term;
	}
	return sum;
}

/*
 * If N of k answers are too high, these are N exponential variables, of which
 * the one with m greater ones has the mean (1/(m+1) + ... + 1/N) / epsilon. Odd
 * k = 2m+1: this one is the median if N > m. Even k = 2h: the two median
 * answers have h and h-1 greater ones if N > h; if N = h they lie on both
 * sides, each exponential with mean 1/(h epsilon), and their middle off by half
 * of that.
 */
double
dp_laplace_median_error(double epsilon, int answers)
{
	int k = answers;
	int above = k / 2; /* m or h: answers above the (lower) median */
	double weight = exp(log_choose(k, above) - k * log(2.0));
	double harmonic = 0;
	double sum = 0;
	int n;

	if (k % 2 == 0)
	{
		sum = weight / (4.0 * above);
		harmonic = 1 / (2.0 * above);
	}
	for (n = above + 1; n <= k; n++)
	{
		weight *= (double) (k - n + 1) / n;
		harmonic += 1.0 / n;
		sum += weight * harmonic;
		if (weight < NEGLIGIBLE * sum)
			break;
	}
	return 2 * sum / epsilon;
}

/*
 * E|M| = 2 sum of P(M >= t) over t >= 1 for odd k. For even k = 2h let A <= B be
 * the two median answers: |A + B| / 2 is (|A| + |B|) / 2 unless A < 0 < B, where
 * it is less by min(-A, B). Both sums are over t >= 1, of P(A >= t) + P(B >= t)
 * and of P(A <= -t, B >= t) = C(k,h) P(X >= t)^k, X being one answer's noise.
 */
double
dp_geometric_median_error(double epsilon, int answers)
{
	int k = answers;
	int half = k / 2;
	double sum = 0;
	double t;

	if (epsilon < FINE_EPSILON)
		return dp_laplace_median_error(epsilon, k);
	for (t = 1;; t++)
	{
		double p = exp(-epsilon * t) / (1 + exp(-epsilon));
		double term = p > 0 ? binomial_tail(k, p, half + 1) : 0;

		if (k % 2 != 0)
			term *= 2;
		else if (p > 0)
			term += binomial_tail(k, p, half);
		sum += term;
		if (term <= NEGLIGIBLE * sum)
			break;
	}
	if (k % 2 == 0)
		sum -= exp(log_choose(k, half) - k * (epsilon + log1p(exp(-epsilon)))) /
			   -expm1(-epsilon * k);
	return sum;
}

double
dp_staircase_median_deviation(double epsilon, double gamma)
{
	double b = exp(-epsilon);

	return (gamma + b * (1 - gamma)) / -expm1(-epsilon);
}
