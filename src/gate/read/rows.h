/*
 * rows.h
 *		Reads the rows of a query: FROM, WHERE, groups, windows, what it puts out.
 */
#ifndef DP_GATE_READ_ROWS_H
#define DP_GATE_READ_ROWS_H

#include "gate/read/scope.h"

/*
 * Reads FROM and WHERE; scope->columns and scope->row are set. The result is
 * owned or public. Errors: feature_not_supported with a position and a hint,
 * where no rule applies; insufficient_privilege for what the user may not read.
 */
extern const DpNode *dp_rows_read_from(DpScope *scope);

/*
 * Reads a query whole: a sub-query in FROM, a protected view's, one of WITH, one in an
 * expression (around: the query that has it). Its columns are those it puts out,
 * then hidden ones that name its unit.
 */
extern const DpNode *dp_rows_read_query(DpPlanning *planning, DpScope *around,
										Query *query, const char *what,
										int location);

/* Reads a sub-query of an expression. */
extern const DpExpr *dp_rows_read_sublink(DpScope *scope, SubLink *link);

#endif
