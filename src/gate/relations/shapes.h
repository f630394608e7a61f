/*
 * shapes.h
 *		What plans rely on of the relations that they read.
 *
 * A block is read, planned and run at different times, and user-defined code
 * may run in between: in the rest of the statement, in policies and indexes of
 * tables. It could change the block's relations, so that values would be read
 * as values of another type. So the shapes of the relations are kept with the
 * plan, and compared before it is run.
 */
#ifndef DP_GATE_RELATIONS_SHAPES_H
#define DP_GATE_RELATIONS_SHAPES_H

#include "nodes/plannodes.h"

/* Parallel lists, part of plan nodes. */
typedef struct DpShapes
{
	List *relations; /* oids, each once */
	List *texts;	 /* of String: owner, kind, columns and their types */
} DpShapes;

/*
 * Adds a relation, and the tables that inherit from it, as they are now; they
 * are locked for reading. Errors: object_not_in_prerequisite_state where one
 * of those belongs to another role than the relation, and not to a superuser:
 * its code would run with the rights of the relation's owner.
 */
extern void dp_shapes_add(DpShapes *shapes, Oid relation);

/* The same of one that is read with the user's own rights, without its parts. */
extern void dp_shapes_add_public(DpShapes *shapes, Oid relation);

/*
 * Adds the relations of a plan, as they are now. known: where they must all be,
 * else object_not_in_prerequisite_state; or NULL.
 */
extern void dp_shapes_add_plan(DpShapes *shapes, const PlannedStmt *plan,
							   const DpShapes *known);

/* Errors: object_not_in_prerequisite_state where a shape is another now. */
extern void dp_shapes_check(const DpShapes *shapes);

extern DpShapes dp_shapes_copy(const DpShapes *shapes);

/*
 * Compares the columns of relations that a query names with the catalogue: the
 * query was parsed earlier. Errors: object_not_in_prerequisite_state.
 */
extern void dp_shapes_check_query(Query *query);

#endif
