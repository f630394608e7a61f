/*
 * people.h
 *		Whether units of several relations are the same people.
 *
 * Two relations of one owner have the same people if their units are the same
 * column, or if foreign keys lead from one's unit to the other's, or from both
 * to a third. A person's rows then come and go in all of them together. Other
 * relations are only connected by the analyst's join: then the promise for
 * each is about its own rows, while the rows of the others stay.
 */
#ifndef DP_GATE_QUESTION_ROWS_PEOPLE_H
#define DP_GATE_QUESTION_ROWS_PEOPLE_H

#include "gate/question/rows/rows.h"

extern bool dp_gate_same_people(const DpScope *scope, const DpOwned *one,
								const DpOwned *other);

/* Whether relations belong to one role. */
extern bool dp_gate_same_owner(Oid one, Oid other);

#endif
