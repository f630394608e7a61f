/*
 * contribution.h
 *		How much of the data may come from one privacy unit.
 *
 * Neighbouring data sets differ by one privacy unit: a row, or all rows of one
 * person. At most `rows` of its rows count in a group (the L-infinity bound),
 * and it counts in at most `groups` groups (the L0 bound). The code that
 * prepares the data enforces both.
 *
 * A unit that is added or removed changes the answers of at most `groups`
 * groups, each as by one unit. If every answer is epsilon/groups-DP for a unit
 * added to its own group, all of them together are epsilon-DP (sequential
 * composition over the unit's groups, parallel over the rest).
 *
 * A substitution is one removal and one addition, in up to 2 * groups groups.
 * Without groups both happen in one answer, and mechanisms may use a smaller
 * sensitivity of their own.
 */
#ifndef DP_MECHANISMS_CONTRIBUTION_H
#define DP_MECHANISMS_CONTRIBUTION_H

#include "core/epsilon.h"

/* When two data sets count as neighbours. */
typedef enum DpNeighbours
{
	DP_ADD_REMOVE, /* one unit more or less */
	DP_SUBSTITUTE  /* one unit exchanged; the number of units is public */
} DpNeighbours;

typedef struct DpContribution
{
	DpNeighbours neighbours;
	uint32_t rows;	 /* of one unit in one group: 1 .. 2^31 - 1 */
	uint32_t groups; /* of one unit: 1 .. 2^31 - 1; 0: there are no groups */
} DpContribution;

/* A unit of one row, without groups. */
static inline DpContribution
dp_contribution_of_row(DpNeighbours neighbours)
{
	return (DpContribution){neighbours, 1, 0};
}

/* The greatest number of answers that differ by one unit. */
static inline uint64_t
dp_contribution_parts(DpContribution contribution)
{
	if (contribution.groups == 0)
		return 1;
	return (contribution.neighbours == DP_SUBSTITUTE ? 2 : 1) *
		   (uint64_t) contribution.groups;
}

/*
 * The greatest number of groups that one unit is in, also when it is exchanged
 * for another. Where the answers of all groups are epsilon-DP together, each
 * gets epsilon divided by this number; a unit that leaves a group and one that
 * enters it have half of that each. Costs that grow faster than epsilon are
 * greatest when both are in the same groups, so they are computed for this
 * case.
 */
static inline uint64_t
dp_contribution_groups(DpContribution contribution)
{
	return contribution.groups == 0 ? 1 : contribution.groups;
}

/* How neighbouring data of one answer differ, given dp_contribution_parts. */
static inline DpNeighbours
dp_contribution_within(DpContribution contribution)
{
	return contribution.groups == 0 ? contribution.neighbours : DP_ADD_REMOVE;
}

/*
 * epsilon / (parts * times), rounded down: the share of one answer, and in
 * that, of one of this many times. Errors: DP_EPSILON_OUT_OF_RANGE (nothing is
 * left).
 */
static inline DpStatus
dp_contribution_share(DpContribution contribution, uint32_t times,
					  DpEpsilon epsilon, DpEpsilon *share)
{
	share->ticks = epsilon.ticks / dp_contribution_parts(contribution) / times;
	return share->ticks == 0 ? DP_EPSILON_OUT_OF_RANGE : DP_OK;
}

#endif
