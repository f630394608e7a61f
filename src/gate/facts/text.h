/*
 * text.h
 *		The canonical form of rows and of expressions over them.
 *
 * Two questions with one form ask the same over every database: replaying
 * answers relies on that. Two ways of writing the same may have two forms, which
 * costs budget and nothing else; but what tools and people vary is one: names,
 * the order of conditions and of what is joined, which of equal columns is
 * named, commuted operators, lists written out, the spelling of constants,
 * constants or parameters. (Negations were pushed down when it was read.)
 *
 * The argument: a form is a full description. From it one could write the
 * question down again, up to the order of what has none and to columns that
 * nobody names. Each thing in it is known by what it is: a protected relation
 * by its number as a member of a population, which no other relation gets, and
 * its unit; a column of a relation by its name; a public relation by its number
 * in the catalogs or by the tree of its query; a function by its number; a value
 * by its text, with all its digits. What FROM reads, and columns that are
 * computed, are called by their places in an order of their own; the form says
 * what stands there. So any order is sound, and one that depends on how the
 * question is written only costs budget.
 *
 * Equal columns stand for each other, where equal values are the same: for each
 * the least name is written. What makes them equal is written apart, as classes
 * of columns, so that it is not lost. That a condition holds in all rows of the
 * result is why the others may be read by it, also those of outer joins before:
 * rows that it leaves out do not matter.
 *
 * A form has holes for expressions without columns, since only an execution
 * knows parameters and the time. The text is made when they are filled; only
 * then is it known in which order conditions are. A form is a server node, which
 * plans can carry: a String, which is written as it is; a hole, which is one of
 * the server's expressions; or a List that begins with a String:
 *
 *   "=word" forms			in this order
 *   "&word", "+word" forms	sorted, each once or as often as it is there
 *   "|and", "|or" forms	sorted, each once; those within others of the same word
 *							belong to them; a single one stands for itself
 *   "~op op'" two forms	a comparison; the greater second, and op' if they
 *							change places; numbers that are equal have one text
 *   ":op op'" two forms	the same, but constants show how they are written
 *   "%or" String x hole	comparisons, as the String says, of x with each element
 *							of an array; "%and"
 */
#ifndef DP_GATE_FACTS_TEXT_H
#define DP_GATE_FACTS_TEXT_H

#include "gate/tree/node.h"

/*
 * Forms: of rows, and beside it of expressions over them, in their order.
 * conditions: that hold besides in all rows that count. exprs: of const DpExpr.
 * *depends_on_zone: becomes true where what is computed for each row depends on
 * the session's time zone; may be NULL.
 */
extern List *dp_text_of(const DpNode *rows, List *conditions, List *exprs,
						bool *depends_on_zone);

/* The form of a query for public values, by its tree. */
extern Node *dp_text_query(const Query *query);

/* "(word forms)", of which a form begins with the word. */
extern Node *dp_text_list(const char *word, List *forms);

/* The constant that fills a hole; NULL: it stays one, which is written as such. */
typedef Const *(*DpTextFill)(Node *hole, void *context);

/*
 * The texts of several forms. To be called between dp_setting_plain_texts and
 * AtEOXact_GUC. Errors: program_limit_exceeded.
 */
extern List *dp_text_write(const List *forms, DpTextFill fill, void *context);

/*
 * Refuses a comparison with a list that would have this many parts if it were
 * written out for each value. dp_text_write does, where parameters are lists.
 */
extern void dp_text_check_list(double parts);

/* Fills no holes but constants; and the text of a form with these alone. */
extern Const *dp_text_constant(Node *hole, void *context);
extern char *dp_text_draft(const Node *form);

/* "(word a b ...)"; and of distinct texts, in their order: the list is sorted. */
extern char *dp_text_join(const char *word, const List *texts);
extern char *dp_text_join_sorted(const char *word, List *texts);

/* A text's hash, in hexadecimal digits. */
extern char *dp_text_hash(const char *text);

#endif
