/*
 * explain_answer.c
 *		EXPLAIN of a DP Release: what answers an aggregate.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "gate/release/explain_answer.h"
#include "server/compat.h"

/* Errors that say that a question would be refused, whatever its price. */
static bool
is_refusal(int code)
{
	return code == ERRCODE_FEATURE_NOT_SUPPORTED ||
		   code == ERRCODE_INSUFFICIENT_PRIVILEGE ||
		   code == ERRCODE_PROGRAM_LIMIT_EXCEEDED;
}

/* What became of an aggregate, or would; NULL where nothing was asked. */
static const DpChargePreview *
find_outcome(const DpReleaseState *state, int aggno)
{
	const DpReleaseState *asker = dp_release_state_asker(state);

	if (state->preview == NULL ? !state->is_done
							   : state->preview->charge_count == 0)
		return NULL;
	return &asker->questions[aggno]->told;
}

/* How long an answer has been stored, in its greatest unit. */
static char *
age_text(TimestampTz at)
{
	static const struct
	{
		const char *name;
		int64 seconds;
	} units[] = {{"day", 86400}, {"hour", 3600}, {"minute", 60}, {"second", 1}};
	int64 age = Max(GetCurrentTimestamp() - at, 0) / USECS_PER_SEC;
	int i = 0;

	while (i < (int) lengthof(units) - 1 && age < units[i].seconds)
		i++;
	age /= units[i].seconds;
	return psprintf(INT64_FORMAT " %s%s", age, units[i].name,
					age == 1 ? "" : "s");
}

void
dp_explain_answer(const DpReleaseState *state, int aggno, ExplainState *es)
{
	static const char *const refusals[] = {
		[DP_REFUSAL_NONE] = "refused",
		[DP_REFUSAL_NOT_PROTECTED] = "refused: the relation is not protected",
		[DP_REFUSAL_CHANGED] = "refused: the protection has changed",
		[DP_REFUSAL_NO_BUDGET] = "refused: no budget",
		[DP_REFUSAL_ANSWERED_BEFORE] = "refused: answered before",
		[DP_REFUSAL_ASKED_BEFORE] = "refused: asked before",
		[DP_REFUSAL_ASKED_TWICE] = "refused: asked twice in this statement",
		[DP_REFUSAL_BUDGET] = "refused: insufficient budget",
		[DP_REFUSAL_TOO_LITTLE] = "refused: too little epsilon",
		[DP_REFUSAL_FAILURES] = "refused: too many failures",
	};
	const DpChargePreview *found = find_outcome(state, aggno);
	const char *answer = "charged";

	if (found == NULL)
	{
		if (state->preview != NULL)
			ExplainPropertyText(
				"Answer",
				is_refusal(state->preview->sqlstate) ? "refused" : "not known",
				es);
		return;
	}
	if (found->outcome == DP_OUTCOME_REFUSED)
		answer = refusals[found->refusal];
	else if (found->outcome == DP_OUTCOME_REPLAYED)
		answer = "replayed";
	else if (dp_release_state_repeats(dp_release_state_asker(state), aggno))
		answer = "the same as before in this statement";
	else if (found->outcome == DP_OUTCOME_SHARED)
		answer = "shared";
	ExplainPropertyText("Answer", answer, es);
	if (found->outcome == DP_OUTCOME_SHARED)
		ExplainPropertyText("Age", age_text(found->at), es);
}
