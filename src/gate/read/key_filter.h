/*
 * key_filter.h
 *		Conditions of WHERE that are of keys alone.
 */
#ifndef DP_GATE_READ_KEY_FILTER_H
#define DP_GATE_READ_KEY_FILTER_H

#include "nodes/parsenodes.h"

/*
 * Repeats in HAVING the conditions of a block's WHERE that only its keys
 * decide: GROUP BY city with WHERE city = 'Oslo' then shows Oslo, as tools
 * expect, and not every declared city with a count of noise for the others. The conditions see
 * released rows there, after the noise and outside of the question, so the
 * answer's privacy and its price are as before.
 */
extern void dp_key_filter_repeat(Query *query);

#endif
