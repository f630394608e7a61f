/*
 * contribution.h
 *		How much one privacy unit contributes to a question.
 */
#ifndef DP_GATE_READ_CONTRIBUTION_H
#define DP_GATE_READ_CONTRIBUTION_H

#include "gate/read/scope.h"

/* A protected relation or view that a question reads. */
typedef struct DpReadRelation
{
	Oid relation;
	bool is_view;
	bool is_named; /* by the question or along its paths, not only in views */
	int location;  /* where the question names it; -1: nowhere */
} DpReadRelation;

/*
 * The protected relations and views that a question reads: views first, each in
 * the order in which they are read. Of DpReadRelation.
 */
extern List *dp_contribution_relations(const DpNode *node);

/* The privacy levels of the only relation or view that is named; NIL: none. */
extern List *dp_contribution_levels(List *relations);

/*
 * How many people a group has at least that is shown: the most that the owner of
 * any of the relations and views wants, also of those that are read in views.
 */
extern uint32 dp_contribution_people(List *relations);

/*
 * Whether a unit may have several rows. It may not if there is one protected
 * relation, no two rows of which have the same unit, and what is public is
 * joined by equality of all columns of a unique key: each row meets at most
 * one. An index only tells which columns these are; that no two rows agree in
 * them is seen when they are copied.
 */
extern bool dp_contribution_has_several(const DpNode *rows);

/*
 * Refuses privacy levels of a joined relation, substituted units whose rows may be
 * exchanged, and several rows of a unit where they could not be bounded:
 * feature_not_supported. relations: as found so far, and whether rows are
 * exchanged. location: of the question.
 */
extern void dp_contribution_check(const DpNode *rows, List *relations,
								  bool exchanges, bool several, int location);

/*
 * What one unit contributes to a grouping, whose one_row and one_group are set:
 * what the settings dp_noise.max_rows_per_unit and max_groups_per_unit say, else
 * the greatest caps of the relations and views that are named. keys: numbers of
 * those by which it is bounded, and which of them are found together; where these
 * have fewer values than a unit may have groups, it has no more of them.
 */
extern DpContribution dp_contribution_of(const DpQuestion *question,
										 List *relations,
										 const DpGrouping *grouping,
										 const Bitmapset *keys, List *together);

/*
 * Refuses types of units, and units, by which rows cannot be grouped, where they have
 * to be. Their equality decides which rows are one unit: only the server's own types,
 * whose operators cannot fail. Error: feature_not_supported.
 */
extern void dp_contribution_check_type(Oid written);
extern void dp_contribution_check_unit(const DpNode *rows);

#endif
