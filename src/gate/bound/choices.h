/*
 * choices.h
 *		Bounds that are chosen together with an answer: what is asked of the rows.
 *
 * An aggregate without bounds is answered in two steps: dp_bounds over all of the
 * question's rows, without groups, and then the aggregate, of which the bounds are
 * parameters. Aggregates over the same values share one choice, if they ask for it at
 * the same epsilon.
 */
#ifndef DP_GATE_BOUND_CHOICES_H
#define DP_GATE_BOUND_CHOICES_H

#include "gate/bound/outline.h"
#include "gate/tree/planning.h"

/*
 * Finds the choices of an outline whose aggregates are there. chooses: beside these, 1
 * for one whose bounds are chosen, else 0.
 */
extern void dp_choices_find(DpPlanning *planning, List *chooses,
							DpOutline *outline);

/*
 * Whether the price in rho is divided between bounds and answer, and not epsilon:
 * where the answer may be noised by what has no epsilon.
 */
extern bool dp_choices_divide_rho(const Aggref *aggref, DpOpenChoices choices);

/* A unit's contribution to a choice of bounds: as many rows, without groups. */
extern DpContribution dp_choices_contribution(DpContribution contribution);

/* The numbers of the parameters that are an aggregate's bounds. */
extern void dp_choices_parameters(const Aggref *aggref, int numbers[2]);

#endif
