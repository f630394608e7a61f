/*
 * derived_bytes.c
 *		Stored answers of finer questions as that of a question.
 *
 * Groups are found by the texts of their keys, which are the same where the values
 * are. The finer answer must have every combination of its keys' values: then each
 * group of the question has all of its parts there if each value that the conditions
 * name is there at all. Tuples that are found together are not such an answer, nor
 * are all selections of private groups.
 *
 * Groups of several parts are sums of these, with as many draws of noise: only of
 * counts and sums that are integers, which no rounding and no range has changed. A
 * value that is counted once may be in several parts.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "gate/facts/fill.h"
#include "gate/facts/finer.h"
#include "gate/facts/fingerprint.h"
#include "gate/relations/private_aggregates.h"
#include "gate/release/derived_bytes.h"
#include "gate/release/identity.h"
#include "mechanisms/sums_ends.h"
#include "server/report.h"
#include "server/settings.h"

/* Texts in their order, each once; NULL is one of them. */
typedef struct Texts
{
	char **texts;
	int64 count;
} Texts;

/* A condition that was taken away. */
typedef struct Named
{
	int key; /* of the finer question */
	Texts values;
} Named;

/* The answer to a finer question. */
typedef struct Finer
{
	DpLaw law;
	int keys;
	int columns; /* the keys by their numbers, the answer, its sums */
	int64 count;
	char ***rows; /* texts by column; NULL for null */
} Finer;

/*
 * Texts
 */

static int
compare_texts(const void *a, const void *b)
{
	const char *one = *(char *const *) a;
	const char *other = *(char *const *) b;

	if (one == NULL || other == NULL)
		return (one != NULL) - (other != NULL);
	return strcmp(one, other);
}

static void
sort_once(Texts *texts)
{
	int64 kept = 0;
	int64 i;

	qsort(texts->texts, (size_t) texts->count, sizeof(char *), compare_texts);
	for (i = 0; i < texts->count; i++)
	{
		if (kept == 0 ||
			compare_texts(&texts->texts[kept - 1], &texts->texts[i]) != 0)
			texts->texts[kept++] = texts->texts[i];
	}
	texts->count = kept;
}

static bool
has_text(const Texts *texts, char *text)
{
	return bsearch(&text, texts->texts, (size_t) texts->count, sizeof(char *),
				   compare_texts) != NULL;
}

/* The values of a condition in this execution, as answers have them. */
static Texts
texts_of_values(const List *values, DpExecution *execution)
{
	Texts texts = {palloc(Max(list_length(values), 1) * sizeof(char *)), 0};
	int nest = dp_setting_plain_texts();

	foreach_ptr (Node, node, values)
	{
		const Const *value = dp_fill(node, execution);
		Oid output;
		bool varlena;

		if (value->constisnull)
			continue; /* equals nothing */
		getTypeOutputInfo(getBaseType(value->consttype), &output, &varlena);
		texts.texts[texts.count++] =
			OidOutputFunctionCall(output, value->constvalue);
	}
	AtEOXact_GUC(true, nest);
	sort_once(&texts);
	return texts;
}

static List *
find_named(const List *finer, ParamListInfo params)
{
	DpExecution execution = {params, session_timezone};
	List *result = NIL;

	foreach_ptr (const List, condition, dp_finer_conditions(finer))
	{
		Named *named = palloc(sizeof(Named));

		named->key = intVal(linitial(condition));
		named->values = texts_of_values(lsecond(condition), &execution);
		result = lappend(result, named);
	}
	return result;
}

/*
 * The finer answer
 */

static char *
read_text(StringInfo bytes)
{
	int length = (int) pq_getmsgint(bytes, 4);

	return length < 0 ? NULL : pnstrdup(pq_getmsgbytes(bytes, length), length);
}

/* order: which of its keys each key that is stored is. */
static void
read_rows(Finer *finer, StringInfo bytes, const int *order)
{
	int64 room = 64;
	int i;

	finer->rows = palloc(room * sizeof(char **));
	while (bytes->cursor < bytes->len)
	{
		char **row = palloc(finer->columns * sizeof(char *));

		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < finer->columns; i++)
			row[i < finer->keys ? order[i] : i] = read_text(bytes);
		if (finer->count == room)
		{
			room *= 2;
			finer->rows = repalloc_huge(finer->rows, room * sizeof(char **));
		}
		finer->rows[finer->count++] = row;
	}
}

