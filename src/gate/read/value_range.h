/*
 * value_range.h
 *		Between which bounds an aggregated value lies, where nobody wrote any.
 *
 * As gate/facts/range.h finds them, from declarations, and where these are missing
 * also from the values of public columns, and of what is computed from them alone.
 * What is known is narrowed by
 *
 *   conditions that compare the value, or a column in it, with constants: those of
 *     the question, and of the aggregate's FILTER
 *   what a unit's rows are counted and summed to: as many as its cap says, with
 *     values between their bounds
 *
 * through sub-queries and UNION ALL, and by interval arithmetic above these. Values
 * beyond bounds are clamped, so bounds never make an answer less private; and none
 * depends on protected rows. Conditions leave out what they would clamp, so they make
 * none wronger. Where they leave nothing of what is known, they say nothing: no row
 * within the bounds counts.
 *
 * Bounds are arguments of a question and part of its fingerprint. Public rows are read when the statement is planned
 * (public_run.h), and a plan keeps what they were then.
 *
 * Only aggregated values have these bounds. What is grouped by does not: there,
 * values beyond bounds are left out.
 */
#ifndef DP_GATE_READ_VALUE_RANGE_H
#define DP_GATE_READ_VALUE_RANGE_H

#include "gate/facts/range.h"

/*
 * Of a value over a question's rows, of whose columns this much is known. filter: of
 * the aggregate; or NULL.
 */
extern DpColumnFact dp_value_range_of(const DpNode *rows,
									  const DpColumnFact *known,
									  const DpExpr *value,
									  const DpExpr *filter);

/* Whether bounds of columns would help: whether those of the value follow from some. */
extern bool dp_value_range_follows(const DpNode *rows, const DpExpr *value);

#endif
