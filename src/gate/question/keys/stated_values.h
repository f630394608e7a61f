/*
 * stated_values.h
 *		Values and bounds that WHERE states.
 *
 * The rows that pass WHERE have the values that it names: `kind IN ('a', 'b')`
 * names two, `day >= '2024-01-01' AND day < '2025-01-01'` the days of a year.
 * They follow from the question alone, so they are public.
 */
#ifndef DP_GATE_QUESTION_KEYS_STATED_VALUES_H
#define DP_GATE_QUESTION_KEYS_STATED_VALUES_H

#include "gate/question/relations/relations.h"
#include "server/ordered_type.h"

/* More values than these between stated bounds are better found in the data. */
#define DP_STATED_MAX 1000

/*
 * The values that conditions on all rows leave an expression: constants and
 * query parameters of its type; NIL where they leave it any. Null is none of
 * them.
 */
extern List *dp_gate_stated_values(Node *expression,
								   const DpRelations *relations);

/*
 * Makes bounds of a column narrower, both inclusive: least and greatest, as
 * integers of its type. ordered: of that; NULL: it is an integer itself.
 * has_bounds: which of the two are known; those that are stated become so.
 */
extern void dp_gate_stated_bounds(const Var *column,
								  const DpOrderedType *ordered,
								  const DpRelations *relations, int64 bounds[2],
								  bool has_bounds[2]);

#endif
