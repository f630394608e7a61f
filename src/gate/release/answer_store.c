/*
 * answer_store.c
 *		Answers that are stored, and those that were stored before.
 */
#include "postgres.h"

#include "gate/release/answer_bytes.h"
#include "gate/release/answer_store.h"
#include "gate/release/charge_request.h"
#include "gate/release/disjoint.h"
#include "gate/release/groupings.h"
#include "gate/release/layout.h"
#include "gate/release/level_chain.h"
#include "ledger/chain.h"

/* Reads what is about an aggregate of a release from the answer to its question. */
static void
read_part(DpReleaseState *state, int aggno, const char *answer, Size size)
{
	const char *part = dp_disjoint_part(state->questions[aggno],
										state->places[aggno], answer, &size);

	dp_groupings_read(state, aggno, part, size);
}

/* Uses the stored answers to a release's questions that had some outcomes. */
static void
use_stored(DpReleaseState *state, const DpPrice *price, int outcomes)
{
	int count = list_length(state->outline->aggregates);
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		DpAskedQuestion *question = state->questions[aggno];
		const DpChargeResult *result = &dp_price_of(price, question)->result;

		if ((outcomes & (1 << result->outcome)) == 0)
			continue;
		dp_layout_begin(state);
		question->told.outcome = result->outcome;
		question->told.at = result->at;
		read_part(state, aggno, result->answer, result->answer_size);
	}
}

void
dp_answer_store_use(List *askers, const DpPrice *price, int outcomes,
					bool only_private)
{
	foreach_ptr (DpReleaseState, state, askers)
	{
		if (!only_private || dp_groups_are_private(&state->groups))
			use_stored(state, price, outcomes);
	}
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
	return priced->charge.has_levels ? dp_level_chain_draw(priced)
									 : dp_disjoint_write(priced->question);
}

/*
 * Forgets a law that was set from a stored answer: this answer was computed
 * here.
 */
static void
forget_law(const DpPricedCharge *priced)
{
	int i;

	if (priced->question == NULL)
		return;
	foreach_ptr (DpReleaseState, grouping, priced->state->groupings->states)
	{
		for (i = 0; i < priced->question->count; i++)
			dp_answer_table_forget_law(&grouping->answers,
									   priced->question->aggnos[i]);
	}
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
	int i;

	if (charge->is_joint)
		return;
	if (bytes == NULL && charge->has_levels)
		bytes = dp_chain_level(priced->answer, charge->answer_size,
							   charge->level, &size);
	for (i = 0; bytes != NULL && i < priced->question->count; i++)
		read_part(priced->state, priced->question->aggnos[i], bytes, size);
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
		const DpAskedQuestion *question = state->questions[aggno];

		if (!dp_release_state_repeats(state, aggno) ||
			!dp_price_is_fresh(dp_price_of(price, question)))
			continue;
		dp_layout_begin(state);
		dp_groupings_copy(question->state,
						  question->aggnos[state->places[aggno]], state, aggno);
	}
}

void
dp_answer_store_copy(List *askers, const DpPrice *price)
{
	foreach_ptr (DpReleaseState, state, askers)
		copy_answers(state, price);
}
