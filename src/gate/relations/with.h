/*
 * with.h
 *		Queries of WITH, written out where they are used.
 */
#ifndef DP_GATE_RELATIONS_WITH_H
#define DP_GATE_RELATIONS_WITH_H

#include "nodes/parsenodes.h"

/*
 * Puts queries of a statement's WITH in place of their names, at all levels,
 * where one reads rows of protected relations itself, not by a block that is
 * answered, or is read by a block. Volatile and recursive ones are left.
 */
extern void dp_with_write_out(Query *query);

/* The same for one query of the WITH; false where it is left. */
extern bool dp_with_write_out_one(Query *query, CommonTableExpr *cte);

#endif
