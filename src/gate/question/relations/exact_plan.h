/*
 * exact_plan.h
 *		Plans whose rows are those that fulfil the conditions, all of them.
 *
 * The sensitivity is that of a function of the rows. It does not hold if an
 * index returns only some of the rows that it should, as an approximate one
 * may: one more row could change which. Only access methods that are known to
 * return all rows are used; all other indexes, also those of extensions, are
 * left out of the plans of inner statements.
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
