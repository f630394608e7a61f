/*
 * bounded_plan.h
 *		Plans beneath a release whose memory does not grow with the rows.
 *
 * The server's sorts and stores keep to work_mem, and so does hash aggregation
 * with regard to the number of groups. But a state that grows within each
 * group of a hash table does not, and neither do the rows of one key in the
 * hash table of a join, which no number of batches can divide. Such plans are
 * not made.
 */
#ifndef DP_GATE_QUESTION_UNITS_BOUNDED_PLAN_H
#define DP_GATE_QUESTION_UNITS_BOUNDED_PLAN_H

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/* The copies of public rows that may be hashed, whatever plan is chosen. */
typedef struct DpHashed
{
	List *joins;	  /* by joins: bounded_joins.h */
	List *subqueries; /* in sub-queries: hashed_subqueries.h */
} DpHashed;

/*
 * Plans a statement by that function. To be called under settings of
 * dp_gate_begin_silence, which it may change further. hashed: gets more copies.
 */
extern PlannedStmt *dp_gate_plan_bounded(Query *query,
										 PlannedStmt *(*plan)(Query *query,
															  void *context),
										 void *context, DpHashed *hashed);

#endif
