/*
 * parameters.c
 *		Parameters of mechanisms over their whole ranges, against exact
 *		arithmetic.
 */
#include "mechanisms/noise.h"
#include "support/fuzz.h"

/* Everything is tried with numbers of this kind. */
static bool
numbers_are_in_range(uint64_t *state)
{
	uint64_t least = random_next(state) >> random_next_below(state, 64);
	uint64_t greatest = fuzz_number(state, least, UINT64_MAX);
	uint64_t number = fuzz_number(state, least, greatest);

	return number >= least && number <= greatest;
}

int
main(void)
{
	static const FuzzProperty properties[] = {
		{"numbers are in range", numbers_are_in_range},
	};

	return fuzz_run(properties, sizeof(properties) / sizeof(properties[0]));
}
