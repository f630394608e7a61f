/*
 * contributions.c
 *		What units contribute to sums, counts, means and variances, and whether
 *		the noise covers it.
 *
 * Two ways: parameters and sums over their whole ranges, where nothing a unit
 * contributes may be above the sensitivity; and small tables with a neighbour
 * each, whose answers in all groups are compared, and may not be further apart
 * than what the noise was prepared for. Distances are those that the mechanisms
 * are private for: L1 (Laplace), L2 (Gaussian), and for a staircase, which gets
 * a part of epsilon for each answer that changes by its width, the number of
 * these (an exchange may be two of them in one answer); all sums of a mean or a
 * variance are one answer, changed by its width in L1, where they are drawn together.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "mechanisms/mean.h"
#include "mechanisms/sensitivity.h"
#include "mechanisms/unit.h"
#include "mechanisms/variance.h"
#include "support/fuzz.h"

#define EPSILON_MAX ((uint64_t) 1000000 << DP_EPSILON_BITS)

static DpContribution
random_contribution(uint64_t *state, uint32_t most)
{
	DpContribution contribution = {random_next_below(state, 2) ? DP_ADD_REMOVE
															   : DP_SUBSTITUTE,
								   (uint32_t) fuzz_number(state, 1, most), 0};

	if (random_next_below(state, 3) > 0)
		contribution.groups = (uint32_t) fuzz_number(state, 1, most);
	return contribution;
}

static int64_t
random_integer(uint64_t *state)
{
	return (int64_t) (random_next_below(state, 4) == 0
						  ? random_next(state)
						  : fuzz_number(state, 0, (uint64_t) INT64_MAX) *
								(random_next_below(state, 2) ? 1 : UINT64_MAX));
}

/* Any finite double. */
static double
random_double(uint64_t *state)
{
	uint64_t bits = random_next(state);
	double number;

	switch (random_next_below(state, 6))
	{
		case 0:
			return 0;
		case 1:
			return random_next_below(state, 2) ? DBL_MAX : -DBL_MAX;
		case 2:
			return (double) (int64_t) (bits >> 32) - 0x1p31;
		case 3:
			bits &= ~(uint64_t) 0 << random_next_below(state, 52);
			/* FALLTHROUGH */
		default:
			memcpy(&number, &bits, sizeof(number));
			return isfinite(number) ? number : 0;
	}
}

static DpGridScale
random_scale(uint64_t *state)
{
	static const DpGridScale scales[] = {DP_GRID_SPAN, DP_GRID_MAGNITUDE,
										 DP_GRID_SQUARE};

	return scales[random_next_below(state, 3)];
}

static DpGrid
random_integer_grid(uint64_t *state, DpGridScale scale, int64_t *lower,
					int64_t *upper)
{
	DpGrid grid = {0};
	int64_t a = random_integer(state);
	int64_t b = random_integer(state);

	*lower = a < b ? a : b;
	*upper = a < b ? b : a;
	dp_grid_for_integers(*lower, *upper, scale, &grid);
	return grid;
}

static DpGrid
random_double_grid(uint64_t *state, DpGridScale scale, double *lower,
				   double *upper)
{
	DpGrid grid = {0};
	double a = random_double(state);
	double b = random_double(state);

	*lower = fmin(a, b);
	*upper = fmax(a, b);
	dp_grid_for_doubles(*lower, *upper, scale, &grid);
	return grid;
}

static DpGrid
random_grid(uint64_t *state, DpGridScale scale)
{
	int64_t lower;
	int64_t upper;
	double least;
	double greatest;

	if (random_next_below(state, 2))
		return random_integer_grid(state, scale, &lower, &upper);
	return random_double_grid(state, scale, &least, &greatest);
}

/* At most so many steps, of what each kind of grid must resolve. */
static bool
is_fine(const DpGrid *grid, DpGridScale scale)
{
	uint64_t most = (uint64_t) 1 << (scale == DP_GRID_SQUARE ? DP_GRID_BITS / 2
															 : DP_GRID_BITS);

	if (grid->lower > grid->upper)
		return false;
	if (scale == DP_GRID_MAGNITUDE)
		return dp_int128_abs(grid->lower) <= most &&
			   dp_int128_abs(grid->upper) <= most;
	return dp_grid_span(grid) <= most;
}

