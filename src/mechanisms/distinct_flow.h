/*
 * distinct_flow.h
 *		The number of different values, where each unit counts for a limited
 *		number of its own.
 *
 * Unit i has a set of values u_i. The number is
 *
 *		DC(c) = max |union of v_i| over subsets v_i of u_i with |v_i| <= c:
 *
 * each unit names at most c of its values, so that as many as possible are
 * named. It is a maximum flow in which a unit lets c through and a value 1.
 *
 * The sensitivity is c, for a unit that is added or removed and for an
 * exchange. Take a best choice of all units: without the values that one unit
 * names, at most c, it is still a choice of the others. So adding a unit raises
 * the number by 0 .. c. The two data sets of an exchange have all other units
 * in common, and each number exceeds that of these by 0 .. c, so they differ by
 * at most c. DC(c) is never more than the number of different values, and is
 * that number once c is great enough. (Definition: Knop and Steinke, Counting
 * Distinct Elements Under Person-Level Differential Privacy, 2023.)
 *
 * The search starts with a greedy choice: each unit names the values that it
 * alone has, and then values that nobody has named. This is improved along
 * shortest augmenting paths, all of one length at a time, until it is a maximum
 * (Dinitz 1970; Hopcroft and Karp 1973). For E pairs that takes at most 2
 * sqrt(E) + 1 rounds of O(E) steps, and usually a few. The maximum does not
 * depend on the order.
 *
 * The greedy choice alone would not do, not even where there are many values:
 * the sensitivity of a greedy choice that takes the rarest values first is
 * greater than c, and so is that of a mixture of greedy choices and maxima.
 */
#ifndef DP_MECHANISMS_DISTINCT_FLOW_H
#define DP_MECHANISMS_DISTINCT_FLOW_H

#include "core/pages.h"

/* Units, values, and which unit has which: words in pages. */
typedef struct DpFlow
{
	DpPages *pages;
	uint32_t units;	 /* numbered from 0; less than 2^32 - 1 */
	uint32_t values; /* the same */
	uint32_t cap;	 /* c, at least 1 */

	/* Offsets in the pages, in words. Filled in before: */
	uint64_t starts; /* of each unit's values, and behind the last: units + 1 */
	uint64_t edges;	 /* these values, unit by unit; repeated ones count once */

	/* Working space, initially 0: */
	uint64_t owners; /* of a value: the unit that names it, + 1; 0: none */
	uint64_t alone;	 /* of a value: the unit that alone has it, + 1 */
	uint64_t used;	 /* of a unit: how many values it names */
	uint64_t levels; /* of a unit: its level on paths, from 1; 0: none */
	uint64_t arcs;	 /* of a unit: the edge to try next */
	uint64_t path;	 /* units to visit; units on a path */

	uint32_t depth; /* the level at which paths end */
	uint32_t steps; /* until the next pause */
	void (*pause)(void);
} DpFlow;

/*
 * Lays out the arrays from that offset on; returns the one behind them. pause:
 * called now and then, may raise an error of the caller's; or NULL.
 */
extern uint64_t dp_flow_init(DpFlow *flow, DpPages *pages, uint64_t offset,
							 uint32_t units, uint32_t values, uint32_t edges,
							 uint32_t cap, void (*pause)(void));

/* DC(cap). */
extern uint32_t dp_flow_maximum(DpFlow *flow);

#endif
