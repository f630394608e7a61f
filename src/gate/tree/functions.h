/*
 * functions.h
 *		The functions that may see protected values, and what is known of them.
 */
#ifndef DP_GATE_TREE_FUNCTIONS_H
#define DP_GATE_TREE_FUNCTIONS_H

#include "expressions/wrapped.h"
#include "gate/tree/expr.h"

/* True for functions that never fail, and are null for nulls alone. */
extern bool dp_functions_is_total(Oid function);

/* True for < and the like of enums. */
extern bool dp_functions_is_enum_order(Oid function);

/* The server's own aggregates and window functions that never fail. */
extern bool dp_functions_is_total_aggregate(Oid function);
extern bool dp_functions_is_total_window(Oid function);

/* Aggregates whose last digits depend on the order in which rows are read. */
extern bool dp_functions_adds_floats(Oid function);

/* Aggregates that may return any of several values that are equal. */
extern bool dp_functions_picks_one(Oid function);

/*
 * The wrapped form in whose place a call, or a cast by way of a text, runs: its
 * result may be null. NULL: it is total, or no call.
 */
extern const DpWrapped *dp_functions_wrapped(const DpExpr *call);

/*
 * Whether an expression calls a function anywhere whose result depends on the
 * session's time zone.
 */
extern bool dp_functions_depends_on_zone(const DpExpr *expr);

/*
 * Whether values of a type can be sorted and told apart by all rows: no look-ups
 * and no user's functions.
 */
extern bool dp_functions_is_sortable(Oid type);

/* Whether values of a type can be long: texts, arrays and the like. */
extern bool dp_functions_can_be_long(Oid type);

#endif
