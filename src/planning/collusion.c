/*
 * collusion.c
 *		The trend from the literature, and known attacks.
 */
#include <math.h>

#include "planning/collusion.h"
#include "planning/median_error.h"
#include "planning/staircase_attack.h"

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

/* The logarithm of the loss at which the trend starts: (11), (12), (13). */
static double
log_loss(const DpMechanismChoice *choice, double epsilon)
{
	switch (choice->mechanism)
	{
		case DP_LAPLACE:
			return -log(epsilon);
		case DP_STAIRCASE:
			/* another first step: by its median, as (12) is for the best one */
			if (choice->gamma > 0 || choice->cost != DP_COST_ABSOLUTE)
				return log(dp_staircase_median_deviation(
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

/* By bisection of the logarithm, since losses decrease with epsilon. */
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
