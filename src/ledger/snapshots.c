/*
 * snapshots.c
 *		DDL in transactions that see the ledger as it was when they began.
 *
 * In a REPEATABLE READ or SERIALIZABLE transaction, event triggers do not see
 * protections that were committed after the transaction's first statement: a
 * table could be dropped, and remain a member, or renamed, and not be followed.
 * The statements of such a transaction cannot be given a new snapshot. But if
 * the rows that event triggers read are the same in a new snapshot, the old
 * one will do; if not, the command fails with a serialization failure. Budgets
 * are not compared: their rows are written with each charge, and if an older
 * snapshot then changes them, the server reports it.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "ledger/schema.h"

PG_FUNCTION_INFO_V1(dp_check_snapshot);

/* The tables that event triggers read. */
static const char *const tables[] = {"member", "column_bounds",
									 "column_values"};

/* Whether a table has the same versions of rows in two snapshots. */
static bool
is_same(Relation table, Snapshot one, Snapshot other)
{
	TableScanDesc scans[2] = {
		table_beginscan_strat(table, one, 0, NULL, true, false),
		table_beginscan_strat(table, other, 0, NULL, true, false)};
	TupleTableSlot *rows[2] = {table_slot_create(table, NULL),
							   table_slot_create(table, NULL)};
	bool result;
	int i;

	for (;;)
	{
		bool is_there =
			table_scan_getnextslot(scans[0], ForwardScanDirection, rows[0]);

		result = is_there == table_scan_getnextslot(
								 scans[1], ForwardScanDirection, rows[1]) &&
				 (!is_there ||
				  ItemPointerEquals(&rows[0]->tts_tid, &rows[1]->tts_tid));
		if (!is_there || !result)
			break;
	}
	for (i = 0; i < 2; i++)
	{
		ExecDropSingleTupleTableSlot(rows[i]);
		table_endscan(scans[i]);
	}
	return result;
}

/*
 * (): an error where the transaction's snapshot is not the present state of
 * what event triggers go by. Error: t_r_serialization_failure.
 */
Datum
dp_check_snapshot(PG_FUNCTION_ARGS)
{
	Oid schema = get_namespace_oid(DP_LEDGER_SCHEMA, true);
	Snapshot latest;
	int i;

	(void) fcinfo;
	/* Without a schema the ledger itself is being dropped. */
	if (!IsolationUsesXactSnapshot() || !OidIsValid(schema))
		PG_RETURN_VOID();
	PushCopiedSnapshot(GetTransactionSnapshot());
	UpdateActiveSnapshotCommandId();
	latest = RegisterSnapshot(GetLatestSnapshot());
	for (i = 0; i < (int) lengthof(tables); i++)
	{
		Oid oid = get_relname_relid(tables[i], schema);
		Relation table =
			OidIsValid(oid) ? table_open(oid, AccessShareLock) : NULL;

		if (table == NULL)
			continue;
		if (!is_same(table, GetActiveSnapshot(), latest))
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("could not serialize access due to changes of "
							"protected relations"),
					 errdetail("The transaction does not see what was changed "
							   "since it began."),
					 errhint("Retry the transaction, or use BEGIN ISOLATION "
							 "LEVEL READ COMMITTED.")));
		table_close(table, AccessShareLock);
	}
	UnregisterSnapshot(latest);
	PopActiveSnapshot();
	PG_RETURN_VOID();
}
