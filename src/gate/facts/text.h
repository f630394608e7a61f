/*
 * text.h
 *		The canonical form of rows and expressions.
 *
 * Two nodes (or expressions) with one form have the same rows (or value) over
 * every database: replaying answers relies on that. Two ways of writing the
 * same may have two forms, which costs budget and nothing else.
 *
 * A form is a tree of words. Parameters, and expressions with one value an
 * execution, are holes in it, which are filled when a question is asked; only
 * then are the parts sorted that have no order, and the whole is written as a
 * text and hashed (gate/facts/fingerprint.h). Forms are server nodes (lists
 * and strings), so that plans carry and copy them.
 */
#ifndef DP_GATE_FACTS_TEXT_H
#define DP_GATE_FACTS_TEXT_H

#include "nodes/pg_list.h"

#include "gate/tree/node.h"

/*
 * A String, or a List: a String that says how the rest is written, then the rest,
 * each a form. "=word": in this order; "+word": sorted; "|word": sorted, each once,
 * and a single one stands for itself. A hole is any other server node: an
 * expression without columns; a list that begins with "?compared" has a hole whose
 * value is written as it is compared.
 */
typedef Node DpText;

extern DpText *dp_text_of(const DpNode *node);

/* Of an expression of a node. */
extern DpText *dp_text_of_expr(const DpNode *node, const DpExpr *expr);

/*
 * The text of a form with the holes filled. fill: gives the constant for a hole.
 */
typedef Const *(*DpTextFill)(Node *hole, void *context);
extern char *dp_text_write(const DpText *form, DpTextFill fill, void *context);

#endif
