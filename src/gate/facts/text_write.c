/*
 * text_write.c
 *		Canonical forms as texts, with their holes filled.
 *
 * The items of FROM are numbered in an order of their own: by what they are; and
 * of those that are the same, by what conditions say of them. Where that does
 * not tell them apart either, the order in which they are written decides: the
 * numbers are in the text, so it says the same in any order.
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
#include "gate/facts/value_text.h"
#include "server/stack.h"

typedef struct Writer
{
	DpTextFill fill;
	void *context;
	HTAB *memos;

	/*
	 * The item that is marked, of which rows, while it is found what conditions
	 * say of it: items have no numbers then. NULL: none is.
	 */
	const List *marked;
	int marked_item;
} Writer;

/* The rows that columns are of, and those around. */
typedef struct Rows
{
	const List *from;
	const struct Rows *around;
	const struct Rows *compared;
} Rows;

/* What has been written: a constant, or a text. */
typedef struct Value
{
	Const *constant;
	char *text;
} Value;

/* A text that is asked for again and again, within others. */
typedef struct MemoKey
{
	const void *form;
	const void *marked;
	int marked_item;
	int part;
} MemoKey;

typedef struct Memo
{
	MemoKey key;
	void *result;
} Memo;

#define ITEMS(from) lsecond_node(List, from)
#define JOINS(from) lthird_node(List, from)
#define CLASSES(from) lfourth_node(List, from)
#define CONDITIONS(from) ((List *) list_nth(from, 4))

static Value write_form(Writer *writer, Node *form, const Rows *rows);
static char *rows_text(Writer *writer, const List *from, const Rows *around);

/* Where a result is kept, and stays; NULL in it: it is not known yet. */
static void **
memo(Writer *writer, const void *form, int part)
{
	MemoKey key;
	bool found;
	Memo *entry;

	memset(&key, 0, sizeof(key));
	key.form = form;
	key.marked = writer->marked;
	key.marked_item = writer->marked == NULL ? 0 : writer->marked_item;
	key.part = part;
	entry = hash_search(writer->memos, &key, HASH_ENTER, &found);
	if (!found)
		entry->result = NULL;
	return &entry->result;
}

/*
 * Texts
 */

static int
compare_texts(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

/* "(word a b ...)" */
static char *
join(const char *word, List *texts)
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
	return join(word, distinct(texts));
}

static char *
join_all(const char *word, List *texts)
{
	list_sort(texts, compare_texts);
	return join(word, texts);
}

/* A long text, replaced by its hash. */
static char *
shortened(char *text)
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

static char *
text_of(Value value, bool is_compared)
{
	return value.constant == NULL
			   ? value.text
			   : dp_value_text_of_constant(value.constant, is_compared);
}

static Value
hole_value(Writer *writer, Node *hole)
{
	Const *constant = writer->fill(hole, writer->context);

	return constant == NULL ? (Value){NULL, pstrdup("?")}
							: (Value){constant, NULL};
}

static char *
form_text(Writer *writer, Node *form, const Rows *rows)
{
	return text_of(write_form(writer, form, rows), false);
}

static List *
form_texts(Writer *writer, List *forms, int first, const Rows *rows)
{
	List *texts = NIL;
	ListCell *cell;

	for_each_from (cell, forms, first)
		texts = lappend(texts, form_text(writer, lfirst(cell), rows));
	return texts;
}

/*
 * Logic
 */

static Value
constant_value(Const *constant)
{
	return (Value){constant, NULL};
}

static Value
text_value(char *text)
{
	return (Value){NULL, text};
}

