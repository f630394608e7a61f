/*
 * unit_aggregates.h
 *		The aggregates of an inner statement that bounds privacy units: private
 *		ones as they were written become those of the schema dp_noise.
 */
#ifndef DP_GATE_BOUND_UNIT_AGGREGATES_H
#define DP_GATE_BOUND_UNIT_AGGREGATES_H

#include "nodes/primnodes.h"

#include "aggregates/aggregate.h"
#include "mechanisms/contribution.h"

/* What budgets decide for aggregates that leave it open. */
typedef struct DpOpenChoices
{
	bool by_rho;	/* auto chooses by rho: all who pay count that */
	double epsilon; /* of a session that has none of its own; 0: none */
	int parameter; /* number of the parameter that holds its epsilon, for one of
					* several groupings; 0: none does */
	int cap; /* the same for the cap on a unit's rows, where one is chosen; 0: all
			  * have the question's */
	int mechanism; /* the same for its mechanism, where that may be changed for one
					* that selects groups (gate/release/deciding_count.h): null, or
					* to be taken instead of what is written */
} DpOpenChoices;

/* An aggregate over rows, each of which is a unit. */
extern Aggref *dp_unit_aggregates_of_rows(Aggref *aggref,
										  DpContribution contribution,
										  DpOpenChoices choices);

/* The partial result of each unit for an aggregate. */
extern Aggref *dp_unit_aggregates_partial(Aggref *aggref,
										  DpContribution contribution);

/*
 * Whether such a result may hold many values of a unit. These grow, so there may not
 * be many of them in memory at a time.
 */
extern bool dp_unit_aggregates_hold_values(const Aggref *partial);

/* The aggregate over the partial results, of which partial is one's column. */
extern Aggref *dp_unit_aggregates_of_units(Aggref *aggref, Node *partial,
										   DpContribution contribution,
										   DpOpenChoices choices);

/*
 * The aggregate over rows that needs no partial results: for a number of different
 * values where both these and the unit are short (aggregates/count_pairs.h). NULL
 * for others.
 */
extern Aggref *dp_unit_aggregates_of_pairs(Aggref *aggref, Node *unit,
										   DpContribution contribution,
										   DpOpenChoices choices);

/*
 * The aggregate over sums that other nodes have computed. aggref: one of the two
 * above, over rows or over units; sum: numeric, of points or contributions, or NULL;
 * count: bigint, how many they are.
 */
extern Aggref *dp_unit_aggregates_of_parts(const DpAggregateTraits *traits,
										   Aggref *aggref, Node *sum,
										   Node *count);

/* The same over values that nodes have counted: of rows, with their number. */
extern Aggref *dp_unit_aggregates_of_points(const DpAggregateTraits *traits,
											Aggref *aggref, Node *number);

/* The same for a partial result of a unit. */
extern Aggref *dp_unit_aggregates_partial_of_parts(
	const DpAggregateTraits *traits, const Aggref *partial, Node *sum,
	Node *count);

#endif
