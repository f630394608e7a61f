/*
 * test_amount.c
 *		Exact decimal amounts of epsilon and delta.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "accounting/amount.h"
#include "support/tap.h"

/* Parses and writes again; "refused" for what is no amount. */
static const char *
normal(const char *text, bool up)
{
	static char result[DP_AMOUNT_TEXT];
	DpAmount amount;

	if (!dp_amount_parse(text, up, &amount))
		return "refused";
	dp_amount_format(amount, result);
	return result;
}

static void
check(const char *text, bool up, const char *wanted)
{
	const char *got = normal(text, up);

	if (!ok(strcmp(got, wanted) == 0, "\"%s\" %s is %s", text,
			up ? "up" : "down", wanted))
		diag("got %s", got);
}

static DpAmount
amount_of(const char *text)
{
	DpAmount amount = {0};

	if (!dp_amount_parse(text, false, &amount))
		diag("no amount: %s", text);
	return amount;
}

static void
test_text(void)
{
	int up;

	for (up = 0; up <= 1; up++)
	{
		check("0", up, "0");
		check("1", up, "1");
		check("0.1", up, "0.1");
		check("00012.3400", up, "12.34");
		check("5.", up, "5");
		check(".5", up, "0.5");
		check("0.000000000000000000000001", up, "0.000000000000000000000001");
		check("0.999999999999999999999999", up, "0.999999999999999999999999");
		check("10000000000000", up, "10000000000000");
		check("9999999999999.999999999999999999999999", up,
			  "9999999999999.999999999999999999999999");
		check("1.0000000000000000000000000000000000000", up, "1");
		check("10000000000000.1", up, "refused");
		check("10000000000001", up, "refused");
		check("99999999999999999999999999999999999999999999999999", up,
			  "refused");
		check("", up, "refused");
		check(".", up, "refused");
		check("-1", up, "refused");
		check("-0", up, "refused");
		check("+1", up, "refused");
		check(" 1", up, "refused");
		check("1 ", up, "refused");
		check("1e3", up, "refused");
		check("1.2.3", up, "refused");
		check("1,2", up, "refused");
		check("0x10", up, "refused");
		check("NaN", up, "refused");
		check("Infinity", up, "refused");
	}
	/* beyond the 24th place */
	check("0.0000000000000000000000001", true, "0.000000000000000000000001");
	check("0.0000000000000000000000001", false, "0");
	check("0.0000000000000000000000009", false, "0");
	check("0.9999999999999999999999999", true, "1");
	check("0.9999999999999999999999999", false, "0.999999999999999999999999");
	check("0.00000000000000000000000000000000000000000000001", true,
		  "0.000000000000000000000001");
	check("9999999999999.9999999999999999999999999", true, "10000000000000");
	check("10000000000000.0000000000000000000000001", true, "refused");
}

static void
test_arithmetic(void)
{
	const DpAmount tenth = amount_of("0.1");
	const DpAmount one = amount_of("1");
	const DpAmount limit = amount_of("10000000000000");
	const DpAmount least = {1};
	const DpAmount zero = {0};
	DpAmount sum = {0};
	DpAmount amount;
	int i;

	for (i = 0; i < 10; i++)
		sum = dp_amount_add(sum, tenth);
	is_int(dp_amount_compare(sum, one), 0, "ten times 0.1 is 1");
	is_int(dp_amount_compare(dp_amount_left(one, sum), zero), 0,
		   "nothing is left");
	is_int(dp_amount_compare(dp_amount_add(sum, least), one), 1,
		   "10^-24 more is more");
	sum = zero;
	for (i = 0; i < 3; i++)
	{
		if (dp_amount_parse("0.3333333333333333333333333333", true, &amount))
			sum = dp_amount_add(sum, amount);
	}
	is_int(dp_amount_compare(sum, one), 1,
		   "three thirds, each charged up, do not fit in 1");

	is_int(dp_amount_compare(dp_amount_greatest(), limit), 0,
		   "the limit is the greatest amount");
	is_int(dp_amount_compare(dp_amount_add(limit, limit), limit), 0,
		   "sums stop at the limit");
	is_int(dp_amount_compare(dp_amount_add(limit, least), limit), 0,
		   "by 10^-24 too");
	sum = one;
	for (i = 0; i < 1000; i++)
		sum = dp_amount_add(sum, sum);
	is_int(dp_amount_compare(sum, limit), 0, "a thousand doublings too");
	is_int(dp_amount_compare(dp_amount_left(one, limit), zero), 0,
		   "what is left is never negative");
	is_int(dp_amount_compare(dp_amount_left(limit, one),
							 amount_of("9999999999999")),
		   0, "differences are exact");
	is_int(dp_amount_compare(zero, least), -1, "0 < 10^-24");
	is_int(dp_amount_compare(limit, least), 1, "10^13 > 10^-24");
}

