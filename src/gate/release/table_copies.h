/*
 * table_copies.h
 *		Copies of public tables and of protected relations, while a release is
 *		computed.
 *
 * What is public is read before the charge, with the user's own rights, whole,
 * whatever the protected rows are. Protected relations that others than their
 * owner can reach are copied too (gate/relations/row_copies.h). The
 * statements beneath find the copies by name.
 */
#ifndef DP_GATE_RELEASE_TABLE_COPIES_H
#define DP_GATE_RELEASE_TABLE_COPIES_H

#include "nodes/execnodes.h"
#include "nodes/pg_list.h"

#include "gate/relations/relations.h"
#include "gate/relations/shapes.h"
#include "gate/run/inner_plan.h"

typedef struct DpTableCopies
{
	QueryEnvironment *before; /* What the execution found by name before. */
	QueryEnvironment
		*environment; /* What it finds instead; NULL while nothing is copied. */
	List *copies;	  /* One entry for each table that is copied. */
} DpTableCopies;

/*
 * Reads what is public. plans: of the rows of DpPublic; keys: beside them.
 * shapes: compared before each table is read, since policies of one may change
 * the next.
 *
 * Errors: those of dp_shapes_check, dp_public_rows_end and of the queries.
 */
extern DpTableCopies dp_table_copies_open_public(List *plans, List *keys,
												 const DpShapes *shapes,
												 EState *estate);

/* Checks that those which may be hashed fit into memory: public_rows.h. */
extern void dp_table_copies_check(const DpTableCopies *copies,
								  const DpHashed *hashed);

/* Makes them known to statements that are run within an execution. */
extern void dp_table_copies_use(const DpTableCopies *copies, EState *estate);

/*
 * Reads and makes known the rows of protected relations, each with the rights
 * of its owner: for dp_silent_run. plans: of the queries of
 * dp_row_copies_read_all.
 */
extern void dp_table_copies_open_protected(List *plans,
										   const DpRelations *relations,
										   DpTableCopies *copies,
										   EState *estate);

/* Ends all of it; after an error the server does. */
extern void dp_table_copies_close(const DpTableCopies *copies, EState *estate);

#endif
