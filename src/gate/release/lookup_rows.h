/*
 * lookup_rows.h
 *		Copies of public rows and of relations, while a release is computed.
 */
#ifndef DP_GATE_RELEASE_LOOKUP_ROWS_H
#define DP_GATE_RELEASE_LOOKUP_ROWS_H

#include "nodes/execnodes.h"
#include "nodes/pg_list.h"
#include "utils/tuplestore.h"

#include "gate/question/relations/shapes.h"
#include "gate/question/relations/relations.h"

/* The rows of one. */
typedef struct DpLookup
{
	const char *name;
	Tuplestorestate *store;
	TupleDesc descriptor;
	double bytes; /* at most, in the hash table of a join */
} DpLookup;

/* Copies of the rows; the statements beneath find them by name. */
typedef struct DpLookupRows
{
	QueryEnvironment *before;	   /* what the execution had */
	QueryEnvironment *environment; /* what it has instead; NULL: no rows */
	List *lookups;				   /* of DpLookup */
} DpLookupRows;

/*
 * Reads what is public with the user's own rights, whole, whatever
 * the protected rows are. plans: of the rows of DpPublic; keys: beside them.
 * shapes: compared before each table is read, since policies of one may change
 * the next.
 *
 * Errors: those of dp_gate_shapes_check, dp_gate_unique_end and of the queries.
 */
extern DpLookupRows dp_gate_open_lookups(List *plans, List *keys,
										 const DpShapes *shapes,
										 EState *estate);

/* Makes them known to statements that are run within an execution. */
extern void dp_gate_use_lookups(const DpLookupRows *rows, EState *estate);

/*
 * Reads and makes known the rows of protected relations, each with the rights
 * of its owner: for dp_gate_run_silently. plans: of the queries of
 * dp_gate_read_copies.
 */
extern void dp_gate_open_copies(List *plans, const DpRelations *relations,
								DpLookupRows *rows, EState *estate);

/* Ends all of it; after an error the server does. */
extern void dp_gate_close_lookups(const DpLookupRows *rows, EState *estate);

#endif
