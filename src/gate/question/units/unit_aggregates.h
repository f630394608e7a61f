/*
 * unit_aggregates.h
 *		The aggregates of an inner statement that bounds privacy units: private
 *		ones as they were written become those of the schema dp_noise.
 */
#ifndef DP_GATE_QUESTION_UNITS_UNIT_AGGREGATES_H
#define DP_GATE_QUESTION_UNITS_UNIT_AGGREGATES_H

#include "nodes/primnodes.h"

#include "mechanisms/contribution.h"

/* What budgets decide for aggregates that leave it open. */
typedef struct DpOpenChoices
{
	bool by_rho;	/* auto chooses by rho: all who pay count that */
	double epsilon; /* of a session that has none of its own; 0: none */
	int parameter; /* the number of that which is its epsilon, since it is of one of
					 * several groupings; 0: none is */
} DpOpenChoices;

/* An aggregate over rows, each of which is a unit. */
extern Aggref *dp_gate_aggregate_of_rows(Aggref *aggref,
										 DpContribution contribution,
										 DpOpenChoices choices);

/*
 * True for an aggregate whose state grows with the rows: beneath a release it
 * must be the form of it that keeps within bounds, also where units are rows.
 */
extern bool dp_gate_state_grows(Aggref *aggref);

/*
 * True for an aggregate that gives the noisy sums of its answer beneath a release
 * (aggregates/noisy_sums.h), which only the form for it does.
 */
extern bool dp_gate_gives_sums(Aggref *aggref);

/* True for an aggregate of which each unit's partial result is a sample of its
 * values (aggregates/sample_state.h). */
extern bool dp_gate_samples_units(Aggref *aggref);

/* The partial result of each unit for an aggregate. */
extern Aggref *dp_gate_partial_of_unit(Aggref *aggref,
									   DpContribution contribution);

/* The aggregate over the partial results, of which partial is one's column. */
extern Aggref *dp_gate_aggregate_of_units(Aggref *aggref, Node *partial,
										  DpContribution contribution,
										  DpOpenChoices choices);

/*
 * The aggregate over rows that needs no partial results: for a number of different
 * values where both these and the unit are short (aggregates/count_pairs.h). NULL
 * for others.
 */
extern Aggref *dp_gate_aggregate_of_pairs(Aggref *aggref, Node *unit,
										  DpContribution contribution,
										  DpOpenChoices choices);

#endif
