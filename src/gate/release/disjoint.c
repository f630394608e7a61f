/*
 * disjoint.c
 *		Aggregates of a release, each about other rows, as one question.
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "gate/release/answer_bytes.h"
#include "gate/release/disjoint.h"
#include "gate/release/groupings.h"

DpTouched
dp_disjoint_touched(const DpReleaseState *state)
{
	return state->outline->contribution.neighbours == DP_SUBSTITUTE
			   ? DP_TOUCHES_TWO
			   : DP_TOUCHES_ONE;
}

/* Questions of a release while they are put into sets. */
typedef struct Joining
{
	DpReleaseState *state;
	DpAskedQuestion **questions;
	bool *stays_alone;
} Joining;

/* Whether a sum that counts 0 for other rows adds something by that. */
static bool
counts_zero(DpReleaseState *state, int aggno)
{
	const DpGrid *grid;

	if (list_nth_int(state->outline->by_zero, aggno) == 0)
		return false;
	grid = &dp_terms_call(&state->terms, aggno)->grid;
	return grid->lower > 0 || grid->upper < 0;
}

/* Whether the same question is there at another price, which is refused. */
static bool
has_two_prices(const Joining *joining, int aggno, int count)
{
	const DpAskedQuestion *question = joining->questions[aggno];
	int i;

	for (i = 0; i < count; i++)
	{
		const DpAskedQuestion *other = joining->questions[i];

		if (memcmp(other->charge.fingerprint, question->charge.fingerprint,
				   DP_FINGERPRINT_SIZE) == 0 &&
			memcmp(other->name, question->name, DP_FINGERPRINT_SIZE) != 0)
			return true;
	}
	return false;
}

static bool
are_disjoint(int one, int other, const void *context)
{
	const Joining *joining = context;
	const List *exclusive = joining->state->outline->exclusive;

	return !joining->stays_alone[one] && !joining->stays_alone[other] &&
		   list_member_int(list_nth(exclusive, Max(one, other)),
						   Min(one, other));
}

/* The dearest first; those that cost the same by their questions. */
static int
compare_questions(const void *a, const void *b, void *context)
{
	const Joining *joining = context;
	const DpAskedQuestion *one = joining->questions[*(const int *) a];
	const DpAskedQuestion *other = joining->questions[*(const int *) b];
	int order = dp_amount_compare(other->charge.cost.rho, one->charge.cost.rho);

	if (order == 0)
		order = dp_amount_compare(other->charge.asked, one->charge.asked);
	return order != 0 ? order
					  : memcmp(one->charge.fingerprint,
							   other->charge.fingerprint, DP_FINGERPRINT_SIZE);
}

/* The number of the first question that is equal to one. */
static int
first_equal(DpAskedQuestion **questions, int aggno)
{
	int i = 0;

	while (memcmp(questions[i]->name, questions[aggno]->name,
				  DP_FINGERPRINT_SIZE) != 0)
		i++;
	return i;
}

/* So that the parts of equal questions are in one order, at whatever price. */
static int
compare_parts(const void *a, const void *b)
{
	return memcmp((*(DpAskedQuestion *const *) a)->charge.fingerprint,
				  (*(DpAskedQuestion *const *) b)->charge.fingerprint,
				  DP_FINGERPRINT_SIZE);
}

/* Replaces the questions of a set by one, if it has several. */
static void
join_set(const Joining *joining, const int *order, int count,
		 const int *classes, int set,
		 DpAskedQuestion *(*make)(DpReleaseState *state,
								  DpAskedQuestion **parts, int count))
{
	DpAskedQuestion **parts = palloc(count * sizeof(DpAskedQuestion *));
	DpAskedQuestion *joined;
	int size = 0;
	int i;

	for (i = 0; i < count; i++)
	{
		if (classes[order[i]] == set)
			parts[size++] = joining->questions[order[i]];
	}
	if (size > 1)
	{
		qsort(parts, size, sizeof(DpAskedQuestion *), compare_parts);
		joined = make(joining->state, parts, size);
		for (i = 0; i < size; i++)
		{
			joining->state->places[parts[i]->aggno] = i;
			joining->questions[parts[i]->aggno] = joined;
		}
	}
	pfree(parts);
}

void
dp_disjoint_join(DpReleaseState *state, DpAskedQuestion **questions,
				 DpAskedQuestion *(*make)(DpReleaseState *state,
										  DpAskedQuestion **parts, int count))
{
	const DpOutline *outline = state->outline;
	int count = list_length(outline->aggregates);
	Joining joining = {.state = state, .questions = questions};
	int *classes = palloc0(count * sizeof(int));
	int *order = palloc(count * sizeof(int));
	int *firsts = palloc(count * sizeof(int));
	int different = 0;
	int sets;
	int i;

	if (outline->exclusive == NIL || outline->levels != NIL ||
		dp_groups_are_private(&state->groups))
		return;
	joining.stays_alone = palloc(count * sizeof(bool));
	for (i = 0; i < count; i++)
	{
		firsts[i] = first_equal(questions, i);
		joining.stays_alone[i] = counts_zero(state, i) ||
								 has_two_prices(&joining, i, count) ||
								 dp_terms_chooses(&state->terms, i);
		if (firsts[i] == i)
			order[different++] = i;
	}
	qsort_arg(order, different, sizeof(int), compare_questions, &joining);
	sets = dp_disjoint_partition(order, different, are_disjoint, &joining,
								 classes);
	for (i = 0; i < sets; i++)
		join_set(&joining, order, different, classes, i, make);
	for (i = 0; i < count; i++)
	{
		questions[i] = questions[firsts[i]];
		state->places[i] = state->places[firsts[i]];
	}
}

/* The following functions write and read answers. */

StringInfo
dp_disjoint_write(const DpAskedQuestion *question)
{
	StringInfo bytes;
	int i;

	if (question->count == 1)
		return dp_groupings_write(question->state, question->aggnos[0]);
	bytes = makeStringInfo();
	for (i = 0; i < question->count; i++)
	{
		if (!dp_answer_bytes_add(
				bytes,
				dp_groupings_write(question->state, question->aggnos[i])))
			return NULL;
	}
	return bytes;
}

const char *
dp_disjoint_part(const DpAskedQuestion *question, int place, const char *bytes,
				 Size *size)
{
	StringInfoData message = {(char *) bytes, (int) *size, (int) *size, 0};
	const char *part = bytes;
	int i;

	for (i = 0; i <= place && question->count > 1; i++)
	{
		int length = (int) pq_getmsgint(&message, 4);

		part = pq_getmsgbytes(&message, length);
		*size = (Size) length;
	}
	return part;
}
