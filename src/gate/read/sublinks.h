/*
 * sublinks.h
 *		Reads sub-queries of expressions.
 */
#ifndef DP_GATE_READ_SUBLINKS_H
#define DP_GATE_READ_SUBLINKS_H

#include "gate/read/scope.h"

/*
 * Reads a sub-query of an expression, whose rows are the row's own unit's, or
 * public; or which is a value that is found before (gate/read/parameter.h).
 */
extern const DpExpr *dp_sublinks_read(DpScope *scope, SubLink *link);

#endif
