/*
 * risk.h
 *		What an adversary can come to believe, at most.
 *
 * Public arithmetic in doubles: nothing here draws noise or sees data.
 *
 * Let p be the probability that an adversary gives a statement before the
 * answers, where the data sets in which it holds and those in which it does
 * not pair up as neighbours (a person's unit is there, or not). Answers that
 * are epsilon-DP together change the odds p/(1-p) by a factor of at most
 * exp(epsilon), so that the probability afterwards is at most
 *
 *		1 / (1 + (1-p)/p exp(-epsilon)).
 *
 * That is Bayes' rule and the definition. With p = 1/m, m data sets that are
 * equally likely, it is the bound of Lee and Clifton 2011.
 */
#ifndef DP_UTILITY_RISK_H
#define DP_UTILITY_RISK_H

/* The greatest posterior. epsilon: 0 or more; prior: in (0, 1). */
extern double dp_disclosure_risk_of(double epsilon, double prior);

/*
 * The greatest epsilon whose dp_disclosure_risk_of is not above the risk.
 * prior: in (0, 1); risk: in [prior, 1), below it the result is 0.
 */
extern double dp_epsilon_for_risk_of(double risk, double prior);

#endif
