/*
 * inner_plan.h
 *		How statements over protected rows are planned.
 *
 * A plan may neither show what the rows are, nor leave out some of them:
 *
 * - Memory does not grow with the rows. The server's sorts and stores keep to
 *   work_mem, and so does hash aggregation with regard to the number of groups.
 *   But a state that grows within each group of a hash table does not, nor do the
 *   rows of one key in the hash table of a join, which no number of batches can
 *   divide, nor those of a sub-query. So there are no such tables, or what is in
 *   them is public and fits (bounded_joins.h, hashed_subqueries.h).
 *
 * - The sensitivity is that of a function of the rows. It does not hold if an
 *   index returns only some of the rows that it should, as an approximate one may:
 *   one more row could change which. Only access methods that are known to return
 *   all rows are used.
 *
 * - What the catalogs say is NOT NULL may be null in a foreign table. Since 17 the
 *   planner leaves out "IS NOT NULL" of such columns, by which the gate keeps to
 *   rows that have a unit.
 */
#ifndef DP_GATE_RUN_INNER_PLAN_H
#define DP_GATE_RUN_INNER_PLAN_H

#include "nodes/plannodes.h"

#include "gate/relations/relations.h"

/* The copies of public rows that may be hashed, whatever plan is chosen. */
typedef struct DpHashed
{
	List *joins;	  /* as in bounded_joins.h */
	List *subqueries; /* as in hashed_subqueries.h */
} DpHashed;

typedef struct DpInnerPlanning
{
	PlannedStmt *(*plan)(Query *query, void *context);
	void *context;
	const DpRelations *relations; /* that have statistics: copy_statistics.h */
	DpHashed *hashed;			  /* gets more copies */
} DpInnerPlanning;

/*
 * Plans a statement by that function. To be called under settings of
 * dp_silence_begin, which it changes further.
 */
extern PlannedStmt *dp_inner_plan(Query *query,
								  const DpInnerPlanning *planning);

/* Called once, from dp_planner_init. */
extern void dp_inner_plan_init(void);

#endif
