/*
 * collusion.c
 *		The papers' trend, and what medians really do.
 */
#include <math.h>

#include "utility/collusion.h"
#include "utility/staircase_attack.h"

/* Below, geometric noise is Laplace noise to 9 digits. */
#define FINE_EPSILON 1e-4

/* Terms of a sum that are so much smaller than it are left out. */
#define NEGLIGIBLE 1e-18

bool
dp_collusion_applies(const DpMechanismChoice *choice)
{
	switch (choice->mechanism)
	{
		case DP_LAPLACE:
		case DP_STAIRCASE:
			return true;
		case DP_GEOMETRIC:
			return choice->quantum == 0 || choice->quantum == 1;
		case DP_DISCRETE_STAIRCASE:
			return choice->first_step <= 1;
		default:
			return false;
	}
}

double
dp_collusion_deviation(double epsilon, double gamma)
{
	double b = exp(-epsilon);

	return (gamma + b * (1 - gamma)) / -expm1(-epsilon);
}

/* The logarithm of the loss that the trend starts from: (11), (12), (13). */
static double
log_loss(const DpMechanismChoice *choice, double epsilon)
{
	switch (choice->mechanism)
	{
		case DP_LAPLACE:
			return -log(epsilon);
		case DP_STAIRCASE:
			/* any other first step: by its median, as (12) is for the best */
			if (choice->gamma > 0 || choice->cost != DP_COST_ABSOLUTE)
				return log(dp_collusion_deviation(
					epsilon, dp_staircase_gamma(choice, epsilon)));
			return -epsilon / 2 - log(-expm1(-epsilon)); /* 1/(2 sinh) */
		default:
			return log(2.0) - epsilon - log(-expm1(-2 * epsilon)); /* 1/sinh */
	}
}

/* The trend's factor, sqrt(2/(pi k)). */
static double
trend_factor(int colluders)
{
	return sqrt(2 / (acos(-1.0) * colluders));
}

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
 * Given that N of k answers are too high, those are N exponential variables:
 * the one with m greater ones is on average (1/(m+1) + ... + 1/N) / epsilon.
 * Odd k = 2m+1: the median is it if N > m. Even k = 2h: the two median answers
 * have h and h-1 greater ones if N > h; if N = h they lie on both sides, each
 * exponential with mean 1/(h epsilon), and their middle off by half of that.
 */
double
dp_laplace_median_error(double epsilon, int colluders)
{
	int k = colluders;
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
dp_geometric_median_error(double epsilon, int colluders)
{
	int k = colluders;
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

DpStatus
dp_collusion_loss_of(const DpMechanismChoice *choice, double epsilon,
					 int colluders, DpCollusion *loss)
{
	loss->trend = exp(log_loss(choice, epsilon)) * trend_factor(colluders);
	switch (choice->mechanism)
	{
		case DP_LAPLACE:
			loss->attack = dp_laplace_median_error(epsilon, colluders);
			return DP_OK;
		case DP_STAIRCASE:
			return dp_staircase_attack(choice, epsilon, colluders,
									   &loss->attack);
		default:
			loss->attack = dp_geometric_median_error(epsilon, colluders);
			return DP_OK;
	}
}

/* By bisection of the logarithm, as losses fall in epsilon. */
double
dp_epsilon_by_trend(const DpMechanismChoice *choice, double epsilon,
					int colluders)
{
	double wanted = log_loss(choice, epsilon) - log(trend_factor(colluders));
	double low = -40; /* far below any epsilon */
	double high = log(epsilon);
	int i;

	if (colluders == 1)
		return epsilon;
	for (i = 0; i < 100; i++)
	{
		double middle = (low + high) / 2;

		if (log_loss(choice, exp(middle)) > wanted)
			low = middle;
		else
			high = middle;
	}
	return exp(low);
}
