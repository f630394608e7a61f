/*
 * release_call.h
 *		Functions in FROM that return records; that of released rows.
 */
#ifndef DP_GATE_RELATIONS_RELEASE_CALL_H
#define DP_GATE_RELATIONS_RELEASE_CALL_H

#include "nodes/parsenodes.h"

/* The SQL function dp_noise.release(bigint), which no one can execute. */
extern Oid dp_release_call_function(void);

/* FROM dp_noise.release(number) AS dp_release (c1 ..., c2 ...) */
extern RangeTblEntry *dp_release_call_make(List *columns, int64 number);

/*
 * FROM function(argument) AS alias (c1 ..., c2 ...). columns: expressions that
 * have the columns' types.
 */
extern RangeTblEntry *dp_release_call_make_record(Oid function, Expr *argument,
												  const char *alias,
												  List *columns);

#endif
