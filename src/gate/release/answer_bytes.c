/*
 * answer_bytes.c
 *		Answers as bytes, as the ledger stores them for replay.
 *
 * First, where bounds were chosen, these: sign and exponent of each; or a cap, where
 * one was. Then the law of the noise (aggregates/law.h); then for each row the keys,
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

#include "aggregates/bins.h"
#include "gate/bound/key.h"
#include "gate/relations/private_aggregates.h"
#include "gate/release/answer_bytes.h"
#include "gate/release/identity.h"
#include "server/settings.h"

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

/* How the answers of one aggregate are written. */
typedef struct Form
{
	DpAnswerTable *table;
	int keys;  /* How many of the columns are keys. */
	int count; /* How many columns there are: keys, answer, sums. */
	Column
		*columns; /* Keys in canonical order, as in all forms of a question. */
} Form;

/* To be called in the session's own time zone. */
static Form
form_of(DpAnswerTable *table, int aggno)
{
	const DpOutline *outline = table->outline;
	int sums = table->sums_columns[aggno];
	List *keys = dp_key_release_columns(outline->keys, NIL);
	int *order = dp_identity_key_order(table->outline, aggno,
									   table->node->state->es_param_list_info);
	Form form = {.table = table, .keys = list_length(keys)};
	int i;

	form.count = form.keys + (sums < 0 ? 1 : 2);
	form.columns = palloc(form.count * sizeof(Column));
	for (i = 0; i < form.keys; i++)
		prepare_column(&form.columns[i], order[i], list_nth(keys, order[i]));
	prepare_column(&form.columns[form.keys], form.keys + aggno,
				   list_nth(outline->aggregates, aggno));
	if (sums >= 0)
		prepare_column(&form.columns[form.keys + 1], sums,
					   (Node *) makeNullConst(BYTEAOID, -1, InvalidOid));
	return form;
}

/* Empties the columns but the keys: what is there was not charged. */
static void
clear(const Form *form)
{
	int i;

	for (i = form->keys; i < form->count; i++)
		dp_row_table_clear(form->table->rows, form->columns[i].number);
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
write_row(StringInfo bytes, const Form *form, int64 row)
{
	const Datum *values = dp_row_table_values(form->table->rows, row);
	const bool *nulls = dp_row_table_nulls(form->table->rows, row);
	bool fits = true;
	int i;

	for (i = 0; i < form->count && fits; i++)
		fits = write_value(bytes, &form->columns[i],
						   values[form->columns[i].number],
						   nulls[form->columns[i].number]) &&
			   bytes->len <= DP_ANSWER_MAX;
	return fits;
}

/*
 * Bounds that were chosen
 */

static void
write_edge(StringInfo bytes, DpEdge edge)
{
	pq_sendint32(bytes, (uint32) edge.sign);
	pq_sendint32(bytes, (uint32) edge.exponent);
}

static void
write_bounds(const DpAnswerTable *table, int aggno, StringInfo bytes)
{
	const DpChosenBounds *chosen = &table->terms->chosen[aggno];

	if (!dp_terms_bounds_are_chosen(table->terms, aggno))
		return;
	write_edge(bytes, chosen->lower);
	write_edge(bytes, chosen->upper);
}

static DpEdge
read_edge(StringInfo bytes, DpBins bins)
{
	DpEdge edge;

	edge.sign = (int32) pq_getmsgint(bytes, 4);
	edge.exponent = (int32) pq_getmsgint(bytes, 4);
	if (edge.sign < -1 || edge.sign > 1 ||
		(edge.sign == 0
			 ? edge.exponent != 0
			 : edge.exponent < bins.least || edge.exponent > bins.greatest))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("a stored answer has bounds that are never "
							   "chosen"),
						errhint("The owner of the population can delete its "
								"stored answers with "
								"dp_noise.forget_answers.")));
	return edge;
}

static void
read_bounds(StringInfo bytes, DpAnswerTable *table, int aggno)
{
	DpBins bins;
	DpEdge lower;

	if (!dp_terms_bounds_are_chosen(table->terms, aggno))
		return;
	bins = dp_bins_of_type(dp_terms_type(table->terms, aggno));
	lower = read_edge(bytes, bins);
	dp_answer_table_set_bounds(table, aggno, lower, read_edge(bytes, bins));
}

/*
 * Caps that were chosen
 */

static void
write_cap(const DpAnswerTable *table, int aggno, StringInfo bytes)
{
	if (dp_terms_cap_is_chosen(table->terms, aggno))
		pq_sendint32(bytes, table->terms->caps[aggno]);
}

static void
read_cap(StringInfo bytes, DpAnswerTable *table, int aggno)
{
	uint32 cap;

	if (!dp_terms_cap_is_chosen(table->terms, aggno))
		return;
	cap = pq_getmsgint(bytes, 4);
	if (cap == 0 || cap > PG_INT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("a stored answer has a cap that is never "
							   "chosen"),
						errhint("The owner of the population can delete its "
								"stored answers with "
								"dp_noise.forget_answers.")));
	dp_answer_table_set_cap(table, aggno, cap);
}