/* A comparison, of which both sides are written. word: "~= =". */
static char *
comparison_text(const char *word, Value left_value, Value right_value)
{
	bool is_compared = word[0] == '~';
	char *left = text_of(left_value, is_compared);
	char *right = text_of(right_value, is_compared);
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
element_texts(Writer *writer, List *form, const Const *array, const Rows *rows)
{
	const char *word = strVal(lsecond(form));
	Value left = write_form(writer, lthird(form), rows);
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
		left.text = shortened(left.text);
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
empty_text(Writer *writer, List *form, const Const *array, const Rows *rows)
{
	return psprintf("(%s %s %s)",
					strcmp(strVal(linitial(form)), "%or") == 0 ? "any" : "all",
					form_text(writer, lthird(form), rows),
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
add_arm(Writer *writer, Node *form, const Rows *rows, Arms *arms)
{
	const char *word = IsA(form, List) && IsA(linitial((List *) form), String)
						   ? strVal(linitial((List *) form))
						   : "";
	const char *own = arms->is_and ? "and" : "or";
	Value value;
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
	value = write_form(writer, form, rows);
	if (value.constant == NULL)
		arms->texts = lappend(arms->texts, value.text);
	else if (value.constant->constisnull)
		arms->has_null = true;
	else if (DatumGetBool(value.constant->constvalue) != arms->is_and)
		arms->is_decided = true;
}

static Value
arms_value(Arms *arms)
{
	if (arms->is_decided)
		return constant_value((Const *) makeBoolConst(!arms->is_and, false));
	if (arms->texts == NIL)
		return constant_value(
			(Const *) makeBoolConst(arms->is_and, arms->has_null));
	if (arms->has_null)
		arms->texts = lappend(arms->texts, pstrdup("null"));
	arms->texts = distinct(arms->texts);
	if (list_length(arms->texts) == 1)
		return text_value(linitial(arms->texts));
	return text_value(join(arms->is_and ? "and" : "or", arms->texts));
}

/* AND of conditions. */
static Value
write_conditions(Writer *writer, List *forms, int first, const Rows *rows)
{
	Arms arms = {true, NIL, false, false};
	ListCell *cell;

	for_each_from (cell, forms, first)
		add_arm(writer, lfirst(cell), rows, &arms);
	return arms_value(&arms);
}

static Value
write_arms(Writer *writer, Node *form, bool is_and, const Rows *rows)
{
	Arms arms = {is_and, NIL, false, false};

	add_arm(writer, form, rows, &arms);
	return arms_value(&arms);
}

static Value
write_not(Value value)
{
	if (value.constant == NULL)
		return text_value(psprintf("(not %s)", value.text));
	if (value.constant->constisnull)
		return value;
	return constant_value((Const *) makeBoolConst(
		!DatumGetBool(value.constant->constvalue), false));
}

static Value
write_coalesce(Writer *writer, List *form, const Rows *rows)
{
	List *texts = NIL;
	Value value = {NULL, NULL};
	ListCell *cell;

	for_each_from (cell, form, 1)
	{
		value = write_form(writer, lfirst(cell), rows);
		if (value.constant != NULL && value.constant->constisnull)
			continue;
		if (value.constant != NULL && texts == NIL)
			return value;
		texts = lappend(texts, text_of(value, false));
		if (value.constant != NULL)
			break;
	}
	if (texts == NIL)
		return value; /* null */
	return text_value(list_length(texts) == 1 ? linitial(texts)
											  : join("coalesce", texts));
}

/* CASE without a subject. */
static Value
write_case(Writer *writer, List *form, const Rows *rows)
{
	List *texts = NIL;
	int i;

	for (i = 1; i + 1 < list_length(form); i += 2)
	{
		Value when = write_form(writer, list_nth(form, i), rows);

		if (when.constant != NULL)
		{
			if (when.constant->constisnull ||
				!DatumGetBool(when.constant->constvalue))
				continue;
			i++;
			break;
		}
		texts = lappend(texts, when.text);
		texts = lappend(texts, form_text(writer, list_nth(form, i + 1), rows));
	}
	i = Min(i, list_length(form) - 1);
	if (texts == NIL)
		return write_form(writer, list_nth(form, i), rows);
	texts = lappend(texts, form_text(writer, list_nth(form, i), rows));
	return text_value(join("case", texts));
}

/*
 * Rows
 */

/* Whether rows are those of one item. */
static bool
are_of_one_item(const List *from)
{
	return list_length(ITEMS(from)) == 1 && linitial(JOINS(from)) == NULL &&
		   CLASSES(from) == NIL && CONDITIONS(from) == NIL;
}

static char *
column_text(Writer *writer, const List *item, int column, const Rows *around)
{
	const char *kind = strVal(linitial(item));
	Rows rows = {NULL, around, NULL};
	void **text = memo(writer, item, column + 1);
	char *name;

	if (*text != NULL)
		return *text;
	if (strcmp(kind, "union") == 0)
		return psprintf("u%d", column);
	if (list_length(item) > 3)
		rows.from = lfourth(item);
	name = form_text(writer, list_nth(lthird(item), column), &rows);

	/* Other columns of one item are that item. */
	if (strcmp(kind, "rows") == 0 && are_of_one_item(rows.from) &&
		strncmp(name, "0.", 2) == 0)
		name += 2;
	return *text = shortened(name);
}

static char *
item_text(Writer *writer, const List *item, const Rows *around)
{
	const char *kind = strVal(linitial(item));
	const char *label;
	Rows rows = {NULL, around, NULL};
	char *beneath;

	dp_stack_enter();
	label =
		lsecond(item) == NULL ? "" : form_text(writer, lsecond(item), &rows);
	if (strcmp(kind, "scan") == 0 || strcmp(kind, "public") == 0)
		return pstrdup(label);
	rows.from = lfourth(item);
	if (strcmp(kind, "union") == 0)
		return join_all("union", form_texts(writer, lfourth(item), 0, around));
	beneath = rows_text(writer, rows.from, around);
	if (strcmp(kind, "rows") == 0)
		return beneath;
	if (strcmp(kind, "group") == 0)
	{
		List *keys =
			list_truncate(list_copy(lthird(item)), intVal(list_nth(item, 4)));

		return psprintf(
			"(group %s %s)", beneath,
			dp_text_join_sorted("by", form_texts(writer, keys, 0, &rows)));
	}
	return psprintf("(%s%s %s)", kind, label, beneath);
}

/* The text of an item as one that is joined, without conditions. */
static char *
source_text(Writer *writer, const List *from, int item, const Rows *around)
{
	const List *form = list_nth(ITEMS(from), item);
	void **text = memo(writer, form, 0);

	if (*text == NULL)
		*text = shortened(item_text(writer, form, around));
	return *text;
}

/* How an item is joined outer; NULL: it is not. */
static char *
join_text(Writer *writer, const Rows *rows, int item)
{
	List *join = list_nth(JOINS(rows->from), item);

	return join == NIL ? NULL
					   : text_of(write_conditions(writer, join, 1, rows), true);
}

static List *
class_texts(Writer *writer, const Rows *rows)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, CLASSES(rows->from))
		texts = lappend(texts, form_text(writer, lfirst(cell), rows));
	return texts;
}

/* What conditions say of an item. */
static char *
signature(Writer *writer, const Rows *rows, int item)
{
	List *texts;
	int i;

	writer->marked = rows->from;
	writer->marked_item = item;
	texts = class_texts(writer, rows);
	for (i = 0; i < list_length(ITEMS(rows->from)); i++)
	{
		char *on = join_text(writer, rows, i);

		if (on != NULL)
			texts = lappend(
				texts,
				psprintf("(on %s%s %s)", i == item ? "@" : "",
						 source_text(writer, rows->from, i, rows->around), on));
	}
	texts = lappend(texts, text_of(write_conditions(
									   writer, CONDITIONS(rows->from), 0, rows),
								   true));
	writer->marked = NULL;
	return shortened(join_all("of", texts));
}

/* An item with what its place depends on. */
typedef struct Place
{
	int item;
	bool is_outer;
	const char *text;
	const char *signature; /* NULL: not needed yet */
} Place;

static int
compare_places(const Place *a, const Place *b)
{
	int result = (int) a->is_outer - (int) b->is_outer;

	return result != 0 ? result : strcmp(a->text, b->text);
}

static bool
comes_before(Writer *writer, const Rows *rows, Place *a, Place *b)
{
	int result = compare_places(a, b);

	if (result != 0)
		return result < 0;
	if (a->signature == NULL)
		a->signature = signature(writer, rows, a->item);
	if (b->signature == NULL)
		b->signature = signature(writer, rows, b->item);
	return strcmp(a->signature, b->signature) < 0;
}

/* The items in their order: an array of their numbers. */
static int *
order_of(Writer *writer, const Rows *rows)
{
	void **known = memo(writer, rows->from, -1);
	int count = list_length(ITEMS(rows->from));
	int *order = palloc(count * sizeof(int));
	Place *places = palloc(count * sizeof(Place));
	int i;

	if (*known != NULL)
		return *known;
	for (i = 0; i < count; i++)
	{
		Place place = {i, list_nth(JOINS(rows->from), i) != NULL,
					   source_text(writer, rows->from, i, rows->around), NULL};
		int at = i;

		for (; at > 0 && comes_before(writer, rows, &place, &places[at - 1]);
			 at--)
			places[at] = places[at - 1];
		places[at] = place;
	}
	for (i = 0; i < count; i++)
		order[i] = places[i].item;
	return *known = order;
}

static int
place_of(Writer *writer, const Rows *rows, int item)
{
	const int *order = order_of(writer, rows);
	int place = 0;

	while (order[place] != item)
		place++;
	return place;
}

static char *
outer_text(const char *source, const char *on)
{
	return on == NULL ? pstrdup(source) : psprintf("(left %s %s)", source, on);
}

/* Rows whose items have their numbers, or none while one is marked. */
static char *
whole_rows_text(Writer *writer, const Rows *rows)
{
	int count = list_length(ITEMS(rows->from));
	const int *order = writer->marked == NULL ? order_of(writer, rows) : NULL;
	List *texts = NIL;
	Value conditions;
	int i;

	for (i = 0; i < count; i++)
	{
		int item = order == NULL ? i : order[i];

		texts = lappend(texts, outer_text(source_text(writer, rows->from, item,
													  rows->around),
										  join_text(writer, rows, item)));
	}
	if (order == NULL)
		list_sort(texts, compare_texts);
	texts = list_concat(texts, distinct(class_texts(writer, rows)));
	conditions = write_conditions(writer, CONDITIONS(rows->from), 0, rows);
	if (conditions.constant == NULL || conditions.constant->constisnull ||
		!DatumGetBool(conditions.constant->constvalue))
		texts =
			lappend(texts, psprintf("(where %s)", text_of(conditions, true)));
	return list_length(texts) == 1 ? linitial(texts) : join("from", texts);
}

static char *
rows_text(Writer *writer, const List *from, const Rows *around)
{
	Rows rows = {from, around, NULL};
	void **text = memo(writer, from, 0);

	dp_stack_enter();
	if (*text == NULL)
		*text = shortened(whole_rows_text(writer, &rows));
	return *text;
}

/* A column of rows by one of its names. */
static char *
name_text(Writer *writer, const Rows *rows, int depth, int item, int column)
{
	const Rows *of = rows;
	const char *text;
	const char *place;
	int i;

	if (depth == DP_TEXT_COMPARED)
		of = rows->compared;
	for (i = 0; i < depth; i++)
		of = of->around;
	text = column_text(writer, list_nth(ITEMS(of->from), item), column,
					   of->around);
	if (writer->marked == NULL)
		place = psprintf("%d", place_of(writer, of, item));
	else if (writer->marked == of->from && writer->marked_item == item)
		place = "@";
	else
		place = source_text(writer, of->from, item, of->around);
	if (depth == DP_TEXT_COMPARED)
		return psprintf("=%s.%s", place, text);
	return depth == 0 ? psprintf("%s.%s", place, text)
					  : psprintf("^%d.%s.%s", depth, place, text);
}

/* The least of a column's names. */
static char *
names_text(Writer *writer, List *form, const Rows *rows)
{
	char *least = NULL;
	int i;

	for (i = 1; i + 2 < list_length(form); i += 3)
	{
		char *text = name_text(writer, rows, intVal(list_nth(form, i)),
							   intVal(list_nth(form, i + 1)),
							   intVal(list_nth(form, i + 2)));

		if (least == NULL || strcmp(text, least) < 0)
			least = text;
	}
	return least;
}

static char *
subquery_text(Writer *writer, List *form, const Rows *rows)
{
	SubLinkType type = (SubLinkType) intVal(lsecond(form));
	Node *value = lfourth(form);
	Rows inner = {lthird(form), rows, NULL};
	Rows comparison = *rows;
	char *text = rows_text(writer, inner.from, rows);

	comparison.compared = &inner;
	return psprintf(
		"(sub%d %s %s)", (int) type, text,
		value == NULL ? "-"
					  : form_text(writer, value,
								  type == EXPR_SUBLINK ? &inner : &comparison));
}

static char *
with_text(Writer *writer, List *form, const Rows *around)
{
	Rows rows = {lsecond(form), around, NULL};
	char *text = rows_text(writer, rows.from, around);

	return join("with", lcons(text, form_texts(writer, form, 2, &rows)));
}

static Value
write_list(Writer *writer, List *form, const Rows *rows)
{
	const char *word = strVal(linitial(form));

	switch (word[0])
	{
		case '=':
			return text_value(
				join(word + 1, form_texts(writer, form, 1, rows)));
		case '&':
			return text_value(dp_text_join_sorted(
				word + 1, form_texts(writer, form, 1, rows)));
		case '|':
		case '%':
			return write_arms(writer, (Node *) form,
							  strcmp(word + 1, "and") == 0, rows);
		case '~':
		case ':':
			return text_value(
				comparison_text(word, write_form(writer, lsecond(form), rows),
								write_form(writer, lthird(form), rows)));
		case '!':
			return write_not(write_form(writer, lsecond(form), rows));
		case '@':
			return text_value(names_text(writer, form, rows));
		case 's':
			return text_value(subquery_text(writer, form, rows));
		case 'w':
			return text_value(with_text(writer, form, rows));
		case '?':
			if (strcmp(word, "?coalesce") == 0)
				return write_coalesce(writer, form, rows);
			if (strcmp(word, "?case") == 0)
				return write_case(writer, form, rows);
			return text_value(
				join(word + 1, form_texts(writer, form, 1, rows)));
		default:
			elog(ERROR, "unexpected word \"%s\" in a canonical form", word);
	}
}

static Value
write_form(Writer *writer, Node *form, const Rows *rows)
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
	HASHCTL control = {.keysize = sizeof(MemoKey),
					   .entrysize = sizeof(Memo),
					   .hcxt = CurrentMemoryContext};
	Writer writer = {.fill = fill, .context = context};
	Rows rows = {lsecond((const List *) form), NULL, NULL};
	List *texts;
	ListCell *cell;

	writer.memos = hash_create("canonical forms", 64, &control,
							   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	texts = list_make1(whole_rows_text(&writer, &rows));
	for_each_from (cell, (const List *) form, 2)
		texts = lappend(
			texts, text_of(write_form(&writer, lfirst(cell), &rows), true));
	hash_destroy(writer.memos);
	return texts;
}
