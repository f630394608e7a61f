/*
 * grouping_family.h
 *		Blocks that are groupings of one query.
 *
 * Each grouping of GROUPING SETS, ROLLUP or CUBE becomes a block
 * (grouping_sets.h). Where all keys have public values, the groupings are one
 * question about the same rows, and are answered together
 * (gate/release/groupings.h). To mark them, each block has two entries after
 * its target list: a number that they have in common, and the keys of all of
 * them. These follow the block through all changes of its columns, and are
 * removed when it is taken apart.
 */
#ifndef DP_GATE_QUESTION_KEYS_GROUPING_FAMILY_H
#define DP_GATE_QUESTION_KEYS_GROUPING_FAMILY_H

#include "gate/question/relations/relations.h"

/* A number for the groupings of a query. */
extern int dp_gate_next_family(void);

/* Adds the number, and the keys of all groupings, to a block. */
extern void dp_gate_add_family(Query *block, int family, List *keys);

/* True for a target entry that is one of those. */
extern bool dp_gate_is_of_family(const TargetEntry *entry);

/*
 * Takes them out again. Returns the number, 0 where the block is none of several
 * groupings; *keys: expressions as the block has them by then.
 */
extern int dp_gate_take_family(Query *query, List **keys);

/* The keys alone, without taking anything out. */
extern List *dp_gate_family_keys(const Query *query);

/*
 * Leaves out rows that do not count in every grouping: those where a key has none
 * of its public values, by a condition on the block. A table of them that has
 * fewer keys is then the sum of one that has more. written: keys of all groupings;
 * own: DpKey, of the block; *others: the rest, once each. False, and nothing is left out,
 * where that cannot be said beforehand, or a key has no public values.
 */
extern bool dp_gate_keep_to_domains(Query *query, const DpRelations *relations,
									List *written, List *own, List **others);

#endif
