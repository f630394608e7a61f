/*
 * views.h
 *		Reads protected views: sub-queries with settings of their own.
 *
 * A view over protected relations of its owner can be protected itself. Its
 * rows get their owners by the rules for all sub-queries, and these are
 * applied anew in each question: nothing that was found when the view was
 * protected is trusted later. Bounds, values, caps and levels are the view's
 * own, and a budget may be for asking through it alone. The population pays, as
 * for every question about its people.
 *
 * Public relations in a view are read as elsewhere, with the asker's rights.
 *
 * A view lends its owner's rights, so it may only read what is its owner's to
 * lend: that owner's protected relations, with that owner's rights. Relations
 * of other owners, and what is read with the asker's rights (a view with
 * security_invoker, a function's query), are refused, since somebody else
 * could change what is lent.
 */
#ifndef DP_GATE_READ_VIEWS_H
#define DP_GATE_READ_VIEWS_H

#include "gate/read/scope.h"

/*
 * Reads a protected view, which an entry of FROM stands for, as
 * dp_entries_read_query does by value. Errors: as of dp_queries_read;
 * object_not_in_prerequisite_state where the view no longer follows the rules,
 * insufficient_privilege where it reads what is not its owner's.
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
