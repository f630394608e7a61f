/*
 * rows.c
 *		Direct access to the tables of budgets, charges and questions.
 *
 * Rows are found by an index, whose scans prune the pages that they come to of
 * old versions: a hot budget would fill hundreds of pages otherwise.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "commands/sequence.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "ledger/rows.h"
#include "ledger/statements.h"
#include "server/compat.h"

/* Columns, in the order of the install script. */
enum
{
	LEDGER_ID = 1,
	LEDGER_AT,
	LEDGER_ROLE,
	LEDGER_RELATION,
	LEDGER_EPSILON,
	LEDGER_DELTA,
	LEDGER_FINGERPRINT,
	LEDGER_AGGREGATE,
	LEDGER_MECHANISM
};

enum
{
	ANSWER_ROLE = 1,
	ANSWER_RELATION,
	ANSWER_FINGERPRINT,
	ANSWER_AT,
	ANSWER_ANSWER
};

enum
{
	BUDGET_ID = 1,
	BUDGET_EPSILON_SPENT = 11,
	BUDGET_DELTA_SPENT,
	BUDGET_PERIOD_START
};

/* A table that is read or written. */
typedef struct Table
{
	const char *name;
	Relation relation; /* NULL: not opened in this transaction */
	ResultRelInfo *info;
	TupleTableSlot *old_row;
	TupleTableSlot *new_row;
} Table;

static Table budgets = {.name = "budget_entry"};
static Table ledger = {.name = "ledger_entry"};
static Table answers = {.name = "answer_entry"};
static Table *const tables[] = {&budgets, &ledger, &answers};

/* NULL: nothing was opened in this transaction. */
static EState *estate;
static EPQState updates;

void
dp_rows_begin(void)
{
	int i;

	/* What a failed transaction had opened was closed with it. */
	estate = NULL;
	for (i = 0; i < (int) lengthof(tables); i++)
		tables[i]->relation = NULL;
}

void
dp_rows_end(void)
{
	int i;

	if (estate == NULL)
		return;
	AfterTriggerEndQuery(estate);
	for (i = 0; i < (int) lengthof(tables); i++)
	{
		Table *table = tables[i];

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

/* The oid of one of the ledger's relations. */
static Oid
oid_of(const char *name)
{
	Oid oid = get_relname_relid(name, get_namespace_oid("dp_noise", false));

	if (!OidIsValid(oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation \"dp_noise.%s\" does not exist", name)));
	return oid;
}

static void
open_table(Table *table)
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
	table->relation = table_open(oid_of(table->name), RowExclusiveLock);
	table->info = makeNode(ResultRelInfo);
	InitResultRelInfo(table->info, table->relation, 0, NULL, 0);
	table->old_row = table_slot_create(table->relation, NULL);
	table->new_row = table_slot_create(table->relation, NULL);
	MemoryContextSwitchTo(old);
}

static void
open_indexes(Table *table)
{
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);

	if (table->info->ri_IndexRelationDescs == NULL)
		ExecOpenIndices(table->info, false);
	MemoryContextSwitchTo(old);
}

/* Prepares a new row: all columns null. */
static TupleTableSlot *
start_row(Table *table)
{
	TupleTableSlot *row;

	open_table(table);
	row = table->new_row;
	ExecClearTuple(row);
	memset(row->tts_isnull, true, row->tts_tupleDescriptor->natts);
	return row;
}

/* Prepares a new version of the old row, to be changed. */
static TupleTableSlot *
copy_row(Table *table)
{
	TupleTableSlot *row = start_row(table);
	Size natts = (Size) row->tts_tupleDescriptor->natts;

	slot_getallattrs(table->old_row);
	memcpy(row->tts_values, table->old_row->tts_values, natts * sizeof(Datum));
	memcpy(row->tts_isnull, table->old_row->tts_isnull, natts * sizeof(bool));
	return row;
}

static void
set(TupleTableSlot *row, int column, Datum value)
{
	row->tts_values[column - 1] = value;
	row->tts_isnull[column - 1] = false;
}

static void
insert(Table *table)
{
	open_indexes(table);
	ExecStoreVirtualTuple(table->new_row);
	ExecSimpleRelationInsert(table->info, estate, table->new_row);
	ResetPerTupleExprContext(estate);
}

static void
update(Table *table)
{
	open_indexes(table);
	CommandCounterIncrement(); /* the old row may be of this transaction */
	ExecStoreVirtualTuple(table->new_row);
	ExecSimpleRelationUpdate(table->info, estate, &updates, table->old_row,
							 table->new_row);
	ResetPerTupleExprContext(estate);
}

/*
 * Finds the row with such keys, one of this transaction too, as the old row;
 * false when there is none.
 */
