/*
 * grouped_answers.c
 *		The answer to a question about several groupings.
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "gate/release/answer_bytes.h"
#include "gate/release/grouped_answers.h"
#include "gate/release/groupings.h"

StringInfo
dp_grouped_answers_write(DpReleaseState *state, int aggno)
{
	StringInfo bytes;
	DpGrouping *all;
	int count;
	int i;

	if (list_length(state->groupings->states) == 1)
		return dp_answer_bytes_write(&state->answers, aggno);
	all = dp_groupings_in_order(state, aggno, &count);
	bytes = makeStringInfo();
	for (i = 0; i < count; i++)
	{
		StringInfo one = dp_answer_bytes_write(&all[i].state->answers, aggno);

		if (one == NULL || bytes->len + one->len > DP_ANSWER_MAX)
			return NULL;
		pq_sendint32(bytes, (uint32) one->len);
		appendBinaryStringInfo(bytes, one->data, one->len);
		pfree(one->data);
	}
	return bytes;
}

void
dp_grouped_answers_read(DpReleaseState *state, int aggno, const char *bytes,
						Size size)
{
	StringInfoData message = {(char *) bytes, (int) size, (int) size, 0};
	DpGrouping *all;
	int count;
	int i;

	if (list_length(state->groupings->states) == 1)
	{
		dp_answer_bytes_read(&state->answers, aggno, bytes, size);
		return;
	}
	all = dp_groupings_in_order(state, aggno, &count);
	for (i = 0; i < count; i++)
	{
		int length = (int) pq_getmsgint(&message, 4);

		dp_answer_bytes_read(&all[i].state->answers, aggno,
							 pq_getmsgbytes(&message, length), length);
	}
}

void
dp_grouped_answers_copy(DpReleaseState *from, int from_aggno,
						DpReleaseState *to, int aggno)
{
	int from_count;
	int count;
	DpGrouping *sources = dp_groupings_in_order(from, from_aggno, &from_count);
	DpGrouping *targets = dp_groupings_in_order(to, aggno, &count);
	int i;

	if (count != from_count)
		elog(ERROR, "groupings of one question differ");
	for (i = 0; i < count; i++)
		dp_answer_bytes_copy(&sources[i].state->answers, from_aggno,
							 &targets[i].state->answers, aggno);
}

void
dp_grouped_answers_repeat(List *states)
{
	ListCell *cell;
	ListCell *repeated;
	ListCell *original;

	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);

		if (dp_release_state_asker(state) != state)
			continue;
		forboth (repeated, state->groupings->repeated, original,
				 state->groupings->originals)
		{
			int count = list_length(state->plan->outline.aggregates);
			int aggno;

			for (aggno = 0; aggno < count; aggno++)
				dp_answer_bytes_copy(
					&((DpReleaseState *) lfirst(original))->answers, aggno,
					&((DpReleaseState *) lfirst(repeated))->answers, aggno);
		}
	}
}
