/*
 * queries.h
 *		Reads sub-queries in FROM that are made of each unit's rows.
 */
#ifndef DP_GATE_READ_QUERIES_H
#define DP_GATE_READ_QUERIES_H

#include "gate/read/scope.h"

/*
 * Reads a sub-query over protected relations, as dp_entries_read_query does, whatever
 * view it may have come from. Errors: feature_not_supported for clauses for which
 * there is no rule, and for groups, distinct rows and windows of several units.
 */
extern const DpNode *dp_queries_read(DpScope *around, int rtindex,
									 bool by_value, int *visible);

#endif
