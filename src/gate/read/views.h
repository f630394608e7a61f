/*
 * views.h
 *		Reads protected views: sub-queries with settings of their own.
 */
#ifndef DP_GATE_READ_VIEWS_H
#define DP_GATE_READ_VIEWS_H

#include "gate/read/scope.h"

/*
 * A protected view, by value. Errors: object_not_in_prerequisite_state
 * where it no longer follows the rules, insufficient_privilege where it reads what
 * is not its owner's.
 */
extern const DpNode *dp_views_read(DpScope *around, int rtindex, Oid view,
								   int *visible);

/*
 * The rows of such a view, or of one that is to be protected, and of which a
 * column is said to be the unit; 0: whatever the unit is.
 */
extern const DpNode *dp_views_read_body(DpScope *around, int rtindex, Oid view,
										AttrNumber unit, int *visible);

#endif
