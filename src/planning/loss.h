/*
 * loss.h
 *		What private answers to a count cost those who use them, and how much
 *		of it an analyst who knows a prior wins back.
 *
 * Public arithmetic in doubles: nothing here draws noise or sees data.
 *
 * The expected loss of a mechanism is OPT1's objective where the true count has
 * a prior (Bayesian), and OPT2's where it is the least favourable one. To remap
 * an answer is post-processing: with the posterior's median, mean or mode it
 * has the least expected loss that is to be had from that answer, and with
 * geometric noise the least that any epsilon-DP mechanism has for that prior
 * (Ghosh, Roughgarden, Sundararajan 2009). Source: Chen, Pal, Golubchik, 5.
 */
#ifndef DP_UTILITY_LOSS_H
#define DP_UTILITY_LOSS_H

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
 * The expected loss of bare noise, one step of which is `step`, whatever the
 * true answer: with a quantum, of the least favourable one. Real answers are
 * never exactly right. epsilon: as for dp_expected_error_of.
 */
extern double dp_loss_raw(const DpNoise *noise, double epsilon, double step,
						  DpLoss loss);

/* The same of two_stage; span: between the lowest and the highest level. */
extern double dp_loss_levels(const DpTwoStage *prepared, double span,
							 DpLoss loss);

/*
 * The expected loss for the least favourable count of 0 .. n, and the one that
 * is expected where the count x has the weight prior[x], x = 0 .. n. Weights:
 * finite, not negative, their sum above 0 and finite.
 * Errors: DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_loss_worst(const DpCountLaw *law, DpLoss loss,
							  double *result);
extern DpStatus dp_loss_bayes(const DpCountLaw *law, DpLoss loss,
							  const double *prior, double *result);

#endif
