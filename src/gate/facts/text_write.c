/*
 * text_write.c
 *		Canonical forms as texts, with their holes filled.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"

#include "gate/facts/text.h"
#include "gate/facts/text_forms.h"
#include "gate/facts/text_writer.h"
#include "gate/facts/value_text.h"
#include "server/stack.h"

/*
 * Texts
 */

int
dp_text_compare(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

/* "(word a b ...)" */
char *
dp_text_join(const char *word, List *texts)
{
	StringInfoData buffer;
	ListCell *cell;

	initStringInfo(&buffer);
	appendStringInfo(&buffer, "(%s", word);
	foreach (cell, texts)
		appendStringInfo(&buffer, " %s", (char *) lfirst(cell));
	appendStringInfoChar(&buffer, ')');
	return buffer.data;
}

/* Sorts texts, and leaves each once. */
List *
dp_text_distinct(List *texts)
{
	List *result = NIL;
	ListCell *cell;

	list_sort(texts, dp_text_compare);
	foreach (cell, texts)
	{
		if (result == NIL || strcmp(llast(result), lfirst(cell)) != 0)
			result = lappend(result, lfirst(cell));
	}
	return result;
}

char *
dp_text_join_sorted(const char *word, List *texts)
{
	return dp_text_join(word, dp_text_distinct(texts));
}

char *
dp_text_join_all(const char *word, List *texts)
{
	list_sort(texts, dp_text_compare);
	return dp_text_join(word, texts);
}

/* A long text, replaced by its hash. */
char *
dp_text_shortened(char *text)
{
	unsigned char hash[SHA256_DIGEST_LENGTH];
	StringInfoData result;
	int i;

	if (strlen(text) <= 2 * SHA256_DIGEST_LENGTH)
		return text;
	SHA256((unsigned char *) text, strlen(text), hash);
	initStringInfo(&result);
	appendStringInfoChar(&result, '#');
	for (i = 0; i < SHA256_DIGEST_LENGTH; i++)
		appendStringInfo(&result, "%02x", hash[i]);
	return result.data;
}

char *
dp_text_of_value(DpTextValue value, bool is_compared)
{
	return value.constant == NULL
			   ? value.text
			   : dp_value_text_of_constant(value.constant, is_compared);
}

static DpTextValue
hole_value(DpTextWriter *writer, Node *hole)
{
	Const *constant = writer->fill(hole, writer->context);

	return constant == NULL ? (DpTextValue){NULL, pstrdup("?")}
							: (DpTextValue){constant, NULL};
}

char *
dp_text_form_text(DpTextWriter *writer, Node *form, const DpTextRow *rows)
{
	return dp_text_of_value(dp_text_form(writer, form, rows), false);
}

List *
dp_text_form_texts(DpTextWriter *writer, List *forms, int first,
				   const DpTextRow *rows)
{
	List *texts = NIL;
	ListCell *cell;

	for_each_from (cell, forms, first)
		texts = lappend(texts, dp_text_form_text(writer, lfirst(cell), rows));
	return texts;
}

/*
 * Logic
 */

static DpTextValue
constant_value(Const *constant)
{
	return (DpTextValue){constant, NULL};
}

static DpTextValue
text_value(char *text)
{
	return (DpTextValue){NULL, text};
}

/* A comparison, of which both sides are written. word: "~= =". */
static char *
comparison_text(const char *word, DpTextValue left_value,
				DpTextValue right_value)
{
	bool is_compared = word[0] == '~';
	char *left = dp_text_of_value(left_value, is_compared);
	char *right = dp_text_of_value(right_value, is_compared);
	const char *other = strchr(word, ' ');
	const char *swap;
	char *own;

	if (other == NULL)
		return psprintf("(%s %s %s)", word + 1, left, right);
	own = pnstrdup(word + 1, other - word - 1);
	if (strcmp(left, right) <= 0)
		return psprintf("(%s %s %s)", own, left, right);
	swap = left;
	return psprintf("(%s %s %s)", other + 1, right, swap);
}

/* Comparisons with the elements of an array, which is known. */
static List *
element_texts(DpTextWriter *writer, List *form, const Const *array,
			  const DpTextRow *rows)
{
	const char *word = strVal(lsecond(form));
	DpTextValue left = dp_text_form(writer, lthird(form), rows);
	bool is_negated = intVal(list_nth(form, 4)) != 0;
	ArrayType *values = DatumGetArrayTypeP(array->constvalue);
	Oid type = ARR_ELEMTYPE(values);
	List *texts = NIL;
	int16 length;
	bool by_value;
	char align;
	Datum *elements;
	bool *nulls;
	int count;
	int i;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(values, type, length, by_value, align, &elements, &nulls,
					  &count);
	if (count > 1 && left.constant == NULL) /* it is in each of them */
		left.text = dp_text_shortened(left.text);
	for (i = 0; i < count; i++)
	{
		Const *element = makeConst(type, -1, get_typcollation(type), length,
								   elements[i], nulls[i], by_value);
		char *text = comparison_text(word, left, constant_value(element));

		CHECK_FOR_INTERRUPTS();
		texts = lappend(texts, is_negated ? psprintf("(not %s)", text) : text);
	}
	return texts;
}

/* An array as it is when it has no elements, or is null. */
static char *
empty_text(DpTextWriter *writer, List *form, const Const *array,
		   const DpTextRow *rows)
{
	return psprintf("(%s %s %s)",
					strcmp(strVal(linitial(form)), "%or") == 0 ? "any" : "all",
					dp_text_form_text(writer, lthird(form), rows),
					array == NULL		 ? "?"
					: array->constisnull ? "null"
										 : "empty");
}

/* What is known of the arms of an AND or OR. */
typedef struct Arms
{
	bool is_and;
	List *texts;
	bool has_null;
	bool is_decided; /* by a false arm, or a true one */
} Arms;

static void
add_arm(DpTextWriter *writer, Node *form, const DpTextRow *rows, Arms *arms)
{
	const char *word = IsA(form, List) && IsA(linitial((List *) form), String)
						   ? strVal(linitial((List *) form))
						   : "";
	const char *own = arms->is_and ? "and" : "or";
	DpTextValue value;
	ListCell *cell;

	dp_stack_enter();
	if (word[0] == '|' && strcmp(word + 1, own) == 0)
	{
		for_each_from (cell, (List *) form, 1)
			add_arm(writer, lfirst(cell), rows, arms);
		return;
	}
	if (word[0] == '%' && strcmp(word + 1, own) == 0)
	{
		const Const *array =
			hole_value(writer, lfourth((List *) form)).constant;
		List *texts = array == NULL || array->constisnull
						  ? NIL
						  : element_texts(writer, (List *) form, array, rows);

		if (texts == NIL)
			texts = list_make1(empty_text(writer, (List *) form, array, rows));
		arms->texts = list_concat(arms->texts, texts);
		return;
	}
	value = dp_text_form(writer, form, rows);
	if (value.constant == NULL)
		arms->texts = lappend(arms->texts, value.text);
	else if (value.constant->constisnull)
		arms->has_null = true;
	else if (DatumGetBool(value.constant->constvalue) != arms->is_and)
		arms->is_decided = true;
}

static DpTextValue
arms_value(Arms *arms)
{
	if (arms->is_decided)
		return constant_value((Const *) makeBoolConst(!arms->is_and, false));
	if (arms->texts == NIL)
		return constant_value(
			(Const *) makeBoolConst(arms->is_and, arms->has_null));
	if (arms->has_null)
		arms->texts = lappend(arms->texts, pstrdup("null"));
	arms->texts = dp_text_distinct(arms->texts);
	if (list_length(arms->texts) == 1)
		return text_value(linitial(arms->texts));
	return text_value(dp_text_join(arms->is_and ? "and" : "or", arms->texts));
}

/* AND of conditions. */
DpTextValue
dp_text_conditions(DpTextWriter *writer, List *forms, int first,
				   const DpTextRow *rows)
{
	Arms arms = {true, NIL, false, false};
	ListCell *cell;

	for_each_from (cell, forms, first)
		add_arm(writer, lfirst(cell), rows, &arms);
	return arms_value(&arms);
}

static DpTextValue
write_arms(DpTextWriter *writer, Node *form, bool is_and, const DpTextRow *rows)
{
	Arms arms = {is_and, NIL, false, false};

	add_arm(writer, form, rows, &arms);
	return arms_value(&arms);
}

static DpTextValue
write_not(DpTextValue value)
{
	if (value.constant == NULL)
		return text_value(psprintf("(not %s)", value.text));
	if (value.constant->constisnull)
		return value;
	return constant_value((Const *) makeBoolConst(
		!DatumGetBool(value.constant->constvalue), false));
}

static DpTextValue
write_coalesce(DpTextWriter *writer, List *form, const DpTextRow *rows)
{
	List *texts = NIL;
	DpTextValue value = {NULL, NULL};
	ListCell *cell;

	for_each_from (cell, form, 1)
	{
		value = dp_text_form(writer, lfirst(cell), rows);
		if (value.constant != NULL && value.constant->constisnull)
			continue;
		if (value.constant != NULL && texts == NIL)
			return value;
		texts = lappend(texts, dp_text_of_value(value, false));
		if (value.constant != NULL)
			break;
	}
	if (texts == NIL)
		return value; /* null */
	return text_value(list_length(texts) == 1
						  ? linitial(texts)
						  : dp_text_join("coalesce", texts));
}

/* CASE without a subject. */
static DpTextValue
write_case(DpTextWriter *writer, List *form, const DpTextRow *rows)
{
	List *texts = NIL;
	int i;

	for (i = 1; i + 1 < list_length(form); i += 2)
	{
		DpTextValue when = dp_text_form(writer, list_nth(form, i), rows);

		if (when.constant != NULL)
		{
			if (when.constant->constisnull ||
				!DatumGetBool(when.constant->constvalue))
				continue;
			i++;
			break;
		}
		texts = lappend(texts, when.text);
		texts = lappend(texts,
						dp_text_form_text(writer, list_nth(form, i + 1), rows));
	}
	i = Min(i, list_length(form) - 1);
	if (texts == NIL)
		return dp_text_form(writer, list_nth(form, i), rows);
	texts = lappend(texts, dp_text_form_text(writer, list_nth(form, i), rows));
	return text_value(dp_text_join("case", texts));
}

static DpTextValue
write_list(DpTextWriter *writer, List *form, const DpTextRow *rows)
{
	const char *word = strVal(linitial(form));

	switch (word[0])
	{
		case '=':
			return text_value(dp_text_join(
				word + 1, dp_text_form_texts(writer, form, 1, rows)));
		case '&':
			return text_value(dp_text_join_sorted(
				word + 1, dp_text_form_texts(writer, form, 1, rows)));
		case '|':
		case '%':
			return write_arms(writer, (Node *) form,
							  strcmp(word + 1, "and") == 0, rows);
		case '~':
		case ':':
			return text_value(
				comparison_text(word, dp_text_form(writer, lsecond(form), rows),
								dp_text_form(writer, lthird(form), rows)));
		case '!':
			return write_not(dp_text_form(writer, lsecond(form), rows));
		case '@':
			return text_value(dp_text_names(writer, form, rows));
		case 's':
			return text_value(dp_text_subquery(writer, form, rows));
		case 'w':
			return text_value(dp_text_with(writer, form, rows));
		case '?':
			if (strcmp(word, "?coalesce") == 0)
				return write_coalesce(writer, form, rows);
			if (strcmp(word, "?case") == 0)
				return write_case(writer, form, rows);
			return text_value(dp_text_join(
				word + 1, dp_text_form_texts(writer, form, 1, rows)));
		default:
			elog(ERROR, "unexpected word \"%s\" in a canonical form", word);
	}
}

DpTextValue
dp_text_form(DpTextWriter *writer, Node *form, const DpTextRow *rows)
{
	dp_stack_enter();
	switch (nodeTag(form))
	{
		case T_String:
			return text_value(pstrdup(strVal(form)));
		case T_List:
			return write_list(writer, (List *) form, rows);
		default:
			return hole_value(writer, form);
	}
}

List *
dp_text_write(const DpText *form, DpTextFill fill, void *context)
{
	DpTextWriter writer = {.fill = fill, .context = context};
	DpTextRow rows = {lsecond((const List *) form), NULL, NULL};
	List *texts;
	ListCell *cell;

	writer.memos = dp_text_memos();
	texts = list_make1(dp_text_whole_rows(&writer, &rows));
	for_each_from (cell, (const List *) form, 2)
		texts = lappend(
			texts,
			dp_text_of_value(dp_text_form(&writer, lfirst(cell), &rows), true));
	hash_destroy(writer.memos);
	return texts;
}
