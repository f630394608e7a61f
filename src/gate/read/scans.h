/*
 * scans.h
 *		Reads protected relations.
 */
#ifndef DP_GATE_READ_SCANS_H
#define DP_GATE_READ_SCANS_H

#include "gate/read/scope.h"
#include "gate/relations/protection.h"

/*
 * An entry of FROM. Its columns are those that the query names, and those that say
 * whose a row is: the unit's, what refers along a path, or of units that are rows
 * what identifies these. Error: object_not_in_prerequisite_state where its units,
 * or its path, are no longer what they were.
 */
extern const DpNode *dp_scans_read(DpScope *scope, int rtindex,
								   const AttrNumber **attributes);

/*
 * Refuses what may not be a member of its population, and what a protected view
 * may not lend: what is beneath is read by the right to ask about the view, which
 * the owner of the view's population gives. That right is to that owner's
 * populations, and to those of the view's owner, and spends no grant of others.
 */
extern void dp_scans_check_member(const DpPlanning *planning,
								  const DpProtection *protection);

/*
 * Owned rows with a name of their unit by its value, if they do not have one yet
 * and have one by a key. The columns that they had keep their numbers.
 */
extern const DpNode *dp_scans_follow(DpPlanning *planning, const DpNode *rows);

#endif
