/*
 * level_chain.c
 *		The draw of a question with privacy levels.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "aggregates/numeric_value.h"
#include "gate/bound/levels.h"
#include "gate/release/answer_bytes.h"
#include "gate/release/level_chain.h"
#include "ledger/chain.h"
#include "server/report.h"

/* The longest texts of answers; numeric: of 128 bits, before the point and
 * without what the exponent of the grid adds. */
#define BIGINT_TEXT_MAX 20
#define NUMERIC_TEXT_MAX 42

/* The question of a charge: its rows, and the column of its answers. */
typedef struct Chain
{
	DpAnswerTable *answers;
	List *levels;
	const DpCall *call;
	int aggno;
	int column;
	Oid type; /* bigint or numeric */

	/* What a level adds to the one above it, in steps of 2^exponent. */
	DpNoiseStep *steps;
	int exponent;
} Chain;

static Chain
chain_of(const DpPricedCharge *priced)
{
	DpReleaseState *state = priced->state;
	int aggno = priced->question->aggno;
	Chain chain = {
		.answers = &state->answers,
		.levels = state->outline->levels,
		.call = dp_terms_call(&state->terms, aggno),
		.aggno = aggno,
		.column = dp_answer_table_column(&state->answers, aggno),
		.type =
			((Aggref *) list_nth(state->outline->aggregates, aggno))->aggtype,
	};

	chain.steps = dp_levels_steps(chain.levels, chain.call, &chain.exponent);
	return chain;
}

static void
check_size(const Chain *chain, Size *size)
{
	DpRowTable *rows = chain->answers->rows;
	Size text_max = chain->type == NUMERICOID
						? NUMERIC_TEXT_MAX + (Size) abs(chain->exponent)
						: BIGINT_TEXT_MAX;
	StringInfo keys;

	dp_row_table_clear(rows, chain->column);
	keys = dp_answer_bytes_write(chain->answers, chain->aggno);
	if (keys != NULL)
	{
		*size +=
			((Size) keys->len + (Size) dp_row_table_count(rows) * text_max) *
			list_length(chain->levels);
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

void
dp_level_chain_check(const DpPricedCharge *priced, Size *size)
{
	Chain chain = chain_of(priced);

	check_size(&chain, size);
}

/* The sum of an aggregate's value and this many steps of 2^exponent. */
static Datum
add_steps(Oid type, Datum value, dp_int128 steps, int exponent)
{
	dp_int128 sum;

	if (type == NUMERICOID)
		return NumericGetDatum(dp_numeric_round_to_step(
			DatumGetNumeric(DirectFunctionCall2(
				numeric_add, value,
				NumericGetDatum(dp_numeric_scale(dp_numeric_from_int128(steps),
												 exponent)))),
			exponent));
	sum = dp_int128_clamp(steps, PG_INT64_MIN, PG_INT64_MAX);
	sum = sum * ((dp_int128) 1 << Min(exponent, 63)) + DatumGetInt64(value);
	return Int64GetDatum(
		(int64) dp_int128_clamp(sum, PG_INT64_MIN, PG_INT64_MAX));
}

/* The answers that were computed, which are those of the highest level. */
static Datum *
highest_answers(const Chain *chain)
{
	int64 count = dp_row_table_count(chain->answers->rows);
	Datum *highest = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(count, 1) * sizeof(Datum));
	int64 row;

	for (row = 0; row < count; row++)
		highest[row] = datumCopy(
			dp_row_table_values(chain->answers->rows, row)[chain->column],
			chain->type != NUMERICOID, -1);
	return highest;
}

/* What each level adds to the highest, row by row, in steps. */
static dp_int128 *
draw_steps(const Chain *chain)
{
	int64 count = dp_row_table_count(chain->answers->rows);
	int levels = list_length(chain->levels);
	dp_int128 *drawn = MemoryContextAllocHuge(CurrentMemoryContext,
											  (Size) Max(count, 1) * levels *
												  sizeof(dp_int128));
	int64 row;
	int level;

	for (row = 0; row < count; row++)
	{
		dp_int128 sum = 0;

		CHECK_FOR_INTERRUPTS();
		for (level = 0; level < levels; level++)
		{
			dp_int128 step;

			dp_report_status(dp_noise_step_draw(dp_report_random(),
												&chain->steps[level], &step));
			sum = dp_int128_add_saturating(sum, step);
			drawn[row * levels + level] = sum;
		}
	}
	return drawn;
}

/* Sets the law of the answers at one level. */
static void
set_law(const Chain *chain, double epsilon)
{
	DpCall call = *chain->call;
	DpLaw law;

	if (!dp_amount_epsilon_of(epsilon, &call.epsilon))
		elog(ERROR, "epsilon out of range");
	dp_law_of_call(&call, &law);
	dp_answer_table_set_law(chain->answers, chain->aggno, &law);
}

StringInfo
dp_level_chain_draw(const DpPricedCharge *priced)
{
	Chain chain = chain_of(priced);
	DpRowTable *rows = chain.answers->rows;
	Datum *highest = highest_answers(&chain);
	int count = list_length(chain.levels);
	StringInfo *bytes = palloc(count * sizeof(StringInfo));
	dp_int128 *drawn;
	Size size = 0;
	ListCell *cell;

	check_size(&chain, &size);
	drawn = draw_steps(&chain);
	foreach (cell, chain.levels)
	{
		int level = foreach_current_index(cell);
		int64 row;

		set_law(&chain, floatVal(lfirst(cell)));
		for (row = 0; row < dp_row_table_count(rows); row++)
			dp_row_table_set(rows, row, chain.column,
							 add_steps(chain.type, highest[row],
									   drawn[row * count + level],
									   chain.exponent),
							 false);
		bytes[level] = dp_answer_bytes_write(chain.answers, chain.aggno);
	}
	return dp_chain_join(bytes, (uint32) count);
}
