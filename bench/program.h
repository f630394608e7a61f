/*
 * program.h
 *		What the benchmarks in C share: each ends at its first error.
 */
#ifndef DP_BENCH_PROGRAM_H
#define DP_BENCH_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>

#include "core/epsilon.h"
#include "core/status.h"

static inline void
die(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

static inline void
check(DpStatus status)
{
	if (status != DP_OK)
		die(dp_status_message(status));
}

static inline DpEpsilon
epsilon_of(double value)
{
	DpEpsilon epsilon;

	check(dp_epsilon_from_double(value, &epsilon));
	return epsilon;
}

#endif
