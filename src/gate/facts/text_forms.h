/*
 * text_forms.h
 *		What canonical forms are made of: for the files that make and write them.
 *
 * A form is a String, which is written as it is; a hole, which is an expression
 * of the server without columns; or a List that begins with a String:
 *
 *   "=word" forms			in this order
 *   "&word" forms			sorted, each once
 *   "|and", "|or" forms	likewise; a single one stands for itself
 *   "~op op'" two forms	a comparison; the greater second, and op' if they
 *							change places; numbers that are equal have one text
 *   ":op op'" two forms	the same, but constants show how they are written
 *   "%or" "~..." x hole	a comparison of x with each element of an array; "%and"
 *   "!" form				NOT of what is known only when holes are filled
 *   "?case", "?coalesce" forms
 *							arguments; those that constants decide are left out
 *   "@" numbers			a column by any of several names: for each the number
 *							of sub-queries around, of the item of FROM and of the column there
 *   "sub" type, rows, comparison or NULL
 *							a sub-query in an expression
 *   "from" items, joins, classes, conditions
 *							rows; beside each item NULL, or the list of
 *							conditions by which it is joined outer, after "on";
 *							classes: lists of "@" that are equal
 *   "with" rows, forms		rows, and expressions over them
 *
 * An item of FROM is a list of a String, what it is; a form, what it is called;
 * its columns, forms over the rows beneath; and these rows, if any:
 *
 *   "scan", "public"		the columns are Strings
 *   "rows"					rows of several, on the nullable side, or computed
 *   "view", "window"
 *   "group"				and the number of its columns that are keys
 *   "union"				in place of rows a list of "with"
 */
#ifndef DP_GATE_FACTS_TEXT_FORMS_H
#define DP_GATE_FACTS_TEXT_FORMS_H

#include "gate/facts/equalities.h"
#include "gate/tree/node.h"

/* The compared column of a sub-query: a depth like others. */
#define DP_TEXT_COMPARED (-1)

/* What columns stand for while forms are made of expressions over a row. */
typedef struct DpTextScope
{
	const struct DpTextScope
		*around; /* the row whose expression the sub-query is in */
	const struct DpTextScope *compared; /* the rows that ANY or ALL compares */
	List *starts; /* of each item, the number of its first column in the row */
	const DpEqualities
		*equal; /* columns that are equal in all rows that count */
	int base;	/* where the row that the expressions see begins in this one */
	bool is_apart; /* each column has a name of its own */
	bool *depends_on_zone;
} DpTextScope;

/* The form of an expression, or of its negation (text_expr.c). */
extern Node *dp_text_expr(const DpTextScope *scope, const DpExpr *expr,
						  bool negate);

/* The forms of what is ANDed in conditions, added to a list. */
extern List *dp_text_arms(const DpTextScope *scope, List *conditions,
						  List *forms);

/* The form of a column, and by its own name alone. */
extern List *dp_text_column(const DpTextScope *scope, int depth, int number);

/*
 * The form of rows (text.c). scope: set for expressions over them; its around
 * and depends_on_zone are the caller's. conditions: that hold besides.
 */
extern List *dp_text_rows(const DpNode *node, List *conditions,
						  DpTextScope *scope);

/* What public rows are called: the same for the same rows (text_public.c). */
extern Node *dp_text_public(const DpPublicRows *rows, List **columns);

extern List *dp_text_list(const char *word, List *forms);

#endif
