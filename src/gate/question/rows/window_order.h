/*
 * window_order.h
 *		Rows of a window that its ORDER BY does not tell apart.
 *
 * Which of them row_number() counts first depends on the order in which the
 * server reads rows, and so on other people's rows.
 */
#ifndef DP_GATE_QUESTION_ROWS_WINDOW_ORDER_H
#define DP_GATE_QUESTION_ROWS_WINDOW_ORDER_H

#include "nodes/parsenodes.h"

/*
 * Sorts windows by all other columns of the query, too, for functions to which
 * the order of equal rows matters. Rows that are still equal may be in any
 * order.
 *
 * Errors: feature_not_supported for values that cannot be sorted, frames that
 * end between such rows, and functions that go by several orders.
 */
extern void dp_gate_order_windows(Query *query);

#endif
