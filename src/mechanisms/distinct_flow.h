/*
 * distinct_flow.h
 *		The number of different values, each unit counting for some of its own.
 *
 * Unit i has a set of values u_i. The number is
 *
 *		DC(c) = max |union of v_i| over subsets v_i of u_i with |v_i| <= c:
 *
 * each unit names at most c of its values, so that as many as possible are
 * named. It is a maximum flow in which a unit lets c through and a value 1.
 *
 * Sensitivity c, for a unit more or less and for one exchanged for another: take
 * the best choice of all units. Without what one unit names, at most c values,
 * it is still a choice of the others. So a unit that is added raises the number
 * by 0 .. c. The two data sets of an exchange have the rest in common, above
 * which each is by 0 .. c, so they differ by at most c. DC(c) is never more than
 * the number of different values, and is that number once c is great enough.
 * (Definition: Knop and Steinke, Counting Distinct Elements Under Person-Level
 * Differential Privacy, 2023.)
 *
 * A start, each unit naming what it has alone, and then what is left, is made
 * better until it cannot be: shortest ways along which
 * values pass from unit to unit, all of one length at a time (Dinitz 1970;
 * Hopcroft and Karp 1973). With E pairs that are at most 2 sqrt(E) + 1 rounds of
 * O(E) steps; as a rule, a few. Whatever the order, the maximum is the same.
 *
 * The start alone would not do, neither always nor where there are many values:
 * of one that takes the rarest first, and of a start here and the maximum there,
 * the sensitivity is greater than c.
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

	/* Places in the pages. Filled in before: */
	uint64_t starts; /* of each unit's values, and behind the last: units + 1 */
	uint64_t edges;	 /* these values, unit by unit; one more than once is one */

	/* Of the algorithm's own, 0 before: */
	uint64_t owners; /* of a value: who names it, + 1; 0: nobody */
	uint64_t alone;	 /* of a value: who alone has it, + 1 */
	uint64_t used;	 /* of a unit: how many values it names */
	uint64_t levels; /* of a unit: where it is on ways, from 1; 0: nowhere */
	uint64_t arcs;	 /* of a unit: which of its edges is tried next */
	uint64_t path;	 /* units to visit; those on a way */

	uint32_t depth; /* the level at which ways end */
	uint32_t steps; /* until the next pause */
	void (*pause)(void);
} DpFlow;

/*
 * Lays out the arrays from that place on; returns the place behind them. pause:
 * is called now and then, and may leave by an error of the caller's; or NULL.
 */
extern uint64_t dp_flow_init(DpFlow *flow, DpPages *pages, uint64_t place,
							 uint32_t units, uint32_t values, uint32_t edges,
							 uint32_t cap, void (*pause)(void));

/* DC(cap). */
extern uint32_t dp_flow_maximum(DpFlow *flow);

#endif
