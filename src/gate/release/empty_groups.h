/*
 * empty_groups.h
 *		Groups of public keys that may have no rows, left out of what is shown.
 *
 * Every value of a public key is a group, whether rows have it or not. With
 * dp_noise.empty_groups, one is left out where none of its noisy counts can be told
 * from 0: each has 0 in its 95% interval. Counts are count, count(DISTINCT), and the
 * number of rows that a mean or a variance is made of (has_count in the table of
 * aggregates). Where a question has none of these, all groups are shown; so are the
 * values that somebody declared or named, under auto, and a row without keys, which
 * there is in SQL, too.
 *
 * In a group that is shown, a mean or variance whose own count cannot be told from 0
 * is NULL, as over no rows in SQL; so is a quotient by such a count, whose divisor
 * is a column of its own (gate/read/ends.h).
 *
 * This is post-processing: it is computed from released values, stored ones too, the
 * laws of their noise and a setting alone. So no question, price or stored answer
 * depends on it, and it tells nothing that is not released.
 */
#ifndef DP_GATE_RELEASE_EMPTY_GROUPS_H
#define DP_GATE_RELEASE_EMPTY_GROUPS_H

#include "gate/release/answer_table.h"

/* Whether groups may be left out, for EXPLAIN. */
extern bool dp_empty_groups_may_hide(const DpAnswerTable *table);

/*
 * Finds which counts can be told from 0, from the answers as they were released:
 * before tables are made to agree.
 */
extern void dp_empty_groups_find(DpAnswerTable *table);

/* Then sets what is shown, once all answers are as they will be. */
extern void dp_empty_groups_finish(DpAnswerTable *table);

/* How many groups of a table are left out, and says so for all of a statement. */
extern int64 dp_empty_groups_hidden(const DpAnswerTable *table);
extern void dp_empty_groups_report(int64 hidden);

#endif
