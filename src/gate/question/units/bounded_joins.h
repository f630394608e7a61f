/*
 * bounded_joins.h
 *		Hash joins whose tables are of a bounded size, and no others.
 *
 * The planner has one switch for all hash joins. While it is off, hash joins
 * are considered here after all, where the relation to be hashed is public or
 * has one row of each key. That is a proposal: what is known of relations is
 * less than what a plan shows, so the plan is checked (bounded_plan.c).
 */
#ifndef DP_GATE_QUESTION_UNITS_BOUNDED_JOINS_H
#define DP_GATE_QUESTION_UNITS_BOUNDED_JOINS_H

#include "nodes/pg_list.h"

/*
 * While a statement is planned: between these, with enable_hashjoin off, it has
 * these hash joins. To be ended after errors, too.
 */
extern void dp_gate_begin_bounded_joins(void);
extern void dp_gate_end_bounded_joins(void);

/*
 * While a statement is planned: between these, notes the copies of public rows of
 * which some plan may make the hash table of a join. All joins are considered
 * whatever the statistics of protected rows say, so these tell nothing of them, as
 * the plan that is chosen would. Each is a list: the copy's name
 * (String); its columns that are hashed (IntList); the operators, and collations,
 * that compare them (OidList); whether rows with nulls are hashed (Integer).
 *
 * False in the end: of so many relations some joins only are considered (GEQO).
 */
extern void dp_gate_begin_noting_hashes(List **hashes);
extern bool dp_gate_end_noting_hashes(void);

/* Called once, from dp_gate_init. */
extern void dp_gate_bounded_joins_init(void);

#endif
