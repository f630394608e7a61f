/*
 * scope.h
 *		What the names in a query stand for while it is read.
 */
#ifndef DP_GATE_READ_SCOPE_H
#define DP_GATE_READ_SCOPE_H

#include "gate/tree/node.h"
#include "gate/tree/planning.h"

/*
 * A query that is being read. A column of an entry of its range table is an
 * expression over the row that the expressions see which are being read: while
 * FROM is read that row grows, and afterwards it is the whole of FROM's.
 */
typedef struct DpScope
{
	struct DpScope
		*around; /* the query whose sub-query expression this is; NULL */
	DpPlanning *planning;
	Query *query;
	int nentries;
	const DpExpr **
		*columns; /* by entry, from 0, and column, from 0; NULL: not read yet */

	/*
	 * What the expressions that are being read may contain besides columns:
	 * aggregates and window functions, as columns of a group or a window that
	 * are collected while they are read (DpExpr *); NULL: none may.
	 */
	List **aggregates;
	List **window_calls;
	const char *
		what; /* the clause, for messages: "WHERE", "JOIN", "HAVING", "a sub-query" ... */
	const DpNode *
		row; /* the node whose row is seen, as far as it is known: for sub-queries in expressions */
} DpScope;

/*
 * The expression for a column of this query or one around. Error:
 * feature_not_supported for system columns, whole rows, virtual generated columns and
 * columns of queries around the question.
 */
extern const DpExpr *dp_scope_column(const DpScope *scope, const Var *var);

#endif