StringInfo
dp_answer_bytes_write(DpAnswerTable *table, int aggno)
{
	StringInfo bytes = makeStringInfo();
	Form form = form_of(table, aggno);
	int nest = dp_setting_plain_texts();
	bool fits = true;
	int64 row;

	write_bounds(table, aggno, bytes);
	write_cap(table, aggno, bytes);
	dp_law_write(dp_answer_table_law(table, aggno), bytes);
	for (row = 0; row < dp_row_table_count(table->rows) && fits; row++)
	{
		CHECK_FOR_INTERRUPTS();
		fits = write_row(bytes, &form, row);
	}
	AtEOXact_GUC(true, nest);
	return fits ? bytes : NULL;
}

bool
dp_answer_bytes_add(StringInfo bytes, StringInfo answer)
{
	if (answer == NULL || bytes->len + answer->len > DP_ANSWER_MAX)
		return false;
	pq_sendint32(bytes, (uint32) answer->len);
	appendBinaryStringInfo(bytes, answer->data, answer->len);
	pfree(answer->data);
	return true;
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
read_row(const Form *form, StringInfo bytes)
{
	DpRowTable *rows = form->table->rows;
	Datum *key = palloc(Max(form->keys, 1) * sizeof(Datum));
	bool *nulls = palloc(Max(form->keys, 1) * sizeof(bool));
	bool is_known = true;
	Datum values[2];
	bool are_null[2];
	int64 row;
	int i;

	for (i = 0; i < form->keys; i++)
		is_known &=
			read_value(bytes, &form->columns[i], &key[form->columns[i].number],
					   &nulls[form->columns[i].number]);
	for (; i < form->count; i++)
		is_known &=
			read_value(bytes, &form->columns[i], &values[i - form->keys],
					   &are_null[i - form->keys]);
	if (!is_known)
		return;
	row = dp_row_table_add(rows, key, nulls);
	for (i = form->keys; i < form->count; i++)
		dp_row_table_set(rows, row, form->columns[i].number,
						 values[i - form->keys], are_null[i - form->keys]);
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
					dp_relations_names(&table->outline->relations)),
			 errhint("The owner of the population can delete its stored "
					 "answers with dp_noise.forget_answers.")));
}

/*
 * The same, with an error of its own where the types do not fit. per_row: in
 * which it happens.
 */
static void
read_checked_row(const Form *form, StringInfo bytes, MemoryContext per_row)
{
	MemoryContext old = MemoryContextSwitchTo(per_row);

	PG_TRY();
	{
		read_row(form, bytes);
	}
	PG_CATCH();
	{
		refuse_other_type(form->table, per_row);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	MemoryContextReset(per_row);
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
	Form form = form_of(table, aggno);
	int nest = dp_setting_plain_texts();
	StringInfoData message = {(char *) bytes, (int) size, (int) size, 0};
	Aggref *aggref = list_nth(table->outline->aggregates, aggno);
	DpLaw law;

	clear(&form);
	read_bounds(&message, table, aggno);
	read_cap(&message, table, aggno);
	dp_law_read(&message, dp_private_aggregates_traits(aggref),
				form.columns[form.keys].type, &law);
	dp_answer_table_set_law(table, aggno, &law);
	while (message.cursor < message.len)
	{
		CHECK_FOR_INTERRUPTS();
		read_checked_row(&form, &message, per_row);
	}
	MemoryContextDelete(per_row);
	AtEOXact_GUC(true, nest);
}

void
dp_answer_bytes_copy(DpAnswerTable *from, int from_aggno, DpAnswerTable *to,
					 int aggno)
{
	MemoryContext per_row = make_row_context();
	Form from_form = form_of(from, from_aggno);
	Form form = form_of(to, aggno);
	int nest = dp_setting_plain_texts();
	int64 rows = dp_row_table_count(from->rows);
	int64 row;

	clear(&form);
	if (dp_terms_bounds_are_chosen(from->terms, from_aggno))
		dp_answer_table_set_bounds(to, aggno,
								   from->terms->chosen[from_aggno].lower,
								   from->terms->chosen[from_aggno].upper);
	if (dp_terms_cap_is_chosen(from->terms, from_aggno))
		dp_answer_table_set_cap(to, aggno, from->terms->caps[from_aggno]);
	dp_answer_table_set_law(to, aggno, dp_answer_table_law(from, from_aggno));
	for (row = 0; row < rows; row++)
	{
		MemoryContext old = MemoryContextSwitchTo(per_row);
		StringInfo bytes = makeStringInfo();

		CHECK_FOR_INTERRUPTS();
		if (!write_row(bytes, &from_form, row))
			elog(ERROR, "a released row is too long");
		MemoryContextSwitchTo(old);
		read_checked_row(&form, bytes, per_row);
	}
	MemoryContextDelete(per_row);
	AtEOXact_GUC(true, nest);
}
