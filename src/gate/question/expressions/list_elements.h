/*
 * list_elements.h
 *		The elements of an array that is written out.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_LIST_ELEMENTS_H
#define DP_GATE_QUESTION_EXPRESSIONS_LIST_ELEMENTS_H

#include "nodes/primnodes.h"

/*
 * Sets the elements, as expressions: of IN (1, 2), ARRAY[1, $1] or of a constant
 * array, whatever its dimensions. False for an array that is null, of arrays, or
 * not known before it is computed.
 */
extern bool dp_gate_list_elements(Node *array, List **elements);

#endif
