/*
 * totals.h
 *		Reads the server's own aggregates and window functions over a unit's rows.
 *
 * Their results are values in rows like any others, and are bounded at the
 * end. They must not fail, whatever the rows hold: not by overflow, nor in a
 * type's comparison, nor because of their frame. How that is ensured for those
 * that could overflow is decided where they are written back: values whose sums
 * could are null to them.
 */
#ifndef DP_GATE_READ_TOTALS_H
#define DP_GATE_READ_TOTALS_H

#include "gate/read/scope.h"

/*
 * An Aggref or WindowFunc, in a scope with totals, as DP_EXPR_AGGREGATE or
 * DP_EXPR_WINDOW_CALL. Errors: feature_not_supported for those that are not listed.
 */
extern const DpExpr *dp_totals_read(DpScope *scope, Node *call);

#endif
