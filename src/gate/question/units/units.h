/*
 * units.h
 *		Privacy units of several rows: their contributions are bounded in the
 *		inner statement.
 */
#ifndef DP_GATE_QUESTION_UNITS_UNITS_H
#define DP_GATE_QUESTION_UNITS_UNITS_H

#include "nodes/parsenodes.h"

#include "gate/question/relations/subjects.h"
#include "gate/question/units/unit_aggregates.h"
#include "mechanisms/contribution.h"

/*
 * What an inner statement must be so that one privacy unit contributes no more
 * than it may.
 *
 * inner: group keys, if any, and then private aggregates over the rows of the
 * subjects' frame; it may be changed. keys: of it, DpKey. What lies outside of
 * their domains takes no place among the groups in which a unit counts, where
 * that is known beforehand (gate/question/keys/key_condition.h). Where the unit is the row and rows come
 * and go, it is returned as it is. Rows whose unit is null do not count.
 * shown: so many of the keys, the first ones, make the groups of the result; by the
 * others units are bounded alone. contribution: of dp_gate_contribution, by all.
 *
 * Errors: feature_not_supported for aggregates that cannot be bounded, and for
 * units whose values cannot be compared.
 */
extern Query *dp_gate_bound_units(Query *inner, const DpSubjects *subjects,
								  List *keys, int shown,
								  DpContribution contribution,
								  DpOpenChoices choices);

#endif
