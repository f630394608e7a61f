/*
 * answer.c
 *		Answers as bytes, as the ledger stores them for replay.
 *
 * For each row the keys, in canonical order, and the released value, each as its
 * length (4 bytes, network order; -1 for null) and its text.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "gate/plain_text.h"
#include "gate/question.h"
#include "gate/release_state.h"

int
dp_gate_begin_plain_texts(void)
{
	static const char *const settings[][2] = {
		{"DateStyle", "ISO, YMD"},
		{"IntervalStyle", "postgres"},
		{"extra_float_digits", "1"},
	};
	int nest = NewGUCNestLevel();
	size_t i;

	for (i = 0; i < lengthof(settings); i++)
		(void) set_config_option(settings[i][0], settings[i][1], PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
								 false);
	return nest;
}

/* The texts of a column: how to write and to read them. */
typedef struct Column
{
	FmgrInfo output;
	FmgrInfo input;
	Oid io_param;
} Column;

static void
prepare_column(Column *column, Node *expression)
{
	Oid type = getBaseType(exprType(expression));
	Oid function;
	bool varlena;

	getTypeOutputInfo(type, &function, &varlena);
	fmgr_info(function, &column->output);
	getTypeInputInfo(type, &function, &column->io_param);
	fmgr_info(function, &column->input);
}

/* The columns of an answer: the keys, then the aggregate. */
static Column *
prepare_columns(DpReleaseState *state, int place)
{
	int keys = list_length(state->release->keys);
	Column *columns = palloc((keys + 1) * sizeof(Column));
	int i;

	for (i = 0; i < keys; i++)
		prepare_column(&columns[i], list_nth(state->release->keys, i));
	prepare_column(&columns[keys], list_nth(state->release->aggregates, place));
	return columns;
}

static void
write_value(StringInfo bytes, Column *column, Datum value, bool isnull)
{
	char *text;

	if (isnull)
	{
		pq_sendint32(bytes, (uint32) -1);
		return;
	}
	text = OutputFunctionCall(&column->output, value);
	pq_sendint32(bytes, (uint32) strlen(text));
	appendBinaryStringInfo(bytes, text, (int) strlen(text));
	pfree(text);
}

static bool
read_value(StringInfo bytes, Column *column, Datum *value)
{
	int length = (int) pq_getmsgint(bytes, 4);
	char *text;

	*value = (Datum) 0;
	if (length < 0)
		return false;
	text = pnstrdup(pq_getmsgbytes(bytes, length), length);
	*value = InputFunctionCall(&column->input, text, column->io_param, -1);
	pfree(text);
	return true;
}

StringInfo
dp_gate_write_answer(DpReleaseState *state, int place)
{
	int keys = list_length(state->release->keys);
	int nest = dp_gate_begin_plain_texts();
	Column *columns = prepare_columns(state, place);
	int *order = dp_gate_key_order(state->release->keys,
								   state->css.ss.ps.state->es_param_list_info);
	StringInfo bytes = makeStringInfo();
	int row;
	int i;

	for (row = 0; row < state->rows; row++)
	{
		int first = row * state->columns;

		for (i = 0; i < keys; i++)
			write_value(bytes, &columns[order[i]],
						state->values[first + order[i]],
						state->nulls[first + order[i]]);
		write_value(bytes, &columns[keys], state->values[first + keys + place],
					state->nulls[first + keys + place]);
	}
	AtEOXact_GUC(true, nest);
	return bytes;
}

void
dp_gate_read_answer(DpReleaseState *state, int place, const char *bytes,
					Size size)
{
	int keys = list_length(state->release->keys);
	int nest = dp_gate_begin_plain_texts();
	Column *columns = prepare_columns(state, place);
	int *order = dp_gate_key_order(state->release->keys,
								   state->css.ss.ps.state->es_param_list_info);
	Datum *key = palloc(Max(keys, 1) * sizeof(Datum));
	bool *nulls = palloc(Max(keys, 1) * sizeof(bool));
	StringInfoData message;
	int row;
	int i;

	/* What was computed meanwhile was not charged: nothing of it stays. */
	for (row = 0; row < state->rows; row++)
		state->nulls[row * state->columns + keys + place] = true;

	initStringInfo(&message);
	appendBinaryStringInfo(&message, bytes, (int) size);
	while (message.cursor < message.len)
	{
		Datum value;
		bool isnull;

		for (i = 0; i < keys; i++)
			nulls[order[i]] =
				!read_value(&message, &columns[order[i]], &key[order[i]]);
		isnull = !read_value(&message, &columns[keys], &value);
		row = dp_gate_find_row(state, key, nulls);
		if (row < 0)
			continue; /* a value that is no longer in the domain */
		state->values[row * state->columns + keys + place] = value;
		state->nulls[row * state->columns + keys + place] = isnull;
	}
	AtEOXact_GUC(true, nest);
}
