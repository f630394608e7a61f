/*
 * print.h
 *		Trees as text, for dp_noise.describe_question and for debugging.
 *
 * Columns are numbers of the row that the expression sees: #0 is its first, ^#0
 * that of the row around a sub-query.
 */
#ifndef DP_GATE_TREE_PRINT_H
#define DP_GATE_TREE_PRINT_H

#include "lib/stringinfo.h"

#include "gate/tree/node.h"

extern void dp_print_expr(StringInfo text, const DpExpr *expr);

/* A node without its inputs and columns, on one line. */
extern void dp_print_node(StringInfo text, const DpNode *node);

/* A set of numbers of columns: #0 #2. */
extern void dp_print_columns(StringInfo text, const Bitmapset *columns);

#endif
