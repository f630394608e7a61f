/*
 * followed.h
 *		Follows paths to privacy units.
 *
 * Rows along a path know their unit by a key: an order's number names the
 * customer. Where the unit's value is needed, what the key belongs to is joined,
 * one step of the path after the other; at once where rows refer to that value
 * itself, which may be nobody's. It is its owner's look-up, as that of a
 * foreign key: policies of row-level security say nothing about it. Rows that
 * refer to nothing belong to nobody, and are left out by that.
 */
#ifndef DP_GATE_READ_FOLLOWED_H
#define DP_GATE_READ_FOLLOWED_H

#include "gate/tree/node.h"
#include "gate/tree/planning.h"

/*
 * Owned rows with a name of their unit by its value, if they do not have one yet
 * and have one by a key. The columns that they had keep their numbers; others
 * follow.
 *
 * Errors: feature_not_supported, object_not_in_prerequisite_state.
 */
extern const DpNode *dp_followed_to_units(DpPlanning *planning,
										  const DpNode *rows);

/*
 * A scan that was just read, followed if it refers along its path to the value of
 * the unit. *attributes: of its columns, is made to fit.
 */
extern const DpNode *dp_followed_at_once(DpPlanning *planning,
										 const DpScan *scan,
										 const AttrNumber **attributes);

#endif
