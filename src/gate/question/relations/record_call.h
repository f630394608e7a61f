/*
 * record_call.h
 *		Functions in FROM that return records.
 */
#ifndef DP_GATE_QUESTION_RELATIONS_RECORD_CALL_H
#define DP_GATE_QUESTION_RELATIONS_RECORD_CALL_H

#include "nodes/parsenodes.h"

/*
 * FROM function(argument) AS alias (c1 ..., c2 ...). columns: expressions that
 * have the columns' types.
 */
extern RangeTblEntry *dp_gate_make_record_call(Oid function, Expr *argument,
											   const char *alias,
											   List *columns);

#endif
