/*
 * reference.h
 *		Foreign keys of protected relations.
 */
#ifndef DP_GATE_QUESTION_RELATIONS_REFERENCE_H
#define DP_GATE_QUESTION_RELATIONS_REFERENCE_H

#include "access/attnum.h"
#include "nodes/parsenodes.h"

/*
 * The query for all values that a column of a relation may have, in order,
 * where the column has a foreign key of its own to a relation that is not
 * protected and of which the current user may read that column; else NULL.
 * The query is the user's own: privileges and row-level security apply when it
 * is planned and run. name: of the relation.
 */
extern Query *dp_gate_reference_query(Oid relation, AttrNumber column,
									  const char **name);

/* SELECT column FROM relation ORDER BY column: the user's own in the same way. */
extern Query *dp_gate_column_query(Oid relation, AttrNumber column);

#endif
