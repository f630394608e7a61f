/*
 * sharing.c
 *		Equal questions of one statement, which have one answer and one charge.
 */
#include "postgres.h"

#include "gate/release/sharing.h"

static bool
are_same_relations(const List *one, const List *other)
{
	return list_difference_oid(one, other) == NIL &&
		   list_difference_oid(other, one) == NIL;
}

/* Whether the same relations and views pay, and in the same way. */
static bool
have_same_payers(const DpRelations *one, const DpRelations *other)
{
	return are_same_relations(dp_gate_all_read(one), dp_gate_all_read(other)) &&
		   are_same_relations(one->beneath, other->beneath);
}

/* Whether two draws are from one distribution, as far as a call says that. */
static bool
are_drawn_alike(const DpQuestion *one, const DpQuestion *other)
{
	const DpMechanismChoice *a = &one->choice;
	const DpMechanismChoice *b = &other->choice;

	return one->cap == other->cap && a->truncated == b->truncated &&
		   a->cost == b->cost && a->gamma == b->gamma &&
		   a->first_step == b->first_step && a->delta == b->delta &&
		   a->rank == b->rank && a->quantum == b->quantum &&
		   a->levels == b->levels && a->constants == b->constants;
}

/*
 * What is asked, of whom, and at what price. The fingerprint of a question about
 * one relation does not name it, nor does any name views.
 */
static bool
is_same(const DpQuestion *one, const DpQuestion *other)
{
	const DpCharge *a = &one->charge;
	const DpCharge *b = &other->charge;

	return memcmp(a->fingerprint, b->fingerprint, sizeof(a->fingerprint)) ==
			   0 &&
		   a->asked.ticks == b->asked.ticks &&
		   strcmp(a->mechanism, b->mechanism) == 0 &&
		   are_drawn_alike(one, other) && a->has_chain == b->has_chain &&
		   a->level == b->level &&
		   have_same_payers(&one->state->release->outline.relations,
							&other->state->release->outline.relations);
}

/* The first question that is equal to another one; -1: none before it. */
static int
find_same(const DpAsking *asked, int number)
{
	const DpQuestion *questions = asked->questions;
	int i;

	if (questions[number].charge.is_joint)
		return questions[number - 1].same;
	for (i = 0; i < number; i++)
	{
		if (!questions[i].charge.is_joint && questions[i].same < 0 &&
			is_same(&questions[i], &questions[number]))
			return i;
	}
	return -1;
}

bool
dp_gate_is_shared(const DpReleaseState *state)
{
	int count = list_length(state->release->outline.aggregates);
	int i;

	for (i = 0; i < count; i++)
	{
		if (!state->shared[i])
			return false;
	}
	return count > 0;
}

static void
note_shared(const DpQuestion *question)
{
	question->state->shared[question->aggno] = question->same >= 0;
}

/*
 * Takes back what a release shares where it has groups of its own to select: one
 * selection serves all of its questions.
 */
static void
forget_some(DpAsking *asked)
{
	int i;

	for (i = 0; i < asked->count; i++)
	{
		DpQuestion *question = &asked->questions[i];

		if (question->same >= 0 && dp_gate_has_private_keys(question->state) &&
			!dp_gate_is_shared(question->state))
			question->same = -1;
	}
	for (i = 0; i < asked->count; i++)
		note_shared(&asked->questions[i]);
}

void
dp_gate_find_shared(DpAsking *asked)
{
	int i;

	for (i = 0; i < asked->count; i++)
	{
		asked->questions[i].same = find_same(asked, i);
		note_shared(&asked->questions[i]);
	}
	forget_some(asked);
}

void
dp_gate_keep_shared(DpAsking *asked, const DpAsking *before)
{
	int *now = palloc(Max(before->count, 1) * sizeof(int));
	int next = 0;
	int i;

	for (i = 0; i < asked->count; i++)
	{
		DpQuestion *question = &asked->questions[i];
		int same;

		if (dp_gate_is_selection(question))
			continue;
		same = before->questions[next].same;
		now[next++] = i;
		if (same >= 0)
			question->same = now[same];
	}
}

void
dp_gate_share_results(DpAsking *asked)
{
	int i;

	for (i = 0; i < asked->count; i++)
	{
		DpQuestion *question = &asked->questions[i];
		const DpQuestion *first;

		if (question->same < 0)
			continue;
		first = &asked->questions[question->same];
		if (first->result.outcome == DP_OUTCOME_REPLAYED)
			question->result = first->result;
	}
}
