/*
 * ladder.c
 *		Calls, charges and draws of questions with privacy levels.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "aggregates/numeric_value.h"
#include "aggregates/prepare.h"
#include "gate/release/ladder.h"
#include "gate/question/levels.h"
#include "ledger/chain.h"
#include "samplers/ladder.h"
#include "server/report.h"

/* A stored chain at most, in bytes. */
#define CHAIN_MAX (128 * 1024 * 1024)

/* The longest texts of answers; numeric: of sums on any grid of doubles. */
#define BIGINT_TEXT_MAX 20
#define NUMERIC_TEXT_MAX 2048

char *
dp_gate_ladder_text(const DpReleaseState *state)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	foreach (cell, state->release->levels)
		appendStringInfo(&text, "%s%s", text.len == 0 ? "" : ", ",
						 float8out_internal(floatVal(lfirst(cell))));
	return text.data;
}

/* The place of an epsilon among the levels; -1 when it is none. */
static int
level_of(const DpReleaseState *state, double epsilon)
{
	ListCell *cell;

	foreach (cell, state->release->levels)
	{
		if (floatVal(lfirst(cell)) == epsilon)
			return foreach_current_index(cell);
	}
	return -1;
}

bool
dp_gate_ladder_choose(const DpReleaseState *state, DpCall *call)
{
	const char *relation = dp_gate_subject_names(&state->release->subjects);
	const DpMechanismChoice *choice = &call->choice;

	if (state->release->levels == NIL ||
		!dp_gate_is_on_ladder(call->aggregate, call->type))
		return false;
	if (level_of(state, call->epsilon_asked) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s over \"%s\" is answered at some privacy levels "
						"alone",
						dp_call_name(call->aggregate), relation),
				 errhint("Set dp_noise.epsilon to one of %s.",
						 dp_gate_ladder_text(state))));
	if ((choice->mechanism != DP_AUTO && choice->mechanism != DP_LAPLACE &&
		 choice->mechanism != DP_GEOMETRIC) ||
		choice->truncated || choice->quantum != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s over \"%s\" has one mechanism, for all its privacy "
						"levels",
						dp_call_name(call->aggregate), relation),
				 errhint("Set dp_noise.mechanism to auto.")));
	call->choice.mechanism = dp_gate_ladder_mechanism(call->aggregate);
	return true;
}

void
dp_gate_ladder_charge(const DpReleaseState *state, const DpCall *call,
					  DpCharge *charge)
{
	pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);
	char *text = dp_gate_ladder_text(state);

	/* With other levels it is another chain. */
	if (hash == NULL || pg_cryptohash_init(hash) < 0 ||
		pg_cryptohash_update(hash, charge->fingerprint, DP_FINGERPRINT_SIZE) <
			0 ||
		pg_cryptohash_update(hash, (const uint8 *) text, strlen(text)) < 0 ||
		pg_cryptohash_final(hash, charge->chain, DP_FINGERPRINT_SIZE) < 0)
		elog(ERROR, "could not hash a question");
	pg_cryptohash_free(hash);
	charge->has_chain = true;
	charge->level = (uint32) level_of(state, call->epsilon_asked);
	if (!dp_amount_from_double(floatVal(linitial(state->release->levels)),
							   &charge->chain_epsilon))
		elog(ERROR, "epsilon out of range");
}

/* The epsilon that is used at a level, never more than is charged. */
static DpEpsilon
epsilon_of(const DpReleaseState *state, int level)
{
	DpEpsilon epsilon;

	if (!dp_amount_epsilon_of(floatVal(list_nth(state->release->levels, level)),
							  &epsilon))
		elog(ERROR, "epsilon out of range");
	return epsilon;
}

/* What lower levels add to the highest, drawn for one value. */
static void
draw_steps(const DpReleaseState *state, uint64 sensitivity, dp_int128 *steps)
{
	int count = list_length(state->release->levels);
	DpEpsilon *levels = palloc(count * sizeof(DpEpsilon));
	int i;

	for (i = 0; i < count; i++)
		levels[i] = epsilon_of(state, i);
	dp_report_status(
		dp_ladder_draw(dp_report_random(), levels, count, sensitivity, steps));

	/* The highest has its noise; the others' is that and a step of its own. */
	for (i = count - 1; i >= 0; i--)
		steps[i] -= steps[0];
	pfree(levels);
}

