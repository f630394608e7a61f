/*
 * selection.h
 *		A private choice of the candidate with the most rows.
 *
 * Of a unit at most c rows count, whose values are candidates: where it has
 * more of these, c of them, chosen at random (samplers/reservoir.h). Whichever
 * are chosen, of this unit and independently of all others
 * (mechanisms/unit.h), a unit that is added raises counts by c in all, so none
 * by more than c, and lowers none: the counts are monotone. A unit that is
 * exchanged, in answers without groups, raises some by up to c and lowers
 * others by up to c; where there are groups, each answer differs by a unit
 * more or less (mechanisms/contribution.h), and is given its share of epsilon.
 * All c may have one value, so c cannot be less. What holds for each outcome
 * of the choices holds for their mixture. Therefore all of epsilon goes into
 * the difference of two counts, where general scores would get half of it, as
 * they do here where a unit may be exchanged. With e = epsilon, or epsilon/2
 * then:
 *
 * permute_and_flip: looks at the candidates in random order and takes the first
 * whose coin of probability exp(-e (q_max - q) / c) shows heads (McKenna and
 * Sheldon 2020). It is the candidate of the greatest count plus exponential
 * noise of scale c/e (Ding et al. 2021). Given the others' noise, candidate i
 * wins if its noise reaches max(q_j + noise_j) - q_i; one unit moves that bound
 * by at most c if counts are monotone, by at most 2c otherwise, and the
 * probability of reaching it by a factor of at most exp(epsilon). Never worse
 * than the exponential mechanism.
 *
 * exponential: candidate i with probability proportional to exp(e q_i / c).
 * Weights all grow, or all shrink, by at most exp(epsilon) if counts are
 * monotone; otherwise each and their sum change by at most exp(epsilon/2).
 *
 * abstract_staircase: likewise in proportion to exp(e L(q)), where
 * L(q) = floor(q/c) + (1 if q mod c >= r, else 0) grows by at most one when q
 * grows by at most c (Geng and Viswanath, the abstract setting: their staircase
 * function in the place of exp). For c = 1 it is the exponential mechanism.
 */
#ifndef DP_MECHANISMS_SELECTION_H
#define DP_MECHANISMS_SELECTION_H

#include <stddef.h>

#include "mechanisms/contribution.h"
#include "mechanisms/mechanism.h"
#include "mechanisms/zcdp.h"
#include "random/source.h"

/* A prepared selection: plain data. */
typedef struct DpSelection
{
	DpMechanism mechanism; /* never DP_AUTO */
	uint64_t ticks;		   /* e * 2^20, times 2 where it was halved */
	uint64_t denominator;  /* of the exponent ticks * difference / it */
	uint64_t rows;		   /* c */
	uint64_t first_step;   /* r: 1 .. c */
} DpSelection;

/*
 * auto: permute_and_flip; by rho exponential, whose price in rho is about a
 * quarter, so that it errs less at the same price. Guarantee: epsilon-DP of the
 * selections of all groups together. Errors: DP_MECHANISM_NOT_APPLICABLE;
 * DP_PARAMETER_OUT_OF_RANGE (r > c, or a rank); DP_EPSILON_OUT_OF_RANGE (no
 * share).
 */
extern DpStatus dp_selection_init(DpSelection *selection,
								  const DpMechanismChoice *choice,
								  DpEpsilon epsilon,
								  DpContribution contribution);

/*
 * What the selections of all groups together cost in rho, asked at this
 * epsilon. The exponential mechanism and abstract_staircase have ratios in an
 * interval of length epsilon; permute_and_flip has not: two equal candidates
 * of which the other one is raised have log ratios of -e and ln(2 - exp(-e)).
 * It costs what any pure mechanism does.
 */
extern DpStatus dp_selection_rho(const DpSelection *selection,
								 DpEpsilon epsilon, DpContribution contribution,
								 DpRho *rho);

/*
 * One candidate, exactly: its index, 0 .. number - 1. counts: of rows, not
 * negative; number: 1 .. 2^32; order: room for as many.
 * Errors: DP_RANDOM_FAILED.
 */
extern DpStatus dp_selection_draw(DpRandom *random,
								  const DpSelection *selection,
								  const int64_t *counts, size_t number,
								  uint32_t *order, size_t *index);

/*
 * The exponent x of the weight exp(-x) that a candidate has beside one of the
 * greatest count, in doubles.
 */
extern double dp_selection_exponent(const DpSelection *selection, int64_t count,
									int64_t greatest);

/*
 * By how many rows the count of the chosen candidate is below the greatest one
 * at most, except with probability `tail`, whatever the counts: some candidate
 * of weight exp(-x) or less is chosen with probability at most candidates *
 * exp(-x). The same holds for permute_and_flip, whose exponential noise exceeds
 * the greatest's no more often.
 */
extern double dp_selection_error(const DpSelection *selection,
								 double candidates, double tail);

#endif
