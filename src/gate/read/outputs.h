/*
 * outputs.h
 *		Reads what a query puts out.
 */
#ifndef DP_GATE_READ_OUTPUTS_H
#define DP_GATE_READ_OUTPUTS_H

#include "gate/read/scope.h"

/* What becomes of the unit. */
typedef enum DpUnitOutput
{
	DP_UNIT_ALONG, /* columns that name it, behind those that are seen, if it is not among them */
	DP_UNIT_LAST, /* its value is last, seen before or not */
	DP_UNIT_OUTSIDE /* whoever reads the query has seen to it that all is of one unit */
} DpUnitOutput;

/*
 * Reads what scope->query puts out of its rows, scope->row: GROUP BY, HAVING, window
 * functions and DISTINCT. ORDER BY means nothing.
 */
extern const DpNode *dp_outputs_read(DpScope *scope, DpUnitOutput unit);

#endif
