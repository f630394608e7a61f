/*
 * storing.c
 *		Which answers of a statement are stored.
 */
#include "postgres.h"

#include "gate/release/answer.h"
#include "gate/release/chain.h"
#include "gate/release/charges.h"
#include "gate/release/groupings.h"
#include "gate/release/storing.h"
#include "ledger/chain.h"

/* A whole chain, from the highest level, which was computed. */
static StringInfo
draw_chain(const DpQuestion *question)
{
	DpReleaseState *state = question->state;
	DpCall call;

	(void) dp_gate_read_call(
		state, list_nth(state->release->outline.aggregates, question->aggno),
		&call);
	return dp_gate_chain_draw(state, question->aggno, &call);
}

/* The answer to be stored for replay, if any. */
static StringInfo
write_answer(const DpQuestion *question)
{
	const DpReleaseState *state = question->state;

	if (dp_gate_is_selection(question) ||
		(state->selection != NULL && state->selection->is_exceeded))
		return NULL;
	return question->charge.has_levels
			   ? draw_chain(question)
			   : dp_gate_write_grouped(question->state, question->aggno);
}

/*
 * Forgets a law that was set from a stored answer: this answer was computed
 * here.
 */
static void
forget_law(const DpQuestion *question)
{
	ListCell *cell;

	if (dp_gate_is_selection(question))
		return;
	foreach (cell, dp_gate_grouped(question->state))
		dp_gate_forget_law(lfirst(cell), question->aggno);
}

static void
set_bytes(DpQuestion *question, char *bytes, Size size)
{
	question->answer = bytes;
	question->charge.answer_size = (uint32) size;
}

/*
 * Sets what is stored for a charge. *size: of all of them, in bytes, of which
 * chains need their part; what no longer fits is not stored.
 */
static void
set_answer(DpQuestion *question, Size *size)
{
	DpCharge *charge = &question->charge;
	StringInfo bytes;

	if (charge->is_joint) /* the one before is the question's */
		return;
	forget_law(question);
	bytes = write_answer(question);
	set_bytes(question, bytes == NULL ? NULL : bytes->data,
			  bytes == NULL ? 0 : bytes->len);
	*size += charge->answer_size;
	if (*size > DP_ANSWER_MAX && !charge->has_levels)
	{
		*size -= charge->answer_size;
		set_bytes(question, NULL, 0);
	}
}

void
dp_gate_set_stored(DpAsking *asked)
{
	Size size = 0;
	int i;

	for (i = 0; i < asked->count; i++)
	{
		if (dp_gate_is_fresh(&asked->questions[i]))
			set_answer(&asked->questions[i], &size);
	}
}

void
dp_gate_use_drawn(const DpAsking *asked)
{
	int i;

	for (i = 0; i < asked->count; i++)
	{
		const DpQuestion *question = &asked->questions[i];
		const DpCharge *charge = &question->charge;
		char *bytes = question->result.answer;
		uint32 size = question->result.answer_size;

		if (!dp_gate_is_fresh(question) || charge->is_joint)
			continue;
		if (bytes == NULL && charge->has_levels)
			bytes = dp_chain_level(question->answer, charge->answer_size,
								   charge->level, &size);
		if (bytes != NULL)
			dp_gate_read_grouped(question->state, question->aggno, bytes, size);
	}
}
