/*
 * pace.h
 *		Which times are to be looked at, so that no value is missed.
 */
#ifndef DP_GATE_QUESTION_KEYS_PACE_H
#define DP_GATE_QUESTION_KEYS_PACE_H

#include "nodes/primnodes.h"

/* Of a column, in microseconds. */
typedef struct DpPace
{
	int64 step;	  /* one value in each so many tells all; 0: every value */
	int64 period; /* after so many all have been there; 0: never */
} DpPace;

/*
 * What an expression of a single column asks for: the finest of all its places.
 * column: in the expression; NULL where it has none, or several.
 */
extern DpPace dp_gate_pace_of(Node *expression, Var **column);

#endif
