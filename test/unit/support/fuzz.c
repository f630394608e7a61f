/*
 * fuzz.c
 *		Programs that try random cases until their time is over.
 */
#include <stdlib.h>
#include <time.h>

#include "support/fuzz.h"

#define SECONDS_DEFAULT 60

/* So long each property goes on before it is another's turn. */
#define TURN_SECONDS 0.1

#define PROPERTIES_MAX 64

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

/* A variable of the environment, or what it is by default. */
static uint64_t
variable(const char *name, uint64_t by_default)
{
	const char *text = getenv(name);

	return text != NULL && *text != '\0' ? strtoull(text, NULL, 10)
										 : by_default;
}

int
fuzz_run(const FuzzProperty *properties, size_t count)
{
	uint64_t seed =
		variable("FUZZ_SEED", (uint64_t) time(NULL) * 1000003 % 1000000000);
	double seconds = (double) variable("FUZZ_SECONDS", SECONDS_DEFAULT);
	double end = now() + seconds;
	uint64_t cases[PROPERTIES_MAX] = {0};
	bool failed[PROPERTIES_MAX] = {false};
	size_t i;

	if (count > PROPERTIES_MAX)
		return 1;
	plan((int) count);
	diag("FUZZ_SEED=%llu", (unsigned long long) seed);
	do
	{
		for (i = 0; i < count; i++)
		{
			double turn = now() + TURN_SECONDS;

			while (!failed[i] && now() < turn)
			{
				uint64_t state =
					seed * 0x9e3779b97f4a7c15u + cases[i] * 1024 + i;

				/* Neighbouring states have nothing in common after this. */
				state = random_next(&state);
				failed[i] = !properties[i].holds(&state);
				cases[i]++;
			}
		}
	} while (now() < end);
	for (i = 0; i < count; i++)
		ok(!failed[i], "%s: %llu cases", properties[i].name,
		   (unsigned long long) cases[i]);
	return done_testing();
}

/* So many random bits. */
static dp_uint128
random_bits(uint64_t *state, unsigned bits)
{
	dp_uint128 word = random_next(state);

	word = word << 64 | random_next(state);
	return bits == 0 ? 0 : word >> (128 - bits);
}

dp_uint128
fuzz_wide_number(uint64_t *state, dp_uint128 least, dp_uint128 greatest)
{
	dp_uint128 span = greatest - least;
	dp_uint128 near = random_next_below(state, 4);
	dp_uint128 number;
	unsigned bits = 0;

	while (bits < 128 && span >> bits > 0)
		bits++;
	switch (random_next_below(state, 6))
	{
		case 0:
			return near < span ? least + near : greatest;
		case 1:
			return near < span ? greatest - near : least;
		case 2:
			number = (dp_uint128) 1 << random_next_below(state, 127);
			number = number + near - 2;
			break;
		default:
			number = random_bits(state,
								 (unsigned) random_next_below(state, bits + 1));
			number = number > span ? greatest : least + number;
	}
	if (number < least)
		return least;
	return number > greatest ? greatest : number;
}

uint64_t
fuzz_number(uint64_t *state, uint64_t least, uint64_t greatest)
{
	return (uint64_t) fuzz_wide_number(state, least, greatest);
}