static Texts
texts_of_key(const Finer *finer, int key)
{
	Texts texts = {
		palloc_extended(Max(finer->count, 1) * sizeof(char *), MCXT_ALLOC_HUGE),
		finer->count};
	int64 i;

	for (i = 0; i < finer->count; i++)
		texts.texts[i] = finer->rows[i][key];
	sort_once(&texts);
	return texts;
}

/* Whether a key has all values that the conditions on it name. */
static bool
has_named(const Texts *key, int number, const List *conditions)
{
	foreach_ptr (const Named, named, conditions)
	{
		int64 i;

		for (i = 0; i < named->values.count && named->key == number; i++)
		{
			if (!has_text(key, named->values.texts[i]))
				return false;
		}
	}
	return true;
}

/* Whether all groups of the question are there. */
static bool
is_whole(const Finer *finer, const List *conditions)
{
	double combinations = 1;
	int key;

	for (key = 0; key < finer->keys; key++)
	{
		Texts texts = texts_of_key(finer, key);

		if (!has_named(&texts, key, conditions))
			return false;
		combinations *= (double) texts.count;
	}
	return combinations == (double) finer->count;
}

/*
 * Laws
 */

/* Makes a law that of sums of so many answers; false where there is none. */
static bool
add_up(DpLaw *law, double parts, DpAggregate aggregate, Oid type)
{
	if (parts == 1)
		return true;
	if ((aggregate != DP_AGGREGATE_COUNT && aggregate != DP_AGGREGATE_SUM) ||
		law->kind != DP_LAW_NOISE || law->has_least || law->has_greatest ||
		law->levels > 0 || law->exponent < 0 || type != INT8OID ||
		parts > DP_LAW_DRAWS_MAX)
		return false;
	law->levels = (uint64) parts - 1;
	return true;
}

/*
 * Whether two laws are of numbers that are made in the same way. Of a regression no
 * law says it all.
 */
static bool
are_alike(const DpLaw *one, const DpLaw *other)
{
	return one->kind == other->kind && one->kind != DP_LAW_NONE &&
		   one->kind != DP_LAW_REGRESSION && !one->has_threshold &&
		   one->has_least == other->has_least &&
		   one->has_greatest == other->has_greatest &&
		   one->least == other->least && one->greatest == other->greatest &&
		   one->exponent == other->exponent && one->steps == other->steps &&
		   (one->kind == DP_LAW_NOISE ||
			(one->levels == other->levels &&
			 dp_sums_ends_way(one) == dp_sums_ends_way(other)));
}

/* The width at a level as a part of another law's. */
static double
width_ratio(const DpLaw *law, const DpLaw *other, double level)
{
	dp_uint128 width;
	dp_uint128 of_other;

	dp_report_status(dp_law_known_width(law, level, false, &width));
	dp_report_status(dp_law_known_width(other, level, false, &of_other));
	if (width == of_other)
		return 1;
	return of_other == 0 ? INFINITY : (double) width / (double) of_other;
}

/*
 * Whether answers of a law err no more than those of another: neither at 95 % nor in
 * the worst cases. A sum is flatter in the middle: its least errors may be greater.
 */
static bool
errs_no_more(const DpLaw *law, const DpLaw *other, double *width)
{
	if (!are_alike(law, other))
		return false;
	*width = width_ratio(law, other, 0.95);
	return *width <= 1 && width_ratio(law, other, DP_LEVEL_MAX) <= 1;
}

/*
 * The answer
 */

static void
write_text(StringInfo bytes, const char *text)
{
	pq_sendint32(bytes, text == NULL ? (uint32) -1 : (uint32) strlen(text));
	if (text != NULL)
		appendBinaryStringInfo(bytes, text, (int) strlen(text));
}

static bool
is_named(char *const *row, const List *conditions)
{
	foreach_ptr (const Named, named, conditions)
	{
		if (!has_text(&named->values, row[named->key]))
			return false;
	}
	return true;
}

/*
 * How many groups of the finer question each one of the question is made of; 0 where
 * a condition names nothing.
 */
