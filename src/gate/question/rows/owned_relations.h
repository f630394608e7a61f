/*
 * owned_relations.h
 *		The owners of a protected relation's rows, along paths, too.
 */
#ifndef DP_GATE_QUESTION_ROWS_OWNED_RELATIONS_H
#define DP_GATE_QUESTION_ROWS_OWNED_RELATIONS_H

#include "gate/question/rows/rows.h"

/*
 * A protected relation in FROM, owned by its units; no unit yet where these lie
 * along a path. Errors: feature_not_supported for ONLY and the like; those of
 * dp_gate_protection.
 */
extern DpOwned *dp_gate_own_relation(DpScope *scope, int rtindex);

/*
 * Who owns a row of such a relation is who owns the row that it refers to. That
 * is an entry of FROM, or of the query around a condition, if columns that are
 * equal say so; else it is joined at its leaf, which becomes a join. equal,
 * rtindexes: of what the leaf is joined to, to which the new ones are added. An
 * entry that is referred to comes first, if its units lie along a path, too.
 *
 * Errors: object_not_in_prerequisite_state where the path leads nowhere, to
 * another owner, or has no end.
 */
extern void dp_gate_own_by_path(DpScope *scope, DpOwned *owned,
								DpEqualities **equal, Bitmapset **rtindexes);

#endif
