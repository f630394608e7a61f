/*
 * people.h
 *		Whether units of several relations are the same people.
 *
 * Two relations of one owner have the same people where their units are one
 * column, or where foreign keys lead from the one's unit to the other's, or to
 * that of a third. A person's rows come and go in all of them at once. Other
 * relations are bound together by the analyst's join alone: then each promise is
 * about the rows of its own relation, while those of the others stay.
 */
#ifndef DP_GATE_QUESTION_ROWS_PEOPLE_H
#define DP_GATE_QUESTION_ROWS_PEOPLE_H

#include "gate/question/rows/rows.h"

extern bool dp_gate_same_people(const DpScope *scope, const DpOwned *one,
								const DpOwned *other);

/* Whether relations belong to one role. */
extern bool dp_gate_same_owner(Oid one, Oid other);

#endif
