/*
 * enums.h
 *		Reads what depends on the labels of an enum.
 *
 * By comparisons for equality alone: the server looks labels up when it comes to
 * a row.
 */
#ifndef DP_GATE_READ_ENUMS_H
#define DP_GATE_READ_ENUMS_H

#include "gate/tree/expr.h"

/* < and the like of enums, one of which is a constant, over what was read. */
extern bool dp_enums_is_order(const OpExpr *op);
extern const DpExpr *dp_enums_order(const OpExpr *op, List *args);

/* A cast of an enum to a text, or back. */
extern bool dp_enums_is_cast(const CoerceViaIO *cast);
extern const DpExpr *dp_enums_cast(const CoerceViaIO *cast,
								   const DpExpr *value);

#endif
