/*
 * finer.h
 *		Questions of more groups, whose answers contain that of a question.
 *
 * SELECT count(*) FROM t WHERE c AND k IN ('a', 'b') GROUP BY g asks about some of
 * the groups of SELECT count(*) FROM t WHERE c GROUP BY g, k. That is the finer
 * question: a condition that names values of k is taken away, and k is a key.
 *
 * The rows with k = v that pass c are those of its group v, whatever else there is:
 * so a group of the question is the union of the finer one's groups with the values
 * that the condition names, which have no row in common. One value is one group,
 * with the same rows; if k is a key of the question, too, each of its groups is.
 *
 * That holds for what counts as well where no rows are left out to bound units: so
 * only where the rows of the finer question are its units (dp_keys_units_are_rows).
 * And only for values that are the same where they are equal
 * (dp_order_has_one_form), since stored answers name groups by texts.
 */
#ifndef DP_GATE_FACTS_FINER_H
#define DP_GATE_FACTS_FINER_H

#include "gate/tree/node.h"

/*
 * The finer questions of each aggregate of a question, whose keys are all public:
 * lists beside the aggregates, or NIL where there are none. Plans can carry them.
 */
extern List *dp_finer_of(const DpQuestion *question);

/*
 * Of a finer question its form (gate/facts/fingerprint.h) and the numbers of its
 * keys, of which the question's own are the first; and the conditions that were
 * taken away, lists of the number of a key (Integer) and of the values that it may
 * have, a list of expressions without columns.
 */
extern List *dp_finer_form(const List *finer);
extern Bitmapset *dp_finer_keys(const List *finer);
extern List *dp_finer_conditions(const List *finer);

#endif
