/*
 * count_pairs.h
 *		Privacy units and values that are one integer together.
 *
 * Where both have types of at most 32 bits, the number of different values of
 * units (count_values.c) can be counted without aggregating each unit first:
 * dp_noise.unit_and_value makes one bigint of both, and these are sorted.
 */
#ifndef DP_AGGREGATES_COUNT_PAIRS_H
#define DP_AGGREGATES_COUNT_PAIRS_H

#include "postgres.h"

/*
 * True for a type, a base type, of the server's own or an enum, of at most 32
 * bits, values of which are equal where their bits are.
 */
extern bool dp_pairs_take(Oid type);

#endif
