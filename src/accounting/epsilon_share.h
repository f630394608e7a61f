/*
 * epsilon_share.h
 *		A part of an epsilon, for one of several answers that have it together.
 *
 * Whoever charges for an answer and whoever draws its noise both ask here, so that
 * what is charged is what is drawn.
 */
#ifndef DP_ACCOUNTING_EPSILON_SHARE_H
#define DP_ACCOUNTING_EPSILON_SHARE_H

#include <stdbool.h>

#include "accounting/amount.h"

/*
 * The epsilon of one answer. share: its part, in (0, 1]; of all answers these add
 * up to 1. Then the epsilons, as they are charged, add up to no more than the one
 * that is asked for; by_rho their prices R(epsilon) do (mechanisms/zcdp.h), which
 * leaves more to each. All of it where share is 1.
 *
 * Errors: DP_EPSILON_OUT_OF_RANGE (too little is left), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_epsilon_share(double asked, double share, bool by_rho,
								 double *epsilon);

#endif
