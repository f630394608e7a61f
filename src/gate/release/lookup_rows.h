/*
 * lookup_rows.h
 *		The rows of joined tables and relations, while a release is computed.
 */
#ifndef DP_GATE_RELEASE_LOOKUP_ROWS_H
#define DP_GATE_RELEASE_LOOKUP_ROWS_H

#include "nodes/execnodes.h"
#include "nodes/pg_list.h"

/* Copies of the rows; the statements beneath find them by name. */
typedef struct DpLookupRows
{
	QueryEnvironment *before;	   /* what the execution had */
	QueryEnvironment *environment; /* what it has instead; NULL: no rows */
	List *stores;				   /* of Tuplestorestate */
} DpLookupRows;

/*
 * Reads the rows of joined tables with the user's own rights, whole, whatever
 * the protected rows are, and makes them known to statements run within an
 * execution. plans: of the queries in DpJoins; indexes: beside them.
 *
 * Errors: object_not_in_prerequisite_state where a unique index is younger than
 * the snapshot, of whose rows it then says nothing; those of the queries.
 */
extern DpLookupRows dp_gate_open_lookups(List *plans, List *indexes,
										 EState *estate);

/*
 * The same for the rows of protected relations, which are read with their
 * owners' rights: for dp_gate_run_silently. plans: of the queries of
 * dp_gate_read_copies.
 */
extern void dp_gate_open_copies(List *plans, DpLookupRows *rows,
								EState *estate);

/* Ends both; after an error the server does. */
extern void dp_gate_close_lookups(const DpLookupRows *rows, EState *estate);

#endif
