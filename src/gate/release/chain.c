/*
 * chain.c
 *		Calls, charges and draws of questions with privacy levels.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "aggregates/numeric_value.h"
#include "aggregates/prepare.h"
#include "gate/question/units/levels.h"
#include "gate/release/answer.h"
#include "gate/release/charges.h"
#include "gate/release/chain.h"
#include "ledger/chain.h"
#include "mechanisms/noise_step.h"
#include "server/report.h"

/* The longest texts of answers; numeric: of 128 bits, before the point and
 * without what the exponent of the grid adds. */
#define BIGINT_TEXT_MAX 20
#define NUMERIC_TEXT_MAX 42

char *
dp_gate_chain_text(const DpReleaseState *state)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	foreach (cell, state->release->outline.levels)
		appendStringInfo(&text, "%s%s", text.len == 0 ? "" : ", ",
						 float8out_internal(floatVal(lfirst(cell))));
	return text.data;
}

/* The index of an epsilon among the levels; -1 when it is none. */
static int
level_of(const DpReleaseState *state, double epsilon)
{
	ListCell *cell;

	foreach (cell, state->release->outline.levels)
	{
		if (floatVal(lfirst(cell)) == epsilon)
			return foreach_current_index(cell);
	}
	return -1;
}

bool
dp_gate_chain_choose(const DpReleaseState *state, DpCall *call)
{
	const char *relation =
		dp_gate_relation_names(&state->release->outline.relations);
	const DpMechanismChoice *choice = &call->choice;
	const DpAggregateTraits *traits = dp_aggregate_get(call->aggregate);

	if (state->release->outline.levels == NIL ||
		!dp_gate_is_in_chain(traits, call->type))
		return false;
	if (level_of(state, call->epsilon_asked) < 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s over \"%s\" is answered at certain privacy levels only",
					traits->name, relation),
			 errhint("Set dp_noise.epsilon to one of %s.",
					 dp_gate_chain_text(state))));
	if ((choice->mechanism != DP_AUTO &&
		 dp_mechanism_noise(choice->mechanism) != DP_NOISE_LAPLACE) ||
		choice->truncated || choice->quantum != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s over \"%s\" has one mechanism, for all its privacy "
						"levels",
						traits->name, relation),
				 errhint("Set dp_noise.mechanism to auto.")));
	call->choice.mechanism = traits->chain;
	return true;
}

/*
 * The noise of an aggregate at one level, in steps of 2^*exponent, as it is
 * prepared for answers; false where there is none.
 */
static bool
noise_of(DpCall call, double level, DpNoise *noise, int *exponent)
{
	DpPrepared prepared;

	if (!dp_amount_epsilon_of(level, &call.epsilon))
		elog(ERROR, "epsilon out of range");
	*exponent = 0;
	if (call.aggregate == DP_AGGREGATE_COUNT)
	{
		dp_prepare_count(&call, noise);
		return true;
	}
	dp_prepare_sum(&call, &prepared);
	*noise = prepared.sum.noise;
	*exponent = prepared.sum.exponent;
	return prepared.sum.sensitivity > 0;
}

/*
 * What each level adds to the one above it, the first nothing, in steps of
 * 2^*exponent.
 */
static DpNoiseStep *
prepare_steps(const DpReleaseState *state, const DpCall *call, int *exponent)
{
	List *levels = state->release->outline.levels;
	DpNoiseStep *steps = palloc(list_length(levels) * sizeof(DpNoiseStep));
	DpNoise above;
	ListCell *cell;

	(void) noise_of(*call, floatVal(linitial(levels)), &above, exponent);
	foreach (cell, levels)
	{
		DpNoise noise;
		DpNoiseStep *step = &steps[foreach_current_index(cell)];

		if (noise_of(*call, floatVal(lfirst(cell)), &noise, exponent))
			dp_report_status(dp_noise_step_init(step, &above, &noise));
		else
			*step = (DpNoiseStep){0};
		above = noise;
	}
	return steps;
}

void
dp_gate_chain_charge(const DpReleaseState *state, const DpCall *call,
					 DpCharge *charge)
{
	DpNoise highest;
	DpRho rho;
	int exponent;

	/* Refused before it is charged where a level has no noise. */
	(void) prepare_steps(state, call, &exponent);

	charge->level = (uint32) level_of(state, call->epsilon_asked);
	if (!dp_amount_from_double(
			floatVal(linitial(state->release->outline.levels)),
			&charge->whole_epsilon))
		elog(ERROR, "epsilon out of range");
	(void) noise_of(*call, floatVal(linitial(state->release->outline.levels)),
					&highest, &exponent);
	dp_report_status(dp_noise_rho(&highest, 1, call->contribution, &rho));
	charge->whole_rho.ticks = rho.ticks;
}

