/*
 * group_selection.c
 *		Selects the groups of a release by a noisy count.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "aggregates/prepare.h"
#include "core/int128.h"
#include "gate/question/keys/key.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/silence.h"
#include "gate/release/charges.h"
#include "gate/release/execution.h"
#include "gate/release/group_selection.h"
#include "gate/release/recorded_keys.h"
#include "mechanisms/gaussian_threshold.h"
#include "mechanisms/group_threshold.h"
#include "server/report.h"
#include "server/settings.h"

/*
 * Where fewer groups differ, geometric counts have the lower threshold; for
 * more groups of a unit it takes seconds to find that of Gaussian ones.
 */
#define PARTS_FOR_GAUSSIAN 3
#define GROUPS_OF_GAUSSIAN 1000

bool
dp_gate_has_private_keys(const DpReleaseState *state)
{
	return dp_gate_keys_of(state->release->outline.keys, false) != NIL;
}

/* A count of all rows, or units, of a group. */
static bool
counts_all(const DpRelease *release, int aggno, const DpCall *call)
{
	const Aggref *aggref = list_nth(release->outline.aggregates, aggno);

	if (aggref->aggfilter != NULL)
		return false;
	if (call->aggregate != DP_AGGREGATE_COUNT &&
		(call->aggregate != DP_AGGREGATE_COUNT_DISTINCT || call->of_values))
		return false;
	return aggref->args == NIL ||
		   list_nth_int(release->outline.certain, aggno) != 0;
}

/*
 * Finds the threshold of a count. With gaussian noise that was chosen by rho,
 * it has a delta of its own.
 */
