/*
 * text_scope.h
 *		The rows over which canonical forms are made of expressions.
 */
#ifndef DP_GATE_FACTS_TEXT_SCOPE_H
#define DP_GATE_FACTS_TEXT_SCOPE_H

#include "gate/facts/equalities.h"
#include "gate/facts/text.h"

/* What FROM reads. */
typedef struct DpTextItem
{
	const DpNode *node;
	int start;	   /* its first column in the row of FROM */
	bool is_outer; /* it is on the nullable side of a left join ... */
	List *on;	   /* ... by these conditions: of const DpExpr */
	Node *form;
	const char **names; /* of its columns; NULL: nobody names it */
	const char *source; /* the draft of its form */
	const char
		*said; /* what conditions say of it, where that tells items apart */
	const char *place; /* what it is called in the names of columns */
} DpTextItem;

typedef struct DpTextScope
{
	/*
	 * Makes the form of rows (text.c); sets this scope for expressions over them,
	 * but for around, is_rough and depends_on_zone, which are the caller's, as is
	 * this. conditions: that hold besides. used: the columns that those expressions
	 * name.
	 */
	Node *(*rows)(struct DpTextScope *scope, const DpNode *node,
				  List *conditions, Bitmapset *used);

	/* The row whose expression the sub-query is in. */
	const struct DpTextScope *around;

	/* The rows that ANY or ALL compares. */
	const struct DpTextScope *compared;

	List *items; /* of DpTextItem */
	const DpEqualities
		*equal;	   /* columns that are equal in all rows that count */
	bool is_rough; /* items that are the same are in any order */
	bool *depends_on_zone;
} DpTextScope;

/*
 * Completes an item of some rows (text_items.c): its form, and names of its
 * columns that are used, which are those of the row of FROM.
 */
extern void dp_text_items_complete(DpTextItem *item, const Bitmapset *used,
								   const DpTextScope *outer);

/* The form of an expression (text_expr.c), and of each of several. */
extern Node *dp_text_expr(const DpTextScope *scope, const DpExpr *expr);
extern List *dp_text_exprs(const DpTextScope *scope, const List *exprs);

/* What public rows are called: the same for the same rows (text_public.c). */
extern Node *dp_text_public(const DpPublicRows *rows);

#endif
