/*
 * remap.h
 *		From a private answer and a prior to the best guess at the true count.
 *
 * This is post-processing: nothing here draws noise or sees data, and a guess
 * reveals no more than the answer did. Of several equally good guesses the
 * lowest is taken. Source: Chen, Pal, Golubchik, 5.2; Ghosh, Roughgarden,
 * Sundararajan 2009.
 */
#ifndef DP_PLANNING_REMAP_H
#define DP_PLANNING_REMAP_H

#include "planning/loss.h"

/*
 * The guess of least expected loss under the posterior: its median (absolute),
 * mean (squared) or mode (binary). An answer counts as that of the nearest
 * position. prior: n + 1 weights, as for dp_loss_bayes; answer: finite. Errors:
 * DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_remap_answer(const DpCountLaw *law, DpLoss loss,
								const double *prior, double answer,
								double *guess);

/*
 * How many answers dp_remap_loss considers for each of n + 1 counts: those with
 * a probability of more than about 1e-30. At most DP_REMAP_MAX + 1.
 */
#define DP_REMAP_MAX 1000000
extern int dp_remap_answers(const DpCountLaw *law);

/*
 * The expected loss of remapped answers, where the count x has the weight
 * prior[x]. With geometric noise it is the least of all epsilon-DP mechanisms.
 * Only where dp_remap_answers is at most DP_REMAP_MAX. Errors:
 * DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_remap_loss(const DpCountLaw *law, DpLoss loss,
							  const double *prior, double *result);

#endif
