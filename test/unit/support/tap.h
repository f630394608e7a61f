/*
 * tap.h
 *		The Test Anything Protocol, for unit tests.
 *
 * A test program calls plan() first (or leaves it to done_testing()), then one
 * assertion a test point, and ends with "return done_testing();".  A point is
 * on its way to the reader before the next one runs, so a crash loses none.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

#define TAP_PRINTF(name, arguments) \
	__attribute__((format(printf, name, arguments)))

/* Announces how many points follow; without it done_testing() does. */
extern void plan(int count);

/* One point each; they return whether it passed.  The rest is its name. */
extern bool ok(bool condition, const char *name, ...) TAP_PRINTF(2, 3);
extern bool is_int(long long got, long long expected, const char *name, ...)
	TAP_PRINTF(3, 4);

/*
 * Passes if |got - expected| <= tolerance, which is absolute; also if both are
 * the same infinity, or both NaN.
 */
extern bool is_double(double got, double expected, double tolerance,
					  const char *name, ...) TAP_PRINTF(4, 5);

/* A remark, shown to the person who runs the tests. */
extern void diag(const char *message, ...) TAP_PRINTF(1, 2);

/*
 * Ends the test; the result is the exit code: 0 if every point passed and as
 * many ran as were planned, else 1.
 */
extern int done_testing(void);

#endif
