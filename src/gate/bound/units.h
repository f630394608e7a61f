/*
 * units.h
 *		Privacy units of several rows: their contributions are bounded in the
 *		inner statement.
 */
#ifndef DP_GATE_BOUND_UNITS_H
#define DP_GATE_BOUND_UNITS_H

#include "nodes/parsenodes.h"

#include "gate/bound/unit_aggregates.h"
#include "gate/relations/relations.h"
#include "mechanisms/contribution.h"

/*
 * What an inner statement must be so that one privacy unit contributes no more
 * than it may.
 *
 * inner: group keys, if any, and then private aggregates over the rows of the
 * relations' frame; it may be changed. keys: its keys, DpKey. Rows with keys
 * outside their domains are left out before a unit's groups are chosen, where
 * the domains are known by then (gate/bound/key_condition.h). Where the
 * unit is the row, and neighbours are add_remove, the query is returned as it is.
 * Rows whose unit is null do not count. shown: the number of leading keys that
 * make the groups of the result; the others only bound units. contribution: of
 * dp_contribution_of, by all keys.
 *
 * Errors: feature_not_supported for aggregates that cannot be bounded, and for
 * units whose values cannot be compared.
 */
extern Query *dp_units_bound(Query *inner, const DpRelations *relations,
							 List *keys, int shown, DpContribution contribution,
							 DpOpenChoices choices);

/*
 * Makes an inner statement that has keys alone one of units: a row for each in each of
 * its groups, unit first, then keys. Rows whose unit is null are left out.
 */
extern Query *dp_units_group(Query *inner, const DpRelations *relations);

#endif
