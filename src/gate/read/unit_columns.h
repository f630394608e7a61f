/*
 * unit_columns.h
 *		The unit's columns among what a query puts out.
 */
#ifndef DP_GATE_READ_UNIT_COLUMNS_H
#define DP_GATE_READ_UNIT_COLUMNS_H

#include "gate/tree/node.h"

/* What becomes of the unit. */
typedef enum DpUnitOutput
{
	DP_UNIT_ALONG, /* columns that name it, behind those that are seen, if it is not among them */
	DP_UNIT_LAST, /* its value is last, seen before or not */
	DP_UNIT_OUTSIDE /* whoever reads the query has seen to it that all is of one unit */
} DpUnitOutput;

/*
 * For groups and windows: adds columns of the unit to keys that determine it, which
 * make the same groups as before. None are added to none: that is one group, also
 * of no rows, where a row around says whose all of them are. what: "DISTINCT" ...
 * Error: feature_not_supported where they do not determine it.
 */
extern List *dp_unit_columns_add(const DpNode *rows, DpUnitOutput unit,
								 List *keys, const char *what, int location);

/* Columns that are put out to name the unit, beside those that are seen. */
extern List *dp_unit_columns_hidden(const DpNode *rows, DpUnitOutput unit,
									List *seen);

#endif
