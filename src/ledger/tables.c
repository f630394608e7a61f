/*
 * tables.c
 *		Direct access to the ledger's tables.
 *
 * Rows are found by index scans, since these prune old versions from the pages
 * that they visit: otherwise a hot budget would fill hundreds of pages. They run
 * backward, from the last page of the table: where somebody's old snapshot keeps
 * all old versions, these are not visited, since the last one is behind them.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "ledger/schema.h"
#include "ledger/tables.h"
#include "server/compat.h"

/* Reset by dp_tables_begin, as are the states below. */
DpTable dp_table_budget = {.name = "budget"};
DpTable dp_table_spending = {.name = "spending"};
DpTable dp_table_charge = {.name = "charge"};
DpTable dp_table_answer = {.name = "answer"};
static DpTable *const tables[] = {&dp_table_budget, &dp_table_spending,
								  &dp_table_charge, &dp_table_answer};

/* NULL: nothing was opened in this transaction. */
static EState *estate;
static EPQState updates;

void
dp_tables_begin(void)
{
	int i;

	/* What a failed transaction had opened was closed with it. */
	estate = NULL;
	for (i = 0; i < (int) lengthof(tables); i++)
		tables[i]->relation = NULL;
}

void
dp_tables_end(void)
{
	int i;

	if (estate == NULL)
		return;
	AfterTriggerEndQuery(estate);
	for (i = 0; i < (int) lengthof(tables); i++)
	{
		DpTable *table = tables[i];

		if (table->relation == NULL)
			continue;
		if (table->info->ri_IndexRelationDescs != NULL)
			ExecCloseIndices(table->info);
		ExecDropSingleTupleTableSlot(table->old_row);
		ExecDropSingleTupleTableSlot(table->new_row);
		table_close(table->relation, NoLock);
	}
	EvalPlanQualEnd(&updates);
	FreeExecutorState(estate);
}

Oid
dp_tables_oid(const char *name)
{
	Oid oid =
		get_relname_relid(name, get_namespace_oid(DP_LEDGER_SCHEMA, false));

	if (!OidIsValid(oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation \"%s.%s\" does not exist",
							   DP_LEDGER_SCHEMA, name)));
	return oid;
}

Datum
dp_tables_column(Relation table, HeapTuple row, const char *name)
{
	bool isnull;
	Datum value = heap_getattr(row, get_attnum(RelationGetRelid(table), name),
							   RelationGetDescr(table), &isnull);

	if (isnull)
		elog(ERROR, "column %s of the ledger is null", name);
	return value;
}

static void
open_table(DpTable *table)
{
	MemoryContext old;

	if (table->relation != NULL)
		return;
	if (estate == NULL)
	{
		estate = CreateExecutorState();
		estate->es_snapshot = GetActiveSnapshot();
		estate->es_output_cid = GetCurrentCommandId(true);
		dp_compat_init_updates(&updates, estate);
		AfterTriggerBeginQuery();
	}
	old = MemoryContextSwitchTo(estate->es_query_cxt);
	table->relation = table_open(dp_tables_oid(table->name), RowExclusiveLock);
	table->info = makeNode(ResultRelInfo);
	InitResultRelInfo(table->info, table->relation, 0, NULL, 0);
	table->old_row = table_slot_create(table->relation, NULL);
	table->new_row = table_slot_create(table->relation, NULL);
	MemoryContextSwitchTo(old);
}

static void
open_indexes(DpTable *table)
{
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);

	if (table->info->ri_IndexRelationDescs == NULL)
		ExecOpenIndices(table->info, false);
	MemoryContextSwitchTo(old);
}

TupleTableSlot *
dp_tables_start(DpTable *table)
{
	TupleTableSlot *row;

	open_table(table);
	row = table->new_row;
	ExecClearTuple(row);
	memset(row->tts_isnull, true, row->tts_tupleDescriptor->natts);
	return row;
}

TupleTableSlot *
dp_tables_copy(DpTable *table)
{
	TupleTableSlot *row = dp_tables_start(table);
	Size natts = (Size) row->tts_tupleDescriptor->natts;

	slot_getallattrs(table->old_row);
	memcpy(row->tts_values, table->old_row->tts_values, natts * sizeof(Datum));
	memcpy(row->tts_isnull, table->old_row->tts_isnull, natts * sizeof(bool));
	return row;
}

void
dp_tables_set(TupleTableSlot *row, int column, Datum value)
{
	row->tts_values[column - 1] = value;
	row->tts_isnull[column - 1] = false;
}

void
dp_tables_insert(DpTable *table)
{
	open_indexes(table);
	ExecStoreVirtualTuple(table->new_row);
	ExecSimpleRelationInsert(table->info, estate, table->new_row);
	ResetPerTupleExprContext(estate);
}

void
dp_tables_update(DpTable *table)
{
	open_indexes(table);
	CommandCounterIncrement(); /* the old row may be of this transaction */
	ExecStoreVirtualTuple(table->new_row);
	ExecSimpleRelationUpdate(table->info, estate, &updates, table->old_row,
							 table->new_row);
	ResetPerTupleExprContext(estate);
}

bool
dp_tables_find(DpTable *table, const char *index, int nkeys, ScanKey keys)
{
	Relation by;
	SysScanDesc scan;
	HeapTuple tuple;

	open_table(table);
	by = index_open(dp_tables_oid(index), AccessShareLock);
	scan = systable_beginscan_ordered(table->relation, by, SnapshotSelf, nkeys,
									  keys);
	tuple = systable_getnext_ordered(scan, BackwardScanDirection);
	if (HeapTupleIsValid(tuple))
	{
		ExecForceStoreHeapTuple(tuple, table->old_row, false);
		table->old_row->tts_tid = tuple->t_self;
	}
	systable_endscan_ordered(scan);
	index_close(by, NoLock);
	return HeapTupleIsValid(tuple);
}
