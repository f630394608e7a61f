/*
 * explain_answer.c
 *		EXPLAIN of a DP Release: what answers an aggregate, or would.
 *
 * As in an execution, the ledger is asked about all releases of the statement
 * together. Nothing is charged, and if the ledger cannot answer, that is no
 * error: EXPLAIN also works on a standby, and where the ledger has no process.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "gate/release/agreement.h"
#include "gate/release/charge_request.h"
#include "gate/release/derived.h"
#include "gate/release/explain_answer.h"
#include "gate/release/premises.h"
#include "gate/release/questions.h"
#include "gate/release/sub_query_values.h"
#include "server/compat.h"

void
dp_explain_open(const char *group, const char *label, const char *title,
				const char *text, ExplainState *es)
{
	ExplainOpenGroup(group, label, true, es);
	ExplainPropertyText(title, text, es);
	if (es->format == EXPLAIN_FORMAT_TEXT)
		es->indent++;
}

void
dp_explain_close(const char *group, const char *label, ExplainState *es)
{
	if (es->format == EXPLAIN_FORMAT_TEXT)
		es->indent--;
	ExplainCloseGroup(group, label, true, es);
}

void
dp_explain_text(const char *label, const char *text, ExplainState *es)
{
	if (text != NULL)
		ExplainPropertyText(label, text, es);
}

void
dp_explain_amount(const char *label, DpAmount amount, ExplainState *es)
{
	char text[DP_AMOUNT_TEXT];

	dp_amount_format(amount, text);
	ExplainPropertyText(label, text, es);
}

/* True for errors that say why a question would not be answered now. */
static bool
is_answer(int code)
{
	return code == ERRCODE_FEATURE_NOT_SUPPORTED ||
		   code == ERRCODE_INSUFFICIENT_PRIVILEGE ||
		   code == ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE ||
		   code == ERRCODE_INSUFFICIENT_RESOURCES ||
		   code == ERRCODE_PROGRAM_LIMIT_EXCEEDED ||
		   code == ERRCODE_CRASH_SHUTDOWN;
}

/* Notes what would become of the questions; the worst of all populations. */
static void
note_outcomes(const DpPrice *price, const DpPreview *preview)
{
	uint32 i;

	for (i = 0; i < preview->charge_count; i++)
	{
		const DpPricedCharge *priced = &price->charges[i];
		DpAskedQuestion *question = priced->question;

		if (question != NULL &&
			(!priced->charge.is_joint ||
			 (preview->charges[i].outcome == DP_OUTCOME_REFUSED &&
			  question->told.outcome != DP_OUTCOME_REFUSED)))
			question->told = preview->charges[i];
	}
}

/* Asks the ledger; errors that are answers become part of the preview. */
static void
ask(List *states, DpPrice *price, DpPreview *preview)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		dp_premises_check_payer(states);
		dp_derived_find(price);
		dp_charge_request_preview(price, preview);
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (!is_answer(error->sqlerrcode))
			PG_RE_THROW();
		FlushErrorState();
		memset(preview, 0, sizeof(*preview));
		preview->sqlstate = error->sqlerrcode;
		strlcpy(preview->message, error->message, sizeof(preview->message));
	}
	PG_END_TRY();
	note_outcomes(price, preview);
}

static bool
awaits_constants(List *states)
{
	foreach_ptr (DpReleaseState, state, states)
	{
		if (dp_sub_query_values_are_awaited(state))
			return true;
	}
	return false;
}

static DpPrice
preview_charges(List *states, DpPreview *preview)
{
	List *askers = dp_agreement_share_out(states);
	DpPrice price;

	dp_questions_find(askers);
	price = dp_price_make(askers);
	ask(states, &price, preview);
	if (dp_questions_prepare_selections(askers))
	{
		price = dp_charge_request_price_again(askers, &price);
		ask(states, &price, preview);
		dp_charge_request_keep_together(&price); /* as in settle.c */
		ask(states, &price, preview);
	}
	return price;
}

DpPrice
dp_explain_answer_preview(EState *estate)
{
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	List *states = dp_release_states_of(estate);
	DpPreview *preview = palloc0(sizeof(DpPreview));
	DpPrice price = {0};

	foreach_ptr (DpReleaseState, state, states)
		dp_sub_query_values_find_of_asker(state);
	if (awaits_constants(states))
	{
		preview->sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
		strlcpy(preview->message,
				"the question depends on the value of a sub-query, which is "
				"found first",
				sizeof(preview->message));
	}
	else
		price = preview_charges(states, preview);
	foreach_ptr (DpReleaseState, state, states)
		state->preview = preview;
	MemoryContextSwitchTo(old);
	return price;
}

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

bool
dp_explain_is_derived(const DpReleaseState *state, int aggno, double *width)
{
	const DpReleaseState *asker = dp_release_state_asker(state);

	if (find_outcome(state, aggno) == NULL)
		return false;
	*width = asker->questions[aggno]->derived_width;
	return asker->questions[aggno]->is_derived;
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
	double width;

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
		answer = dp_explain_is_derived(state, aggno, &width) ? "derived"
															 : "replayed";
	else if (dp_release_state_repeats(dp_release_state_asker(state), aggno))
		answer = "the same as before in this statement";
	else if (found->outcome == DP_OUTCOME_SHARED)
		answer = "shared";
	ExplainPropertyText("Answer", answer, es);
	if (found->outcome == DP_OUTCOME_SHARED)
		ExplainPropertyText("Age", age_text(found->at), es);
}
