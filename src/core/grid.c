/*
 * grid.c
 *		Choice of the dyadic grid.
 */
#include "core/grid.h"

/*
 * Steps below 2^-1022 would need a scale beyond the greatest double; there
 * the grid simply gets fewer points.
 */
#define DP_GRID_EXPONENT_MIN (-1022)

/* Least e with |x| <= 2^e; x is finite. For 0 a very small number. */
static int
ceil_log2(double x)
{
	int exponent;
	double mantissa;

	if (x == 0)
		return DP_GRID_EXPONENT_MIN;
	mantissa = frexp(fabs(x), &exponent); /* |x| = mantissa * 2^exponent */
	return mantissa == 0.5 ? exponent - 1 : exponent;
}

static int
ceil_log2_integer(dp_uint128 x)
{
	int e = 0;

	while (((dp_uint128) 1 << e) < x)
		e++;
	return e;
}

static int
max_int(int a, int b)
{
	return a > b ? a : b;
}

/* A scale is at most 2^bits steps. */
static int
bits_of(DpGridScale scale)
{
	return scale == DP_GRID_SQUARE ? DP_GRID_BITS / 2 : DP_GRID_BITS;
}

DpStatus
dp_grid_for_doubles(double lower, double upper, DpGridScale scale, DpGrid *grid)
{
	int magnitude;
	int exponent;
	double least;
	double greatest;

	if (!isfinite(lower) || !isfinite(upper))
		return DP_BOUNDS_NOT_FINITE;
	if (lower > upper)
		return DP_BOUNDS_REVERSED;

	magnitude = ceil_log2(fmax(fabs(lower), fabs(upper)));
	if (scale == DP_GRID_MAGNITUDE || lower == upper)
		exponent = magnitude - bits_of(scale);
	else
	{
		/*
		 * Half the span, since the span itself may overflow. A step below
		 * 2^-52 of the magnitude could not be told from its neighbour.
		 */
		exponent = ceil_log2(upper / 2 - lower / 2) + 1 - bits_of(scale);
		exponent = max_int(exponent, magnitude - 52);
	}
	exponent = max_int(exponent, DP_GRID_EXPONENT_MIN);

	grid->exponent = exponent;
	grid->scale = ldexp(1.0, -exponent);
	least = ceil(lower * grid->scale);
	greatest = floor(upper * grid->scale);

	/*
	 * A bound that is too small for a step may underflow to zero; its sign is
	 * kept.
	 */
	if (least == 0 && lower > 0)
		least = 1;
	if (greatest == 0 && upper < 0)
		greatest = -1;
	if (least > greatest)
		/*
		 * There is no point between. Towards zero, so that the greatest double
		 * does not overflow.
		 */
		least = greatest = trunc(lower * grid->scale);
	grid->lower = (int64_t) least;
	grid->upper = (int64_t) greatest;
	grid->lower_double = least;
	grid->upper_double = greatest;
	return DP_OK;
}

DpStatus
dp_grid_for_integers(int64_t lower, int64_t upper, DpGridScale scale,
					 DpGrid *grid)
{
	dp_uint128 size;
	dp_int128 step;
	int exponent = 0;

	if (lower > upper)
		return DP_BOUNDS_REVERSED;

	if (scale == DP_GRID_MAGNITUDE)
	{
		dp_uint128 below = dp_int128_abs(lower);
		dp_uint128 above = dp_int128_abs(upper);

		size = below > above ? below : above;
	}
	else
		size = (dp_uint128) ((dp_int128) upper - lower);

	if (size > (dp_uint128) 1 << bits_of(scale))
		exponent = ceil_log2_integer(size) - bits_of(scale);

	step = (dp_int128) 1 << exponent;
	grid->exponent = exponent;
	grid->lower = (int64_t) (((dp_int128) lower + step - 1) >> exponent);
	grid->upper = (int64_t) ((dp_int128) upper >> exponent);
	if (grid->lower > grid->upper)
		grid->lower = grid->upper; /* equal bounds between two steps */
	grid->scale = ldexp(1.0, -exponent);
	grid->lower_double = (double) grid->lower;
	grid->upper_double = (double) grid->upper;
	return DP_OK;
}

int
dp_grid_decimals(int exponent)
{
	return exponent >= 0 ? 0 : (int) floor(-exponent * 0.30102999566398120);
}

double
dp_grid_to_decimal(int exponent, double k)
{
	double value = ldexp(k, exponent);
	double power = 1;
	int decimals = dp_grid_decimals(exponent);
	int i;

	/* Powers of ten up to 10^22, and integers up to 2^53, are exact. */
	if (exponent >= 0 || decimals > 22)
		return value;
	for (i = 0; i < decimals; i++)
		power *= 10;
	if (!(fabs(value * power) < 9007199254740992.0))
		return value;
	return rint(value * power) / power + 0.0; /* not -0 */
}

double
dp_grid_to_double(const DpGrid *grid, double k)
{
	return ldexp(k, grid->exponent);
}
