/*
 * lookup_rows.c
 *		The rows of joined tables and relations, while a release is computed.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/queryenvironment.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "gate/release/execution.h"
#include "gate/question/joins.h"
#include "gate/question/row_copies.h"
#include "gate/question/silence.h"
#include "gate/release/lookup_rows.h"

/*
 * A unique index was made from the rows of its time. In an older snapshot
 * there may be others: ones deleted since, with one key many times.
 */
static void
check_index(Oid index, Snapshot snapshot)
{
	HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	bool is_younger = true;

	if (HeapTupleIsValid(tuple))
	{
		TransactionId made = HeapTupleHeaderGetXmin(tuple->t_data);

		is_younger = TransactionIdIsNormal(made) &&
					 (TransactionIdIsCurrentTransactionId(made) ||
					  XidInMVCCSnapshot(made, snapshot));
		ReleaseSysCache(tuple);
	}
	if (is_younger)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a unique index of a protected relation, or of a table "
						"that is joined to it, is younger than this "
						"transaction's view of the table"),
				 errhint("Ask again in a transaction that begins after the one "
						 "that made or changed the index has ended.")));
}

static bool
receive_row(TupleTableSlot *slot, void *store)
{
	tuplestore_puttupleslot(store, slot);
	return true;
}

/* Reads the rows of one table or relation, by a name. */
static void
add_rows(DpLookupRows *rows, PlannedStmt *plan, char *name, EState *estate)
{
	EphemeralNamedRelation named = palloc0(sizeof(*named));
	Tuplestorestate *store = tuplestore_begin_heap(true, false, work_mem);

	dp_gate_execute(plan, estate, receive_row, store);
	named->md.name = name;
	named->md.tupdesc = ExecCleanTypeFromTL(plan->planTree->targetlist);
	named->md.enrtype = ENR_NAMED_TUPLESTORE;
	named->md.enrtuples = (double) tuplestore_tuple_count(store);
	named->reldata = store;
	if (rows->environment == NULL)
		rows->environment = create_queryEnv();
	register_ENR(rows->environment, named);
	rows->stores = lappend(rows->stores, store);
}

DpLookupRows
dp_gate_open_lookups(List *plans, List *indexes, EState *estate)
{
	DpLookupRows result = {estate->es_queryEnv, NULL, NIL};
	ListCell *cell;

	foreach (cell, indexes)
		check_index(lfirst_oid(cell), estate->es_snapshot);
	foreach (cell, plans)
		add_rows(&result, lfirst(cell),
				 dp_gate_lookup_name(foreach_current_index(cell) + 1), estate);
	if (plans != NIL)
		estate->es_queryEnv = result.environment;
	return result;
}

void
dp_gate_open_copies(List *plans, DpLookupRows *rows, EState *estate)
{
	ListCell *cell;

	foreach (cell, plans)
		add_rows(rows, lfirst(cell),
				 dp_gate_copy_name(foreach_current_index(cell) + 1), estate);
	if (plans != NIL)
		estate->es_queryEnv = rows->environment;
}

void
dp_gate_close_lookups(const DpLookupRows *rows, EState *estate)
{
	int nest = dp_gate_begin_silence(); /* temporary files are counted now */
	ListCell *cell;

	foreach (cell, rows->stores)
		tuplestore_end(lfirst(cell));
	AtEOXact_GUC(true, nest);
	estate->es_queryEnv = rows->before;
}
