/*
 * selection.c
 *		Exact selection by coins.
 */
#include <math.h>

#include "mechanisms/selection.h"
#include "samplers/bernoulli.h"

static DpStatus
set_first_step(DpSelection *selection, const DpMechanismChoice *choice)
{
	double rows = (double) selection->rows;
	double step = choice->first_step;

	if (step == 0 && choice->gamma > 0)
		step = fmax(rint(choice->gamma * rows), 1);
	if (step == 0)
		step = 1;
	if (step > rows)
		return DP_PARAMETER_OUT_OF_RANGE;
	selection->first_step = (uint64_t) step;
	return DP_OK;
}

DpStatus
dp_selection_init(DpSelection *selection, const DpMechanismChoice *choice,
				  DpEpsilon epsilon, DpContribution contribution)
{
	uint64_t halves =
		dp_contribution_within(contribution) == DP_SUBSTITUTE ? 2 : 1;
	DpEpsilon share;

	DP_TRY(dp_contribution_share(contribution, 1, epsilon, &share));
	*selection = (DpSelection){.mechanism = choice->mechanism,
							   .ticks = share.ticks,
							   .denominator = halves * DP_EPSILON_ONE,
							   .rows = contribution.rows};
	switch (choice->mechanism)
	{
		case DP_AUTO:
			selection->mechanism =
				choice->by_rho ? DP_EXPONENTIAL : DP_PERMUTE_AND_FLIP;
			/* FALLTHROUGH */
		case DP_PERMUTE_AND_FLIP:
		case DP_EXPONENTIAL:
			if (choice->rank >= 0 && choice->mechanism == DP_EXPONENTIAL)
				return DP_PARAMETER_OUT_OF_RANGE;
			selection->denominator *= contribution.rows;
			return DP_OK;
		case DP_ABSTRACT_STAIRCASE:
			return set_first_step(selection, choice);
		default:
			return DP_MECHANISM_NOT_APPLICABLE;
	}
}

DpStatus
dp_selection_rho(const DpSelection *selection, DpEpsilon epsilon,
				 DpContribution contribution, DpRho *rho)
{
	uint64_t groups = dp_contribution_groups(contribution);

	if (selection->mechanism == DP_PERMUTE_AND_FLIP)
		return dp_zcdp_of_pure(epsilon, groups, rho);
	return dp_zcdp_of_bounded_range(epsilon, groups, rho);
}

/* L of the staircase, of the others the count itself. */
static uint64_t
level_of(const DpSelection *selection, int64_t count)
{
	uint64_t q = (uint64_t) count;

	if (selection->mechanism != DP_ABSTRACT_STAIRCASE)
		return q;
	return q / selection->rows +
		   (q % selection->rows >= selection->first_step ? 1 : 0);
}

/* True with the probability of a candidate's weight. */
static DpStatus
flip(DpRandom *random, const DpSelection *selection, uint64_t below,
	 bool *result)
{
	return dp_bernoulli_exp_wide(random, (dp_uint128) selection->ticks * below,
								 selection->denominator, result);
}

DpStatus
dp_selection_draw(DpRandom *random, const DpSelection *selection,
				  const int64_t *counts, size_t number, uint32_t *order,
				  size_t *index)
{
	uint64_t greatest = 0;
	size_t looked = 0;
	size_t i;
	DP_RECORD_CALL(random, dp_mechanism_name(selection->mechanism));

	DP_RECORD_SAME("ticks", selection->ticks);
	DP_RECORD_SAME("denominator", selection->denominator);
	DP_RECORD_SAME("rows", selection->rows);
	DP_RECORD_SAME("first_step", selection->first_step);
	for (i = 0; i < number; i++)
	{
		uint64_t level = level_of(selection, counts[i]);

		DP_RECORD_TRUE("count", counts[i]);
		order[i] = (uint32_t) i;
		if (level > greatest)
			greatest = level;
	}
	for (;;)
	{
		uint64_t next;
		bool heads;

		/* permute_and_flip draws without replacement, the others with it. */
		DP_TRY(dp_random_below(random, number - looked, &next));
		*index = order[looked + next];
		DP_TRY(flip(random, selection,
					greatest - level_of(selection, counts[*index]), &heads));
		if (heads)
			return DP_OK;
		if (selection->mechanism == DP_PERMUTE_AND_FLIP)
		{
			order[looked + next] = order[looked];
			looked++;
		}
	}
}

double
dp_selection_exponent(const DpSelection *selection, int64_t count,
					  int64_t greatest)
{
	double below =
		(double) (level_of(selection, greatest) - level_of(selection, count));

	return (double) selection->ticks * below / (double) selection->denominator;
}

double
dp_selection_error(const DpSelection *selection, double candidates, double tail)
{
	double rows = (double) selection->denominator / (double) selection->ticks *
				  log(candidates / tail);

	/* Stairs: of this many steps of c rows, and one more that is not whole. */
	if (selection->mechanism == DP_ABSTRACT_STAIRCASE)
		rows = (ceil(rows) + 1) * (double) selection->rows;
	return ceil(rows);
}
