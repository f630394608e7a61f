/*
 * tap.c
 *		The Test Anything Protocol, for unit tests.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "support/tap.h"

static int planned = -1;
static int points = 0;
static int failures = 0;

static bool
report(bool passed, const char *name, va_list arguments)
{
	points++;
	if (!passed)
		failures++;
	printf("%s %d - ", passed ? "ok" : "not ok", points);
	vprintf(name, arguments);
	putchar('\n');
	fflush(stdout);
	return passed;
}

void
plan(int count)
{
	planned = count;
	printf("1..%d\n", count);
	fflush(stdout);
}

bool
ok(bool condition, const char *name, ...)
{
	va_list arguments;

	va_start(arguments, name);
	report(condition, name, arguments);
	va_end(arguments);
	return condition;
}

bool
is_int(long long got, long long expected, const char *name, ...)
{
	bool passed = got == expected;
	va_list arguments;

	va_start(arguments, name);
	report(passed, name, arguments);
	va_end(arguments);
	if (!passed)
		diag("got %lld, expected %lld", got, expected);
	return passed;
}

bool
is_double(double got, double expected, double tolerance, const char *name, ...)
{
	bool passed = got == expected || (isnan(got) && isnan(expected)) ||
				  fabs(got - expected) <= tolerance;
	va_list arguments;

	va_start(arguments, name);
	report(passed, name, arguments);
	va_end(arguments);
	if (!passed)
		diag("got %.17g, expected %.17g within %.3g", got, expected, tolerance);
	return passed;
}

void
diag(const char *message, ...)
{
	va_list arguments;

	va_start(arguments, message);
	fputs("# ", stderr);
	vfprintf(stderr, message, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

int
done_testing(void)
{
	if (planned < 0)
		plan(points);
	if (planned != points)
		diag("planned %d points but ran %d", planned, points);
	if (failures > 0)
		diag("failed %d of %d points", failures, points);
	return failures == 0 && planned == points && points > 0 ? 0 : 1;
}
