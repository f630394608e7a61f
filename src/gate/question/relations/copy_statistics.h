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
#ifndef DP_GATE_QUESTION_RELATIONS_COPY_STATISTICS_H
#define DP_GATE_QUESTION_RELATIONS_COPY_STATISTICS_H

#include "gate/question/relations/relations.h"

/*
 * Says how many rows copies are expected to have. statements: of Query, NULL
 * left out; publics and copies: plans that read the rows, as many as there are
 * copies of that kind.
 */
extern void dp_gate_expect_rows(List *statements, List *publics, List *copies);

/*
 * While a statement is planned: between these its copies have the statistics of
 * those relations. To be ended after errors, too.
 */
extern void dp_gate_begin_copy_statistics(const DpRelations *relations);
extern void dp_gate_end_copy_statistics(void);

/* Called once, from dp_gate_init. */
extern void dp_gate_copy_statistics_init(void);

#endif