/*
 * Grids of integers: between the bounds, no wider than they may be; each value
 * goes to the nearest point (of two the upper), none beyond the ends.
 */
static bool
integers_are_on_the_grid(uint64_t *state)
{
	DpGridScale scale = random_scale(state);
	int64_t lower;
	int64_t upper;
	DpGrid grid = random_integer_grid(state, scale, &lower, &upper);
	dp_int128 step = (dp_int128) 1 << grid.exponent;
	int64_t value = random_integer(state);
	int64_t k = dp_grid_from_integer(&grid, value);
	dp_int128 off = (dp_int128) value - k * step;

	if (is_fine(&grid, scale) && grid.exponent >= 0 &&
		(grid.lower * step >= lower || grid.lower == grid.upper) &&
		grid.upper * step <= upper && k >= grid.lower && k <= grid.upper &&
		(k == grid.lower || 2 * off >= -step) &&
		(k == grid.upper || 2 * off < step))
		return true;
	diag("bounds %lld, %lld: exponent %d, %lld .. %lld; %lld is at %lld",
		 (long long) lower, (long long) upper, grid.exponent,
		 (long long) grid.lower, (long long) grid.upper, (long long) value,
		 (long long) k);
	return false;
}

/* The same of doubles, infinite ones too; points are exact as doubles. */
static bool
doubles_are_on_the_grid(uint64_t *state)
{
	DpGridScale scale = random_scale(state);
	double lower;
	double upper;
	DpGrid grid = random_double_grid(state, scale, &lower, &upper);
	double value = random_double(state);
	int64_t k;
	double off;

	if (random_next_below(state, 16) == 0)
		value = random_next_below(state, 2) ? INFINITY : -INFINITY;
	k = dp_grid_from_double(&grid, value);
	off = value * grid.scale - (double) k; /* exact, or one of them is huge */
	if (is_fine(&grid, scale) &&
		dp_int128_abs(grid.lower) <= (dp_uint128) 1 << 52 &&
		dp_int128_abs(grid.upper) <= (dp_uint128) 1 << 52 && k >= grid.lower &&
		k <= grid.upper && (k == grid.lower || off >= -0.5) &&
		(k == grid.upper || off <= 0.5))
		return true;
	diag("bounds %a, %a: exponent %d, %lld .. %lld; %a is at %lld", lower,
		 upper, grid.exponent, (long long) grid.lower, (long long) grid.upper,
		 value, (long long) k);
	return false;
}

static bool
broken(const DpGrid *grid, DpContribution contribution, const char *what)
{
	diag("%s: grid %lld .. %lld, %s, %u rows, %u groups", what,
		 (long long) grid->lower, (long long) grid->upper,
		 contribution.neighbours == DP_SUBSTITUTE ? "substitute" : "add_remove",
		 contribution.rows, contribution.groups);
	return false;
}

/* A sum of grid points, or one that no points have. */
static dp_int128
random_sum(uint64_t *state)
{
	dp_int128 sum = (dp_int128) fuzz_wide_number(state, 0, DP_INT128_MAX);

	return random_next_below(state, 2) ? sum : -sum - 1;
}

static dp_uint128
distance(dp_int128 a, dp_int128 b)
{
	return a > b ? (dp_uint128) a - (dp_uint128) b
				 : (dp_uint128) b - (dp_uint128) a;
}

/*
 * The sum of a unit: whatever its rows, it moves the answer by the sensitivity
 * at most, or, exchanged, from one end of its range to the other; some rows
 * do. It is monotone, and nothing for nothing.
 */