static double
count_parts(const List *conditions, int keys)
{
	double parts = 1;

	foreach_ptr (const Named, named, conditions)
	{
		if (named->key >= keys || named->values.count == 0)
			parts *= (double) named->values.count;
	}
	return parts;
}

/* Leaves the rows that the conditions name. */
static void
keep_named(Finer *finer, const List *conditions)
{
	int64 kept = 0;
	int64 row;

	for (row = 0; row < finer->count; row++)
	{
		CHECK_FOR_INTERRUPTS();
		if (is_named(finer->rows[row], conditions))
			finer->rows[kept++] = finer->rows[row];
	}
	finer->count = kept;
}

static int
compare_rows(const void *a, const void *b, void *keys)
{
	char *const *one = *(char **const *) a;
	char *const *other = *(char **const *) b;
	int result = 0;
	int i;

	for (i = 0; i < *(const int *) keys && result == 0; i++)
		result = compare_texts(&one[i], &other[i]);
	return result;
}

/* Adds up the answers of rows that agree in the first keys; false for a null. */
static bool
add_rows(Finer *finer, int keys)
{
	int64 kept = 0;
	dp_int128 sum = 0;
	int64 row;

	qsort_arg(finer->rows, (size_t) finer->count, sizeof(char **), compare_rows,
			  &keys);
	for (row = 0; row < finer->count; row++)
	{
		char **texts = finer->rows[row];
		int64 answer;
		bool is_new = row == 0 ||
					  compare_rows(&finer->rows[kept - 1], &texts, &keys) != 0;

		CHECK_FOR_INTERRUPTS();
		if (texts[finer->keys] == NULL)
			return false;
		answer = DatumGetInt64(
			DirectFunctionCall1(int8in, CStringGetDatum(texts[finer->keys])));
		if (answer == PG_INT64_MIN || answer == PG_INT64_MAX)
			return false; /* there may be more */
		sum = (is_new ? 0 : sum) + answer;
		if (is_new)
			finer->rows[kept++] = texts;
		finer->rows[kept - 1][finer->keys] =
			psprintf(INT64_FORMAT,
					 (int64) dp_int128_clamp(sum, PG_INT64_MIN, PG_INT64_MAX));
	}
	finer->count = kept;
	return true;
}

/* order: in which the first keys are stored. */
static void
write_rows(const Finer *finer, int keys, const int *order, StringInfo bytes)
{
	int64 row;
	int i;

	for (row = 0; row < finer->count; row++)
	{
		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < keys; i++)
			write_text(bytes, finer->rows[row][order[i]]);
		for (i = finer->keys; i < finer->columns; i++)
			write_text(bytes, finer->rows[row][i]);
	}
}

StringInfo
dp_derived_bytes_make(DpReleaseState *state, int aggno, const List *finer,
					  const char *bytes, Size size, double *width)
{
	const DpOutline *outline = state->outline;
	ParamListInfo params = state->estate->es_param_list_info;
	Aggref *aggref = list_nth(outline->aggregates, aggno);
	StringInfoData message = {(char *) bytes, (int) size, (int) size, 0};
	Bitmapset *all = dp_finer_keys(finer);
	int keys = list_length(outline->keys);
	List *conditions = find_named(finer, params);
	double parts = count_parts(conditions, keys);
	Finer found = {.keys = bms_num_members(all)};
	Oid type = getBaseType(exprType((Node *) aggref));
	StringInfo result;
	DpLaw asked;

	found.columns =
		found.keys + (state->answers.sums_columns[aggno] < 0 ? 1 : 2);
	dp_law_of_call(dp_terms_call(&state->terms, aggno), &asked);
	dp_law_read(&message, dp_private_aggregates_traits(aggref), type,
				&found.law);
	if (parts == 0 ||
		!add_up(&found.law, parts,
				dp_private_aggregates_traits(aggref)->aggregate, type) ||
		!errs_no_more(&found.law, &asked, width))
		return NULL;
	read_rows(&found, &message,
			  dp_fingerprint_key_order(dp_finer_form(finer), all, params));
	if (!is_whole(&found, conditions))
		return NULL;
	keep_named(&found, conditions);
	if (parts > 1 && !add_rows(&found, keys))
		return NULL;
	result = makeStringInfo();
	dp_law_write(&found.law, result);
	write_rows(&found, keys, dp_identity_key_order(outline, aggno, params),
			   result);
	return result;
}
