/*
 * canonical_texts.c
 *		Values as texts, and how texts are put together.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "core/exact_decimal.h"
#include "expressions/guards.h"
#include "gate/question/expressions/canonical_texts.h"

char *
dp_gate_delimited(char letter, const char *text)
{
	return psprintf("%c%zu:%s", letter, strlen(text), text);
}

static char *
float_text(float8 value, bool is_compared)
{
	char *text = palloc(DP_EXACT_DECIMAL_SIZE);

	if (!is_compared && value == 0 && signbit(value))
		return pstrdup("-0");
	dp_exact_decimal(value, text);
	return text;
}

char *
dp_gate_value_text(Oid type, Datum value, bool isnull, bool is_compared)
{
	Oid output;
	bool varlena;
	char *text;

	if (isnull)
		return pstrdup("null");
	getTypeOutputInfo(type, &output, &varlena);
	if (varlena && dp_guard_size(value) > DP_GUARD_VALUE)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a constant or parameter of a question about a "
							   "protected relation is too long"),
						errdetail("It may have %d MB.",
								  (int) (DP_GUARD_VALUE / 1024 / 1024)),
						errhint("Nothing was charged. Write a shorter one.")));
	switch (getBaseType(type))
	{
		case FLOAT4OID:
			text = float_text(DatumGetFloat4(value), is_compared);
			break;
		case FLOAT8OID:
			text = float_text(DatumGetFloat8(value), is_compared);
			break;
		case NUMERICOID:
			text = is_compared ? numeric_normalize(DatumGetNumeric(value))
							   : OidOutputFunctionCall(output, value);
			break;
		case BPCHAROID:
			if (is_compared)
				value = DirectFunctionCall1(rtrim1, value);
			text = OidOutputFunctionCall(F_TEXTOUT, value);
			break;
		default:
			text = OidOutputFunctionCall(output, value);
			break;
	}
	return dp_gate_delimited('k', text);
}

static int
compare_texts(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

char *
dp_gate_join_all(const char *word, List *texts)
{
	StringInfoData buffer;
	ListCell *cell;

	list_sort(texts, compare_texts);
	initStringInfo(&buffer);
	appendStringInfo(&buffer, "(%s", word);
	foreach (cell, texts)
		appendStringInfo(&buffer, " %s", (char *) lfirst(cell));
	appendStringInfoChar(&buffer, ')');
	return buffer.data;
}

char *
dp_gate_join_sorted(const char *word, List *texts)
{
	StringInfoData buffer;
	const char *last = NULL;
	int count = 0;
	ListCell *cell;

	list_sort(texts, compare_texts);
	initStringInfo(&buffer);
	foreach (cell, texts)
	{
		const char *text = lfirst(cell);

		if (last != NULL && strcmp(last, text) == 0)
			continue;
		appendStringInfo(&buffer, " %s", text);
		last = text;
		count++;
	}
	if (count == 1)
		return buffer.data + 1;
	return psprintf("(%s%s)", word, buffer.data);
}
