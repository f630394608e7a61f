/*
 * written_calls.h
 *		Functions of any number of arguments, and lists, written out.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_WRITTEN_CALLS_H
#define DP_GATE_QUESTION_EXPRESSIONS_WRITTEN_CALLS_H

#include "nodes/primnodes.h"

/*
 * What a call of concat, concat_ws, format, num_nulls or num_nonnulls stands
 * for, in functions of fixed arguments, which are checked and wrapped like any
 * other. NULL for all else, and for calls that cannot be written out: of
 * an array in place of the arguments, or a format that is not a constant of %s.
 */
extern Node *dp_gate_written_form(const Node *call);

/*
 * x op ANY (array), or ALL, as a call for each element of an array that is
 * written out: what is combined by OR, or AND. NIL for other arrays, for those
 * without elements, and for operators that no row can make fail.
 */
extern List *dp_gate_element_calls(const ScalarArrayOpExpr *expr);

/*
 * Refuses x op ANY (array), or ALL, where x would be repeated too often if each
 * element had a comparison of its own. Error: program_limit_exceeded.
 */
extern void dp_gate_check_repeats(const ScalarArrayOpExpr *expr);

#endif
