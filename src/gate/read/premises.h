/*
 * premises.h
 *		What reading a question relies on.
 *
 * A statement is parsed, read, planned and run at different times, and code of users
 * may run in between, outside of the question. So the relations that it reads must
 * be what they were when it was parsed, and stay what they are now.
 */
#ifndef DP_GATE_READ_PREMISES_H
#define DP_GATE_READ_PREMISES_H

#include "gate/question/relations/shapes.h"

/*
 * The relations that a block names, as they are now. Errors:
 * object_not_in_prerequisite_state where one has changed since it was parsed, or has
 * parts of other owners.
 */
extern DpShapes *dp_premises_of(Query *block);

/* Adds protected relations that were found while it was read: DpReadRelation. */
extern void dp_premises_add(DpShapes *shapes, List *relations);

#endif
