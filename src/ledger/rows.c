/*
 * rows.c
 *		Direct access to the tables of budgets, charges and questions.
 *
 * Rows are found by index scans, since these prune old versions from the pages
 * that they visit: otherwise a hot budget would fill hundreds of pages.
 */
#include "postgres.h"

#include "access/detoast.h"
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
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "ledger/numeric_amount.h"
#include "ledger/rows.h"
#include "ledger/schema.h"
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
	LEDGER_MECHANISM,
	LEDGER_RHO,
	LEDGER_DELTA_POOL,
	LEDGER_ASKED,
	LEDGER_THROUGH_VIEW
};

enum
{
	ANSWER_ROLE = 1,
	ANSWER_RELATION,
	ANSWER_FINGERPRINT,
	ANSWER_AT,
	ANSWER_ANSWER,
	ANSWER_STATE,
	ANSWER_LEDGER_ID
};

/* Values of answer_entry.state. */
#define ASKED "asked"
#define ANSWERED "answered"
#define GIVEN_UP "given up"

enum
{
	BUDGET_ID = 1,
	BUDGET_EPSILON_SPENT = 11,
	BUDGET_DELTA_SPENT,
	BUDGET_PERIOD_START,
	BUDGET_RHO_SPENT = 18,
	BUDGET_POOL_SPENT,
	BUDGET_UNBOUNDED_SPENT,
	BUDGET_FAILURES = 23
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

/* Reset by dp_rows_begin, as are the states below. */
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
	Oid oid =
		get_relname_relid(name, get_namespace_oid(DP_LEDGER_SCHEMA, false));

	if (!OidIsValid(oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation \"%s.%s\" does not exist",
							   DP_LEDGER_SCHEMA, name)));
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
fingerprint_of(DpAskedQuestion question)
{
	return dp_bytes_datum(question.fingerprint, DP_FINGERPRINT_SIZE);
}

static bool
find_question(DpAskedQuestion question)
{
	ScanKeyData keys[3];

	open_table(&answers);
	ScanKeyInit(&keys[0], ANSWER_RELATION, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(question.relation_id));
	ScanKeyInit(&keys[1], ANSWER_ROLE, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(question.role_id));
	ScanKeyInit(&keys[2], ANSWER_FINGERPRINT, BTEqualStrategyNumber, F_BYTEAEQ,
				fingerprint_of(question));
	return find(&answers, "answer_entry_pkey", lengthof(keys), keys);
}

/* Whether the question that was found is in a state. */
static bool
is_in_state(const char *state)
{
	bool isnull;
	Datum value = slot_getattr(answers.old_row, ANSWER_STATE, &isnull);

	return strcmp(TextDatumGetCString(value), state) == 0;
}

static bool
was_asked_since(TimestampTz since)
{
	bool isnull;

	return DatumGetTimestampTz(
			   slot_getattr(answers.old_row, ANSWER_AT, &isnull)) >= since;
}

/* Whether the question that was found waits for the answer of that charge. */
static bool
awaits(int64 ledger_id)
{
	bool isnull;
	Datum value = slot_getattr(answers.old_row, ANSWER_LEDGER_ID, &isnull);

	return !isnull && DatumGetInt64(value) == ledger_id;
}

DpAnswerState
dp_rows_find_answer(DpAskedQuestion question, TimestampTz since,
					bool *is_stored, Size *size)
{
	bool isnull;
	Datum value;

	*is_stored = false;
	*size = 0;
	if (!find_question(question) || !was_asked_since(since) ||
		is_in_state(GIVEN_UP))
		return DP_ANSWER_NONE;
	if (is_in_state(ASKED))
		return DP_ANSWER_AWAITED;
	value = slot_getattr(answers.old_row, ANSWER_ANSWER, &isnull);
	if (isnull)
		return DP_ANSWER_GIVEN;
	*is_stored = true;
	*size = toast_raw_datum_size(value) - VARHDRSZ;
	return DP_ANSWER_GIVEN;
}

void
dp_rows_read_answer(char *to)
{
	bool isnull;
	Datum value = slot_getattr(answers.old_row, ANSWER_ANSWER, &isnull);
	struct varlena *stored = PG_DETOAST_DATUM(value);

	memcpy(to, VARDATA(stored), VARSIZE(stored) - VARHDRSZ);
	if ((Pointer) stored != DatumGetPointer(value))
		pfree(stored);
}

int64
dp_rows_record(int purse_id, DpAskedQuestion question, const DpCharge *charge)
{
	int64 ledger_id =
		nextval_internal(oid_of("ledger_entry_ledger_id_seq"), false);
	TupleTableSlot *row = start_row(&ledger);

	set(row, LEDGER_ID, Int64GetDatum(ledger_id));
	set(row, LEDGER_AT, TimestampTzGetDatum(GetCurrentTimestamp()));
	set(row, LEDGER_ROLE, Int32GetDatum(question.role_id));
	set(row, LEDGER_RELATION, Int32GetDatum(purse_id));
	if (charge->cost.unbounded.ticks == 0)
		set(row, LEDGER_EPSILON, dp_numeric_of_amount(charge->cost.epsilon));
	set(row, LEDGER_DELTA, dp_numeric_of_amount(charge->cost.delta));
	set(row, LEDGER_RHO, dp_numeric_of_amount(charge->cost.rho));
	set(row, LEDGER_DELTA_POOL, dp_numeric_of_amount(charge->cost.pool));
	set(row, LEDGER_FINGERPRINT,
		dp_bytes_datum(charge->fingerprint, DP_FINGERPRINT_SIZE));
	set(row, LEDGER_AGGREGATE, CStringGetTextDatum(charge->aggregate));
	set(row, LEDGER_MECHANISM, CStringGetTextDatum(charge->mechanism));
	if (question.relation_id != purse_id)
		set(row, LEDGER_ASKED, Int32GetDatum(question.relation_id));
	set(row, LEDGER_THROUGH_VIEW, BoolGetDatum(charge->through_view));
	insert(&ledger);
	return ledger_id;
}

