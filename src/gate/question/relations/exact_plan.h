/*
 * exact_plan.h
 *		Plans whose rows are those that fulfil the conditions, all of them.
 *
 * A sensitivity is that of a function of the rows. So it does not hold where
 * an index returns some of the rows that it should, as chance or its own shape
 * have it: one row more would change which. Access methods that are known to
 * return all rows may be used; indexes of all others, of extensions too, are
 * left out of plans beneath a release.
 */
#ifndef DP_GATE_QUESTION_RELATIONS_EXACT_PLAN_H
#define DP_GATE_QUESTION_RELATIONS_EXACT_PLAN_H

/*
 * While a statement is planned: between these it has no other indexes. To be
 * ended after errors, too.
 */
extern void dp_gate_begin_exact_plan(void);
extern void dp_gate_end_exact_plan(void);

/* Called once, from dp_gate_init. */
extern void dp_gate_exact_plan_init(void);

#endif