static bool
find(Table *table, const char *index, int nkeys, ScanKey keys)
{
	SysScanDesc scan;
	HeapTuple tuple;

	scan = systable_beginscan(table->relation, oid_of(index), true,
							  SnapshotSelf, nkeys, keys);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		ExecForceStoreHeapTuple(tuple, table->old_row, false);
		table->old_row->tts_tid = tuple->t_self;
	}
	systable_endscan(scan);
	return HeapTupleIsValid(tuple);
}

static Datum
numeric_datum(DpAmount amount)
{
	char text[DP_AMOUNT_TEXT];

	dp_amount_format(amount, text);
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

static bool
find_question(int relation_id, int role_id, Datum fingerprint)
{
	ScanKeyData keys[3];

	open_table(&answers);
	ScanKeyInit(&keys[0], ANSWER_RELATION, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(relation_id));
	ScanKeyInit(&keys[1], ANSWER_ROLE, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(role_id));
	ScanKeyInit(&keys[2], ANSWER_FINGERPRINT, BTEqualStrategyNumber, F_BYTEAEQ,
				fingerprint);
	return find(&answers, "answer_entry_pkey", lengthof(keys), keys);
}

bool
dp_rows_find_answer(int relation_id, int role_id,
					const unsigned char *fingerprint, TimestampTz since,
					char **answer, Size *size)
{
	bool isnull;
	Datum value;
	struct varlena *stored;

	*answer = NULL;
	*size = 0;
	if (!find_question(relation_id, role_id,
					   dp_bytes_datum(fingerprint, DP_FINGERPRINT_SIZE)))
		return false;
	value = slot_getattr(answers.old_row, ANSWER_AT, &isnull);
	if (DatumGetTimestampTz(value) < since)
		return false;
	value = slot_getattr(answers.old_row, ANSWER_ANSWER, &isnull);
	if (isnull)
		return true;
	stored = PG_DETOAST_DATUM(value);
	*size = VARSIZE(stored) - VARHDRSZ;
	*answer = palloc(Max(*size, 1));
	memcpy(*answer, VARDATA(stored), *size);
	return true;
}

void
dp_rows_record(int relation_id, int role_id, const DpCharge *charge)
{
	TupleTableSlot *row = start_row(&ledger);

	set(row, LEDGER_ID,
		Int64GetDatum(
			nextval_internal(oid_of("ledger_entry_ledger_id_seq"), false)));
	set(row, LEDGER_AT, TimestampTzGetDatum(GetCurrentTimestamp()));
	set(row, LEDGER_ROLE, Int32GetDatum(role_id));
	set(row, LEDGER_RELATION, Int32GetDatum(relation_id));
	set(row, LEDGER_EPSILON, numeric_datum(charge->epsilon));
	set(row, LEDGER_DELTA, numeric_datum(charge->delta));
	set(row, LEDGER_FINGERPRINT,
		dp_bytes_datum(charge->fingerprint, DP_FINGERPRINT_SIZE));
	set(row, LEDGER_AGGREGATE, CStringGetTextDatum(charge->aggregate));
	set(row, LEDGER_MECHANISM, CStringGetTextDatum(charge->mechanism));
	insert(&ledger);
}

void
dp_rows_keep_answer(int relation_id, int role_id,
					const unsigned char *fingerprint, const char *answer,
					Size size)
{
	Datum key = dp_bytes_datum(fingerprint, DP_FINGERPRINT_SIZE);
	bool is_known = find_question(relation_id, role_id, key);
	TupleTableSlot *row = is_known ? copy_row(&answers) : start_row(&answers);

	set(row, ANSWER_ROLE, Int32GetDatum(role_id));
	set(row, ANSWER_RELATION, Int32GetDatum(relation_id));
	set(row, ANSWER_FINGERPRINT, key);
	set(row, ANSWER_AT, TimestampTzGetDatum(GetCurrentTimestamp()));
	row->tts_isnull[ANSWER_ANSWER - 1] = true;
	if (answer != NULL)
		set(row, ANSWER_ANSWER, dp_bytes_datum(answer, size));
	if (is_known)
		update(&answers);
	else
		insert(&answers);
}

void
dp_rows_write_budget(const DpBudget *budget)
{
	ScanKeyData key;
	TupleTableSlot *row;

	open_table(&budgets);
	ScanKeyInit(&key, BUDGET_ID, BTEqualStrategyNumber, F_INT8EQ,
				Int64GetDatum(budget->budget_id));
	if (!find(&budgets, "budget_entry_pkey", 1, &key))
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("a budget was removed meanwhile")));
	row = copy_row(&budgets);
	set(row, BUDGET_EPSILON_SPENT, numeric_datum(budget->epsilon_spent));
	set(row, BUDGET_DELTA_SPENT, numeric_datum(budget->delta_spent));
	set(row, BUDGET_PERIOD_START, TimestampTzGetDatum(budget->period_start));
	update(&budgets);
}