bool
dp_rows_is_charge(int64 ledger_id, int purse_id, DpAskedQuestion question)
{
	TupleTableSlot *row;
	ScanKeyData key;
	bool isnull;

	open_table(&ledger);
	ScanKeyInit(&key, LEDGER_ID, BTEqualStrategyNumber, F_INT8EQ,
				Int64GetDatum(ledger_id));
	if (!find(&ledger, "ledger_entry_pkey", 1, &key))
		return false;
	row = ledger.old_row;
	return DatumGetInt32(slot_getattr(row, LEDGER_ROLE, &isnull)) ==
			   question.role_id &&
		   DatumGetInt32(slot_getattr(row, LEDGER_RELATION, &isnull)) ==
			   purse_id &&
		   DatumGetBool(DirectFunctionCall2(
			   byteaeq, slot_getattr(row, LEDGER_FINGERPRINT, &isnull),
			   fingerprint_of(question)));
}

/* Writes the row of a question anew, without an answer and a charge. */
static TupleTableSlot *
start_question(DpAskedQuestion question, const char *state)
{
	TupleTableSlot *row = start_row(&answers);

	set(row, ANSWER_ROLE, Int32GetDatum(question.role_id));
	set(row, ANSWER_RELATION, Int32GetDatum(question.relation_id));
	set(row, ANSWER_FINGERPRINT, fingerprint_of(question));
	set(row, ANSWER_AT, TimestampTzGetDatum(GetCurrentTimestamp()));
	set(row, ANSWER_STATE, CStringGetTextDatum(state));
	return row;
}

static void
write_question(bool is_known)
{
	if (is_known)
		update(&answers);
	else
		insert(&answers);
}

void
dp_rows_await_answer(DpAskedQuestion question, int64 ledger_id,
					 TimestampTz since)
{
	bool is_known = find_question(question);
	bool is_repeated =
		is_known && was_asked_since(since) && !is_in_state(GIVEN_UP);
	TupleTableSlot *row =
		start_question(question, is_repeated ? ANSWERED : ASKED);

	set(row, ANSWER_LEDGER_ID, Int64GetDatum(ledger_id));
	write_question(is_known);
}

void
dp_rows_keep_answer(DpAskedQuestion question, int64 ledger_id,
					const char *answer, Size size)
{
	TupleTableSlot *row;

	if (!find_question(question) || !awaits(ledger_id))
		return;
	row = copy_row(&answers);
	if (answer != NULL)
		set(row, ANSWER_ANSWER, dp_bytes_datum(answer, size));
	set(row, ANSWER_STATE, CStringGetTextDatum(ANSWERED));
	row->tts_isnull[ANSWER_LEDGER_ID - 1] = true;
	update(&answers);
}

void
dp_rows_give_up(DpAskedQuestion question, int64 ledger_id)
{
	TupleTableSlot *row;

	if (!find_question(question) || !awaits(ledger_id) || !is_in_state(ASKED))
		return;
	row = copy_row(&answers);
	set(row, ANSWER_STATE, CStringGetTextDatum(GIVEN_UP));
	row->tts_isnull[ANSWER_LEDGER_ID - 1] = true;
	update(&answers);
}

void
dp_rows_await_chain(DpAskedQuestion question, int64 ledger_id)
{
	dp_rows_await_answer(question, ledger_id, DT_NOEND);
}

bool
dp_rows_may_keep_chain(DpAskedQuestion question)
{
	return find_question(question) && !is_in_state(ANSWERED);
}

void
dp_rows_keep_chain(DpAskedQuestion question, const char *chain, Size size)
{
	TupleTableSlot *row;

	if (!dp_rows_may_keep_chain(question))
		elog(ERROR, "a chain of answers that was not paid for");
	row = start_question(question, ANSWERED);
	set(row, ANSWER_ANSWER, dp_bytes_datum(chain, size));
	update(&answers);
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
						errmsg("a budget was removed concurrently")));
	row = copy_row(&budgets);
	set(row, BUDGET_EPSILON_SPENT, dp_numeric_of_amount(budget->spent.epsilon));
	set(row, BUDGET_DELTA_SPENT, dp_numeric_of_amount(budget->spent.delta));
	set(row, BUDGET_RHO_SPENT, dp_numeric_of_amount(budget->spent.rho));
	set(row, BUDGET_POOL_SPENT, dp_numeric_of_amount(budget->spent.pool));
	set(row, BUDGET_UNBOUNDED_SPENT,
		dp_numeric_of_amount(budget->spent.unbounded));
	set(row, BUDGET_FAILURES, Int32GetDatum(budget->failures));
	set(row, BUDGET_PERIOD_START, TimestampTzGetDatum(budget->period_start));
	update(&budgets);
}
