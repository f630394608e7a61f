/*
 * totals.h
 *		The server's own aggregates and window functions over a unit's rows.
 *
 * Their results are values in rows like any others, and are bounded at the
 * end. They must not fail, whatever the rows hold: not by overflow, nor in a
 * type's comparison, nor because of their frame.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_TOTALS_H
#define DP_GATE_QUESTION_EXPRESSIONS_TOTALS_H

#include "nodes/parsenodes.h"

/*
 * An expression with its aggregates and window functions made total: values whose
 * sums could overflow are null to them. Texts are ordered byte by byte.
 */
extern Node *dp_gate_make_total(Node *expression);

/*
 * Refuse others than those listed, once they were made total:
 * feature_not_supported.
 */
extern void dp_gate_check_total(Aggref *aggref);
extern void dp_gate_check_window_function(WindowFunc *function);
extern void dp_gate_check_window(const WindowClause *window, List *targets);

/*
 * Whether values of a type can be sorted and told apart by all rows: no look-ups
 * and no user's functions.
 */
extern bool dp_gate_is_sortable(Oid type);

/*
 * The clause by which rows are sorted and brought together by one of some
 * targets.
 */
extern SortGroupClause *dp_gate_clause_for(TargetEntry *entry, List *targets);

/* An expression compared byte by byte, where it is a text. */
extern Expr *dp_gate_byte_order(Expr *expression);

#endif
