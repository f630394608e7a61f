/*
 * window_groups.h
 *		SELECT DISTINCT of aggregates over windows, as GROUP BY.
 *
 *		SELECT DISTINCT city, avg(age) OVER (PARTITION BY city) FROM patients
 *
 * has a row for each city, the same as SELECT city, avg(age) FROM patients GROUP BY city.
 */
#ifndef DP_GATE_READ_WINDOW_GROUPS_H
#define DP_GATE_READ_WINDOW_GROUPS_H

#include "nodes/parsenodes.h"

/*
 * Gives a query the form with GROUP BY where all of its windows are the groups of its
 * other columns; else it stays as it is.
 */
extern void dp_window_groups_form(Query *query);

#endif
