/*
 * small_groups.h
 *		Groups of too few people to be shown.
 *
 * Private keys may not name the unit: each group would be one person's, and none is
 * ever large enough. Where owners want groups of several people alone, all keys
 * are private, whatever public values they have: their groups are selected, too.
 */
#ifndef DP_GATE_READ_SMALL_GROUPS_H
#define DP_GATE_READ_SMALL_GROUPS_H

#include "gate/tree/node.h"

/*
 * Refuses groups of a unit each that are private: feature_not_supported. domains:
 * of the keys. groupings: of DpGrouping.
 */
extern void dp_small_groups_refuse_units(const DpNode *rows, List *keys,
										 List *domains, List *groupings);

/*
 * Sets how many people a group has at least that is shown, the most that the owner
 * of any relation wants; if these are several, the question's keys become private.
 * Not where it has no aggregates: public values alone tell nothing of people.
 * relations: of DpReadRelation, all that the question reads.
 */
extern void dp_small_groups_keep_back(DpQuestion *question, List *relations);

#endif
