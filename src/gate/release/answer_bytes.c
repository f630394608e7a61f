/*
 * answer_bytes.c
 *		Answers as bytes, as the ledger stores them for replay.
 *
 * First the law of the noise (aggregates/law.h); then for each row the keys,
 * in canonical order, the released value and the noisy sums that it is made
 * of, if there are any, each as its length (4 bytes, network order; -1 for
 * null) and its text.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "gate/question/fingerprint.h"
#include "gate/question/keys/key.h"
#include "gate/question/relations/private_aggregates.h"
#include "gate/question/relations/plain_text.h"
#include "gate/release/answer_bytes.h"

/* The texts of a column: how to write and to read them. */
typedef struct Column
{
	int number; /* of the release */
	Oid type;
	FmgrInfo output;
	FmgrInfo input;
	Oid io_param;
} Column;

/*
 * Values of a domain are read as its base type: they met its constraints
 * before, and these may run a user's code.
 */
static void
prepare_column(Column *column, int number, Node *expression)
{
	Oid function;
	bool varlena;

	column->number = number;
	column->type = getBaseType(exprType(expression));
	getTypeOutputInfo(column->type, &function, &varlena);
	fmgr_info(function, &column->output);
	getTypeInputInfo(column->type, &function, &column->io_param);
	fmgr_info(function, &column->input);
}

/*
 * The columns of an answer: the keys in canonical order, which is the same for
 * all forms of a question, then the aggregate and its sums. Sets the number of
 * keys, and of all of them. To be called in the session's own time zone.
 */
static Column *
prepare_columns(DpAnswerTable *table, int aggno, int *keys, int *count)
{
	int sums = table->sums_columns[aggno];
	List *expressions = dp_gate_release_columns(table->plan->outline.keys, NIL);
	int *order = dp_gate_key_order(&table->plan->outline.relations, expressions,
								   table->node->state->es_param_list_info);
	Column *columns;
	int i;

	*keys = list_length(expressions);
	*count = *keys + (sums < 0 ? 1 : 2);
	columns = palloc(*count * sizeof(Column));
	for (i = 0; i < *keys; i++)
		prepare_column(&columns[i], order[i], list_nth(expressions, order[i]));
	prepare_column(&columns[*keys], *keys + aggno,
				   list_nth(table->plan->outline.aggregates, aggno));
	if (sums >= 0)
		prepare_column(&columns[*keys + 1], sums,
					   (Node *) makeNullConst(BYTEAOID, -1, InvalidOid));
	return columns;
}

/*
 * False if it is too long, which must not be an error, since it depends on
 * the data.
 */
static bool
write_value(StringInfo bytes, Column *column, Datum value, bool isnull)
{
	char *text;
	Size length;

	if (isnull)
	{
		pq_sendint32(bytes, (uint32) -1);
		return true;
	}
	text = OutputFunctionCall(&column->output, value);
	length = strlen(text);
	if ((Size) bytes->len + length > DP_ANSWER_MAX)
		return false;
	pq_sendint32(bytes, (uint32) length);
	appendBinaryStringInfo(bytes, text, (int) length);
	pfree(text);
	return true;
}

/* One row; false where it is too long. */
static bool
write_row(StringInfo bytes, const DpRowTable *rows, int64 row, Column *columns,
		  int count)
{
	const Datum *values = dp_row_table_values(rows, row);
	const bool *nulls = dp_row_table_nulls(rows, row);
	bool fits = true;
	int i;

	for (i = 0; i < count && fits; i++)
		fits = write_value(bytes, &columns[i], values[columns[i].number],
						   nulls[columns[i].number]) &&
			   bytes->len <= DP_ANSWER_MAX;
	return fits;
}

StringInfo
dp_answer_bytes_write(DpAnswerTable *table, int aggno)
{
	StringInfo bytes = makeStringInfo();
	int keys;
	int count;
	Column *columns = prepare_columns(table, aggno, &keys, &count);
	int nest = dp_gate_begin_plain_texts();
	bool fits = true;
	int64 row;

	dp_law_write(dp_answer_table_law(table, aggno), bytes);
	for (row = 0; row < dp_row_table_count(table->rows) && fits; row++)
	{
		CHECK_FOR_INTERRUPTS();
		fits = write_row(bytes, table->rows, row, columns, count);
	}
	AtEOXact_GUC(true, nest);
	return fits ? bytes : NULL;
}

/* A value's text, or NULL. */
static char *
read_text(StringInfo bytes)
{
	int length = (int) pq_getmsgint(bytes, 4);

	const char *text;

	if (length < 0)
		return NULL;
	text = pq_getmsgbytes(bytes, length);
	(void) pg_verifymbstr(text, length, false); /* restored elsewhere */
	return pnstrdup(text, length);
}

