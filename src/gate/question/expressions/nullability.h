/*
 * nullability.h
 *		What is never null in a block.
 *
 * Columns by their constraints, but for those on the nullable side of an outer
 * join; expressions by what they are made of. What is not known to have a value
 * may be null.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_NULLABILITY_H
#define DP_GATE_QUESTION_EXPRESSIONS_NULLABILITY_H

#include "gate/question/relations/relations.h"

/*
 * True for an expression that has a value in every row that counts: a privacy
 * unit does, since rows without one do not count.
 */
extern bool dp_gate_is_never_null(const DpRelations *relations,
								  Node *expression);

/* True for a column that has a value in every row, its unit's too. */
extern bool dp_gate_column_is_never_null(const DpRelations *relations,
										 const Var *column);

#endif
