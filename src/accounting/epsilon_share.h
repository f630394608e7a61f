/*
 * epsilon_share.h
 *		A part of an epsilon, for one of several answers that share it.
 *
 * The code that charges for an answer and the code that draws its noise both
 * use this, so that what is charged is what is drawn.
 */
#ifndef DP_ACCOUNTING_EPSILON_SHARE_H
#define DP_ACCOUNTING_EPSILON_SHARE_H

#include <stdbool.h>

#include "accounting/amount.h"

/*
 * The epsilon of one answer. share: its part, in (0, 1]; the shares of all
 * answers add up to 1. Then the epsilons, as they are charged, add up to no
 * more than the epsilon asked for. With by_rho the same holds of their prices
 * R(epsilon) (mechanisms/zcdp.h) instead, which leaves more for each. A share
 * of 1 is all of it.
 *
 * Errors: DP_EPSILON_OUT_OF_RANGE (too little is left), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_epsilon_share(double asked, double share, bool by_rho,
								 double *epsilon);

#endif
