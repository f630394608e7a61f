/*
 * unit.c
 *		Bounds of a unit's contribution.
 */
#include "mechanisms/noise.h"
#include "mechanisms/sensitivity.h"
#include "mechanisms/unit.h"

/* What c rows or fewer can add up to. */
static void
set_range(DpUnitSum *unit, const DpGrid *grid, DpContribution contribution)
{
	unit->lower =
		(dp_int128) contribution.rows * (grid->lower < 0 ? grid->lower : 0);
	unit->upper =
		(dp_int128) contribution.rows * (grid->upper > 0 ? grid->upper : 0);
}

void
dp_unit_sum_init(DpUnitSum *unit, const DpGrid *grid,
				 DpContribution contribution)
{
	uint64_t greatest = dp_noise_greatest_sensitivity(contribution);
	DpGrid total = {0};

	set_range(unit, grid, contribution);

	/*
	 * Rounding is monotone, so the range of rounded values is that of the
	 * rounded ends.
	 */
	for (unit->shift = 0;; unit->shift++)
	{
		dp_int128 half =
			unit->shift > 0 ? (dp_int128) 1 << (unit->shift - 1) : 0;
		dp_int128 lower = (unit->lower + half) >> unit->shift;
		dp_int128 upper = (unit->upper + half) >> unit->shift;

		if (upper > INT64_MAX / 4 || lower < INT64_MIN / 4)
			continue;
		total.lower = (int64_t) lower;
		total.upper = (int64_t) upper;
		unit->sensitivity =
			dp_sensitivity_sum(&total, dp_contribution_within(contribution));
		if (unit->sensitivity <= greatest)
			return;
	}
}

/* So many grid steps in steps of the answer, rounded up. */
static dp_int128
round_up(const DpUnitSum *unit, dp_int128 steps)
{
	return (steps + ((dp_int128) 1 << unit->shift) - 1) >> unit->shift;
}

void
dp_unit_total_init(DpUnitSum *unit, const DpGrid *grid,
				   DpContribution contribution)
{
	dp_int128 greatest =
		(dp_int128) dp_noise_greatest_sensitivity(contribution);
	dp_int128 change;

	set_range(unit, grid, contribution);
	change = -unit->lower > unit->upper ? -unit->lower : unit->upper;
	if (dp_contribution_within(contribution) == DP_SUBSTITUTE)
		change = unit->upper - unit->lower;
	for (unit->shift = 0; round_up(unit, change) > greatest; unit->shift++)
		continue;
	unit->sensitivity = (uint64_t) round_up(unit, change);
}

uint64_t
dp_unit_total_exchanged(const DpUnitSum *unit)
{
	return (uint64_t) round_up(unit, unit->upper - unit->lower);
}

DpStatus
dp_unit_mean_init(DpUnitMean *unit, const DpGrid *grid,
				  DpContribution contribution)
{
	uint64_t exchange =
		dp_contribution_within(contribution) == DP_SUBSTITUTE ? 2 : 1;
	uint64_t greatest = dp_noise_greatest_sensitivity(contribution) / exchange /
						contribution.rows;

	if (greatest == 0)
		return DP_SENSITIVITY_OUT_OF_RANGE;
	unit->span = dp_grid_span(grid);
	unit->steps = unit->span < greatest ? unit->span : greatest;
	unit->shift = 0;
	if (unit->span > 0)
	{
		while (unit->steps <= greatest / 2)
		{
			unit->steps *= 2;
			unit->shift++;
		}
	}
	unit->rows = contribution.rows;
	unit->sensitivity = exchange * unit->rows * unit->steps;
	return DP_OK;
}

void
dp_unit_mean_of(const DpUnitMean *unit, dp_int128 sum, int64_t count,
				dp_int128 *contribution, int64_t *weight)
{
	dp_int128 scaled;

	*contribution = 0;
	*weight = 0;
	if (count <= 0)
		return;

	/* Below 2^63 2^42, since rows steps <= 2^42. */
	sum = dp_int128_clamp(sum, 0, (dp_int128) count * unit->span);
	sum *= (dp_int128) 1 << unit->shift;
	*weight = count < (int64_t) unit->rows ? count : (int64_t) unit->rows;

	/* floor(w sum / n), without a product of three */
	scaled = *weight * (sum / count) + *weight * (sum % count) / count;
	if (unit->steps < unit->span)
		scaled = scaled * unit->steps / unit->span;
	*contribution = scaled;
}
