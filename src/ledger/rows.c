/*
 * rows.c
 *		Direct access to the tables of budgets, charges and questions.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
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

/* A table that is being written. */
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

static EState *estate;
static EPQState epq;
static Oid schema;

void
dp_rows_begin(Oid schema_oid)
{
	int i;

	schema = schema_oid;
	for (i = 0; i < (int) lengthof(tables); i++)
		tables[i]->relation = NULL;
	estate = CreateExecutorState();
	estate->es_snapshot = GetActiveSnapshot();
	estate->es_output_cid = GetCurrentCommandId(true);
	EvalPlanQualInit(&epq, estate, NULL, NIL, -1);
	AfterTriggerBeginQuery();
}

void
dp_rows_end(void)
{
	int i;

	AfterTriggerEndQuery(estate);
	for (i = 0; i < (int) lengthof(tables); i++)
	{
		Table *table = tables[i];

		if (table->relation == NULL)
			continue;
		ExecCloseIndices(table->info);
		ExecDropSingleTupleTableSlot(table->old_row);
		ExecDropSingleTupleTableSlot(table->new_row);
		table_close(table->relation, NoLock);
	}
	EvalPlanQualEnd(&epq);
	FreeExecutorState(estate);
}

/* The oid of one of the ledger's relations. */
static Oid
oid_of(const char *name)
{
	Oid oid = get_relname_relid(name, schema);

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
	old = MemoryContextSwitchTo(estate->es_query_cxt);
	table->relation = table_open(oid_of(table->name), RowExclusiveLock);
	table->info = makeNode(ResultRelInfo);
	InitResultRelInfo(table->info, table->relation, 0, NULL, 0);
	ExecOpenIndices(table->info, false);
	table->old_row = table_slot_create(table->relation, NULL);
	table->new_row = table_slot_create(table->relation, NULL);
	MemoryContextSwitchTo(old);
}

/* Makes the new row of a table empty: all columns null. */
static TupleTableSlot *
start_row(Table *table)
{
	TupleTableSlot *row = table->new_row;

	ExecClearTuple(row);
	memset(row->tts_isnull, true, row->tts_tupleDescriptor->natts);
	return row;
}

static void
set(TupleTableSlot *row, int column, Datum value)
{
	row->tts_values[column - 1] = value;
	row->tts_isnull[column - 1] = false;
}

/* Copies the old row to the new one, to be changed. */
static TupleTableSlot *
copy_row(Table *table)
{
	TupleTableSlot *row = start_row(table);
	int natts = row->tts_tupleDescriptor->natts;

	slot_getallattrs(table->old_row);
	memcpy(row->tts_values, table->old_row->tts_values, natts * sizeof(Datum));
	memcpy(row->tts_isnull, table->old_row->tts_isnull, natts * sizeof(bool));
	return row;
}

/* What was written is there for the next look. */
static void
insert(Table *table)
{
	ExecStoreVirtualTuple(table->new_row);
	ExecSimpleRelationInsert(table->info, estate, table->new_row);
	ResetPerTupleExprContext(estate);
	CommandCounterIncrement();
}

static void
update(Table *table)
{
	ExecStoreVirtualTuple(table->new_row);
	ExecSimpleRelationUpdate(table->info, estate, &epq, table->old_row,
							 table->new_row);
	ResetPerTupleExprContext(estate);
	CommandCounterIncrement();
}

static Datum
numeric_datum(DpAmount amount)
{
	char text[DP_AMOUNT_TEXT];

	dp_amount_format(amount, text);
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

/* Finds a question's row, as old row; own changes are seen, too. */
static bool
find_question(int relation_id, int role_id, const unsigned char *fingerprint)
{
	ScanKeyData keys[3];
	SysScanDesc scan;
	HeapTuple tuple;

	open_table(&answers);
	ScanKeyInit(&keys[0], ANSWER_RELATION, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(relation_id));
	ScanKeyInit(&keys[1], ANSWER_ROLE, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(role_id));
	ScanKeyInit(&keys[2], ANSWER_FINGERPRINT, BTEqualStrategyNumber, F_BYTEAEQ,
				dp_bytes_datum(fingerprint, DP_FINGERPRINT_SIZE));
	scan = systable_beginscan(answers.relation, oid_of("answer_entry_pkey"),
							  true, SnapshotSelf, 3, keys);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		ExecForceStoreHeapTuple(tuple, answers.old_row, false);
		answers.old_row->tts_tid = tuple->t_self;
	}
	systable_endscan(scan);
	return HeapTupleIsValid(tuple);
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
	if (!find_question(relation_id, role_id, fingerprint))
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
dp_rows_record(int relation_id, int role_id, const DpCharge *charge,
			   const char *answer)
{
	Datum fingerprint =
		dp_bytes_datum(charge->fingerprint, DP_FINGERPRINT_SIZE);
	Datum now = TimestampTzGetDatum(GetCurrentTimestamp());
	TupleTableSlot *row;
	bool is_known;

	open_table(&ledger);
	row = start_row(&ledger);
	set(row, LEDGER_ID,
		Int64GetDatum(
			nextval_internal(oid_of("ledger_entry_ledger_id_seq"), false)));
	set(row, LEDGER_AT, now);
	set(row, LEDGER_ROLE, Int32GetDatum(role_id));
	set(row, LEDGER_RELATION, Int32GetDatum(relation_id));
	set(row, LEDGER_EPSILON, numeric_datum(charge->epsilon));
	set(row, LEDGER_DELTA, numeric_datum(charge->delta));
	set(row, LEDGER_FINGERPRINT, fingerprint);
	set(row, LEDGER_AGGREGATE, CStringGetTextDatum(charge->aggregate));
	set(row, LEDGER_MECHANISM, CStringGetTextDatum(charge->mechanism));
	insert(&ledger);

	is_known = find_question(relation_id, role_id, charge->fingerprint);
	row = is_known ? copy_row(&answers) : start_row(&answers);
	set(row, ANSWER_RELATION, Int32GetDatum(relation_id));
	set(row, ANSWER_ROLE, Int32GetDatum(role_id));
	set(row, ANSWER_FINGERPRINT, fingerprint);
	set(row, ANSWER_AT, now);
	row->tts_isnull[ANSWER_ANSWER - 1] = true;
	if (answer != NULL)
		set(row, ANSWER_ANSWER, dp_bytes_datum(answer, charge->answer_size));
	if (is_known)
		update(&answers);
	else
		insert(&answers);
}

/*
 * By its place, not by the index: that has an entry for each version that
 * somebody's old snapshot may still see.
 */
bool
dp_rows_holds(const DpBudget *budget)
{
	ItemPointerData place = budget->place;
	bool isnull;

	open_table(&budgets);
	return table_tuple_fetch_row_version(budgets.relation, &place, SnapshotSelf,
										 budgets.old_row) &&
		   DatumGetInt64(slot_getattr(budgets.old_row, BUDGET_ID, &isnull)) ==
			   budget->budget_id;
}

void
dp_rows_write_budget(DpBudget *budget)
{
	TupleTableSlot *row;

	if (!dp_rows_holds(budget))
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("a budget was changed meanwhile")));
	row = copy_row(&budgets);
	set(row, BUDGET_EPSILON_SPENT, numeric_datum(budget->epsilon_spent));
	set(row, BUDGET_DELTA_SPENT, numeric_datum(budget->delta_spent));
	set(row, BUDGET_PERIOD_START, TimestampTzGetDatum(budget->period_start));
	update(&budgets);
	budget->place = budgets.new_row->tts_tid;
}
