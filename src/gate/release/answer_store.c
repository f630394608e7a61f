/*
 * answer_store.c
 *		Answers that are stored, and those that were stored before.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "gate/question/units/levels.h"
#include "gate/release/answer_bytes.h"
#include "gate/release/answer_store.h"
#include "gate/release/charge_request.h"
#include "gate/release/groupings.h"
#include "gate/release/layout.h"
#include "ledger/chain.h"

/* Uses the stored answers to a release's questions that had some outcomes. */
static void
use_stored(DpReleaseState *state, const DpPrice *price, int outcomes)
{
	int count = list_length(state->outline->aggregates);
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		DpQuestion *question = state->questions[aggno];
		const DpChargeResult *result = &dp_price_of(price, question)->result;

		if ((outcomes & (1 << result->outcome)) == 0)
			continue;
		dp_layout_begin(state);
		question->told.outcome = result->outcome;
		question->told.at = result->at;
		dp_groupings_read(state, aggno, result->answer, result->answer_size);
	}
}

void
dp_answer_store_use(List *states, const DpPrice *price, int outcomes,
					bool only_private)
{
	foreach_ptr (DpReleaseState, state, states)
	{
		if (dp_release_state_asker(state) == state &&
			(!only_private || dp_groups_are_private(&state->groups)))
			use_stored(state, price, outcomes);
	}
}

/* The following functions are about privacy levels. */

void
dp_answer_store_check_levels(const DpPricedCharge *priced, Size *size)
{
	DpReleaseState *state = priced->state;
	DpAnswerTable *answers = &state->answers;
	int aggno = priced->question->aggno;
	List *levels = state->outline->levels;
	Aggref *aggref = list_nth(state->outline->aggregates, aggno);
	Size rows = (Size) dp_row_table_count(answers->rows);
	StringInfo keys;

	dp_row_table_clear(answers->rows, dp_answer_table_column(answers, aggno));
	keys = dp_answer_bytes_write(answers, aggno);
	if (keys != NULL)
	{
		*size += ((Size) keys->len +
				  rows * dp_levels_text_max(levels,
											dp_terms_call(&state->terms, aggno),
											aggref->aggtype)) *
				 list_length(levels);
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

/* The answers of an aggregate, which are those of the highest level. */
static Datum *
highest_answers(const DpAnswerTable *answers, int column, Oid type)
{
	int64 count = dp_row_table_count(answers->rows);
	Datum *highest = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(count, 1) * sizeof(Datum));
	int64 row;

	for (row = 0; row < count; row++)
		highest[row] =
			datumCopy(dp_row_table_values(answers->rows, row)[column],
					  type != NUMERICOID, -1);
	return highest;
}

/* A whole chain, from the highest level, which was computed. */
static StringInfo
draw_chain(const DpPricedCharge *priced)
{
	DpAnswerTable *answers = &priced->state->answers;
	int aggno = priced->question->aggno;
	const DpOutline *outline = priced->state->outline;
	const DpCall *call = dp_terms_call(&priced->state->terms, aggno);
	Oid type = ((Aggref *) list_nth(outline->aggregates, aggno))->aggtype;
	int column = dp_answer_table_column(answers, aggno);
	Datum *highest = highest_answers(answers, column, type);
	int count = list_length(outline->levels);
	StringInfo *chain = palloc(count * sizeof(StringInfo));
	DpLevelDraw draw;
	Size size = 0;
	int level;

	dp_answer_store_check_levels(priced, &size);
	draw = dp_levels_draw(outline->levels, call,
						  dp_row_table_count(answers->rows));
	for (level = 0; level < count; level++)
	{
		int64 row;
		DpLaw law;

		dp_levels_law(outline->levels, level, call, &law);
		dp_answer_table_set_law(answers, aggno, &law);
		for (row = 0; row < dp_row_table_count(answers->rows); row++)
			dp_row_table_set(
				answers->rows, row, column,
				dp_levels_answer_of(&draw, level, row, type, highest[row]),
				false);
		chain[level] = dp_answer_bytes_write(answers, aggno);
	}
	return dp_chain_join(chain, (uint32) count);
}

/* The following functions store what was computed. */

/* The answer to be stored for replay, if any. */
static StringInfo
write_answer(const DpPricedCharge *priced)
{
	const DpGroupSelection *selection = priced->state->groups.selection;

	if (priced->question == NULL ||
		(selection != NULL && selection->is_exceeded))
		return NULL;
	return priced->charge.has_levels
			   ? draw_chain(priced)
			   : dp_groupings_write(priced->state, priced->question->aggno);
}

/*
 * Forgets a law that was set from a stored answer: this answer was computed
 * here.
 */
static void
forget_law(const DpPricedCharge *priced)
{
	if (priced->question == NULL)
		return;
	foreach_ptr (DpReleaseState, grouping, priced->state->groupings->states)
		dp_answer_table_forget_law(&grouping->answers, priced->question->aggno);
}

static void
set_bytes(DpPricedCharge *priced, char *bytes, Size size)
{
	priced->answer = bytes;
	priced->charge.answer_size = (uint32) size;
}

/*
 * Sets what is stored for a charge. *size: of all of them, in bytes, of which
 * chains need their part; what no longer fits is not stored.
 */
static void
set_answer(DpPricedCharge *priced, Size *size)
{
	DpCharge *charge = &priced->charge;
	StringInfo bytes;

	if (charge->is_joint) /* the one before is the question's */
		return;
	forget_law(priced);
	bytes = write_answer(priced);
	set_bytes(priced, bytes == NULL ? NULL : bytes->data,
			  bytes == NULL ? 0 : bytes->len);
	*size += charge->answer_size;
	if (*size > DP_ANSWER_MAX && !charge->has_levels)
	{
		*size -= charge->answer_size;
		set_bytes(priced, NULL, 0);
	}
}

/* Replaces computed values by what is the answer once all are stored. */
static void
use_kept(const DpPricedCharge *priced)
{
	const DpCharge *charge = &priced->charge;
	char *bytes = priced->result.answer;
	uint32 size = priced->result.answer_size;

	if (charge->is_joint)
		return;
	if (bytes == NULL && charge->has_levels)
		bytes = dp_chain_level(priced->answer, charge->answer_size,
							   charge->level, &size);
	if (bytes != NULL)
		dp_groupings_read(priced->state, priced->question->aggno, bytes, size);
}

void
dp_answer_store_keep(DpPrice *price)
{
	Size size = 0;
	int i;

	for (i = 0; i < price->count; i++)
	{
		if (dp_price_is_fresh(&price->charges[i]))
			set_answer(&price->charges[i], &size);
	}
	dp_charge_request_store(price);
	for (i = 0; i < price->count; i++)
	{
		if (dp_price_is_fresh(&price->charges[i]))
			use_kept(&price->charges[i]);
	}
}

/* Copies the answers of equal questions to one release. */
static void
copy_answers(DpReleaseState *state, const DpPrice *price)
{
	int count = list_length(state->outline->aggregates);
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		const DpQuestion *question = state->questions[aggno];

		if (!dp_release_state_repeats(state, aggno) ||
			!dp_price_is_fresh(dp_price_of(price, question)))
			continue;
		dp_layout_begin(state);
		dp_groupings_copy(question->state, question->aggno, state, aggno);
	}
}

void
dp_answer_store_copy(List *states, const DpPrice *price)
{
	foreach_ptr (DpReleaseState, state, states)
	{
		if (dp_release_state_asker(state) == state)
			copy_answers(state, price);
	}
}
