/*
 * pace.h
 *		At which times a column is looked at, so that no value of an expression
 *		over it is missed.
 *
 * A step is no longer than the shortest time for which a function returns one
 * value: for a month that is 28 days. A wrong step could only change which
 * groups are released, never what their answers reveal.
 */
#ifndef DP_GATE_FACTS_PACE_H
#define DP_GATE_FACTS_PACE_H

#include "gate/tree/expr.h"

/* Of a column, in microseconds. */
typedef struct DpPace
{
	int64 step;	  /* from one time to the next; 0: every value is looked at */
	int64 period; /* after which all values have occurred; 0: never */
} DpPace;

/*
 * What an expression over a single column needs: the finest of its parts.
 * column: in the expression; NULL where it has none, or several.
 */
extern DpPace dp_pace_of(const DpExpr *expr, const DpExpr **column);

/*
 * What several expressions over the same column need together: between two times
 * at which one of them changes, another may, so it is a whole day, hour,
 * minute or second.
 */
extern DpPace dp_pace_of_all(const List *exprs);

#endif
