/*
 * canonical_parts.h
 *		Shared parts of canonical.c (expressions) and canonical_rows.c (FROM).
 *
 * One text is made at a time. Its expressions may contain sub-queries, and
 * these expressions again. dp_gate_begin_canonical sets which query it
 * describes.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_CANONICAL_PARTS_H
#define DP_GATE_QUESTION_EXPRESSIONS_CANONICAL_PARTS_H

#include "gate/question/relations/relations.h"

/* Begins a text over the frame of some relations. */
extern void dp_gate_begin_canonical(const DpRelations *relations);

/* In canonical.c: an expression, or its negation. */
extern char *dp_gate_canonical_part(Node *node, bool negate);

/* Adds the texts of what is ANDed in a condition, which may be NULL. */
extern List *dp_gate_add_arm_texts(Node *condition, List *texts);

/* "(word a b ...)" of nodes in the order given; "-" for NULL. */
extern char *dp_gate_join_parts(const char *word, List *nodes);

/*
 * In canonical_rows.c: a column, by its name and what it belongs to. Units
 * that are equal in every row are written alike. For columns of outer queries,
 * the text says how many levels out these are.
 */
extern char *dp_gate_column_text(const Var *column);

/*
 * A comparison of columns that are equal in every row may be what makes them
 * equal: between these two calls each has its own name. Begins nothing, and
 * returns false, where an operand is something else.
 */
extern bool dp_gate_begin_equation(const OpExpr *op);
extern void dp_gate_end_equation(bool is_begun);

/* A sub-query; with_targets: and what it puts out, in order. */
extern char *dp_gate_query_text(Query *query, bool with_targets);

/* A window function, and by which rows it is computed. */
extern char *dp_gate_window_text(WindowFunc *function);

#endif
