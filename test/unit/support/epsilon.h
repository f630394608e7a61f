/*
 * epsilon.h
 *		Epsilons of tests.
 */
#ifndef EPSILON_H
#define EPSILON_H

#include "core/epsilon.h"

/* 0 where there is no such epsilon. */
static inline DpEpsilon
epsilon_of(double value)
{
	DpEpsilon epsilon = {0};

	dp_epsilon_from_double(value, &epsilon);
	return epsilon;
}

#endif
