/*
 * joint_shape.c
 *		Newton's series of what is counted in balls.
 */
#include <math.h>

#include "mechanisms/joint_shape.h"
#include "mechanisms/weighted_laplace.h"

/* The greatest degree of what is counted. */
#define DEGREE_MAX 5

/* The greatest relative error of tails. */
#define ERROR 1e-9

/* Below, sizes are beyond what their series is accurate for. */
#define EPSILON_LEAST 0.5

/*
 * What is counted among vectors of d numbers of a size below n. It depends on how far
 * n is from the least one for which it is polynomial, which is found once, so that
 * differences have no rounding errors of great numbers; h: of greater_of alone.
 */
typedef double (*Count)(double d, double n, double h);

/* All: V(n) */
static double
all_of(double d, double n, double h)
{
	(void) h;
	if (d == 2)
		return 2 * n * (n - 1) + 1;
	return (2 * n - 1) * (2 * n * (n - 1) + 3) / 3;
}

/* Those whose size is above h: n = h + 1 + m. */
static double
greater_of(double d, double m, double h)
{
	return all_of(d, h + 1 + m, 0) - all_of(d, h + 1, 0);
}

/* Those whose first number is above h in size: n = h + 1 + m. */
static double
wide_of(double d, double m, double h)
{
	(void) h;
	return d == 2 ? 2 * m * m : 2 * m * (2 * m * m + 1) / 3;
}

/* The sum of 4m^3 + 2m over m < n, by three. */
static double
cubes_of(double n)
{
	double pairs = n * (n - 1);

	return pairs * (pairs + 1) / 3;
}

/* The first number's size in each, added up: 2 m^2, or (4 m^3 + 2m) / 3. */
static double
sizes_of(double d, double n, double h)
{
	(void) h;
	return d == 2 ? n * (n - 1) * (2 * n - 1) / 3 : cubes_of(n);
}

/* Its square: (4 m^3 + 2m) / 3, or (2 m^4 + 4 m^2) / 3. */
static double
squares_of(double d, double n, double h)
{
	double sum = n * (n - 1) * (2 * n - 1); /* six times that of m^2 */

	(void) h;
	return d == 2 ? cubes_of(n) : sum * (n * (n - 1) + 3) / 15;
}

/* The sum over i of (diff^i F)(n) q^i. */
static double
series(const DpStaircase *shape, Count count, int degree, double n, double h)
{
	double d = (double) shape->sensitivity;
	double q = 1 / expm1(dp_epsilon_to_double(shape->epsilon));
	double differences[DEGREE_MAX + 1];
	double power = 1;
	double total = 0;
	int i;
	int j;

	for (i = 0; i <= degree; i++)
		differences[i] = count(shape->sums, n + i * d, h);
	for (i = 0; i <= degree; i++)
	{
		total += differences[0] * power;
		power *= q;
		for (j = 0; j < degree - i; j++)
			differences[j] = differences[j + 1] - differences[j];
	}
	return total;
}

/* The mean of what is 0 up to the least n, and a polynomial in n less that. */
static double
mean_from(const DpStaircase *shape, Count count, int degree, double least,
		  double h)
{
	double d = (double) shape->sensitivity;
	double r = (double) shape->first_step;
	double level = fmax(ceil((least - r) / d), 0);

	return exp(-dp_epsilon_to_double(shape->epsilon) * level) *
		   series(shape, count, degree, r - least + level * d, h) /
		   series(shape, all_of, (int) shape->sums, r, 0);
}

double
dp_joint_pmf(const DpStaircase *shape, double size)
{
	double r = (double) shape->first_step;
	double level =
		size < r ? 0 : 1 + floor((size - r) / (double) shape->sensitivity);

	return exp(-dp_epsilon_to_double(shape->epsilon) * level) /
		   series(shape, all_of, (int) shape->sums, r, 0);
}

double
dp_joint_mean_absolute(const DpStaircase *shape)
{
	return mean_from(shape, sizes_of, (int) shape->sums + 1, 0, 0);
}

double
dp_joint_mean_square(const DpStaircase *shape)
{
	return mean_from(shape, squares_of, (int) shape->sums + 2, 0, 0);
}

double
dp_joint_tail(const DpStaircase *shape, double h)
{
	return mean_from(shape, wide_of, (int) shape->sums, h + 1, h);
}

double
dp_joint_size_tail(const DpStaircase *shape, double h)
{
	return mean_from(shape, greater_of, (int) shape->sums, h + 1, h);
}

