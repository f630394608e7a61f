/*
 * random_fixed.h
 *		Random sources that a test controls.
 *
 * Each is set up in a TestRandom of the caller and used as a DpRandom. A source
 * hands out first the words it was given, in order, then words of a seeded
 * generator, and fails when it has handed out as many as it may.
 */
#ifndef RANDOM_FIXED_H
#define RANDOM_FIXED_H

#include "random/source.h"

typedef struct TestRandom
{
	DpRandom random;
	DpRandomPool pool;
	uint64_t state;		 /* of the generator */
	uint64_t fills_left; /* fills that will still succeed */
	uint64_t fills;		 /* fills that were asked for */
	uint64_t supplied;	 /* words put into the pool so far */
} TestRandom;

/* Endless words of a deterministic generator (splitmix64). */
extern DpRandom *random_seeded(TestRandom *source, uint64_t seed);

/* These words, at most DP_RANDOM_WORDS, and then failure. */
extern DpRandom *random_words(TestRandom *source, const uint64_t *words,
							  size_t count);

/* These words, at most DP_RANDOM_WORDS, and then seeded ones without end. */
extern DpRandom *random_words_then_seeded(TestRandom *source,
										  const uint64_t *words, size_t count,
										  uint64_t seed);

/* So many seeded words, and then failure. */
extern DpRandom *random_failing_after(TestRandom *source, uint64_t seed,
									  uint64_t count);

/* How many words were handed out. */
extern uint64_t random_consumed(const TestRandom *source);

/* The next word of a generator of this kind, for the tests' own needs. */
extern uint64_t random_next(uint64_t *state);

/* A number in 0 .. bound-1 of it (as good as uniform); bound >= 1. */
extern uint64_t random_next_below(uint64_t *state, uint64_t bound);

/* A number in (0, 1) of it. */
extern double random_next_double(uint64_t *state);

/* A standard normal number of it. */
extern double random_next_normal(uint64_t *state);

#endif
