/*
 * marginal_shares.h
 *		How one epsilon is shared among tables by several sets of keys.
 *
 * Any shares are as private: they decide about the noise alone.
 */
#ifndef DP_CORE_MARGINAL_SHARES_H
#define DP_CORE_MARGINAL_SHARES_H

#include "core/marginals.h"

/* The least share, in parts of an equal one. */
#define DP_SHARE_LEAST (1.0 / 16)

/*
 * Shares of one epsilon, or rho, for noise in the tables, which add up to 1: the
 * least sum of ln Var over the tables that agree, as found from equal shares and
 * from nearly all for one table that holds all others, in small steps. epsilon:
 * what there is, over what a unit changes in a table. by_rho: the variance is
 * inverse to the share; else it is that of geometric noise of that share of
 * epsilon. Variances are not read, but set to those of the shares. Equal shares
 * where the tables are many.
 */
extern void dp_marginals_share(DpMarginals *marginals, double epsilon,
							   bool by_rho, double *shares);

#endif
