/*
 * risk.h
 *		The most that an adversary can come to believe.
 *
 * Public arithmetic in doubles: nothing here draws noise or sees data.
 *
 * Let p be the probability that an adversary assigns to a statement before the
 * answers. The data sets in which the statement holds must pair up as
 * neighbours with those in which it does not (for example: a privacy unit is
 * there, or not). Answers that are epsilon-DP together change the odds p/(1-p)
 * by a factor of at most exp(epsilon), so the probability afterwards is at most
 *
 *		1 / (1 + (1-p)/p exp(-epsilon)).
 *
 * This follows from Bayes' rule and the definition of epsilon-DP. With p = 1/m,
 * for m equally likely data sets, it is the bound of Lee and Clifton 2011.
 */
#ifndef DP_PLANNING_RISK_H
#define DP_PLANNING_RISK_H

/* The greatest posterior. epsilon: 0 or more; prior: in (0, 1). */
extern double dp_disclosure_risk_of(double epsilon, double prior);

/*
 * The greatest epsilon whose dp_disclosure_risk_of is not above the risk.
 * prior: in (0, 1); risk: in [prior, 1), below it the result is 0.
 */
extern double dp_epsilon_for_risk_of(double risk, double prior);

#endif
