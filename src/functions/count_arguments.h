/*
 * count_arguments.h
 *		Mechanisms, losses and priors of counts from SQL arguments.
 */
#ifndef DP_FUNCTIONS_COUNT_ARGUMENTS_H
#define DP_FUNCTIONS_COUNT_ARGUMENTS_H

#include "postgres.h"

#include "utils/array.h"

#include "planning/loss.h"

/* A prior: weights of the counts 0 .. n. */
typedef struct DpPrior
{
	double *weights;
	int n;
} DpPrior;

/*
 * All of these raise invalid_parameter_value, or feature_not_supported for a
 * mechanism whose law depends on the data.
 */

/* absolute, squared or binary */
extern DpLoss dp_argument_loss(text *name);

/* Noise that is added, or two_stage. */
extern DpMechanismChoice dp_argument_mechanism(text *mechanism);

/* One dimension, 2 to DP_COUNT_MAX + 1 weights, none of them null. */
extern DpPrior dp_argument_prior(ArrayType *array);

/* The law of the mechanism's answers 0 .. n. */
extern void dp_argument_count_law(DpCountLaw *law,
								  const DpMechanismChoice *choice,
								  double epsilon, double sensitivity, int n);

#endif
