/*
 * table_copies.c
 *		Copies of public tables and of protected relations, while a release is
 *		computed.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/queryenvironment.h"
#include "utils/tuplestore.h"

#include "gate/relations/publics.h"
#include "gate/relations/role_rights.h"
#include "gate/relations/row_copies.h"
#include "gate/relations/silence.h"
#include "gate/release/execution.h"
#include "gate/release/hashed_rows.h"
#include "gate/release/public_rows.h"
#include "gate/release/table_copies.h"
#include "server/citus.h"

/* The rows of one table. */
typedef struct Copy
{
	DpHashedCopy rows;
	DpPublicRowsCheck *checks; /* NULL for those of protected relations. */
} Copy;

static bool
receive_row(TupleTableSlot *slot, void *context)
{
	Copy *copy = context;

	if (copy->checks != NULL)
	{
		dp_public_rows_add(copy->checks, slot);
		copy->rows.bytes += dp_hashed_rows_size(slot);
	}
	tuplestore_puttupleslot(copy->rows.store, slot);
	return true;
}

/*
 * Reads the rows of one table or relation, by a name. keys: columns no two rows
 * agree in; NIL: any may.
 */
static void
add_rows(DpTableCopies *copies, PlannedStmt *plan, List *keys, bool is_public,
		 char *name, EState *estate)
{
	EphemeralNamedRelation named = palloc0(sizeof(*named));
	TupleDesc descriptor = ExecCleanTypeFromTL(plan->planTree->targetlist);
	Copy *copy = palloc0(sizeof(Copy));

	copy->rows.name = name;
	copy->rows.store = tuplestore_begin_heap(true, false, work_mem);
	copy->rows.descriptor = descriptor;
	if (is_public)
		copy->checks = dp_public_rows_begin(keys, descriptor);
	dp_execution_run(plan, estate, NIL, receive_row, copy);
	if (keys != NIL)
		dp_public_rows_end(
			copy->checks,
			get_rel_name(linitial_node(RangeTblEntry, plan->rtable)->relid));
	named->md.name = name;
	named->md.tupdesc = descriptor;
	named->md.enrtype = ENR_NAMED_TUPLESTORE;
	named->md.enrtuples = (double) tuplestore_tuple_count(copy->rows.store);
	named->reldata = copy->rows.store;
	if (copies->environment == NULL)
		copies->environment = create_queryEnv();
	register_ENR(copies->environment, named);
	copies->copies = lappend(copies->copies, copy);
}

DpTableCopies
dp_table_copies_open_public(List *plans, List *keys, const DpShapes *shapes,
							EState *estate)
{
	DpTableCopies result = {estate->es_queryEnv, NULL, NIL};
	DpRights rights;
	ListCell *cell;
	ListCell *key;

	dp_role_rights_begin_public(&rights);
	PG_TRY();
	{
		forboth (cell, plans, key, keys)
		{
			dp_shapes_check(shapes);
			add_rows(&result, lfirst(cell), lfirst(key), true,
					 dp_publics_name(foreach_current_index(cell) + 1), estate);
		}
	}
	PG_FINALLY();
	{
		dp_role_rights_end(&rights);
	}
	PG_END_TRY();
	return result;
}

void
dp_table_copies_check(const DpTableCopies *copies, const DpHashed *hashed)
{
	List *rows = NIL;

	foreach_ptr (Copy, copy, copies->copies)
		rows = lappend(rows, &copy->rows);
	dp_hashed_rows_check(hashed, rows);
}

void
dp_table_copies_use(const DpTableCopies *copies, EState *estate)
{
	if (copies->environment != NULL)
		estate->es_queryEnv = copies->environment;
}

void
dp_table_copies_open_protected(List *plans, const DpRelations *relations,
							   DpTableCopies *copies, EState *estate)
{
	ListCell *cell;

	foreach (cell, plans)
	{
		int index = foreach_current_index(cell);
		DpRights rights; /* ended after errors by dp_silent_run */

		dp_role_rights_begin(&rights,
							 dp_role_rights_copy_reader(relations, index));
		dp_citus_write_plainly();
		add_rows(copies, lfirst(cell), NIL, false,
				 dp_row_copies_name(index + 1), estate);
		dp_role_rights_end(&rights);
	}
	dp_table_copies_use(copies, estate);
}

void
dp_table_copies_close(const DpTableCopies *copies, EState *estate)
{
	int nest;

	if (copies->copies != NIL)
	{
		/* temporary files are counted when they are removed */
		nest = dp_silence_begin();
		foreach_ptr (Copy, copy, copies->copies)
			tuplestore_end(copy->rows.store);
		AtEOXact_GUC(true, nest);
	}
	estate->es_queryEnv = copies->before;
}
