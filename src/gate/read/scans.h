/*
 * scans.h
 *		Reads protected relations in FROM.
 */
#ifndef DP_GATE_READ_SCANS_H
#define DP_GATE_READ_SCANS_H

#include "gate/question/relations/protection.h"
#include "gate/read/scope.h"

/*
 * Reads an entry of FROM that is a protected relation. Its columns are those that
 * the query names, and those that say whose a row is: the unit's, what refers along
 * a path, or of units that are rows what identifies these.
 *
 * Errors: feature_not_supported for ONLY and the like;
 * object_not_in_prerequisite_state where its units are no longer what they were;
 * those of dp_scans_check_member.
 */
extern const DpNode *dp_scans_read(DpScope *scope, int rtindex,
								   const AttrNumber **attributes);

/*
 * Refuses what may not be a member of its population, and what a protected view
 * may not lend: what is beneath is read by the right to ask about the view, which
 * the owner of the view's population gives. That right is to that owner's
 * populations, and to those of the view's owner, and spends no grant of others.
 *
 * Errors: object_not_in_prerequisite_state, insufficient_privilege.
 */
extern void dp_scans_check_member(const DpPlanning *planning,
								  const DpProtection *protection);

/*
 * Adds the columns that say whose a relation's row is to some of its columns:
 * integers. Errors: as of dp_scans_check_unit.
 */
extern List *dp_scans_add_unit(List *columns, const DpProtection *protection);

/*
 * Refuses a unit that is no column of the relation any longer, or is computed when
 * it is read. Not for units along paths. Errors:
 * object_not_in_prerequisite_state, feature_not_supported.
 */
extern void dp_scans_check_unit(const DpProtection *protection);

#endif
