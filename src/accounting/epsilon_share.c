/*
 * epsilon_share.c
 *		Parts of an epsilon.
 *
 * Parts are rounded down to decimals of eight places. Their sum is an integer
 * number of 10^-8; it could exceed the whole only by the rounding errors of
 * doubles in the shares, which are smaller than that, so it does not.
 */
#include "accounting/epsilon_share.h"

#include <math.h>

#include "accounting/account.h"
#include "mechanisms/zcdp.h"

/*
 * Epsilons are divided into parts of 10^-8; and the ticks of an amount in one.
 */
#define PARTS_OF_ONE 100000000
#define TICKS_OF_A_PART ((dp_int128) 100000000 * 100000000)

static DpStatus
share_price(DpAmount asked, double share, double *epsilon)
{
	DpEpsilon part;
	DpAmount price;
	DpRho rho;

	DP_TRY(dp_cost_price(asked, &price));
	rho.ticks = (dp_int128) floor((double) price.ticks * share);
	if (rho.ticks > price.ticks)
		rho.ticks = price.ticks;
	DP_TRY(dp_zcdp_to_pure(rho, &part));
	*epsilon = dp_epsilon_to_double(part);
	return DP_OK;
}

DpStatus
dp_epsilon_share(double asked, double share, bool by_rho, double *epsilon)
{
	DpAmount amount;
	DpEpsilon part;
	dp_int128 parts;

	*epsilon = asked;
	if (share >= 1)
		return DP_OK;
	if (!(share > 0) || !dp_amount_from_double(asked, &amount))
		return DP_EPSILON_OUT_OF_RANGE;
	if (by_rho)
		return share_price(amount, share, epsilon);
	parts = amount.ticks / TICKS_OF_A_PART;
	*epsilon = floor((double) parts * share) / PARTS_OF_ONE;
	return dp_epsilon_from_double(*epsilon, &part);
}
