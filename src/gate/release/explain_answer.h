/*
 * explain_answer.h
 *		EXPLAIN of a DP Release: what answers an aggregate, or would.
 */
#ifndef DP_GATE_RELEASE_EXPLAIN_ANSWER_H
#define DP_GATE_RELEASE_EXPLAIN_ANSWER_H

#include "commands/explain.h"

#include "gate/release/price.h"

/*
 * Finds what would happen now to all releases of a statement, and to their
 * questions. If that cannot be decided, or all is refused, the preview has no
 * charges, and an error that says why. Returns the price that was previewed, charge
 * by charge.
 */
extern DpPrice dp_explain_answer_preview(EState *estate);

/*
 * Opens a group whose first property is its title: in text, the others are
 * indented beneath it. label: NULL for one of a list.
 */
extern void dp_explain_open(const char *group, const char *label,
							const char *title, const char *text,
							ExplainState *es);
extern void dp_explain_close(const char *group, const char *label,
							 ExplainState *es);

/* Shows a text, if there is one. */
extern void dp_explain_text(const char *label, const char *text,
							ExplainState *es);

extern void dp_explain_amount(const char *label, DpAmount amount,
							  ExplainState *es);

/*
 * Whether an aggregate's answer is derived, or would be; then how wide its interval
 * is, as a part of what it would be if it were asked.
 */
extern bool dp_explain_is_derived(const DpReleaseState *state, int aggno,
								  double *width);

/* What answers an aggregate, or would. */
extern void dp_explain_answer(const DpReleaseState *state, int aggno,
							  ExplainState *es);

#endif
