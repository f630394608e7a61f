/*
 * contribution.h
 *		How much of the data may come from one privacy unit.
 *
 * A unit is what neighbouring data sets differ by: a row, or all rows of one
 * person. In one group at most `rows` of its rows count, and it counts in at
 * most `groups` groups, whatever the data hold: whoever prepares the data
 * bounds them so.
 *
 * A unit that is added or removed changes the answers of at most `groups`
 * groups, each as by one unit. If every answer is epsilon/groups-DP for a unit
 * added to its own group, all of them together are epsilon-DP (sequential
 * composition over the unit's groups, parallel over the rest).
 *
 * A substitution is one removal and one addition, in up to 2 * groups groups.
 * Where there are no groups, so that both happen in one answer, mechanisms
 * that know better use their own sensitivity to it.
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

/* The number of answers that differ by one unit, at most. */
static inline uint64_t
dp_contribution_parts(DpContribution contribution)
{
	if (contribution.groups == 0)
		return 1;
	return (contribution.neighbours == DP_SUBSTITUTE ? 2 : 1) *
		   (uint64_t) contribution.groups;
}

/*
 * The number of groups that one unit is in, at most, also after an exchange. What
 * epsilon-DP answers of all groups together tell of one group is at most
 * epsilon over that: of a unit that leaves the group and one that comes to it
 * each has half. Costs that grow faster than epsilon are greatest where that is
 * in the same groups, so they are counted for these.
 */
static inline uint64_t
dp_contribution_places(DpContribution contribution)
{
	return contribution.groups == 0 ? 1 : contribution.groups;
}

/* How the data of one answer differ, given dp_contribution_parts. */
static inline DpNeighbours
dp_contribution_within(DpContribution contribution)
{
	return contribution.groups == 0 ? contribution.neighbours : DP_ADD_REMOVE;
}

/*
 * epsilon / (parts * times), rounded down: what is left for one answer, and
 * there for one of so many times. Errors: DP_EPSILON_OUT_OF_RANGE (nothing is
 * left).
 */
static inline DpStatus
dp_contribution_share(DpContribution contribution, uint32_t times,
					  DpEpsilon epsilon, DpEpsilon *share)
{
	share->units = epsilon.units / dp_contribution_parts(contribution) / times;
	return share->units == 0 ? DP_EPSILON_OUT_OF_RANGE : DP_OK;
}

#endif
