/*
 * grouped_by.h
 *		The groupings of a block: GROUP BY, GROUPING SETS, ROLLUP and CUBE.
 *
 * All of them are one question. Their rows are one after the other, with null for
 * keys that are not a grouping's own, and its number in a column behind all others,
 * from which GROUPING follows.
 */
#ifndef DP_GATE_READ_GROUPED_BY_H
#define DP_GATE_READ_GROUPED_BY_H

#include "nodes/parsenodes.h"

/* What is grouped by, as it is written. */
typedef struct DpWrittenGroupings
{
	List *keys;		  /* of Node: all of them */
	List *sets;		  /* of Bitmapset: of each grouping the keys, from 0 */
	List *refs;		  /* beside keys: integers, by which GROUPING names them */
	bool are_several; /* or there may be, or GROUPING is defined */
} DpWrittenGroupings;

/*
 * Refuses window functions and functions that return sets beside several
 * groupings: feature_not_supported, with a hint.
 */
extern void dp_grouped_by_check(const Query *query);

/* Error: feature_not_supported for many groupings. */
extern DpWrittenGroupings dp_grouped_by_read(const Query *query);

/*
 * The value of GROUPING(...) by a column with the number of the grouping, from 0:
 * a bit for each argument, set where it is not among the grouping's keys.
 */
extern Node *dp_grouped_by_bits(const DpWrittenGroupings *groupings,
								const GroupingFunc *function, Node *number);

#endif
