/*
 * derived_bounds.h
 *		Bounds of expressions that follow from those of their columns.
 *
 * By interval arithmetic over declared bounds and constants. They are as
 * public as these, and values beyond them are clamped as with any bounds; so
 * they never make an answer less private, however wide they are.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_DERIVED_BOUNDS_H
#define DP_GATE_QUESTION_EXPRESSIONS_DERIVED_BOUNDS_H

#include "gate/question/relations/relations.h"

/*
 * The bounds of an expression that has been folded, as numeric, between which
 * all of its values lie where its columns' do; false where a part has none, or
 * is none of + - * /, unary minus, abs, round, floor, ceil, trunc, casts among
 * numbers, CASE, COALESCE, NULLIF, GREATEST and LEAST. is_declared: set for a
 * column with bounds of its own.
 */
extern bool dp_gate_derive_bounds(const DpRelations *relations,
								  Node *expression, Datum *lower, Datum *upper,
								  bool *is_declared);

/* Whether values of a type, no domain, have bounds at all. */
extern bool dp_gate_can_have_bounds(Oid type);

/* A constant that is such a bound, and whether an aggregate has them. */
extern void dp_gate_mark_derived(Const *bound);
extern bool dp_gate_has_derived_bounds(const Aggref *aggref);

#endif