static bool
sums_of_units_are_bounded(uint64_t *state)
{
	DpContribution contribution = random_contribution(state, 2147483647);
	DpGrid grid = random_grid(state, DP_GRID_MAGNITUDE);
	DpUnitSum unit;
	dp_int128 a = random_sum(state);
	dp_int128 b = random_sum(state);
	dp_int128 of_a;
	dp_int128 of_b;
	dp_int128 least;
	dp_int128 greatest;
	dp_uint128 reach;

	dp_unit_sum_init(&unit, &grid, contribution);
	of_a = dp_unit_sum_of(&unit, a);
	of_b = dp_unit_sum_of(&unit, b);

	/* c rows at either end, or rows that do not count */
	least = dp_unit_sum_of(&unit, (dp_int128) contribution.rows *
									  (grid.lower < 0 ? grid.lower : 0));
	greatest = dp_unit_sum_of(&unit, (dp_int128) contribution.rows *
										 (grid.upper > 0 ? grid.upper : 0));
	if (dp_contribution_within(contribution) == DP_SUBSTITUTE)
		reach = distance(least, greatest);
	else
		reach = dp_int128_abs(least) > dp_int128_abs(greatest)
					? dp_int128_abs(least)
					: dp_int128_abs(greatest);
	if (unit.sensitivity != reach)
		return broken(&grid, contribution, "not what the ends reach");
	if (of_a < least || of_a > greatest || of_b < least || of_b > greatest)
		return broken(&grid, contribution, "beyond the ends");
	if (a <= b ? of_a > of_b : of_b > of_a)
		return broken(&grid, contribution, "not monotone");
	if (dp_unit_sum_of(&unit, 0) != 0)
		return broken(&grid, contribution, "something for nothing");
	if (unit.sensitivity > dp_noise_greatest_sensitivity(contribution))
		return broken(&grid, contribution, "above the greatest sensitivity");
	return true;
}

/*
 * The pair (A, B) of a unit's mean: w rows, w at most c, of which a row is
 * `steps` in all. It moves the pair by w steps in L1, an exchange by that of
 * both at most.
 */
static bool
means_of_units_are_bounded(uint64_t *state)
{
	DpContribution contribution = random_contribution(state, 2147483647);
	DpGrid grid = random_grid(state, DP_GRID_SPAN);
	DpUnitMean unit;
	dp_int128 a[2];
	int64_t w[2];
	dp_uint128 moved;
	int i;

	if (dp_unit_mean_init(&unit, &grid, contribution) != DP_OK)
		return dp_noise_greatest_sensitivity(contribution) <
				   (dp_uint128) contribution.rows *
					   (dp_contribution_within(contribution) == DP_SUBSTITUTE
							? 2
							: 1) ||
			   broken(&grid, contribution, "refused");
	for (i = 0; i < 2; i++)
	{
		int64_t count = random_integer(state);

		if (random_next_below(state, 2))
			count = (int64_t) fuzz_number(state, 0, contribution.rows);
		dp_unit_mean_of(&unit, random_sum(state), count, &a[i], &w[i]);
		if (w[i] < 0 || w[i] > contribution.rows || (count <= 0 && w[i] != 0) ||
			(count > 0 && count <= contribution.rows && w[i] != count))
			return broken(&grid, contribution, "not the weight");
		if (a[i] < 0 || a[i] > (dp_int128) w[i] * unit.steps)
			return broken(&grid, contribution, "no rows of that weight");
		if ((dp_uint128) w[i] * unit.steps > unit.sensitivity)
			return broken(&grid, contribution, "above the sensitivity");
	}
	moved =
		distance(a[0], a[1]) + distance(w[0] * (dp_int128) unit.steps - a[0],
										w[1] * (dp_int128) unit.steps - a[1]);
	if (dp_contribution_within(contribution) == DP_SUBSTITUTE &&
		moved > unit.sensitivity)
		return broken(&grid, contribution, "exchanged");
	return unit.sensitivity <= dp_noise_greatest_sensitivity(contribution) ||
		   broken(&grid, contribution, "above the greatest sensitivity");
}

/*
 * Noise of sums that one unit changes together (means: two, variances: three):
 * Laplace noise has the L1 distance of all groups, stated exactly; Gaussian
 * noise the L2 distance, of sums that no unit lowers: of two units their squares
 * add up at most; a staircase that of one answer, or of all that are drawn
 * together, and a part of epsilon for each that changes.
 */
