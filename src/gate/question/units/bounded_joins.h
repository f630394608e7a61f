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

/*
 * While a statement is planned: between these, with enable_hashjoin off, it has
 * these hash joins. To be ended after errors, too.
 */
extern void dp_gate_begin_bounded_joins(void);
extern void dp_gate_end_bounded_joins(void);

/* Called once, from dp_gate_init. */
extern void dp_gate_bounded_joins_init(void);

#endif
