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

/*
 * This many pairs of a unit and a value have numbers of one word. Where there are
 * more, numbers have two. There is no limit: whichever pairs it left out,
 * others would decide which of a unit's they are.
 */
#ifndef DP_FLOW_NARROW_MAX
#define DP_FLOW_NARROW_MAX (UINT32_MAX - 1)
#endif

/* The number of edges to look at between two pauses. */
#define DP_FLOW_STEPS 65536

/* Units, values, and which unit has which: numbers in pages. */
typedef struct DpFlow
{
	DpPages *pages;
	int is_wide;	 /* numbers have two words */
	uint64_t units;	 /* numbered from 0 */
	uint64_t values; /* the same */
	uint32_t cap;	 /* c, at least 1 */

	/* Offsets in the pages, in words, of numbers. Filled in before: */
	uint64_t starts; /* of each unit's values, and behind the last: units + 1 */
	uint64_t edges;	 /* these values, unit by unit; repeated ones count once */

	/* Working space, initially 0: */
	uint64_t owners; /* of a value: the unit that names it, + 1; 0: none */
	uint64_t alone;	 /* of a value: the unit that alone has it, + 1 */
	uint64_t used;	 /* of a unit: how many values it names */
	uint64_t levels; /* of a unit: its level on paths, from 1; 0: none */
	uint64_t arcs;	 /* of a unit: the edge to try next */
	uint64_t path;	 /* units to visit; units on a path */

	uint64_t depth; /* the level at which paths end */
	uint32_t steps; /* until the next pause */
	void (*pause)(void);
} DpFlow;

/* Whether the numbers of this many pairs must have two words. */
static inline int
dp_flow_is_wide(uint64_t pairs)
{
	return pairs > DP_FLOW_NARROW_MAX;
}

/*
 * Lays out the arrays from that offset on; returns the one behind them. units,
 * values, edges: at most, and at most DP_FLOW_NARROW_MAX each unless is_wide.
 * pause: called now and then, may raise an error of the caller's; or NULL.
 */
extern uint64_t dp_flow_init(DpFlow *flow, DpPages *pages, int is_wide,
							 uint64_t offset, uint64_t units, uint64_t values,
							 uint64_t edges, uint32_t cap, void (*pause)(void));

/* Fills in: where a unit's values begin, or those behind the last unit's. */
static inline void
dp_flow_set_start(const DpFlow *flow, uint64_t unit, uint64_t edge)
{
	dp_pages_set_number(flow->pages, flow->is_wide, flow->starts, unit, edge);
}

/* The value of an edge. */
static inline void
dp_flow_set_edge(const DpFlow *flow, uint64_t edge, uint64_t value)
{
	dp_pages_set_number(flow->pages, flow->is_wide, flow->edges, edge, value);
}

/* A number in one of its arrays. */
static inline uint64_t
dp_flow_get(const DpFlow *flow, uint64_t array, uint64_t index)
{
	return dp_pages_get_number(flow->pages, flow->is_wide, array, index);
}

static inline void
dp_flow_set(const DpFlow *flow, uint64_t array, uint64_t index, uint64_t number)
{
	dp_pages_set_number(flow->pages, flow->is_wide, array, index, number);
}

/* To be called for each edge that is looked at, so that there are pauses. */
static inline void
dp_flow_step(DpFlow *flow)
{
	if (--flow->steps > 0)
		return;
	flow->steps = DP_FLOW_STEPS;
	if (flow->pause != NULL)
		flow->pause();
}

/* DC(cap). */
extern uint64_t dp_flow_maximum(DpFlow *flow);

#endif
