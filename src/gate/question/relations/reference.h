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
 * referred: the relation. reader: who reads it. That is the relation's owner:
 * whoever asks does not name the relation, and reading it evaluates what its
 * owner wrote. Policies of row-level security are in the query as those of the
 * current user.
 */
extern Query *dp_gate_reference_query(Oid relation, AttrNumber column,
									  Oid *referred, Oid *reader);

#endif