static bool
covers(const DpNoise *noise, DpEpsilon epsilon, dp_uint128 moved, uint32_t sums,
	   DpContribution contribution)
{
	uint64_t parts = dp_contribution_parts(contribution);

	/* Without groups `moved` is of two units where one is exchanged. */
	dp_uint128 least =
		contribution.groups == 0 && contribution.neighbours == DP_SUBSTITUTE
			? (moved * moved + 1) / 2
			: moved * moved * parts;

	switch (noise->mechanism)
	{
		case DP_LAPLACE:
		case DP_GEOMETRIC:
			return noise->epsilon.ticks <= epsilon.ticks &&
				   noise->sensitivity >= moved * parts;
		case DP_GAUSSIAN:
			return noise->sensitivity * noise->sensitivity >= least;
		default:
			sums /= noise->staircase.sums; /* drawn together */
			return (dp_uint128) noise->epsilon.ticks * sums * parts <=
					   epsilon.ticks &&
				   noise->sensitivity >= moved;
	}
}

static DpMechanismChoice
random_choice(uint64_t *state)
{
	static const DpMechanism kinds[] = {DP_AUTO, DP_LAPLACE, DP_GEOMETRIC,
										DP_STAIRCASE, DP_GAUSSIAN};
	DpMechanismChoice choice = {.mechanism =
									kinds[random_next_below(state, 5)]};

	if (choice.mechanism == DP_GAUSSIAN)
		choice.delta = 1e-6;
	return choice;
}

/* What a refusal may come from, where nothing else is wrong. */
static bool
may_be_refused(DpStatus status, const DpMechanismChoice *choice)
{
	return status == DP_EPSILON_OUT_OF_RANGE ||
		   status == DP_SENSITIVITY_OUT_OF_RANGE ||
		   (status == DP_PARAMETER_OUT_OF_RANGE &&
			choice->mechanism == DP_GAUSSIAN);
}

static bool
noise_of_means_covers_them(uint64_t *state)
{
	DpContribution contribution = random_contribution(state, 2147483647);
	DpGrid grid = random_grid(state, DP_GRID_SPAN);
	DpMechanismChoice choice = random_choice(state);
	DpEpsilon epsilon = {fuzz_number(state, 1, EPSILON_MAX)};
	uint64_t span = dp_grid_span(&grid);
	uint32_t exchange;
	dp_uint128 moved;
	DpMean mean;
	DpStatus status;

	if (random_next_below(state, 4) == 0)
	{
		choice.mechanism = DP_TWO_STAGE;
		choice.levels = (double) fuzz_number(state, 2, DP_LEVELS_MAX);
	}
	if (random_next_below(state, 2))
		contribution.rows = 1;
	exchange = dp_contribution_within(contribution) == DP_SUBSTITUTE ? 2 : 1;
	if (contribution.rows == 1 && random_next_below(state, 2))
	{
		status = dp_mean_init(&mean, &choice, epsilon, &grid, contribution);
		moved = (dp_uint128) exchange * span;
	}
	else
	{
		status =
			dp_mean_init_units(&mean, &choice, epsilon, &grid, contribution);
		moved = (dp_uint128) exchange * contribution.rows * mean.steps;
	}
	if (status != DP_OK)
		return may_be_refused(status, &choice) ||
			   broken(&grid, contribution, "refused");
	if (choice.mechanism == DP_TWO_STAGE)
	{
		/* Half of the span, for units of one row that come or go. */
		bool half = contribution.rows == 1 && exchange == 1;
		uint64_t last = (uint64_t) choice.levels - 1;

		moved = half ? (last + 1) / 2 : last;
		contribution.neighbours = DP_ADD_REMOVE;
		return ((dp_uint128) mean.two_stage.noise.epsilon.ticks *
						(contribution.groups == 0 ? 1 : contribution.groups) <=
					epsilon.ticks &&
				mean.two_stage.noise.sensitivity == moved) ||
			   broken(&grid, contribution, "levels");
	}
	return covers(&mean.noise, epsilon, span == 0 ? 0 : moved, 2,
				  contribution) ||
		   broken(&grid, contribution, "less than a unit moves the mean");
}

