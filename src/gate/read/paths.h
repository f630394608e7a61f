/*
 * paths.h
 *		Checks paths to privacy units.
 *
 * Who owns a row of a relation whose units lie along a path is who owns the row
 * that it refers to. That is so as long as each relation on the path is protected,
 * for the same people and by the same owner, and as the key that is referred to is
 * unique: otherwise a row could have several owners, or somebody could choose whose
 * it is.
 */
#ifndef DP_GATE_READ_PATHS_H
#define DP_GATE_READ_PATHS_H

#include "gate/read/scope.h"

/*
 * Checks the path, if there is one, of a protected relation in FROM. Errors:
 * object_not_in_prerequisite_state where it leads nowhere, to another owner, or
 * has no end; feature_not_supported.
 */
extern void dp_paths_check(DpScope *scope, int rtindex);

#endif
