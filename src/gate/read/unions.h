/*
 * unions.h
 *		Reads UNION ALL of sub-queries.
 */
#ifndef DP_GATE_READ_UNIONS_H
#define DP_GATE_READ_UNIONS_H

#include "gate/read/scope.h"

/*
 * Reads a query that is a UNION ALL, all of whose parts have the same people. The
 * values of the units are its last columns. Errors: feature_not_supported for other
 * set operations, and parts of other people or of nobody.
 */
extern const DpNode *dp_unions_read(DpScope *scope);

#endif