/* The sum of an aggregate's value and so many steps of 2^exponent. */
static Datum
add_steps(Oid type, Datum value, dp_int128 steps, int exponent)
{
	dp_int128 sum;

	if (type == NUMERICOID)
		return NumericGetDatum(dp_numeric_round_to_step(
			numeric_add_opt_error(
				DatumGetNumeric(value),
				dp_numeric_scale(dp_numeric_from_int128(steps), exponent),
				NULL),
			exponent));
	sum = dp_int128_clamp(steps, PG_INT64_MIN, PG_INT64_MAX);
	sum = sum * ((dp_int128) 1 << Min(exponent, 63)) + DatumGetInt64(value);
	return Int64GetDatum(
		(int64) dp_int128_clamp(sum, PG_INT64_MIN, PG_INT64_MAX));
}

/* The longest text of an answer: a multiple of 2^exponent, for numerics. */
static Size
text_max(DpReleaseState *state, Aggref *aggref)
{
	DpCall call;
	int exponent;

	if (aggref->aggtype != NUMERICOID)
		return BIGINT_TEXT_MAX;
	(void) dp_gate_read_call(state, aggref, &call);
	(void) prepare_steps(state, &call, &exponent);
	return NUMERIC_TEXT_MAX + (Size) abs(exponent);
}

void
dp_gate_chain_check_size(DpReleaseState *state, int aggno, Size *size)
{
	Aggref *aggref = list_nth(state->release->outline.aggregates, aggno);
	int column = list_length(state->release->outline.keys) + aggno;
	Size rows = (Size) dp_gate_rows_count(state->rows);
	StringInfo keys;

	dp_gate_rows_clear(state->rows, column);
	keys = dp_gate_write_answer(state, aggno);
	if (keys != NULL)
	{
		*size += ((Size) keys->len + rows * text_max(state, aggref)) *
				 list_length(state->release->outline.levels);
		pfree(keys->data);
	}
	if (keys == NULL || *size > DP_ANSWER_MAX)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many groups in a question with privacy levels"),
			 errdetail("All answers of a statement are stored, in at most %d "
					   "MB.",
					   DP_ANSWER_MAX / 1024 / 1024),
			 errhint("Group by something coarser, or ask for fewer aggregates "
					 "at once.")));
}

/* Each level's answers have the law of that level alone. */
static void
set_law_of_level(DpReleaseState *state, int aggno, DpCall call, double level)
{
	DpLaw law;

	if (!dp_amount_epsilon_of(level, &call.epsilon))
		elog(ERROR, "epsilon out of range");
	dp_law_of_call(&call, &law);
	dp_gate_set_law(state, aggno, &law);
}

StringInfo
dp_gate_chain_draw(DpReleaseState *state, int aggno, const DpCall *call)
{
	Aggref *aggref = list_nth(state->release->outline.aggregates, aggno);
	int column = list_length(state->release->outline.keys) + aggno;
	int count = list_length(state->release->outline.levels);
	int64 rows = dp_gate_rows_count(state->rows);
	dp_int128 *steps = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(rows, 1) * count * sizeof(dp_int128));
	Datum *highest = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(rows, 1) * sizeof(Datum));
	StringInfo *answers = palloc(count * sizeof(StringInfo));
	int exponent;
	DpNoiseStep *prepared = prepare_steps(state, call, &exponent);
	Size size = 0;
	int level;
	int64 row;

	for (row = 0; row < rows; row++)
		highest[row] = datumCopy(dp_gate_rows_values(state->rows, row)[column],
								 aggref->aggtype != NUMERICOID, -1);
	dp_gate_chain_check_size(state, aggno, &size);
	for (row = 0; row < rows; row++)
	{
		dp_int128 sum = 0;

		CHECK_FOR_INTERRUPTS();
		for (level = 0; level < count; level++)
		{
			dp_int128 step;

			dp_report_status(dp_noise_step_draw(dp_report_random(),
												&prepared[level], &step));
			sum = dp_int128_add_saturating(sum, step);
			steps[row * count + level] = sum;
		}
	}
	for (level = 0; level < count; level++)
	{
		set_law_of_level(
			state, aggno, *call,
			floatVal(list_nth(state->release->outline.levels, level)));
		for (row = 0; row < rows; row++)
			dp_gate_rows_set(state->rows, row, column,
							 add_steps(aggref->aggtype, highest[row],
									   steps[row * count + level], exponent),
							 false);
		answers[level] = dp_gate_write_answer(state, aggno);
	}
	return dp_chain_join(answers, (uint32) count);
}
