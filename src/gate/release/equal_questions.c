/*
 * equal_questions.c
 *		Equal questions of one statement, which have one answer and one charge.
 */
#include "postgres.h"

#include "gate/release/equal_questions.h"

/* The same law, of the same rows; and the same level of it. */
static bool
is_same(const DpQuestion *one, const DpQuestion *other)
{
	return memcmp(one->alone, other->alone, sizeof(one->alone)) == 0 &&
		   one->charge.level == other->charge.level;
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
dp_gate_is_answered_before(const DpReleaseState *state)
{
	int count = list_length(state->release->outline.aggregates);
	int i;

	for (i = 0; i < count; i++)
	{
		if (!state->same[i])
			return false;
	}
	return count > 0;
}

static void
note_same(const DpQuestion *question)
{
	question->state->same[question->aggno] = question->same >= 0;
}

/*
 * Takes back what a release has in common with others where it has groups of its
 * own to select: one selection serves all of its questions.
 */
static void
forget_some(DpAsking *asked)
{
	int i;

	for (i = 0; i < asked->count; i++)
	{
		DpQuestion *question = &asked->questions[i];

		if (question->same >= 0 && dp_gate_has_private_keys(question->state) &&
			!dp_gate_is_answered_before(question->state))
			question->same = -1;
	}
	for (i = 0; i < asked->count; i++)
		note_same(&asked->questions[i]);
}

void
dp_gate_find_equal(DpAsking *asked)
{
	int i;

	for (i = 0; i < asked->count; i++)
	{
		asked->questions[i].same = find_same(asked, i);
		note_same(&asked->questions[i]);
	}
	forget_some(asked);
}

void
dp_gate_keep_equal(DpAsking *asked, const DpAsking *before)
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
dp_gate_answer_equal(DpAsking *asked)
{
	int i;

	for (i = 0; i < asked->count; i++)
	{
		DpQuestion *question = &asked->questions[i];

		if (question->same >= 0)
			question->result = asked->questions[question->same].result;
	}
}