/* What tails of one shape have in common. */
typedef struct Tails
{
	const DpStaircase *shape;
	double epsilon;
	double q;
	double total; /* the series of V */
} Tails;

/*
 * What bounds P(|Y| > x) for one number Y of a real vector: a mean of
 * volumes, 2 m^2 or 4 m^3 / 3 of the balls beyond x.
 */
static double
real_tail(const void *context, double x)
{
	const Tails *tails = context;
	double d = (double) tails->shape->sensitivity;
	double sums = (double) tails->shape->sums;
	double least = (double) tails->shape->first_step - 1 + sums / 2 - x;
	double level = fmax(ceil(-least / d), 0);
	double m = least + level * d;
	double q = tails->q;
	double sum;

	/* m^2 and m^3, their differences times powers of q */
	if (tails->shape->sums == 2)
		sum = 2 * (m * m + q * d * (2 * m + d + q * 2 * d));
	else
		sum = 4. / 3 *
			  (m * m * m +
			   q * d * (3 * m * (m + d) + d * d + q * 6 * d * (m + d + q * d)));
	return exp(-tails->epsilon * level) * sum / tails->total;
}

static double
whole_tail(const void *context, double h)
{
	return dp_joint_tail(((const Tails *) context)->shape, floor(h));
}

static double
size_tail(const void *context, double h)
{
	return dp_joint_size_tail(((const Tails *) context)->shape, floor(h));
}

static Tails
tails_of(const DpStaircase *shape)
{
	double epsilon = dp_epsilon_to_double(shape->epsilon);

	return (Tails){shape, epsilon, 1 / expm1(epsilon),
				   series(shape, all_of, (int) shape->sums,
						  (double) shape->first_step, 0)};
}

/* About the least x that is exceeded so rarely, from above. */
static double
width_of(const Tails *tails, DpTail of, double tail)
{
	double low = 0;
	double high = 1;

	tail *= 1 - ERROR;
	if (of(tails, 0) <= tail)
		return 0;
	while (of(tails, high) > tail)
		high *= 2;
	while (high - low > 1e-8 * high)
	{
		double middle = (low + high) / 2;

		if (of(tails, middle) > tail)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double
dp_joint_half_width(const DpStaircase *shape, double tail)
{
	Tails tails = tails_of(shape);

	return floor(width_of(&tails, whole_tail, tail));
}

double
dp_joint_best_step(uint32_t sums, double sensitivity, DpEpsilon epsilon,
				   DpCost cost)
{
	const double ratio = 0.6180339887498949;
	double (*mean)(const DpStaircase *) =
		cost == DP_COST_SQUARED ? dp_joint_mean_square : dp_joint_mean_absolute;
	DpStaircase left = {.sensitivity = (uint64_t) sensitivity,
						.epsilon = epsilon,
						.sums = sums};
	DpStaircase right = left;
	double low = 1;
	double high = sensitivity;

	while (high - low > 8)
	{
		left.first_step = (uint64_t) floor(high - ratio * (high - low));
		right.first_step = (uint64_t) ceil(low + ratio * (high - low));
		if (mean(&left) <= mean(&right))
			high = (double) right.first_step;
		else
			low = (double) left.first_step;
	}
	left.first_step = (uint64_t) low;
	for (right = left; (double) right.first_step <= high; right.first_step++)
	{
		if (mean(&right) < mean(&left))
			left = right;
	}
	return (double) left.first_step;
}

double
dp_joint_weighted_width(const DpStaircase *shape, double tail,
						const double weights[3], double sum)
{
	const double some[3] = {weights[0], weights[1],
							shape->sums > 2 ? weights[2] : 0};
	double greatest = fmax(fmax(fabs(some[0]), fabs(some[1])), fabs(some[2]));
	Tails tails = tails_of(shape);
	double width = dp_weighted_width(real_tail, &tails, tail, some,
									 width_of(&tails, real_tail, tail) * sum) +
				   sum / 2;

	/* The others are looked for only where they are less. */
	greatest = fmin(greatest, sum);
	if (sum > 0 && whole_tail(&tails, width / sum) <= tail / shape->sums)
		width =
			fmin(width,
				 sum * floor(width_of(&tails, whole_tail, tail / shape->sums)));
	if (greatest > 0 && tails.epsilon >= EPSILON_LEAST &&
		size_tail(&tails, width / greatest) <= tail)
		width =
			fmin(width, greatest * floor(width_of(&tails, size_tail, tail)));
	return width * (1 + ERROR);
}
