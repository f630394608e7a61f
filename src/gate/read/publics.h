/*
 * publics.h
 *		Reads what is public in a question.
 *
 * What reads nothing protected, and nothing of the queries around it: tables,
 * views, functions, VALUES, sub-queries, answers of private questions. It is
 * read with the asker's own rights, whole, once an execution, before anything
 * protected is opened; so nothing shows which of its rows were matched: no
 * pruned pages, no dead index entries, no errors, no counters. Conditions on it
 * alone that could not be asked of protected rows are applied while it is
 * copied, and may be any that the user may write.
 */
#ifndef DP_GATE_READ_PUBLICS_H
#define DP_GATE_READ_PUBLICS_H

#include "gate/read/scope.h"

/*
 * Reads an entry of FROM that is public (dp_gate_is_public). conditions: those
 * that hold in all rows of FROM, Nodes as they are written; those that are of this
 * entry alone and are applied to the copy are taken out. The columns are those
 * that the query names, attributes: what they are of the entry.
 *
 * Errors: insufficient_privilege; feature_not_supported for what cannot be copied.
 */
extern const DpNode *dp_publics_read(DpScope *scope, int rtindex,
									 List **conditions,
									 const AttrNumber **attributes);

/*
 * The same for a sub-query in an expression, with all of its columns. There may
 * be none: EXISTS.
 */
extern const DpNode *dp_publics_read_query(DpScope *scope, Query *query);

/* One row without columns: what a query without FROM reads. */
extern const DpNode *dp_publics_read_nothing(void);

#endif
