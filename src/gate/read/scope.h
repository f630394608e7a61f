/*
 * scope.h
 *		What the names in a query stand for while it is read.
 */
#ifndef DP_GATE_READ_SCOPE_H
#define DP_GATE_READ_SCOPE_H

#include "gate/tree/node.h"
#include "gate/tree/planning.h"

struct DpScope;

/*
 * The readers that call each other in turn: an expression has sub-queries, these
 * read entries of FROM, of which some are views, whose conditions are expressions.
 * They are called by the scope, so that no file calls one that calls it.
 */
typedef struct DpReaders
{
	const DpExpr *(*part)(struct DpScope *scope, Node *node);
	const DpExpr *(*sublink)(struct DpScope *scope, SubLink *link);
	const DpNode *(*entry)(struct DpScope *scope, int rtindex,
						   List **conditions, const AttrNumber **attributes);
	const DpNode *(*view)(struct DpScope *around, int rtindex, Oid view,
						  int *visible);
} DpReaders;

/*
 * A query that is being read. A column of an entry of its range table is a
 * column of the row that the expressions see which are being read: while FROM is
 * read that row grows, and afterwards it is the whole of FROM's.
 */
typedef struct DpScope
{
	struct DpScope
		*around; /* the query that has it; NULL: the question has none */

	/*
	 * It stands in FROM of that, and so sees none of its rows; else in an
	 * expression of it, and sees the row for which that is computed.
	 */
	bool is_in_from;
	const DpReaders *readers;
	DpPlanning *planning;
	Query *query;
	Bitmapset **used; /* by entry, from 0: numbers of columns that are named */
	const DpExpr **
		*columns; /* by entry and column, both from 0; NULL: not read */

	/* The clause, for messages: "WHERE", "JOIN", "HAVING", "a sub-query" ... */
	const char *what;

	/*
	 * Whether the expressions that are read may have aggregates and window
	 * functions of the server's own. These stay in the expression, over FROM's
	 * row; whoever reads the clause takes them out (gate/read/outputs.c).
	 */
	bool with_totals;

	/*
	 * Sub-queries in the expression that is being read (SubLink), and beside
	 * them what they are (const DpExpr): where forms repeat an operand, it is
	 * still one sub-query.
	 */
	List *links;
	List *link_exprs;

	/*
	 * What has the row that the expressions see as its columns, with all that
	 * holds in it: sub-queries in expressions are checked against its owner.
	 */
	const DpNode *row;
	int steps; /* of paths that have been followed in it */
} DpScope;

/* Prepares a scope for the columns of its query, whose FROM is complete. */
extern void dp_scope_open(DpScope *scope);

/* Of a node's columns, the first ones as those of an entry; 0: it is hidden. */
extern const AttrNumber *dp_scope_first_columns(const DpNode *node, int count);

/* Makes the columns of an entry those of a row, from a number on. */
extern void dp_scope_set_columns(DpScope *scope, int rtindex,
								 const DpNode *node,
								 const AttrNumber *attributes, int offset);

/* Moves the columns of an entry this many further in the row. */
extern void dp_scope_shift(DpScope *scope, int rtindex, int columns);

/*
 * The expression for a column of this query or one around. Error:
 * feature_not_supported for system columns, whole rows, virtual generated columns and
 * columns of queries around the question.
 */
extern const DpExpr *dp_scope_column(const DpScope *scope, const Var *var);

#endif
