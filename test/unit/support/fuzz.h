/*
 * fuzz.h
 *		Programs that try random cases until their time is over.
 *
 * A program is a list of properties. Each is tried on one random case after the
 * other, all in turn, for FUZZ_SECONDS in all, and is one test point: ok when
 * it held in all of its cases. The cases follow from FUZZ_SEED (the time of
 * day, unless it is given), the property and the number of the case alone, so
 * that the same seed tries the same cases again, in as many seconds as many.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>

#include "core/int128.h"
#include "support/random_fixed.h"
#include "support/tap.h"

typedef struct FuzzProperty
{
	const char *name;

	/*
	 * Tries one case, all of whose choices come from the generator
	 * (random_next). False, and a diag() of the case, where the property does
	 * not hold.
	 */
	bool (*holds)(uint64_t *state);
} FuzzProperty;

/* What main() returns: runs them all; count: at most 64. */
extern int fuzz_run(const FuzzProperty *properties, size_t count);

/*
 * A number in least .. greatest for edges: one of the ends or near it, near a
 * power of two, or of a random number of bits.
 */
extern uint64_t fuzz_number(uint64_t *state, uint64_t least, uint64_t greatest);

/* The same, of more bits. */
extern dp_uint128 fuzz_wide_number(uint64_t *state, dp_uint128 least,
								   dp_uint128 greatest);

#endif
