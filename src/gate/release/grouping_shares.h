/*
 * grouping_shares.h
 *		How much of the price each of several groupings gets.
 */
#ifndef DP_GATE_RELEASE_GROUPING_SHARES_H
#define DP_GATE_RELEASE_GROUPING_SHARES_H

#include "gate/release/release_state.h"

/*
 * Finds the groupings among the releases of a statement (groupings.h), and gives
 * each its share, in its terms and as parameters of the inner statements: once
 * in an execution, before anything is priced. Where the answers are going to
 * agree, shares are such that these err least. Reads public values of keys.
 */
extern void dp_grouping_shares_find(List *states);

#endif
