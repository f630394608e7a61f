/*
 * lookup_rows.c
 *		The rows of joined tables, while a release is computed.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/queryenvironment.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "gate/release/execution.h"
#include "gate/question/joins.h"
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

/* The rows of one table. */
static EphemeralNamedRelation
read_table(PlannedStmt *plan, EState *estate, int place)
{
	EphemeralNamedRelation rows = palloc0(sizeof(*rows));
	Tuplestorestate *store = tuplestore_begin_heap(true, false, work_mem);

	dp_gate_execute(plan, estate, receive_row, store);
	rows->md.name = dp_gate_lookup_name(place);
	rows->md.tupdesc = ExecCleanTypeFromTL(plan->planTree->targetlist);
	rows->md.enrtype = ENR_NAMED_TUPLESTORE;
	rows->md.enrtuples = (double) tuplestore_tuple_count(store);
	rows->reldata = store;
	return rows;
}

DpLookupRows
dp_gate_open_lookups(List *plans, List *indexes, EState *estate)
{
	DpLookupRows result = {estate->es_queryEnv, NIL};
	QueryEnvironment *environment;
	ListCell *cell;
	int place = 0;

	foreach (cell, indexes)
		check_index(lfirst_oid(cell), estate->es_snapshot);
	if (plans == NIL)
		return result;
	environment = create_queryEnv();
	foreach (cell, plans)
	{
		EphemeralNamedRelation rows = read_table(lfirst(cell), estate, ++place);

		register_ENR(environment, rows);
		result.stores = lappend(result.stores, rows->reldata);
	}
	estate->es_queryEnv = environment;
	return result;
}

void
dp_gate_close_lookups(const DpLookupRows *rows, EState *estate)
{
	ListCell *cell;

	foreach (cell, rows->stores)
		tuplestore_end(lfirst(cell));
	estate->es_queryEnv = rows->before;
}