static bool
noise_of_variances_covers_them(uint64_t *state)
{
	DpContribution contribution = random_contribution(state, 2147483647);
	DpMechanismChoice choice = random_choice(state);
	DpEpsilon epsilon = {fuzz_number(state, 1, EPSILON_MAX)};
	DpGrid grid = {
		.upper = (int64_t) fuzz_number(state, 0, DP_VARIANCE_SPAN_MAX + 1)};
	uint64_t span = dp_grid_span(&grid);
	uint32_t exchange;
	DpVariance variance;
	DpStatus status;
	DpSpread rows;
	DpSpread unit;
	dp_int128 all;

	if (random_next_below(state, 4) == 0)
		contribution.rows = 1;
	exchange = dp_contribution_within(contribution) == DP_SUBSTITUTE ? 2 : 1;
	status = dp_variance_init(&variance, &choice, epsilon, span, contribution);
	if (status != DP_OK)
		return may_be_refused(status, &choice) ||
			   broken(&grid, contribution, "refused");
	if (span > DP_VARIANCE_SPAN_MAX)
		return broken(&grid, contribution, "too wide");
	if (span > 0 &&
		!covers(&variance.noise, epsilon,
				(dp_uint128) exchange * contribution.rows * variance.steps, 3,
				contribution))
		return broken(&grid, contribution, "less than a unit moves them");

	/* Three sums, none negative, that add up to `steps` for each row. */
	rows = (DpSpread){.half = random_sum(state),
					  .squares = random_sum(state),
					  .count = random_integer(state)};
	if (rows.count > 0)
		rows.count = 1 + rows.count % ((int64_t) 1 << 60);
	dp_variance_unit_of(&variance, &rows, &unit);
	all = (dp_int128) variance.steps * unit.count;
	return (unit.count >= 0 && unit.count <= contribution.rows &&
			unit.squares >= 0 && unit.half >= 0 &&
			2 * unit.half + unit.squares <= all) ||
		   broken(&grid, contribution, "no rows have these sums");
}

/*
 * A released mean or variance is in its range, whatever the sums (a state may
 * be written by hand), and nothing overflows.
 */
static bool
releases_are_in_range(uint64_t *state)
{
	DpContribution contribution = random_contribution(state, 2147483647);
	DpGrid grid = random_grid(state, DP_GRID_SQUARE);
	DpMechanismChoice choice = random_choice(state);
	DpEpsilon epsilon = {fuzz_number(state, 1, EPSILON_MAX)};
	TestRandom source;
	DpRandom *random = random_seeded(&source, *state);
	dp_int128 sum = random_sum(state);
	int64_t count = random_integer(state);
	DpMean mean;
	DpVariance variance;
	DpFraction fraction;
	DpSpread spread = {random_sum(state), random_sum(state), count};
	double square = (double) dp_grid_span(&grid);
	double result;

	square *= square;
	if (random_next_below(state, 2) &&
		dp_mean_init_units(&mean, &choice, epsilon, &grid, contribution) ==
			DP_OK)
	{
		if (dp_mean_draw(random, &mean, sum, count, &fraction) != DP_OK ||
			fraction.denominator < 1 || fraction.numerator < 0 ||
			fraction.numerator > fraction.denominator)
			return broken(&grid, contribution, "a mean beyond the bounds");
	}
	else if (dp_variance_init(&variance, &choice, epsilon, dp_grid_span(&grid),
							  contribution) == DP_OK)
	{
		if (dp_variance_draw(random, &variance, &spread, &result) != DP_OK ||
			!(result >= 0 && result <= square / 2))
			return broken(&grid, contribution, "a variance beyond the bounds");
	}
	return true;
}

/****************************************************************************
 * Small tables
 */

#define GROUPS 4
#define ROWS 6

typedef struct Row
{
	int group;
	int64_t k;
} Row;

/* All rows of one unit. */
typedef struct Unit
{
	Row rows[ROWS];
	int count;
} Unit;

typedef struct Table
{
	DpGrid grid;
	DpContribution contribution;
	int groups; /* 1, where there is no grouping */
} Table;

static Unit
random_unit(uint64_t *state, const Table *table)
{
	Unit unit = {.count = (int) random_next_below(state, ROWS + 1)};
	bool ends = random_next_below(state, 2);
	uint64_t width = dp_grid_span(&table->grid);
	int i;

	for (i = 0; i < unit.count; i++)
	{
		Row *row = &unit.rows[i];

		row->group = (int) random_next_below(state, (uint64_t) table->groups);
		row->k = table->grid.lower +
				 (int64_t) (ends ? width * random_next_below(state, 2)
								 : random_next_below(state, width + 1));
	}
	return unit;
}

