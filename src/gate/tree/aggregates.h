/*
 * aggregates.h
 *		Aggregates and window functions of the server's own, written back.
 *
 * They must not fail, whatever the rows hold, nor depend on the order in which
 * rows are read: values whose sums could overflow are null to them, texts are
 * ordered byte by byte, floating-point values are added in their order, and
 * what stands for several equal values has one form.
 */
#ifndef DP_GATE_TREE_AGGREGATES_H
#define DP_GATE_TREE_AGGREGATES_H

#include "gate/tree/expr.h"

/* An Aggref or a WindowFunc. filter: NULL for none. */
extern Node *dp_aggregates_write(const DpExpr *expr, List *args, Node *filter);

/*
 * One form for values that are equal but can be told apart, as 1.0 and 1.00, or 0
 * and -0: for keys, and what stands for several rows. written: of the
 * expression. Types for which there is none keep theirs.
 */
extern Node *dp_aggregates_one_form(const DpExpr *expr, Node *written);

/* A text that is compared byte by byte, as by every collation that is allowed. */
extern Node *dp_aggregates_byte_order(Node *value);

/* Whether equal values of a type are identical, or can be made so. */
extern bool dp_aggregates_can_have_one_form(Oid type);

#endif
