/*
 * text_write.c
 *		Canonical forms as texts, with their holes filled.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "gate/facts/text.h"
#include "gate/facts/value_text.h"
#include "server/sha256.h"
#include "server/stack.h"

Node *
dp_text_list(const char *word, List *forms)
{
	return (Node *) lcons(makeString(pstrdup(word)), forms);
}

/*
 * Parts of comparisons with lists, which may be long, if what is compared to each
 * of their values were written out for each. It is not, and its text stands once;
 * but how much is asked must not depend on who writes the list.
 */
#define LIST_PARTS_MAX 300000

typedef struct Writer
{
	DpTextFill fill;
	void *context;
	double parts; /* that have been written */
} Writer;

static int
compare_texts(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

char *
dp_text_join(const char *word, const List *texts)
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
static List *
distinct(List *texts)
{
	List *result = NIL;
	ListCell *cell;

	list_sort(texts, compare_texts);
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
	return dp_text_join(word, distinct(texts));
}

char *
dp_text_hash(const char *text)
{
	unsigned char hash[DP_SHA256_SIZE];
	char *digits = palloc0(2 * DP_SHA256_SIZE + 1);

	dp_sha256(text, strlen(text), hash);
	hex_encode((const char *) hash, DP_SHA256_SIZE, digits);
	return digits;
}

/*
 * Comparisons
 */

void
dp_text_check_list(double parts)
{
	if (parts > LIST_PARTS_MAX)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("an expression over a protected relation is too long"),
			 errdetail("The expression before IN (...), ANY or ALL is repeated "
					   "for each value, which makes more than %d parts.",
					   LIST_PARTS_MAX),
			 errhint("Nest such comparisons less deeply, or write fewer "
					 "values.")));
}

/*
 * Counts what is compared to the values of a list once for each, but a column.
 * Lists that are written out were counted when the question was read.
 */
static void
repeat_parts(Writer *writer, double before, const Node *hole, const Const *list)
{
	const ArrayType *array = DatumGetArrayTypeP(list->constvalue);
	double left = writer->parts - before;

	if (left <= 1 || IsA(hole, ArrayExpr) || IsA(hole, Const))
		return;
	left *= ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	dp_text_check_list(left);
	writer->parts = before + left;
}

static char *write_form(Writer *writer, Node *form, bool is_compared);

/* Of two texts, as a word says: "~= =". */
static char *
comparison_text(const char *word, char *left, char *right)
{
	const char *commuted = strchr(word, ' ');

	if (commuted == NULL)
		return psprintf("(%s %s %s)", word + 1, left, right);
	if (strcmp(left, right) > 0)
		return psprintf("(%s %s %s)", commuted + 1, right, left);
	return psprintf("(%.*s %s %s)", (int) (commuted - word - 1), word + 1, left,
					right);
}

/* Comparisons with each element of an array. */
static List *
element_texts(Writer *writer, List *form)
{
	const char *logic = strVal(linitial(form));
	const char *word = strVal(lsecond(form));
	bool is_compared = word[0] == '~';
	double before = writer->parts;
	char *left = write_form(writer, lthird(form), is_compared);
	Const *array = writer->fill(lfourth(form), writer->context);
	List *texts = NIL;
	ArrayIterator iterator;
	Const *element;
	int16 length;
	bool by_value;

	if (array == NULL || array->constisnull)
		return list_make1(psprintf("(%s %s %s %s)", logic, word, left,
								   array == NULL ? "?" : "null"));
	repeat_parts(writer, before, lfourth(form), array);
	if (strlen(left) > 2 * DP_SHA256_SIZE) /* it is in each of them */
		left = psprintf("#%s", dp_text_hash(left));
	element = copyObject(array);
	element->consttype = get_base_element_type(array->consttype);
	get_typlenbyval(element->consttype, &length, &by_value);
	iterator =
		array_create_iterator(DatumGetArrayTypeP(array->constvalue), 0, NULL);
	while (array_iterate(iterator, &element->constvalue, &element->constisnull))
	{
		CHECK_FOR_INTERRUPTS();
		texts = lappend(texts, comparison_text(word, left,
											   dp_value_text_of_constant(
												   element, is_compared)));
	}
	return texts == NIL
			   ? list_make1(psprintf("(%s %s %s empty)", logic, word, left))
			   : texts;
}

/* Of a form whose word begins with "|" or "%", the arms, added to a list. */
static List *
arm_texts(Writer *writer, List *form, List *texts)
{
	const char *logic = strVal(linitial(form)) + 1;
	ListCell *cell;

	dp_stack_enter();
	if (strVal(linitial(form))[0] == '%')
		return list_concat(texts, element_texts(writer, form));
	for_each_from (cell, form, 1)
	{
		List *arm = lfirst(cell);
		const char *word = IsA(arm, List) ? strVal(linitial(arm)) : "";

		texts =
			(word[0] == '|' || word[0] == '%') && strcmp(word + 1, logic) == 0
				? arm_texts(writer, arm, texts)
				: lappend(texts, write_form(writer, (Node *) arm, false));
	}
	return texts;
}

/*
 * Forms
 */

static char *
write_list(Writer *writer, List *form)
{
	const char *word = strVal(linitial(form));
	double before = writer->parts;
	List *texts = NIL;
	ListCell *cell;

	if (word[0] == '|' || word[0] == '%')
	{
		texts = distinct(arm_texts(writer, form, NIL));
		return list_length(texts) == 1 ? linitial(texts)
									   : dp_text_join(word + 1, texts);
	}
	if (word[0] == '~' || word[0] == ':')
	{
		char *left = write_form(writer, lsecond(form), word[0] == '~');
		char *right = write_form(writer, lthird(form), word[0] == '~');

		return comparison_text(word, left, right);
	}
	for_each_from (cell, form, 1)
		texts =
			lappend(texts, write_form(writer, lfirst(cell), word[0] == '&'));
	if (strncmp(word, "=sub", 4) == 0)
		writer->parts = before; /* its rows are not repeated */
	if (word[0] == '&')
		texts = distinct(texts);
	else if (word[0] == '+')
		list_sort(texts, compare_texts);
	return dp_text_join(word + 1, texts);
}

/* is_compared: only what values equal matters, not how they are written. */
static char *
write_form(Writer *writer, Node *form, bool is_compared)
{
	Const *constant;

	dp_stack_enter();
	writer->parts += 1;
	if (IsA(form, String))
		return pstrdup(strVal(form));
	if (IsA(form, List))
		return write_list(writer, (List *) form);
	constant = writer->fill(form, writer->context);
	return constant == NULL ? pstrdup("?")
							: dp_value_text_of_constant(constant, is_compared);
}

List *
dp_text_write(const List *forms, DpTextFill fill, void *context)
{
	Writer writer = {fill, context, 0};
	List *texts = NIL;

	foreach_ptr (Node, node, forms)
		texts = lappend(texts, write_form(&writer, node, true));
	return texts;
}

Const *
dp_text_constant(Node *hole, void *context)
{
	(void) context;
	return IsA(hole, Const) ? (Const *) hole : NULL;
}

char *
dp_text_draft(const Node *form)
{
	return linitial(
		dp_text_write(list_make1((void *) form), dp_text_constant, NULL));
}
