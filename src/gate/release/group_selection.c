/*
 * group_selection.c
 *		By which noisy count the groups of a release are selected.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "aggregates/prepare.h"
#include "gate/bound/key.h"
#include "gate/facts/domain.h"
#include "gate/release/group_selection.h"
#include "mechanisms/gaussian_threshold.h"
#include "mechanisms/group_threshold.h"
#include "server/compat.h"
#include "server/report.h"
#include "server/settings.h"

/*
 * Where fewer groups differ, geometric counts have the lower threshold; for
 * more groups of a unit it takes seconds to find that of Gaussian ones.
 */
#define PARTS_FOR_GAUSSIAN 3
#define GROUPS_OF_GAUSSIAN 1000

/* A count of all rows, or units, of a group. */
static bool
counts_all(const DpOutline *outline, int aggno, const DpCall *call)
{
	const Aggref *aggref = list_nth(outline->aggregates, aggno);

	if (aggref->aggfilter != NULL)
		return false;
	if (call->aggregate != DP_AGGREGATE_COUNT &&
		(call->aggregate != DP_AGGREGATE_COUNT_DISTINCT || call->of_values))
		return false;
	return aggref->args == NIL || list_nth_int(outline->certain, aggno) != 0;
}

/*
 * Finds the threshold of a count. With gaussian noise that was chosen by rho,
 * it has a delta of its own.
 */
static void
find_threshold(const DpOutline *outline, uint64 greatest,
			   DpGroupSelection *selection)
{
	if (selection->noise.mechanism == DP_GAUSSIAN)
	{
		dp_report_status(dp_gaussian_threshold_of_rho(
			selection->noise.sigma, selection->delta.ticks, greatest,
			outline->contribution, &selection->threshold));
		return;
	}
	dp_report_status(
		dp_group_threshold(&selection->noise, greatest, selection->delta.ticks,
						   outline->contribution, &selection->threshold));
}

/*
 * False for gaussian noise with a delta of its own, which it does not share
 * with a threshold.
 */
static bool
is_by_rho(const DpCall *call, const DpNoise *noise)
{
	return noise->mechanism == DP_GAUSSIAN &&
		   call->choice.mechanism == DP_AUTO && call->choice.by_rho;
}

/*
 * Lets an aggregate of the block decide, if one can: a count with noise that a
 * threshold is known for, and of several that with the lowest.
 */
static bool
let_aggregate_decide(DpTerms *terms, DpGroupSelection *selection)
{
	const DpOutline *outline = terms->outline;
	DpGroupSelection candidate = *selection;
	int aggno;

	selection->aggno = -1;
	if (dp_gate_keys_of(outline->keys, true) != NIL)
		return false;
	for (aggno = 0; aggno < list_length(outline->aggregates); aggno++)
	{
		const DpCall *call = dp_terms_call(terms, aggno);

		if (!counts_all(outline, aggno, call))
			continue;
		dp_prepare_count(call, &candidate.noise);
		if (!dp_group_threshold_applies(&candidate.noise) &&
			!is_by_rho(call, &candidate.noise))
			continue;
		find_threshold(outline,
					   call->aggregate == DP_AGGREGATE_COUNT_DISTINCT
						   ? 1
						   : call->contribution.rows,
					   &candidate);
		candidate.aggno = aggno;
		if (selection->aggno < 0 || candidate.threshold < selection->threshold)
			*selection = candidate;
	}
	return selection->aggno >= 0;
}

/*
 * Gaussian counts of units, for which noise and threshold share epsilon and
 * delta. It takes a tenth of a second to find them, so the last ones are kept:
 * they follow from what is public. False where there are none.
 */
