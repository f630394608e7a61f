/*
 * read_shapes.h
 *		What reading a question relies on, so that a plan of it does, too.
 */
#ifndef DP_GATE_READ_READ_SHAPES_H
#define DP_GATE_READ_READ_SHAPES_H

#include "gate/tree/planning.h"

/*
 * Takes the shapes of everything that a query reads. Errors:
 * object_not_in_prerequisite_state where one has changed since it was parsed, or
 * has parts of other owners.
 */
extern void dp_read_shapes_take(DpPlanning *planning, Query *query);

/* The same of a protected relation that the query does not name. */
extern void dp_read_shapes_take_relation(DpPlanning *planning, Oid relation);

#endif
