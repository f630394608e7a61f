/*
 * contributions.h
 *		How much one privacy unit contributes to a block.
 */
#ifndef DP_GATE_QUESTION_UNITS_CONTRIBUTIONS_H
#define DP_GATE_QUESTION_UNITS_CONTRIBUTIONS_H

#include "gate/question/rows/rows.h"
#include "mechanisms/contribution.h"

/*
 * Decides whether a unit may have several rows in a block, whose rows have got
 * their owners: relations->several. It may not if FROM has one protected
 * relation, no two rows of which have the same unit, and what is public is
 * joined by equality of all columns of a unique key: each row meets at most
 * one. An index only tells which columns these are; that no two rows agree in
 * them is seen when they are copied (DpPublic.key).
 *
 * Errors: feature_not_supported where several rows could not be bounded.
 */
extern void dp_gate_decide_contribution(DpScope *scope);

/*
 * Leaves out left joins to a table by its unique key if none of its columns is
 * used: the question is the same without them.
 */
extern void dp_gate_drop_idle_joins(DpScope *scope);

/*
 * What one unit contributes: what the settings dp_noise.max_rows_per_unit and
 * max_groups_per_unit say, else the greatest caps of the relations and views
 * that it names; one row, or one group, where a unit cannot have more. keys:
 * of DpKey; where these have fewer values than a unit may have groups, it has
 * no more of them.
 */
extern DpContribution dp_gate_contribution(const DpRelations *relations,
										   List *keys);

/*
 * Refuses a plan that was made under other such settings:
 * object_not_in_prerequisite_state. contribution: of the plan.
 */
extern void dp_gate_check_contribution(const DpRelations *relations,
									   DpContribution contribution);

#endif
