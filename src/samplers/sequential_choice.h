/*
 * sequential_choice.h
 *		A uniform random choice of some of a known number of items, one by one.
 *
 * Of `left` items still to come, `wanted` are to be chosen; the next one is
 * chosen with probability wanted / left. Each subset of that size has exactly
 * the same probability: the product of the conditional probabilities is wanted!
 * (left - wanted)! / left! for each (Fan, Muller, Rezucha 1962; Knuth, volume
 * 2, 3.4.2, algorithm S). No random word is used where all of the rest are
 * wanted, or none.
 */
#ifndef DP_SAMPLERS_SEQUENTIAL_CHOICE_H
#define DP_SAMPLERS_SEQUENTIAL_CHOICE_H

#include "random/source.h"

/*
 * Whether the next one is chosen. left: at least 1, itself included; wanted: 0
 * .. left. The caller decrements left, and wanted if it is chosen. Errors:
 * DP_RANDOM_FAILED.
 */
extern DpStatus dp_sequential_choice(DpRandom *random, uint64_t left,
									 uint64_t wanted, bool *chosen);

#endif
