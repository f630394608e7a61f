/*
 * question.h
 *		Reads a block with private aggregates as a question.
 */
#ifndef DP_GATE_READ_QUESTION_H
#define DP_GATE_READ_QUESTION_H

#include "gate/tree/node.h"
#include "gate/tree/planning.h"

/*
 * Reads a block: its rows, its keys, its private aggregates, with bounds that
 * the owner declared. What works on released rows (HAVING, ORDER BY, the
 * expressions around aggregates) is left to the query around. The query may be
 * changed.
 *
 * Errors: feature_not_supported and others, with a position and a hint.
 */
extern const DpQuestion *dp_question_read(DpPlanning *planning, Query *block);

#endif
