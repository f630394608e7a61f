/*
 * test_exact_decimal.c
 *		Doubles as the decimal numbers that they are.
 */
#include "core/exact_decimal.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random_fixed.h"
#include "support/tap.h"

static void
check(double value, const char *wanted)
{
	char text[DP_EXACT_DECIMAL_SIZE];

	dp_exact_decimal(value, text);
	if (!ok(strcmp(text, wanted) == 0, "%g is %.40s", value, wanted))
		diag("got %s", text);
}

/* The C library's digits, which are exact, without zeros at the end. */
static void
print_plainly(double value, char *text)
{
	char *end = text + sprintf(text, "%.1074f", value);

	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		end[-1] = '\0';
}

static void
test_values(void)
{
	check(0, "0");
	check(-0.0, "0");
	check(1, "1");
	check(-1.5, "-1.5");
	check(1e3, "1000");
	check(9007199254740993.0, "9007199254740992");
	check(1e22, "10000000000000000000000");
	check(0.1, "0.1000000000000000055511151231257827021181583404541015625");
	check((double) 0.1F, "0.100000001490116119384765625");
	check(NAN, "NaN");
	check(INFINITY, "Infinity");
	check(-INFINITY, "-Infinity");
}

static void
test_all_bits(void)
{
	TestRandom source;
	DpRandom *random = random_seeded(&source, 7);
	static const double extremes[] = {DBL_MAX,		-DBL_MAX,	   DBL_MIN,
									  DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_EPSILON};
	char wanted[2000];
	char text[DP_EXACT_DECIMAL_SIZE];
	int wrong = 0;
	int i;

	for (i = 0; i < 20000; i++)
	{
		double value = extremes[i % 6];
		uint64_t bits;

		if (i >= 6)
		{
			if (dp_random_word(random, &bits) != DP_OK)
				break;
			memcpy(&value, &bits, sizeof(value));
			if (!isfinite(value))
				continue;
		}
		print_plainly(value, wanted);
		dp_exact_decimal(value, text);
		if (strcmp(text, wanted) != 0 || strtod(text, NULL) != value)
			wrong++;
	}
	ok(i == 20000 && wrong == 0, "the digits are the C library's");
}

int
main(void)
{
	test_values();
	test_all_bits();
	return done_testing();
}
