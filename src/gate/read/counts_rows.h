/*
 * counts_rows.h
 *		Counts of a column that are counts of rows.
 */
#ifndef DP_GATE_READ_COUNTS_ROWS_H
#define DP_GATE_READ_COUNTS_ROWS_H

#include "nodes/parsenodes.h"

/*
 * Whether count(x) or count(DISTINCT x) counts rows, as count(*) does: so that
 * both in one query are asked once.
 */
extern bool dp_counts_rows(const Aggref *aggref, Query *query);

#endif
