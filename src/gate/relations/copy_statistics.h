/*
 * copy_statistics.h
 *		What the planner knows of copies of relations.
 *
 * Statements beneath a release read copies of what is public, and some of
 * protected relations (row_copies.h). A copy is made when the statement runs,
 * and the planner takes it for one of unknown columns. But the rows are those
 * of a relation that has statistics, and the plan that reads them says how many
 * they are expected to be.
 */
#ifndef DP_GATE_RELATIONS_COPY_STATISTICS_H
#define DP_GATE_RELATIONS_COPY_STATISTICS_H

#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"

#include "gate/relations/relations.h"

/*
 * Says how many rows copies are expected to have. statements: of Query, NULL
 * left out; publics and copies: plans that read the rows, as many as there are
 * copies of that kind.
 */
extern void dp_copy_statistics_expect_rows(List *statements, List *publics,
										   List *copies);

/* For get_relation_stats_hook: the statistics of a column of a copy. */
extern bool dp_copy_statistics_find(const RangeTblEntry *rte, AttrNumber column,
									const DpRelations *relations,
									VariableStatData *data);

/*
 * For the hook of what is known of a table: tells the planner of foreign keys
 * from a relation to those whose copies have all rows. The server knows of
 * foreign keys between relations of a statement, and so that each row meets
 * one: by several columns that is far from what their statistics say.
 */
extern void dp_copy_statistics_add_references(PlannerInfo *root, Oid oid,
											  const RelOptInfo *info,
											  const DpRelations *relations);

#endif
