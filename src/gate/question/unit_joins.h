/*
 * unit_joins.h
 *		Joins of protected relations to each other, on equal privacy units.
 *
 * Where each row of a join has one and the same unit in all its relations, one
 * unit's rows in any of them, or in all, have to do with that unit's rows of
 * the join alone. These are bounded as the rows of a single relation are
 * (gate/question/units.h), however many a join makes of them. That is left out
 * only where all relations have one owner, nobody else comes to them, and each
 * has a unique index of its units: who defeats such an index of one relation has
 * rows of the others count many times, and so nobody may but their owner.
 *
 * On the nullable side of an outer join a unit that is added to, or removed
 * from, that relation alone does not take its rows from the join: it exchanges
 * them for others. So such a join is priced as if units were substituted,
 * which is never less than for units that come and go.
 */
#ifndef DP_GATE_QUESTION_UNIT_JOINS_H
#define DP_GATE_QUESTION_UNIT_JOINS_H

#include "gate/question/protection.h"
#include "gate/question/subjects.h"

/*
 * Checks that the relations are joined on their units. conditions: of inner
 * joins and WHERE, ANDed; those of outer joins are in the subjects. Sets
 * whether a unit may have several rows.
 *
 * Errors: feature_not_supported, with a hint; for units that are no longer there
 * object_not_in_prerequisite_state.
 */
extern void dp_gate_check_unit_joins(Query *query, DpSubjects *subjects,
									 List *conditions);

/*
 * The protection of all of them together: the unit of the first, in which the
 * greatest of the relations' caps on a unit's rows and groups hold.
 */
extern DpProtection dp_gate_joint_protection(const DpSubjects *subjects);

/* The unique indexes that say that a unit has one row, where they are believed. */
extern List *dp_gate_unit_indexes(const DpSubjects *subjects);

#endif
