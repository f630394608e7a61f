/*
 * rows.h
 *		Reads the rows of a query: FROM and WHERE.
 *
 * Each row is owned by one privacy unit, or it is public, by the rules of
 * gate/facts/owner.h. What no rule allows is refused: rows without an owner would
 * count, or other people's rows would decide about a unit's.
 */
#ifndef DP_GATE_READ_ROWS_H
#define DP_GATE_READ_ROWS_H

#include "gate/read/scope.h"

/*
 * Reads FROM and WHERE of scope->query, which is changed: plain sub-queries are
 * written out. Of the scope, around, is_in_from, planning and query are given; the
 * rest is set, so that expressions over these rows can be read then. The result is
 * owned or public; its units may still lie along paths (gate/read/followed.h).
 *
 * Errors: feature_not_supported with a position and a hint, where no rule
 * applies; insufficient_privilege for what the user may not read.
 */
extern const DpNode *dp_rows_read_from(DpScope *scope);

/*
 * Reads a sub-query of an expression. Errors: feature_not_supported where its rows are
 * not those of the row's own unit, nor public.
 */
extern const DpExpr *dp_rows_read_sublink(DpScope *scope, SubLink *link);

#endif
