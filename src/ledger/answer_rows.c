/*
 * answer_rows.c
 *		Questions and their answers as rows.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/stratnum.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"

#include "ledger/answer_rows.h"
#include "ledger/statements.h"
#include "ledger/tables.h"
#include "server/compat.h"

/* Columns, in the order of the install script. */
enum
{
	ANSWER_POPULATION = 1,
	ANSWER_BUDGET,
	ANSWER_QUESTION,
	ANSWER_AT,
	ANSWER_STATE,
	ANSWER_CHARGE,
	ANSWER_DRAW,
	ANSWER_CLAIM,
	ANSWER_ANSWER,
	ANSWER_INCARNATION
};

static const char *const states[] = {[DP_ANSWER_ASKED] = "asked",
									 [DP_ANSWER_ANSWERED] = "answered",
									 [DP_ANSWER_GIVEN_UP] = "given up"};

static bool
find(DpAnswerName question)
{
	ScanKeyData keys[3];

	ScanKeyInit(&keys[0], ANSWER_POPULATION, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(question.population_id));
	ScanKeyInit(&keys[1], ANSWER_BUDGET, BTEqualStrategyNumber, F_INT8EQ,
				Int64GetDatum(question.budget_id));
	ScanKeyInit(&keys[2], ANSWER_QUESTION, BTEqualStrategyNumber, F_BYTEAEQ,
				dp_bytes_datum(question.fingerprint, DP_FINGERPRINT_SIZE));
	return dp_tables_find(&dp_table_answer, "answer_pkey", lengthof(keys),
						  keys);
}

static DpAnswerState
state_of(Datum value)
{
	char *name = TextDatumGetCString(value);
	int i;

	for (i = 0; i < (int) lengthof(states); i++)
	{
		if (strcmp(states[i], name) == 0)
			return (DpAnswerState) i;
	}
	elog(ERROR, "unknown state \"%s\" of a question", name);
	return DP_ANSWER_ASKED; /* silences compilers */
}

/* A column with a number; 0 for null. */
static int64
number_at(int column)
{
	bool isnull;
	Datum value = slot_getattr(dp_table_answer.old_row, column, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

bool
dp_answer_rows_find(DpAnswerName question, DpAnswerRow *row)
{
	TupleTableSlot *slot;
	bool isnull;
	Datum value;

	if (!find(question))
		return false;
	slot = dp_table_answer.old_row;
	memset(row, 0, sizeof(*row));
	row->at = DatumGetTimestampTz(slot_getattr(slot, ANSWER_AT, &isnull));
	row->state = state_of(slot_getattr(slot, ANSWER_STATE, &isnull));
	row->charge_id = number_at(ANSWER_CHARGE);
	row->claim = number_at(ANSWER_CLAIM);
	row->incarnation = (uint64) number_at(ANSWER_INCARNATION);
	value = slot_getattr(slot, ANSWER_DRAW, &isnull);
	row->has_draw = !isnull;
	if (row->has_draw)
	{
		const bytea *draw = DatumGetByteaPP(value);

		if (VARSIZE_ANY_EXHDR(draw) != sizeof(row->draw))
			elog(ERROR, "a draw without a name");
		memcpy(row->draw, VARDATA_ANY(draw), sizeof(row->draw));
	}
	value = slot_getattr(slot, ANSWER_ANSWER, &isnull);
	row->is_stored = !isnull;
	if (row->is_stored)
		row->size = toast_raw_datum_size(value) - VARHDRSZ;
	return true;
}

void
dp_answer_rows_read(char *to)
{
	bool isnull;
	Datum value = slot_getattr(dp_table_answer.old_row, ANSWER_ANSWER, &isnull);
	struct varlena *stored = PG_DETOAST_DATUM(value);

	memcpy(to, VARDATA(stored), VARSIZE(stored) - VARHDRSZ);
	if ((Pointer) stored != DatumGetPointer(value))
		pfree(stored);
}

void
dp_answer_rows_write(DpAnswerName question, const DpAnswerRow *from,
					 const char *answer)
{
	bool is_known = find(question);
	TupleTableSlot *row = dp_tables_start(&dp_table_answer);

	dp_tables_set(row, ANSWER_POPULATION,
				  Int32GetDatum(question.population_id));
	dp_tables_set(row, ANSWER_BUDGET, Int64GetDatum(question.budget_id));
	dp_tables_set(row, ANSWER_QUESTION,
				  dp_bytes_datum(question.fingerprint, DP_FINGERPRINT_SIZE));
	dp_tables_set(row, ANSWER_AT, TimestampTzGetDatum(from->at));
	dp_tables_set(row, ANSWER_STATE, CStringGetTextDatum(states[from->state]));
	if (from->charge_id != 0)
		dp_tables_set(row, ANSWER_CHARGE, Int64GetDatum(from->charge_id));
	if (from->has_draw)
	{
		dp_tables_set(row, ANSWER_DRAW,
					  dp_bytes_datum(from->draw, sizeof(from->draw)));
		dp_tables_set(row, ANSWER_CLAIM, Int64GetDatum(from->claim));
	}
	if (answer != NULL)
		dp_tables_set(row, ANSWER_ANSWER, dp_bytes_datum(answer, from->size));
	if (from->incarnation != 0)
		dp_tables_set(row, ANSWER_INCARNATION,
					  Int64GetDatum((int64) from->incarnation));
	if (is_known)
		dp_tables_update(&dp_table_answer);
	else
		dp_tables_insert(&dp_table_answer);
}
