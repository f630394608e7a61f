/*
 * marginal_shares.h
 *		How one epsilon is shared among tables by several sets of keys.
 *
 * Privacy does not depend on the shares, only accuracy does.
 */
#ifndef DP_CORE_MARGINAL_SHARES_H
#define DP_CORE_MARGINAL_SHARES_H

#include "core/marginals.h"

/* The least share, as a fraction of an equal one. */
#define DP_SHARE_LEAST (1.0 / 16)

/*
 * Finds shares of one epsilon, or rho, for the noise of each table. They add up
 * to 1, and make the sum of ln Var over the consistent tables small. The search
 * goes in small steps, from equal shares and from nearly everything for one
 * table that has all keys of the others. epsilon: the whole, divided by how
 * much a unit changes a table. by_rho: the variance is inverse to the share;
 * otherwise it is that of geometric noise of that share of epsilon. The
 * variances are not read; they are set to those of the shares. Where there are
 * many tables, shares are equal.
 */
extern void dp_marginals_share(DpMarginals *marginals, double epsilon,
							   bool by_rho, double *shares);

#endif
