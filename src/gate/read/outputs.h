/*
 * outputs.h
 *		Reads what a query puts out.
 */
#ifndef DP_GATE_READ_OUTPUTS_H
#define DP_GATE_READ_OUTPUTS_H

#include "gate/read/scope.h"
#include "gate/read/unit_columns.h"

/*
 * Reads what scope->query puts out of its rows, scope->row: GROUP BY, HAVING, window
 * functions and DISTINCT. ORDER BY means nothing.
 */
extern const DpNode *dp_outputs_read(DpScope *scope, DpUnitOutput unit);

#endif
