/*
 * sources.h
 *		Where public values come from: declarations, enums, and what foreign keys
 *		refer to.
 */
#ifndef DP_GATE_FACTS_SOURCES_H
#define DP_GATE_FACTS_SOURCES_H

#include "gate/tree/node.h"

/*
 * The values that the owner declared for a column, as constants of a type, the
 * column's; false without.
 *
 * Error: object_not_in_prerequisite_state where they are no longer of its type.
 */
extern bool dp_sources_declared(Oid relation, AttrNumber column, DpType type,
								List **values);

/* A query for the labels of an enum. */
extern Query *dp_sources_of_enum(Oid type);

/*
 * The query for all values that a column of a relation may have, in order,
 * where the column has a foreign key of its own to a relation that is not
 * protected and of which the current user may read that column; else NULL.
 * referred: the relation. reader: who reads it. That is the relation's owner:
 * whoever asks does not name the relation, and reading it evaluates what its
 * owner wrote; InvalidOid: whoever asks. Policies of row-level security are in
 * the query as those of the current user: where that could be told, or could
 * run anything else, there are no values.
 */
extern Query *dp_sources_of_reference(Oid relation, AttrNumber column,
									  Oid *referred, Oid *reader);

#endif
