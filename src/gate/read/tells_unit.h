/*
 * tells_unit.h
 *		Columns that tell whose a row is, before a query is taken apart.
 */
#ifndef DP_GATE_READ_TELLS_UNIT_H
#define DP_GATE_READ_TELLS_UNIT_H

#include "nodes/parsenodes.h"

/*
 * Whether an expression of a query seems to be a privacy unit, or a column of a path
 * to it, through joins, sub-queries and UNION ALL. It only decides how a query is
 * read; that it is one is checked later, by facts.
 */
extern bool dp_tells_unit(Query *query, Node *expression);

#endif
