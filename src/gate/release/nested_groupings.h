/*
 * nested_groupings.h
 *		Groupings each of which refines the one before.
 *
 * Each has the keys of the one before and more, where keys are found together of
 * which one has only some: a ROLLUP by a store and its city. They are no tables of
 * all combinations, but their cells refine each other (core/nested_tables.h).
 */
#ifndef DP_GATE_RELEASE_NESTED_GROUPINGS_H
#define DP_GATE_RELEASE_NESTED_GROUPINGS_H

#include "gate/release/release_state.h"

/*
 * The order of groupings from the coarsest on; false where one lacks a key of the
 * one before.
 */
extern bool dp_nested_groupings_order(List *states, int *order);

/* The places of a coarser grouping's keys in a finer one; NULL: it lacks some. */
extern int *dp_nested_groupings_places(const DpReleaseState *coarser,
									   const DpReleaseState *finer);

/*
 * The row of a coarser grouping that a row is part of, found by these places; -1: it
 * has none.
 */
extern int64 dp_nested_groupings_parent(DpReleaseState *coarser,
										const DpReleaseState *finer,
										const int *places, int64 row);

#endif
