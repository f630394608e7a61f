/*
 * collations.h
 *		Which collations take the same values for equal.
 *
 * Deterministic ones take texts for equal that are the same bytes, and no
 * others. Values of types without collations are compared without one.
 */
#ifndef DP_SERVER_COLLATIONS_H
#define DP_SERVER_COLLATIONS_H

#include "postgres.h"

#include "utils/lsyscache.h"

/*
 * True where values that are equal can have different bytes by the collation.
 */
static inline bool
dp_is_nondeterministic(Oid collation)
{
	return OidIsValid(collation) && !get_collation_isdeterministic(collation);
}

/*
 * True where values that are equal by one collation are so by the other, too.
 */
static inline bool
dp_equal_by_both(Oid one, Oid other)
{
	return one == other || !dp_is_nondeterministic(one);
}

/* True where two collations take the same values for equal. */
static inline bool
dp_are_alike(Oid one, Oid other)
{
	return dp_equal_by_both(one, other) && dp_equal_by_both(other, one);
}

#endif