/* Writes and reads again; writes what people wrote. */
static void
test_round_trips(void)
{
	DpAmount amount = {1};
	bool same = true;
	int i;

	for (i = 0; i < 123; i++)
	{
		char text[DP_AMOUNT_TEXT];
		DpAmount again;

		dp_amount_format(amount, text);
		if (strlen(text) >= DP_AMOUNT_TEXT ||
			!dp_amount_parse(text, i % 2 == 0, &again) ||
			dp_amount_compare(amount, again) != 0)
		{
			diag("%s", text);
			same = false;
		}
		amount = dp_amount_add(amount, amount);
		if (i % 5 == 0)
			amount.ticks++;
	}
	ok(same, "amounts of 1 to 123 bits are read as they were written");
}

static void
check_double(double value, const char *wanted)
{
	DpAmount amount;
	char text[DP_AMOUNT_TEXT] = "refused";

	if (dp_amount_from_double(value, &amount))
		dp_amount_format(amount, text);
	if (!ok(strcmp(text, wanted) == 0, "the double %.17g is %s", value, wanted))
		diag("got %s", text);
}

static void
test_doubles(void)
{
	check_double(0.1, "0.1");
	check_double(0.1 + 0.2, "0.3");
	check_double(0.7, "0.7");
	check_double(1e-6, "0.000001");
	check_double(1.0 / 3, "0.333333333333333");
	check_double(123456789.125, "123456789.125");
	check_double(1e13, "10000000000000");
	check_double(0, "0");
	check_double(-0.0, "0");
	check_double(1e-24, "0.000000000000000000000001");
	check_double(1e-30, "0.000000000000000000000001");
	check_double(1e-45, "0.000000000000000000000001");
	check_double(5e-324, "0.000000000000000000000001");
	check_double(-1e-300, "refused");
	check_double(nextafter(1e13, INFINITY), "refused");
	check_double(INFINITY, "refused");
	check_double(-INFINITY, "refused");
	check_double(NAN, "refused");
}

/* units * 10^24 <= amount * 2^20, and the next unit would be too many. */
static bool
is_below(DpEpsilon epsilon, DpAmount amount)
{
	/* 10^24 = 2^20 * 2^4 * 5^24: compare after the division by 2^20 */
	const dp_int128 unit = (dp_int128) 59604644775390625LL * 16; /* 5^24 2^4 */
	dp_int128 used = unit * (dp_int128) epsilon.ticks;

	return used <= amount.ticks && amount.ticks < used + unit;
}

static void
test_epsilon(void)
{
	DpEpsilon epsilon;
	DpAmount amount = {0};
	uint64_t state = 88172645463325252u;
	bool below = true;
	int i;

	ok(!dp_amount_to_epsilon(amount, &epsilon), "0 is no epsilon");
	ok(!dp_amount_to_epsilon(amount_of("0.00000095367431640624"), &epsilon),
	   "less than 2^-20 is none");
	ok(dp_amount_to_epsilon(amount_of("0.00000095367431640625"), &epsilon) &&
		   epsilon.ticks == 1,
	   "2^-20 is the least");
	ok(dp_amount_to_epsilon(amount_of("1"), &epsilon) &&
		   epsilon.ticks == DP_EPSILON_ONE,
	   "1 is 2^20 units");
	ok(dp_amount_to_epsilon(amount_of("0.999999999999999999999999"),
							&epsilon) &&
		   epsilon.ticks == DP_EPSILON_ONE - 1,
	   "a little less than 1 is a unit less");
	ok(dp_amount_to_epsilon(amount_of("1000000"), &epsilon),
	   "10^6 is the greatest");
	ok(!dp_amount_to_epsilon(amount_of("1000000.000001"), &epsilon),
	   "more is too much");
	ok(!dp_amount_to_epsilon(amount_of("10000000000000"), &epsilon),
	   "the greatest amount too");
	for (i = 0; i < 1000000; i++)
	{
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		amount.ticks = ((dp_int128) (state >> (i % 40)) << 20) + (int) state;
		if (amount.ticks < 0)
			continue;
		if (dp_amount_to_epsilon(amount, &epsilon) &&
			!is_below(epsilon, amount))
			below = false;
	}
	ok(below, "what is used is never above the amount, and less than 2^-20 "
			  "below it");
	for (i = 1; i < 100000 && below; i++)
	{
		double value = ldexp((double) i * 7919, -20 - i % 30);

		if (dp_amount_from_double(value, &amount) &&
			dp_amount_to_epsilon(amount, &epsilon) &&
			!is_below(epsilon, amount))
			below = false;
	}
	ok(below, "also for amounts from doubles");
}

/*
 * value <= amount by their decimals, which printf writes exactly: a double from
 * 2^-80 has no more than 140 of them.
 */