/* Of one group: the rows' number, sum and sums of a variance. */
typedef struct Group
{
	int64_t count;
	dp_int128 sum; /* of k */
	dp_int128 half;
	dp_int128 squares;
} Group;

/*
 * The groups of a unit, of which at most contribution.groups count: the first
 * ones in an order that is the unit's own.
 */
static void
group_rows(uint64_t *state, const Table *table, const Unit *unit, Group *groups)
{
	int64_t span = (int64_t) dp_grid_span(&table->grid);
	int first = (int) random_next_below(state, GROUPS);
	uint32_t seen = 0;
	int i;

	memset(groups, 0, sizeof(Group) * GROUPS);
	for (i = 0; i < unit->count; i++)
	{
		Group *group = &groups[unit->rows[i].group];
		int64_t y = unit->rows[i].k - table->grid.lower;

		group->count++;
		group->sum += unit->rows[i].k;
		group->half += y * (span - y);
		group->squares += y * y;
	}
	for (i = 0; i < GROUPS; i++)
	{
		Group *group = &groups[(first + i) % GROUPS];

		if (group->count == 0)
			continue;
		if (table->contribution.groups > 0 &&
			seen >= table->contribution.groups)
			memset(group, 0, sizeof(*group));
		seen++;
	}
}

/* Answers of all groups that one unit moves, several in each group. */
#define SUMS_MAX 3

typedef struct Answers
{
	dp_int128 value[GROUPS][SUMS_MAX];
} Answers;

typedef enum Aggregate
{
	COUNT,
	SUM,
	MEAN,
	VARIANCE
} Aggregate;

typedef struct Prepared
{
	Aggregate aggregate;
	DpUnitSum sum;
	DpMean mean;
	DpVariance variance;
	DpNoise noise;
	uint32_t sums;
} Prepared;

static DpStatus
prepare(const Table *table, const DpMechanismChoice *choice, DpEpsilon epsilon,
		Prepared *p)
{
	DpChange change = {table->contribution.rows, table->contribution.rows, 1};

	p->sums = 1;
	switch (p->aggregate)
	{
		case COUNT:
			return dp_noise_init_change(&p->noise, choice, epsilon, &change,
										table->contribution);
		case SUM:
			dp_unit_sum_init(&p->sum, &table->grid, table->contribution);
			change.sensitivity =
				p->sum.sensitivity > 0 ? p->sum.sensitivity : 1;
			change.exchanged = dp_unit_sum_exchanged(&p->sum);
			return dp_noise_init_change(&p->noise, choice, epsilon, &change,
										table->contribution);
		case MEAN:
			p->sums = 2;
			DP_TRY(dp_mean_init_units(&p->mean, choice, epsilon, &table->grid,
									  table->contribution));
			p->noise = p->mean.noise;
			return DP_OK;
		default:
			p->sums = 3;
			DP_TRY(dp_variance_init(&p->variance, choice, epsilon,
									dp_grid_span(&table->grid),
									table->contribution));
			p->noise = p->variance.noise;
			return DP_OK;
	}
}

/*
 * What a unit adds to the answers, as it is written in mechanisms/unit.h. A
 * count of an exchanged unit is one of rows with the condition, c or none.
 */
static void
add_unit(const Table *table, const Prepared *p, const Group *groups,
		 Answers *answers)
{
	int g;

	for (g = 0; g < GROUPS; g++)
	{
		const Group *group = &groups[g];
		dp_int128 *value = answers->value[g];
		DpSpread rows = {group->half, group->squares, group->count};
		DpSpread unit;
		dp_int128 a;
		int64_t w;

		switch (p->aggregate)
		{
			case COUNT:
				value[0] += dp_unit_count(group->count, table->contribution);
				break;
			case SUM:
				value[0] += dp_unit_sum_of(&p->sum, group->sum);
				break;
			case MEAN:
				dp_unit_mean_of(&p->mean.unit,
								group->sum - (dp_int128) table->grid.lower *
												 group->count,
								group->count, &a, &w);
				value[0] += a;
				value[1] += (dp_int128) w * p->mean.steps - a;
				break;
			case VARIANCE:
				dp_variance_unit_of(&p->variance, &rows, &unit);
				value[0] += unit.squares;
				value[1] += 2 * unit.half;
				value[2] += (dp_int128) unit.count * p->variance.steps -
							2 * unit.half - unit.squares;
				break;
		}
	}
}