static bool
find_gaussian(DpContribution contribution, DpEpsilon epsilon,
			  const DpChange *change, DpAmount delta, DpGroupSelection *found)
{
	static struct
	{
		DpContribution contribution;
		DpEpsilon epsilon;
		DpAmount delta;
		DpNoise noise;
		int64_t threshold; /* 0: nothing is kept */
	} last;
	DpSigma sigma;

	if (last.threshold == 0 ||
		last.contribution.groups != contribution.groups ||
		last.contribution.neighbours != contribution.neighbours ||
		last.epsilon.ticks != epsilon.ticks || last.delta.ticks != delta.ticks)
	{
		if (dp_gaussian_threshold(epsilon, delta.ticks, change->sensitivity,
								  contribution, &sigma,
								  &last.threshold) != DP_OK ||
			dp_noise_init_sigma(&last.noise, epsilon, change, contribution,
								sigma) != DP_OK)
		{
			last.threshold = 0;
			return false;
		}
		last.contribution = contribution;
		last.epsilon = epsilon;
		last.delta = delta;
	}
	found->noise = last.noise;
	found->threshold = last.threshold;
	found->shares_delta = true;
	return true;
}

/*
 * Takes Gaussian counts if a unit may be in enough groups to make their
 * threshold lower.
 */
static void
try_gaussian(DpContribution contribution, DpEpsilon epsilon,
			 const DpChange *change, DpGroupSelection *selection)
{
	DpGroupSelection gaussian = *selection;

	if (dp_contribution_parts(contribution) >= PARTS_FOR_GAUSSIAN &&
		contribution.groups <= GROUPS_OF_GAUSSIAN &&
		find_gaussian(contribution, epsilon, change, selection->delta,
					  &gaussian) &&
		gaussian.threshold < selection->threshold)
		*selection = gaussian;
}

/* Selects by a count of units made for it, with the epsilon of an aggregate. */
static void
count_units(const DpOutline *outline, DpGroupSelection *selection)
{
	DpMechanismChoice choice = {
		.mechanism = outline->choices.by_rho ? DP_AUTO : DP_GEOMETRIC,
		.by_rho = outline->choices.by_rho};
	DpChange change = {1, 1, 1};
	DpEpsilon epsilon;

	if (!dp_amount_from_double(dp_setting_epsilon_or(outline->choices.epsilon),
							   &selection->epsilon) ||
		!dp_amount_to_epsilon(selection->epsilon, &epsilon))
		elog(ERROR, "epsilon out of range");
	dp_report_status(dp_noise_init_change(&selection->noise, &choice, epsilon,
										  &change, outline->contribution));
	find_threshold(outline, 1, selection);
	if (!choice.by_rho)
		try_gaussian(outline->contribution, epsilon, &change, selection);
}

/* Says what owners could declare to make the private keys public. */
static const char *
what_to_declare(const DpOutline *outline)
{
	List *keys = dp_gate_keys_of(outline->keys, false);
	const char *missing = ((DpKey *) linitial(keys))->missing;

	if (missing == NULL)
		return "to declare the column's values with dp_noise.set_values";
	return psprintf("for %s", missing);
}

pg_noreturn static void
refuse_without_delta(const DpOutline *outline)
{
	const char *too_large = NULL;

	foreach_ptr (DpKey, key, dp_gate_keys_of(outline->keys, false))
		too_large = too_large == NULL ? key->too_large : too_large;
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("GROUP BY of values that are not public needs a delta"),
		 errdetail("A small group would reveal that its members are in the "
				   "table."),
		 too_large != NULL
			 ? errhint("Set dp_noise.delta, to 1e-6 for example: small groups "
					   "are then left out. A key has public values (%s), but "
					   "more than %d, too many to release a group for each: "
					   "fewer can be named in WHERE, with = or IN.",
					   too_large, DP_DOMAIN_MAX)
			 : errhint("Set dp_noise.delta, to 1e-6 for example: small groups "
					   "are then left out. Or name the values in WHERE, with = "
					   "or IN, or ask the owner %s: a group for each value is "
					   "then released. Groups of booleans, enums, CASE with "
					   "constants and foreign keys need neither.",
					   what_to_declare(outline))));
}

DpGroupSelection *
dp_group_selection_prepare(DpTerms *terms)
{
	DpGroupSelection *selection = MemoryContextAllocZero(
		terms->node->state->es_query_cxt, sizeof(DpGroupSelection));

	if (!(dp_setting_delta > 0) ||
		!dp_amount_from_double(dp_setting_delta, &selection->delta) ||
		selection->delta.ticks == 0)
		refuse_without_delta(terms->outline);
	if (!let_aggregate_decide(terms, selection))
		count_units(terms->outline, selection);
	return selection;
}
