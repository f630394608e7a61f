/*
 * old_publics.h
 *		How the old reading copies what is public; to be deleted with it.
 */
#ifndef DP_GATE_QUESTION_RELATIONS_OLD_PUBLICS_H
#define DP_GATE_QUESTION_RELATIONS_OLD_PUBLICS_H

#include "gate/question/relations/publics.h"

/*
 * Makes a FROM item read a copy. conditions: of that item alone, applied
 * while it is copied; they may be any that the user may write. Returns its
 * entry. Errors: insufficient_privilege; feature_not_supported for what cannot
 * be copied.
 */
extern DpPublic *dp_gate_read_public(Query *query, int rtindex,
									 List *conditions, DpRelations *relations);

/* The same for a whole query: it becomes SELECT columns FROM the copy. */
extern Query *dp_gate_read_public_query(Query *query, DpRelations *relations);

/*
 * Hides a public item that was not shown before its rows became a parameter.
 * Nobody can then ask the same question with a guess at the rows written out.
 */
extern void dp_gate_hide_public(DpPublic *public);

/*
 * Replaces columns that no statement over the copies names by nulls in them.
 * statements: of Query; NULL is skipped.
 */
extern void dp_gate_trim_publics(DpRelations *relations, List *statements);

/*
 * The public relation and column from which a column comes, through sub-
 * queries; false if there is none.
 */
extern bool dp_gate_public_origin(const DpRelations *relations,
								  const Var *column, const DpPublic **public,
								  AttrNumber *attribute);

/* A query for the values of one of its columns, in order. */
extern Query *dp_gate_public_values(const DpPublic *public, AttrNumber column);

#endif