/*
 * Two neighbouring tables, which differ by one unit more or by one that is
 * exchanged: all others add the same to both, so they are left out. The
 * distance of all answers is covered by the noise.
 */
static bool
neighbours_are_covered(uint64_t *state)
{
	Table table = {.contribution = random_contribution(state, 4)};
	DpMechanismChoice choice = random_choice(state);
	DpEpsilon epsilon = {fuzz_number(state, 1000, EPSILON_MAX)};
	Prepared p = {.aggregate = (Aggregate) random_next_below(state, 4)};
	Answers before = {0};
	Answers after = {0};
	Group groups[GROUPS];
	Unit unit;
	dp_uint128 far = 0;
	dp_uint128 square = 0;
	dp_uint128 parts = 0;
	int g;
	uint32_t i;

	table.groups = table.contribution.groups == 0 ? 1 : GROUPS;
	dp_grid_for_integers((int64_t) random_next_below(state, 20) - 10,
						 (int64_t) random_next_below(state, 10) + 10,
						 p.aggregate == SUM ? DP_GRID_MAGNITUDE : DP_GRID_SPAN,
						 &table.grid);
	if (prepare(&table, &choice, epsilon, &p) != DP_OK)
		return broken(&table.grid, table.contribution, "refused");
	unit = random_unit(state, &table);
	group_rows(state, &table, &unit, groups);
	add_unit(&table, &p, groups, &after);
	if (table.contribution.neighbours == DP_SUBSTITUTE)
	{
		unit = random_unit(state, &table);
		group_rows(state, &table, &unit, groups);
		add_unit(&table, &p, groups, &before);
	}
	for (g = 0; g < GROUPS; g++)
	{
		dp_uint128 together = 0;

		for (i = 0; i < p.sums; i++)
		{
			dp_uint128 apart = distance(before.value[g][i], after.value[g][i]);

			far += apart;
			square += apart * apart;
			together += apart;
			if (i + 1 < p.sums && p.noise.staircase.sums > 1)
				continue; /* a group's are drawn together */
			parts += (together + p.noise.sensitivity - 1) / p.noise.sensitivity;
			together = 0;
		}
	}
	switch (p.noise.mechanism)
	{
		case DP_LAPLACE:
		case DP_GEOMETRIC:
			if (far <= p.noise.sensitivity &&
				p.noise.epsilon.ticks <= epsilon.ticks)
				return true;
			break;
		case DP_GAUSSIAN:
			if (square <= p.noise.sensitivity * p.noise.sensitivity)
				return true;
			break;
		default:
			if (parts * p.noise.epsilon.ticks <= epsilon.ticks)
				return true;
	}
	diag("aggregate %d, mechanism %d: %g apart in L1, %g in L2, in %g parts; "
		 "noise "
		 "for %g at %llu of %llu",
		 (int) p.aggregate, (int) p.noise.mechanism, (double) far,
		 sqrt((double) square), (double) parts, (double) p.noise.sensitivity,
		 (unsigned long long) p.noise.epsilon.ticks,
		 (unsigned long long) epsilon.ticks);
	return broken(&table.grid, table.contribution, "neighbours");
}

int
main(void)
{
	static const FuzzProperty properties[] = {
		{"integers are on their grid", integers_are_on_the_grid},
		{"doubles are on their grid", doubles_are_on_the_grid},
		{"sums of units are bounded, and reach the bound",
		 sums_of_units_are_bounded},
		{"means of units are bounded", means_of_units_are_bounded},
		{"the noise of means covers a unit", noise_of_means_covers_them},
		{"the noise of variances covers a unit",
		 noise_of_variances_covers_them},
		{"releases are in range", releases_are_in_range},
		{"neighbouring tables are covered", neighbours_are_covered},
	};

	return fuzz_run(properties, sizeof(properties) / sizeof(properties[0]));
}
