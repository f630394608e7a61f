/*
 * loss.h
 *		The expected loss of those who use private answers to a count, and how
 *		much of it an analyst with a prior can avoid.
 *
 * Public arithmetic in doubles: nothing here draws noise or sees data.
 *
 * The expected loss of a mechanism is the objective of OPT1 where the true
 * count has a prior (Bayesian), and of OPT2 for the least favourable count.
 * Remapping an answer is post-processing. The posterior's median, mean or mode
 * has the least expected loss that any function of the answer has; with
 * geometric noise, the least of all epsilon-DP mechanisms for that prior
 * (Ghosh, Roughgarden, Sundararajan 2009). Source: Chen, Pal, Golubchik, 5.
 */
#ifndef DP_PLANNING_LOSS_H
#define DP_PLANNING_LOSS_H

#include "mechanisms/two_stage.h"
#include "planning/count_law.h"

typedef enum DpLoss
{
	DP_LOSS_ABSOLUTE, /* |answer - truth| */
	DP_LOSS_SQUARED,  /* its square */
	DP_LOSS_BINARY	  /* 1 unless the answer is the truth */
} DpLoss;

/* Reads absolute, squared or binary; false for anything else. */
extern bool dp_loss_parse(const char *text, DpLoss *loss);

extern double dp_loss_between(DpLoss loss, double answer, double truth);

/*
 * The expected loss of noise without clamping, whose steps are `step`, for any
 * true answer; with a quantum, for the least favourable one. Answers that are
 * real numbers are never exactly right. epsilon: as for dp_expected_error_of.
 */
extern double dp_loss_raw(const DpNoise *noise, double epsilon, double step,
						  DpLoss loss);

/* The same for two_stage; span: from the lowest to the highest level. */
extern double dp_loss_levels(const DpTwoStage *prepared, double span,
							 DpLoss loss);

/*
 * The expected loss for the least favourable count of 0 .. n, and for a prior
 * in which the count x has the weight prior[x], x = 0 .. n. Weights: finite,
 * not negative, their sum above 0 and finite. Errors: DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_loss_worst(const DpCountLaw *law, DpLoss loss,
							  double *result);
extern DpStatus dp_loss_bayes(const DpCountLaw *law, DpLoss loss,
							  const double *prior, double *result);

#endif
