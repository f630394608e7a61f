/*
 * distinct_basis.h
 *		Which different values count, where each unit counts for a limited number of
 *		its own.
 *
 * The number of values that units can name, each at most c of its own, is the
 * maximum of distinct_flow.h; which values are named, it leaves open. Here the
 * values have an order, the same for all data, and one after the other is taken
 * if units can name it besides those taken before. Sets that can be named are the
 * independent sets of a transversal matroid, so the values taken, B, are as many as
 * the maximum, and of all such sets they come first in the order.
 *
 * Lemma: a unit more leaves all of B in B and adds at most c values.
 *
 * Let r(X, T) be the number of the values X that the units T can name. A value v
 * is taken if r(X + v, T) > r(X, T), where X are the values before it. Values and
 * units are on opposite sides of an assignment, and so are complements (Shapley,
 * Complements and substitutes in the optimal assignment problem, 1962; a unit is c
 * agents there):
 *
 *		r(X + v, T + u) - r(X, T + u) >= r(X + v, T) - r(X, T).
 *
 * So what is taken without the unit u is taken with it. And the numbers of values
 * taken differ by r(V, T + u) - r(V, T), which is at most c.
 *
 * Hence to whatever is computed from the values of B a unit more is what a unit of
 * at most c rows is, each with a value, to what is computed from rows; an exchange
 * of a unit takes away at most c rows from what both data sets have in common, and
 * adds at most c others. All bounds for units of several rows hold.
 *
 * Without an order there is no such lemma: of two maxima that differ by a unit,
 * any number of values may differ.
 *
 * The search halves: the first half of the values is named as far as possible.
 * Those that no alternating path from one that is left over leads to, are taken.
 * The others, and the units that may name them, which name nothing else then, are
 * a problem of their own, and so are the second half and the other units. All
 * problems of one size are solved in one go, so that the edges are gone through a
 * few times for each of the log2 V sizes. Before that it is found which values are
 * in every maximum, which usually are almost all of them.
 */
#ifndef DP_MECHANISMS_DISTINCT_BASIS_H
#define DP_MECHANISMS_DISTINCT_BASIS_H

#include <stdbool.h>

#include "mechanisms/distinct_flow.h"

typedef struct DpBasis
{
	DpFlow *flow;
	int is_wide;	/* numbers have two words in the arrays here */
	bool has_all;	/* every value is taken */
	uint64_t order; /* in the pages: values, the first one first */
	uint64_t count; /* of those that were put there */

	/* Working space: */
	uint64_t values;   /* each value's state and problem */
	uint64_t problems; /* of a unit */
	uint64_t visited;  /* of a unit: the last pass that came there */
	uint64_t starts;   /* of each value's units, and behind the last */
	uint64_t units;	   /* these, value by value */
	uint64_t next;	   /* of a value: the place among them to try next */
	uint64_t path;	   /* values on a path */
	uint64_t sizes;	   /* of problems: undecided values; then new numbers */
	uint64_t pass;
	uint64_t number; /* of problems; the first is 1, and 0 what is decided */
} DpBasis;

/*
 * Lays out the arrays behind a flow's, from that offset on, which is returned by
 * dp_flow_init with the same numbers. Returns the offset behind them. The flow's
 * pages and the numbers of its units and values may be filled in later.
 */
extern uint64_t dp_basis_init(DpBasis *basis, DpFlow *flow, uint64_t offset,
							  uint64_t units, uint64_t values, uint64_t edges);

/*
 * Finds the maximum of a flow that is filled in, and whether every value is taken
 * (has_all): then there is nothing more to do.
 */
extern void dp_basis_begin(DpBasis *basis);

/* Puts a value, each once, behind those before it in the order. */
static inline void
dp_basis_add(DpBasis *basis, uint64_t value)
{
	const DpFlow *flow = basis->flow;

	dp_pages_set_number(flow->pages, basis->is_wide, basis->order,
						basis->count++, value);
}

/* Finds the values that are taken, after all were put in order. */
extern void dp_basis_find(DpBasis *basis);

/* Whether a value is taken, then. */
extern bool dp_basis_has(const DpBasis *basis, uint64_t value);

#endif