/* False for what the type no longer has: an enum's value, renamed since. */
static bool
read_value(StringInfo bytes, Column *column, Datum *value, bool *isnull)
{
	char *text = read_text(bytes);

	*value = (Datum) 0;
	*isnull = text == NULL;
	if (text == NULL)
		return true;
	if (type_is_enum(column->type) &&
		!SearchSysCacheExists2(ENUMTYPOIDNAME, ObjectIdGetDatum(column->type),
							   CStringGetDatum(text)))
		return false;
	*value = InputFunctionCall(&column->input, text, column->io_param, -1);
	return true;
}

/* Reads a row, which is added if it is missing. */
static void
read_row(DpAnswerTable *table, StringInfo bytes, Column *columns, int keys,
		 int count)
{
	Datum *key = palloc(Max(keys, 1) * sizeof(Datum));
	bool *nulls = palloc(Max(keys, 1) * sizeof(bool));
	bool is_known = true;
	Datum values[2];
	bool are_null[2];
	int64 row;
	int i;

	for (i = 0; i < keys; i++)
		is_known &= read_value(bytes, &columns[i], &key[columns[i].number],
							   &nulls[columns[i].number]);
	for (i = keys; i < count; i++)
		is_known &= read_value(bytes, &columns[i], &values[i - keys],
							   &are_null[i - keys]);
	if (!is_known)
		return;
	row = dp_row_table_add(table->rows, key, nulls);
	for (i = keys; i < count; i++)
		dp_row_table_set(table->rows, row, columns[i].number, values[i - keys],
						 are_null[i - keys]);
}

/*
 * Types are part of the fingerprint, but those of users are not told apart
 * there, and the database that the answer was dumped from may have had another
 * encoding.
 */
static void
refuse_other_type(const DpAnswerTable *table, MemoryContext context)
{
	MemoryContextSwitchTo(context);
	if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_DATA_EXCEPTION)
		PG_RE_THROW();
	FlushErrorState();
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("the stored answer to this question about \"%s\" is of "
					"another type",
					dp_gate_relation_names(&table->plan->outline.relations)),
			 errhint("The owner of the population can delete its stored "
					 "answers with dp_noise.forget_answers.")));
}

/* The same, with an error of its own where the types do not fit. */
static void
read_checked_row(DpAnswerTable *table, StringInfo bytes, Column *columns,
				 int keys, int count)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		read_row(table, bytes, columns, keys, count);
	}
	PG_CATCH();
	{
		refuse_other_type(table, context);
	}
	PG_END_TRY();
}

static MemoryContext
make_row_context(void)
{
	return AllocSetContextCreate(CurrentMemoryContext, "row of a stored answer",
								 ALLOCSET_DEFAULT_SIZES);
}

void
dp_answer_bytes_read(DpAnswerTable *table, int aggno, const char *bytes,
					 Size size)
{
	MemoryContext per_row = make_row_context();
	int keys;
	int count;
	Column *columns = prepare_columns(table, aggno, &keys, &count);
	int nest = dp_gate_begin_plain_texts();
	StringInfoData message = {(char *) bytes, (int) size, (int) size, 0};
	Aggref *aggref;
	DpLaw law;
	MemoryContext old;
	int i;

	/*
	 * What was computed meanwhile was not charged, so nothing of it may stay.
	 */
	for (i = keys; i < count; i++)
		dp_row_table_clear(table->rows, columns[i].number);
	aggref = list_nth_node(Aggref, table->plan->outline.aggregates, aggno);
	dp_law_read(&message, dp_gate_traits_of(aggref), columns[keys].type, &law);
	dp_answer_table_set_law(table, aggno, &law);
	old = MemoryContextSwitchTo(per_row);
	while (message.cursor < message.len)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(per_row);
		read_checked_row(table, &message, columns, keys, count);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(per_row);
	AtEOXact_GUC(true, nest);
}

void
dp_answer_bytes_copy(DpAnswerTable *from, int from_aggno, DpAnswerTable *to,
					 int aggno)
{
	MemoryContext per_row = make_row_context();
	int keys;
	int count;
	Column *from_columns = prepare_columns(from, from_aggno, &keys, &count);
	Column *columns = prepare_columns(to, aggno, &keys, &count);
	int nest = dp_gate_begin_plain_texts();
	int64 rows = dp_row_table_count(from->rows);
	MemoryContext old;
	int64 row;
	int i;

	for (i = keys; i < count; i++)
		dp_row_table_clear(to->rows, columns[i].number);
	dp_answer_table_set_law(to, aggno, dp_answer_table_law(from, from_aggno));
	old = MemoryContextSwitchTo(per_row);
	for (row = 0; row < rows; row++)
	{
		StringInfo bytes;

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(per_row);
		bytes = makeStringInfo();
		if (!write_row(bytes, from->rows, row, from_columns, count))
			elog(ERROR, "a released row is too long");
		read_checked_row(to, bytes, columns, keys, count);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(per_row);
	AtEOXact_GUC(true, nest);
}
