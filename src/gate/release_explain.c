/*
 * release_explain.c
 *		EXPLAIN of a DP Release: the price and the expected error.
 *
 * Static facts only; neither charges nor runs anything, and tells nothing of
 * the data: no estimate, no count, nothing of the plan beneath.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

#include "accounting/amount.h"
#include "aggregates/describe.h"
#include "gate/question.h"
#include "gate/release_state.h"
#include "server/compat.h"

static char *
fingerprint_text(DpReleaseState *state, Aggref *aggref)
{
	unsigned char fingerprint[32];
	char text[2 * sizeof(fingerprint) + 1];

	dp_gate_fingerprint(state->release->relation, state->release->quals, aggref,
						state->css.ss.ps.state->es_param_list_info,
						fingerprint);
	hex_encode((const char *) fingerprint, sizeof(fingerprint), text);
	text[sizeof(text) - 1] = '\0';
	return pstrdup(text);
}

static void
explain_aggregate(DpReleaseState *state, Aggref *aggref, DpAmount *epsilon,
				  DpAmount *delta, ExplainState *es)
{
	DpCall call;
	DpDescription description;
	DpAmount amount;
	char text[DP_AMOUNT_TEXT];

	dp_gate_read_call(state, aggref, &call);
	dp_describe_call(&call, &description);
	ExplainOpenGroup("Private Aggregate", NULL, true, es);
	ExplainPropertyText("Aggregate", dp_call_name(call.aggregate), es);
	if (es->format == EXPLAIN_FORMAT_TEXT)
		es->indent++;
	ExplainPropertyText("Mechanism", dp_mechanism_name(description.mechanism),
						es);
	(void) dp_amount_from_double(call.epsilon_asked, &amount);
	*epsilon = dp_amount_add(*epsilon, amount);
	dp_amount_format(amount, text);
	ExplainPropertyText("Epsilon", text, es);
	(void) dp_amount_from_double(call.choice.delta, &amount);
	*delta = dp_amount_add(*delta, amount);
	ExplainPropertyText("Sensitivity",
						float8out_internal(description.sensitivity), es);
	ExplainPropertyText("Expected Error (95%)",
						isnan(description.half_width_95)
							? "depends on the data"
							: float8out_internal(description.half_width_95),
						es);
	ExplainPropertyText("Question", fingerprint_text(state, aggref), es);
	if (es->format == EXPLAIN_FORMAT_TEXT)
		es->indent--;
	ExplainCloseGroup("Private Aggregate", NULL, true, es);
}

void
dp_gate_release_explain(CustomScanState *node, List *ancestors,
						ExplainState *es)
{
	DpReleaseState *state = (DpReleaseState *) node;
	DpAmount epsilon = {0};
	DpAmount delta = {0};
	char text[DP_AMOUNT_TEXT];
	ListCell *cell;

	(void) ancestors;
	ExplainPropertyText("Protected Relation",
						get_rel_name(state->release->relation), es);
	ExplainOpenGroup("Private Aggregates", "Private Aggregates", false, es);
	foreach (cell, state->release->aggregates)
		explain_aggregate(state, lfirst(cell), &epsilon, &delta, es);
	ExplainCloseGroup("Private Aggregates", "Private Aggregates", false, es);
	dp_amount_format(epsilon, text);
	ExplainPropertyText("Total Epsilon", text, es);
	dp_amount_format(delta, text);
	ExplainPropertyText("Total Delta", text, es);
}