static bool
is_covered(double value, DpAmount amount)
{
	char exact[256];
	char limit[DP_AMOUNT_TEXT];
	const char *point;
	long difference;

	(void) snprintf(exact, sizeof(exact), "%.140f", value);
	dp_amount_format(amount, limit);
	point = strchr(limit, '.');
	difference = (strchr(exact, '.') - exact) -
				 (point == NULL ? (long) strlen(limit) : point - limit);
	if (difference != 0)
		return difference < 0;
	if (point == NULL) /* whole */
		return strncmp(exact, limit, strlen(limit)) < 0 ||
			   (strncmp(exact, limit, strlen(limit)) == 0 &&
				strspn(exact + strlen(limit) + 1, "0") == 140);
	/* Of equal beginnings the longer is greater, unless it goes on in zeros. */
	if (strncmp(exact, limit, strlen(limit)) != 0)
		return strncmp(exact, limit, strlen(limit)) < 0;
	return strspn(exact + strlen(limit), "0") == strlen(exact + strlen(limit));
}

static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* What is used of a double as epsilon and as delta, against its charge. */
static bool
charge_covers_use(double value)
{
	DpAmount amount;
	DpEpsilon epsilon;
	double delta;

	if (!dp_amount_from_double(value, &amount))
		return false;
	delta = dp_amount_to_delta(amount);
	if (!is_covered(delta, amount) ||
		is_covered(nextafter(delta, INFINITY), amount))
		return false;
	return !dp_amount_epsilon_of(value, &epsilon) ||
		   is_covered(dp_epsilon_to_double(epsilon), amount);
}

static void
test_charges(void)
{
	static const double hard[] = {
		0.1,
		0.2,
		0.3,
		0.7,
		1e-5,
		1e-6,
		1e-10,
		1.0 / 3,
		2.0 / 3,
		0.1 + 0.2,
		1,
		0.5,
		1e6,
		349525.0 / (1 << 20),
		349526.0 / (1 << 20),
		1e-23,
		0x1.fffffffffffffp-20,
		0x1p-20,
		999999.99999999988,
		5.0000000000000004e-7,
	};
	DpAmount amount;
	DpAmount sum = {0};
	DpEpsilon epsilon;
	uint64_t state = 2463534242u;
	size_t i;
	bool covered = true;

	ok(!is_covered(0.1, amount_of("0.1")) &&
		   is_covered(nextafter(0.1, 0), amount_of("0.1")) &&
		   is_covered(0.5, amount_of("0.5")) && is_covered(2, amount_of("2")) &&
		   !is_covered(2.5, amount_of("2")) && is_covered(9, amount_of("10")) &&
		   !is_covered(0.1, amount_of("0.100000000000000005551115")) &&
		   is_covered(0.1, amount_of("0.100000000000000005551116")),
	   "doubles are compared with decimals exactly");
	for (i = 0; i < sizeof(hard) / sizeof(hard[0]); i++)
	{
		int k;
		double near = hard[i];

		for (k = 0; k < 8; k++, near = nextafter(near, INFINITY))
			covered = covered && charge_covers_use(near);
		near = hard[i];
		for (k = 0; k < 8; k++, near = nextafter(near, 0))
			covered = covered && charge_covers_use(near);
	}
	ok(covered, "hard cases: no more is used than is charged");
	for (i = 0; i < 2000000 && covered; i++)
		covered = charge_covers_use(
			ldexp((double) (next_random(&state) >> 11),
				  -53 + (int) (i % 20) - (int) (i / 20 % 60)));
	ok(covered, "2 million doubles: nor of them");
	for (i = 1; i < 1000000 && covered; i++)
		covered = charge_covers_use((double) (next_random(&state) >> 24) /
									(double) DP_EPSILON_ONE / 1048576);
	for (i = 1; i < 1048576 && covered; i++)
		covered = charge_covers_use((double) i / (double) DP_EPSILON_ONE);
	ok(covered, "nor of 2 million multiples of powers of two");

	for (i = 0; i < 10; i++)
	{
		(void) dp_amount_from_double(0.1, &amount);
		sum = dp_amount_add(sum, amount);
	}
	ok(dp_amount_compare(sum, amount_of("1")) == 0, "ten times 0.1 is 1");
	ok(dp_amount_from_double(1e-5, &amount) &&
		   dp_amount_compare(amount, amount_of("0.00001")) == 0 &&
		   dp_amount_to_delta(amount) == nextafter(1e-5, 0),
	   "a delta of 1e-5 is charged as such, and a little less is used");
	ok(dp_amount_to_delta(amount_of("0.000001")) == 1e-6,
	   "1e-6, which is less than its decimal, is used as it is");
	ok(dp_amount_to_delta(amount_of("0")) == 0 &&
		   dp_amount_to_delta(amount_of("10000000000000")) == 1e13,
	   "amounts at the ends");
	ok(!dp_amount_epsilon_of(0x1.fffffffffffffp-21, &epsilon) &&
		   !dp_amount_epsilon_of(nextafter(1e6, INFINITY), &epsilon) &&
		   !dp_amount_epsilon_of(NAN, &epsilon) &&
		   dp_amount_epsilon_of(DP_EPSILON_MIN, &epsilon) &&
		   epsilon.ticks == 1 && dp_amount_epsilon_of(1e6, &epsilon),
	   "epsilons out of range");
}

int
main(void)
{
	test_text();
	test_arithmetic();
	test_round_trips();
	test_doubles();
	test_epsilon();
	test_charges();
	return done_testing();
}
