/*
 * epsilon_share.c
 *		Parts of an epsilon.
 *
 * Parts are rounded down to decimals that doubles have exactly, of eight places:
 * their sum is an integer number of these that exceeds the whole by less than the
 * error of doubles in the shares, so not at all.
 */
#include "accounting/epsilon_share.h"

#include <math.h>

#include "accounting/account.h"
#include "mechanisms/zcdp.h"

/* Parts of an epsilon, and of an amount. */
#define PLACES 100000000
#define UNITS ((dp_int128) 100000000 * 100000000)

static DpStatus
share_price(DpAmount asked, double share, double *epsilon)
{
	DpEpsilon part;
	DpAmount price;
	DpRho rho;

	DP_TRY(dp_cost_price(asked, &price));
	rho.units = (dp_int128) floor((double) price.units * share);
	if (rho.units > price.units)
		rho.units = price.units;
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
	parts = amount.units / UNITS;
	*epsilon = floor((double) parts * share) / PLACES;
	return dp_epsilon_from_double(*epsilon, &part);
}