static void
find_threshold(const DpReleaseState *state, uint64 greatest,
			   DpGroupSelection *selection)
{
	if (selection->noise.mechanism == DP_GAUSSIAN)
	{
		dp_report_status(dp_gaussian_threshold_of_rho(
			selection->noise.sigma, selection->delta.ticks, greatest,
			state->release->outline.contribution, &selection->threshold));
		return;
	}
	dp_report_status(dp_group_threshold(
		&selection->noise, greatest, selection->delta.ticks,
		state->release->outline.contribution, &selection->threshold));
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
let_aggregate_decide(DpReleaseState *state, DpGroupSelection *selection)
{
	DpGroupSelection candidate = *selection;
	ListCell *cell;

	selection->aggno = -1;
	if (dp_gate_keys_of(state->release->outline.keys, true) != NIL)
		return false;
	foreach (cell, state->release->outline.aggregates)
	{
		DpCall call;

		dp_gate_read_call(state, lfirst(cell), &call);
		if (!counts_all(state->release, foreach_current_index(cell), &call))
			continue;
		dp_prepare_count(&call, &candidate.noise);
		if (!dp_group_threshold_applies(&candidate.noise) &&
			!is_by_rho(&call, &candidate.noise))
			continue;
		find_threshold(state,
					   call.aggregate == DP_AGGREGATE_COUNT_DISTINCT
						   ? 1
						   : call.contribution.rows,
					   &candidate);
		candidate.aggno = foreach_current_index(cell);
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
count_units(DpReleaseState *state, DpGroupSelection *selection)
{
	DpMechanismChoice choice = {
		.mechanism =
			state->release->outline.choices.by_rho ? DP_AUTO : DP_GEOMETRIC,
		.by_rho = state->release->outline.choices.by_rho};
	DpChange change = {1, 1, 1};
	DpEpsilon epsilon;

	if (!dp_amount_from_double(
			dp_setting_epsilon_or(state->release->outline.choices.epsilon),
			&selection->epsilon) ||
		!dp_amount_to_epsilon(selection->epsilon, &epsilon))
		elog(ERROR, "epsilon out of range");
	dp_report_status(
		dp_noise_init_change(&selection->noise, &choice, epsilon, &change,
							 state->release->outline.contribution));
	find_threshold(state, 1, selection);
	if (!choice.by_rho)
		try_gaussian(state->release->outline.contribution, epsilon, &change,
					 selection);
}

/* Says what owners could declare to make the private keys public. */
static const char *
what_to_declare(const DpReleaseState *state)
{
	List *keys = dp_gate_keys_of(state->release->outline.keys, false);
	const char *missing = ((DpKey *) linitial(keys))->missing;

	if (missing == NULL)
		return "to declare the column's values with dp_noise.set_values";
	return psprintf("for %s", missing);
}

DpGroupSelection *
dp_gate_prepare_group_selection(DpReleaseState *state)
{
	DpGroupSelection *selection = MemoryContextAllocZero(
		state->css.ss.ps.state->es_query_cxt, sizeof(DpGroupSelection));

	if (!(dp_setting_delta > 0) ||
		!dp_amount_from_double(dp_setting_delta, &selection->delta) ||
		selection->delta.ticks == 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("GROUP BY of values that are not public needs a delta"),
			 errdetail("A small group would reveal that its members are in the "
					   "table."),
			 errhint("Set dp_noise.delta, to 1e-6 for example: small groups "
					 "are then left out. Or name the values in WHERE, with = "
					 "or IN, or ask the owner %s: a group for each value is "
					 "then released. Groups of booleans, enums, CASE with "
					 "constants and foreign keys need neither.",
					 what_to_declare(state))));
	if (!let_aggregate_decide(state, selection))
		count_units(state, selection);
	return selection;
}

/*
 * Whether a group's deciding count, released or made for it, reaches the
 * threshold.
 */
static bool
passes(const DpGroupSelection *selection, int keys, const TupleTableSlot *slot)
{
	dp_int128 count;

	if (selection->aggno >= 0)
		count = DatumGetInt64(slot->tts_values[keys + selection->aggno]);
	else
		dp_report_status(dp_noise_add(
			dp_report_random(), &selection->noise,
			DatumGetInt64(
				slot->tts_values[slot->tts_tupleDescriptor->natts - 1]),
			&count));
	return count >= selection->threshold;
}

/*
 * An interval in days and hours, in months too where there are very many days:
 * a month is 30 days and a day is 24 hours, as the server compares them. The
 * greatest and the least (infinite ones, in newer servers) are equal to no
 * other.
 */
static Datum
interval_in_one_form(const Interval *interval)
{
	dp_int128 total =
		((dp_int128) interval->month * DAYS_PER_MONTH + interval->day) *
			USECS_PER_DAY +
		interval->time;
	dp_int128 days = total / USECS_PER_DAY;
	Interval *result = palloc0(sizeof(Interval));

	if ((interval->month == PG_INT32_MAX && interval->day == PG_INT32_MAX &&
		 interval->time == PG_INT64_MAX) ||
		(interval->month == PG_INT32_MIN && interval->day == PG_INT32_MIN &&
		 interval->time == PG_INT64_MIN))
	{
		*result = *interval;
		return IntervalPGetDatum(result);
	}
	if (days < PG_INT32_MIN || days > PG_INT32_MAX)
	{
		result->month = (int32) dp_int128_clamp(days / DAYS_PER_MONTH,
												PG_INT32_MIN, PG_INT32_MAX);
		days -= (dp_int128) result->month * DAYS_PER_MONTH;
	}
	result->day = (int32) dp_int128_clamp(days, PG_INT32_MIN, PG_INT32_MAX);
	result->time =
		(TimeOffset) (total - ((dp_int128) result->month * DAYS_PER_MONTH +
							   result->day) *
								  USECS_PER_DAY);
	return IntervalPGetDatum(result);
}

/* A character(n) without its blanks, and with those that it must have. */
static Datum
bpchar_in_one_form(Datum value, int32 typmod)
{
	Datum trimmed = DirectFunctionCall1(rtrim1, value);

	if (typmod < VARHDRSZ || DatumGetInt32(DirectFunctionCall1(
								 textlen, trimmed)) > typmod - VARHDRSZ)
		return trimmed;
	return DirectFunctionCall3(bpchar, trimmed, Int32GetDatum(typmod),
							   BoolGetDatum(true));
}

/*
 * Equal values may be written in several ways: 1.0 and 1.00, 0 and -0, 1 day
 * and 24 hours. Which of them a group shows must not depend on its rows.
 */
static Datum
in_one_form(Node *key, Datum value)
{
	switch (getBaseType(exprType(key)))
	{
		case NUMERICOID:
			return DirectFunctionCall1(numeric_trim_scale, value);
		case FLOAT4OID:
			if (isnan(DatumGetFloat4(value)))
				return Float4GetDatum(get_float4_nan());
			return Float4GetDatum(DatumGetFloat4(value) + 0.0F);
		case FLOAT8OID:
			if (isnan(DatumGetFloat8(value)))
				return Float8GetDatum(get_float8_nan());
			return Float8GetDatum(DatumGetFloat8(value) + 0.0);
		case BPCHAROID:
			return bpchar_in_one_form(value, exprTypmod(key));
		case INTERVALOID:
			return interval_in_one_form(DatumGetIntervalP(value));
		default:
			if (get_typlen(exprType(key)) == -1)
				return PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
			return value;
	}
}

/* The context of a statement that counts units. */
typedef struct Run
{
	DpReleaseState *state;
	List *keys;			  /* of the statement, expressions */
	DpRows *found;		  /* those selected, in the order of the data */
	int columns;		  /* of the release */
	int64 combinations;	  /* of the public keys' values, for each found */
	Size size;			  /* of their keys, in bytes */
	MemoryContext memory; /* of one group */
} Run;

/*
 * Adds the size of some keys, in their one form. False when the rows are more
 * than can be released: many, or with keys that are very long.
 */
static bool
has_room(Run *run, const TupleTableSlot *slot)
{
	int64 count = dp_gate_rows_count(run->found);
	int i;

	for (i = 0; i < list_length(run->keys); i++)
	{
		int16 length;
		bool by_value;

		if (slot->tts_isnull[i])
			continue;
		get_typlenbyval(exprType(list_nth(run->keys, i)), &length, &by_value);
		run->size += datumGetSize(slot->tts_values[i], by_value, length);
	}
	return (count + 1) * run->columns * run->combinations <= DP_VALUES_MAX &&
		   run->size * run->combinations <= DP_KEYS_SIZE_MAX;
}

static bool
receive_group(TupleTableSlot *slot, void *context)
{
	Run *run = context;
	DpGroupSelection *selection = run->state->selection;
	int keys = list_length(run->keys);
	MemoryContext old;
	bool passed;
	int64 row;
	int i;

	slot_getallattrs(slot);
	passed = passes(selection, keys, slot);
	DP_RECORD_ROW(dp_gate_recorded_keys(
		dp_gate_keys_of(run->state->release->outline.keys, false),
		slot->tts_values, slot->tts_isnull));
	if (!passed)
		return true;
	old = MemoryContextSwitchTo(run->memory);
	MemoryContextReset(run->memory);
	for (i = 0; i < keys; i++)
	{
		if (!slot->tts_isnull[i])
			slot->tts_values[i] =
				in_one_form(list_nth(run->keys, i), slot->tts_values[i]);
	}
	if (!has_room(run, slot))
	{
		selection->is_exceeded = true;
		MemoryContextSwitchTo(old);
		return false;
	}
	row = dp_gate_rows_add(run->found, slot->tts_values, slot->tts_isnull);
	for (; i < dp_gate_rows_columns(run->found); i++)
		dp_gate_rows_set(run->found, row, i, slot->tts_values[i],
						 slot->tts_isnull[i]);
	MemoryContextSwitchTo(old);
	return true;
}

/* The groups found become the rows, in the order of their keys. */
static void
use_groups(DpReleaseState *state, DpRows *found)
{
	int64 *order = dp_gate_rows_order(found);
	int keys = list_length(state->release->outline.keys);
	int64 number;

	for (number = 0; number < dp_gate_rows_count(found); number++)
	{
		const Datum *values = dp_gate_rows_values(found, order[number]);
		const bool *nulls = dp_gate_rows_nulls(found, order[number]);
		int64 row = dp_gate_rows_add(state->rows, values, nulls);

		CHECK_FOR_INTERRUPTS();
		dp_gate_set_answers(state, row, values + keys, nulls + keys);
	}
}

/*
 * Each of the private keys found, in their order, with every combination of
 * values of the public ones.
 */
static void
combine_groups(DpReleaseState *state, DpRows *found)
{
	const DpGroups *groups = dp_gate_release_groups(state);
	DpRows *all = dp_gate_rows_make(
		dp_gate_release_columns(
			dp_gate_keys_of(state->release->outline.keys, true), NIL),
		list_length(groups->values));
	int count = list_length(state->release->outline.keys);
	Datum *keys = palloc(count * sizeof(Datum));
	bool *nulls = palloc(count * sizeof(bool));
	int64 *order = dp_gate_rows_order(found);
	int64 number;
	int64 combination;

	dp_gate_groups_add_rows(groups, all);
	for (number = 0; number < dp_gate_rows_count(found); number++)
	{
		for (combination = 0; combination < groups->count; combination++)
		{
			int next[2] = {0, 0}; /* private, public */
			ListCell *cell;

			CHECK_FOR_INTERRUPTS();
			foreach (cell, state->release->outline.keys)
			{
				int i = foreach_current_index(cell);
				bool is_public = ((DpKey *) lfirst(cell))->is_public;
				DpRows *from = is_public ? all : found;
				int64 row = is_public ? combination : order[number];
				int column = next[is_public]++;

				keys[i] = dp_gate_rows_values(from, row)[column];
				nulls[i] = dp_gate_rows_nulls(from, row)[column];
			}
			(void) dp_gate_rows_add(state->rows, keys, nulls);
		}
	}
}

void
dp_gate_select_groups(DpReleaseState *state)
{
	DpRelease *release = state->release;
	bool is_mixed = release->unit_counts != NULL;
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "selection of groups", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	List *keys = dp_gate_keys_of(release->outline.keys, false);
	Run run = {.state = state,
			   .keys = dp_gate_release_columns(keys, NIL),
			   .columns = dp_gate_rows_columns(state->rows),
			   .combinations =
				   is_mixed ? dp_gate_release_groups(state)->count : 1};
	List *columns = dp_gate_computed_columns(
		keys, is_mixed ? NIL : release->outline.aggregates);

	run.found = dp_gate_rows_make(columns, list_length(keys));
	run.memory = AllocSetContextCreate(context, "selected group",
									   ALLOCSET_DEFAULT_SIZES);
	DP_RECORD_RELEASE(psprintf(INT64_FORMAT " %d", state->selection->threshold,
							   state->selection->aggno));
	dp_gate_keep_zone(is_mixed ? release->unit_counts : release->inner);
	dp_gate_execute(is_mixed ? release->unit_counts : release->inner,
					state->css.ss.ps.state, columns, receive_group, &run);
	if (!state->selection->is_exceeded)
	{
		if (is_mixed)
			combine_groups(state, run.found);
		else
			use_groups(state, run.found);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
