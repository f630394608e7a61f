/*
 * kinds.h
 *		The table of expression kinds.
 *
 * A row says what depends on the kind: whether it can be null, how its
 * canonical form is called, and how it is written back. A new form is one row
 * here and one in gate/read/expression.c, which reads it; nothing else names
 * a node tag of the server's expressions.
 */
#ifndef DP_GATE_TREE_KINDS_H
#define DP_GATE_TREE_KINDS_H

#include "gate/tree/expr.h"

/* Whether an expression is null, by its arguments. */
typedef enum DpNullRule
{
	DP_NULL_NEVER, /* IS NULL, IS DISTINCT FROM, an array */
	DP_NULL_STRICT, /* only where an argument is: of calls, by the table of functions */
	DP_NULL_COALESCE, /* only where all arguments are */
	DP_NULL_CASE,	  /* only where a result is */
	DP_NULL_ASK,	  /* a column, a constant: it says so itself */
	DP_NULL_MAYBE
} DpNullRule;

/* How an expression is written back. column: gives the server's node for a column. */
typedef struct DpWriter
{
	Node *(*column)(const DpExpr *column, void *context);
	Node *(*subquery)(const DpExpr *subquery, Node *comparison, void *context);
	void *context;
	bool as_asked; /* for people: nothing takes the place of what can fail */
} DpWriter;

typedef struct DpKindRow
{
	const char *word; /* in canonical forms, and for describe_question */
	DpExprKind kind;
	DpNullRule nulls;
	Node *(*write)(const DpExpr *expr, List *args, const DpWriter *writer);
} DpKindRow;

extern const DpKindRow *dp_kinds_get(DpExprKind kind);

/*
 * An expression as the server's node. Texts are compared byte by byte, and
 * functions that can fail become their wrapped forms.
 */
extern Node *dp_kinds_write(const DpExpr *expr, const DpWriter *writer);

/*
 * Whether an element of an array may be long, as stored texts are: what is
 * computed is bounded by itself (expressions/guards.h).
 */
extern bool dp_kinds_is_unbounded(const DpExpr *element);

#endif
