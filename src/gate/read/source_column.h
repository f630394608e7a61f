/*
 * source_column.h
 *		What an expression of a query is a column of, before the query is taken
 *		apart.
 */
#ifndef DP_GATE_READ_SOURCE_COLUMN_H
#define DP_GATE_READ_SOURCE_COLUMN_H

#include "nodes/parsenodes.h"

/*
 * Finds the relation and the column that an expression of a query is, through
 * joins and sub-queries; false where it is computed, or of something else.
 */
extern bool dp_source_column(Query *query, Node *expression, Oid *relation,
							 AttrNumber *column);

#endif
