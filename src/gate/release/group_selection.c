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
#include "mechanisms/group_people.h"
#include "mechanisms/group_threshold.h"
#include "mechanisms/truncated_count.h"
#include "server/compat.h"
#include "server/report.h"
#include "server/settings.h"

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
		dp_report_status(dp_gaussian_threshold_of_rho(
			selection->noise.sigma, selection->delta.ticks, greatest,
			outline->contribution, &selection->threshold));
	else
		dp_report_status(dp_group_threshold(
			&selection->noise, greatest, selection->delta.ticks,
			outline->contribution, &selection->threshold));
	selection->threshold = dp_group_people_threshold(selection->threshold,
													 greatest, outline->people);
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

/* How much a unit counts in a group, at most. */
static uint64
greatest_of(const DpCall *call)
{
	return call->aggregate == DP_AGGREGATE_COUNT_DISTINCT
			   ? 1
			   : call->contribution.rows;
}

/*
 * The threshold of Gaussian noise that was chosen for it, for a part of delta. It
 * takes a while to find, so the last one is kept: it follows from what is public.
 */
static DpStatus
find_shared(const DpCall *call, const DpOutline *outline,
			DpGroupSelection *selection)
{
	static struct
	{
		DpContribution contribution;
		DpEpsilon epsilon;
		DpAmount delta;
		DpSigma sigma;
		uint64 greatest;
		int64_t threshold; /* 0: nothing is kept */
	} last;
	const DpContribution *contribution = &outline->contribution;
	DpSigma sigma = selection->noise.sigma;
	uint64 greatest = greatest_of(call);
	DpAmount part;

	if (last.threshold == 0 || last.greatest != greatest ||
		last.contribution.groups != contribution->groups ||
		last.contribution.neighbours != contribution->neighbours ||
		last.epsilon.ticks != call->epsilon.ticks ||
		last.delta.ticks != selection->delta.ticks ||
		last.sigma.numerator != sigma.numerator ||
		last.sigma.denominator != sigma.denominator)
	{
		last.threshold = 0;
		DP_TRY(dp_gaussian_threshold_of_sigma(sigma, call->epsilon,
											  selection->delta.ticks, greatest,
											  *contribution, &last.threshold));
		last.contribution = *contribution;
		last.epsilon = call->epsilon;
		last.delta = selection->delta;
		last.sigma = sigma;
		last.greatest = greatest;
	}
	selection->threshold =
		dp_group_people_threshold(last.threshold, greatest, outline->people);
	if (!dp_amount_from_double(call->choice.delta, &part))
		elog(ERROR, "delta out of range");
	selection->rest = dp_amount_left(selection->delta, part);
	selection->shares_delta = true;
	return DP_OK;
}

bool
dp_group_selection_try(const DpOutline *outline, const DpCall *call,
					   DpGroupSelection *selection)
{
	uint64 greatest = greatest_of(call);
	DpChange change = {greatest, greatest, 1};

	return dp_noise_init_change(&selection->noise, &call->choice, call->epsilon,
								&change, call->contribution) == DP_OK &&
		   find_shared(call, outline, selection) == DP_OK;
}

bool
dp_group_selection_by(DpTerms *terms, int aggno, DpGroupSelection *selection)
{
	const DpOutline *outline = terms->outline;
	const DpCall *call = dp_terms_call(terms, aggno);

	if (!counts_all(outline, aggno, call))
		return false;
	dp_prepare_count(call, &selection->noise);
	selection->aggno = aggno;
	selection->people = outline->people;
	selection->rest = selection->delta;
	selection->shares_delta = false;
	if (terms->mechanisms[aggno] != NULL)
		dp_report_status(find_shared(call, outline, selection));
	else if (dp_group_threshold_applies(&selection->noise) ||
			 is_by_rho(call, &selection->noise))
		find_threshold(outline, greatest_of(call), selection);
	else
		return false;
	return true;
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
	if (dp_key_those(outline->keys, true) != NIL)
		return false;
	for (aggno = 0; aggno < list_length(outline->aggregates); aggno++)
	{
		if (dp_group_selection_by(terms, aggno, &candidate) &&
			(selection->aggno < 0 ||
			 candidate.threshold < selection->threshold))
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
	found->threshold =
		dp_group_people_threshold(last.threshold, 1, found->people);
	found->reach = 0;
	found->shares_delta = true;
	return true;
}

/* Lets the noise of a count of units end, if that makes the threshold lower. */
static void
try_truncated(DpContribution contribution, DpGroupSelection *selection)
{
	int64_t threshold;
	int64_t raised;

	dp_report_status(dp_truncated_count_threshold(
		&selection->noise, selection->delta.ticks, contribution, &threshold));
	raised = dp_group_people_threshold(threshold, 1, selection->people);
	if (raised >= selection->threshold)
		return;
	selection->threshold = raised;
	selection->reach = threshold - 1;
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

	if (dp_gaussian_threshold_may_be_lower(contribution) &&
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
	if (choice.by_rho)
		return;
	try_truncated(outline->contribution, selection);
	try_gaussian(outline->contribution, epsilon, &change, selection);
}

/* Says what owners could declare to make the private keys public. */
static const char *
what_to_declare(const DpOutline *outline)
{
	List *keys = dp_key_those(outline->keys, false);
	const char *missing = ((DpKey *) linitial(keys))->missing;

	if (missing == NULL)
		return "to declare the column's values with dp_noise.set_values";
	return psprintf("for %s", missing);
}

pg_noreturn static void
refuse_without_delta(const DpOutline *outline)
{
	const char *too_large = NULL;

	if (outline->people > 1)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("groups of at least %u people need a delta",
					outline->people),
			 errdetail("The owner wants no smaller groups to be shown, by "
					   "min_people_per_group: which ones are large enough is "
					   "found by a noisy count, also where their keys have "
					   "public values."),
			 errhint("Set dp_noise.delta, to 1e-6 for example.")));
	foreach_ptr (DpKey, key, dp_key_those(outline->keys, false))
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
	selection->people = terms->outline->people;
	selection->rest = selection->delta;
	if (!let_aggregate_decide(terms, selection))
		count_units(terms->outline, selection);
	return selection;
}