/* A value of an aggregate and so many steps of 2^exponent. */
static Datum
add_steps(Oid type, Datum value, dp_int128 steps, int exponent)
{
	dp_int128 sum;

	if (type == NUMERICOID)
		return NumericGetDatum(numeric_add_opt_error(
			DatumGetNumeric(value),
			dp_numeric_scale(dp_numeric_from_int128(steps), exponent), NULL));
	sum = dp_int128_clamp(steps, PG_INT64_MIN, PG_INT64_MAX);
	sum = sum * ((dp_int128) 1 << Min(exponent, 63)) + DatumGetInt64(value);
	return Int64GetDatum(
		(int64) dp_int128_clamp(sum, PG_INT64_MIN, PG_INT64_MAX));
}

/* Sensitivity in steps of 2^*exponent, as at the highest level. */
static uint64
sensitivity_of(const DpReleaseState *state, DpCall call, int *exponent)
{
	DpSum sum;
	DpNoise noise;

	call.epsilon = epsilon_of(state, 0);
	*exponent = 0;
	if (call.aggregate == DP_AGGREGATE_COUNT)
	{
		dp_prepare_count(&call, &noise);
		return noise.sensitivity;
	}
	dp_prepare_sum(&call, &sum);
	*exponent = sum.exponent;
	return sum.sensitivity == 0 ? 0 : sum.noise.sensitivity;
}

void
dp_gate_ladder_check_size(DpReleaseState *state, int place)
{
	Aggref *aggref = list_nth(state->release->aggregates, place);
	int column = list_length(state->release->keys) + place;
	Size rows = (Size) dp_gate_rows_count(state->rows);
	StringInfo keys;

	dp_gate_rows_clear(state->rows, column);
	keys = dp_gate_write_answer(state, place);
	if (keys != NULL &&
		((Size) keys->len + rows * (aggref->aggtype == NUMERICOID
										? NUMERIC_TEXT_MAX
										: BIGINT_TEXT_MAX)) *
				list_length(state->release->levels) <=
			CHAIN_MAX)
	{
		pfree(keys->data);
		return;
	}
	ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					errmsg("too many groups in a question with privacy levels"),
					errdetail("All its answers are stored, in at most %d MB.",
							  CHAIN_MAX / 1024 / 1024),
					errhint("Group by something coarser.")));
}

StringInfo
dp_gate_ladder_draw(DpReleaseState *state, int place, const DpCall *call)
{
	Aggref *aggref = list_nth(state->release->aggregates, place);
	int column = list_length(state->release->keys) + place;
	int count = list_length(state->release->levels);
	int64 rows = dp_gate_rows_count(state->rows);
	dp_int128 *steps = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(rows, 1) * count * sizeof(dp_int128));
	Datum *highest = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(rows, 1) * sizeof(Datum));
	StringInfo *answers = palloc(count * sizeof(StringInfo));
	int exponent;
	uint64 sensitivity = sensitivity_of(state, *call, &exponent);
	int level;
	int64 row;

	for (row = 0; row < rows; row++)
		highest[row] = datumCopy(dp_gate_rows_values(state->rows, row)[column],
								 aggref->aggtype != NUMERICOID, -1);
	dp_gate_ladder_check_size(state, place);
	for (row = 0; row < rows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		if (sensitivity > 0)
			draw_steps(state, sensitivity, &steps[row * count]);
		else
			memset(&steps[row * count], 0, count * sizeof(dp_int128));
	}
	for (level = 0; level < count; level++)
	{
		for (row = 0; row < rows; row++)
			dp_gate_rows_set(state->rows, row, column,
							 add_steps(aggref->aggtype, highest[row],
									   steps[row * count + level], exponent),
							 false);
		answers[level] = dp_gate_write_answer(state, place);
	}
	return dp_chain_join(answers, (uint32) count);
}
