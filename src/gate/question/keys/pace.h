/*
 * pace.h
 *		At which times a column is looked at, so that no value of an expression
 *		over it is missed.
 */
#ifndef DP_GATE_QUESTION_KEYS_PACE_H
#define DP_GATE_QUESTION_KEYS_PACE_H

#include "nodes/primnodes.h"

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
extern DpPace dp_gate_pace_of(Node *expression, Var **column);

#endif
