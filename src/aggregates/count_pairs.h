/*
 * count_pairs.h
 *		Privacy units and values that are one integer together.
 *
 * Where both are of types of at most 32 bits, the number of different values of
 * units (count_values.c) needs no aggregation of each unit: dp_noise.unit_and_value
 * makes a bigint of
 * them, and these are sorted.
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
