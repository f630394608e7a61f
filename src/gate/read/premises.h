/*
 * premises.h
 *		What reading a question relies on, so that a plan of it does, too.
 *
 * User-defined code may run between the parsing of a statement, its planning and
 * its execution, and could change the relations that it names: values would be
 * read as values of another type. So the shapes of all relations are taken when
 * the question is read, compared with what was parsed, and compared again when it
 * runs (gate/question/relations/shapes.h).
 */
#ifndef DP_GATE_READ_PREMISES_H
#define DP_GATE_READ_PREMISES_H

#include "gate/tree/planning.h"

/*
 * Takes the shapes of everything that a query reads. Errors:
 * object_not_in_prerequisite_state where one has changed since it was parsed, or
 * has parts of other owners.
 */
extern void dp_premises_take(DpPlanning *planning, Query *query);

/* The same of a protected relation that the query does not name. */
extern void dp_premises_take_relation(DpPlanning *planning, Oid relation);

#endif
