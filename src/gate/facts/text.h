/*
 * text.h
 *		The canonical form of rows and of expressions over them.
 *
 * Two questions with one form ask the same over every database: replaying
 * answers relies on that. Two ways of writing the same may have two forms, which
 * costs budget and nothing else; but what tools and people vary is one: names,
 * the order of conditions and of what is joined, which of equal columns is
 * named, commuted and negated operators, lists written out, the spelling of
 * constants, constants or parameters.
 *
 * The argument: a form is a full description. From it one could write the
 * question down again, up to the order of what has none and to columns that
 * nobody names. Each thing in it is known by what it is: a protected relation
 * by its number as a member of a population, which no other relation gets, and its unit;
 * a column by its name; a public relation by its number in the catalogs or by
 * the text of its query; a function by its number; a value by its text, with all its digits. Parts
 * that several rows of FROM could be are numbered, in an order that depends on
 * what they are and what is said of them.
 *
 * Equal columns stand for each other, where equal values are the same: for each
 * the least name is written. What makes them equal is written apart, as classes of columns, so that it
 * is not lost. That a condition holds in all rows of the result is why the others
 * may be read by it, also those of outer joins before: rows that it leaves out
 * do not matter.
 *
 * A form has holes for expressions without columns, since only an execution
 * knows parameters and the time. The text is made when they are filled; only
 * then is it known what is sorted before what. Forms are lists, strings, integers
 * and expressions of the server, so that plans can carry them
 * (gate/facts/text_forms.h).
 */
#ifndef DP_GATE_FACTS_TEXT_H
#define DP_GATE_FACTS_TEXT_H

#include "nodes/pg_list.h"

#include "gate/tree/node.h"

typedef Node DpText;

/*
 * The form of rows, and of expressions over them. conditions: that hold besides
 * in all rows that count. exprs: of const DpExpr. *depends_on_zone: becomes true
 * where what is computed for each row depends on the session's time zone; may
 * be NULL.
 */
extern DpText *dp_text_of(const DpNode *rows, List *conditions, List *exprs,
						  bool *depends_on_zone);

/* The constant that fills a hole; NULL: it stays one, which is written as such. */
typedef Const *(*DpTextFill)(Node *hole, void *context);

/*
 * The text of the rows, and those of the expressions in their order: of char *.
 * To be called between dp_value_text_begin and AtEOXact_GUC.
 */
extern List *dp_text_write(const DpText *form, DpTextFill fill, void *context);

/* "(word a b ...)" of distinct texts in their order; the list is sorted. */
extern char *dp_text_join_sorted(const char *word, List *texts);

#endif
