/*
 * asked_bounds.h
 *		Bounds of the private aggregates of a question: declared, derived, or chosen.
 */
#ifndef DP_GATE_READ_ASKED_BOUNDS_H
#define DP_GATE_READ_ASKED_BOUNDS_H

#include "gate/read/released.h"

/* The aggregate of the same schema with a name and types of arguments. */
extern Oid dp_asked_bounds_function(const Aggref *aggref, const char *name,
									List *types);

/* Adds an argument, an expression. */
extern void dp_asked_bounds_argument(Aggref *aggref, void *argument);

/*
 * Fills in bounds, where the aggregate takes some and none are written: those that
 * are declared or follow, or parameters for ones that will be chosen. values: of
 * each row, of const DpExpr. Says in asked which. Errors: invalid_parameter_value, when there are none.
 */
extern void dp_asked_bounds_add(Aggref *aggref, const DpAskedRows *rows,
								const List *values, DpAsked *asked);

/*
 * The arguments of a question whose bounds are chosen. In the place of bounds: the
 * share for which they are, as the bits of the number, so that two shares are one
 * question only if they are equal; and a null, which no bound is that was written.
 */
extern List *dp_asked_bounds_chosen(const DpExpr *first);

/*
 * Where a question is answered at privacy levels, refuses aggregates whose bounds would
 * be chosen: the levels of an answer share noise, not bounds.
 */
extern void dp_asked_bounds_refuse_at_levels(const DpQuestion *question);

#endif
