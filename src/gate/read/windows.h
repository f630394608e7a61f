/*
 * windows.h
 *		Reads window functions of sub-queries.
 *
 * Which of some rows that ORDER BY does not tell apart row_number() counts first
 * depends on the order in which the server reads rows, and so on other people's
 * rows. Functions whose result depends on that order get a window of their own,
 * sorted by the other columns of the query, too; rows that are still equal may
 * be in any order. Other functions, such as rank() and aggregates up to the last
 * equal row, keep theirs. Two different orders in one query are refused: equal
 * rows could change places in one of them only.
 */
#ifndef DP_GATE_READ_WINDOWS_H
#define DP_GATE_READ_WINDOWS_H

#include "gate/read/outputs.h"

/* Adds the results of window functions to the rows, if there are such. */
extern void dp_windows_make(DpOutputs *outputs);

#endif
