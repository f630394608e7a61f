/*
 * text_rows.c
 *		The rows of canonical forms as texts.
 *
 * The items of FROM are numbered in an order of their own: by what they are; and
 * of those that are the same, by what conditions say of them. Where that does
 * not tell them apart either, the order in which they are written decides: the
 * numbers are in the text, so it says the same in any order.
 */
#include "postgres.h"

#include "gate/facts/text_writer.h"
#include "server/stack.h"

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

HTAB *
dp_text_memos(void)
{
	HASHCTL control = {.keysize = sizeof(MemoKey),
					   .entrysize = sizeof(Memo),
					   .hcxt = CurrentMemoryContext};

	return hash_create("canonical forms", 64, &control,
					   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/* Where a result is kept, and stays; NULL in it: it is not known yet. */
static void **
memo(DpTextWriter *writer, const void *form, int part)
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

/* Whether rows are those of one item. */
static bool
are_of_one_item(const List *from)
{
	return list_length(ITEMS(from)) == 1 && linitial(JOINS(from)) == NULL &&
		   CLASSES(from) == NIL && CONDITIONS(from) == NIL;
}

static char *
column_text(DpTextWriter *writer, const List *item, int column,
			const DpTextRow *around)
{
	const char *kind = strVal(linitial(item));
	DpTextRow rows = {NULL, around, NULL};
	void **text = memo(writer, item, column + 1);
	char *name;

	if (*text != NULL)
		return *text;
	if (strcmp(kind, "union") == 0)
		return psprintf("u%d", column);
	if (list_length(item) > 3)
		rows.from = lfourth(item);
	name = dp_text_form_text(writer, list_nth(lthird(item), column), &rows);

	/* Other columns of one item are that item. */
	if (strcmp(kind, "rows") == 0 && are_of_one_item(rows.from) &&
		strncmp(name, "0.", 2) == 0)
		name += 2;
	return *text = dp_text_shortened(name);
}

static char *
item_text(DpTextWriter *writer, const List *item, const DpTextRow *around)
{
	const char *kind = strVal(linitial(item));
	const char *label;
	DpTextRow rows = {NULL, around, NULL};
	char *beneath;

	dp_stack_enter();
	label = lsecond(item) == NULL
				? ""
				: dp_text_form_text(writer, lsecond(item), &rows);
	if (strcmp(kind, "scan") == 0 || strcmp(kind, "public") == 0)
		return pstrdup(label);
	rows.from = lfourth(item);
	if (strcmp(kind, "union") == 0)
		return dp_text_join_all(
			"union", dp_text_form_texts(writer, lfourth(item), 0, around));
	beneath = dp_text_rows_text(writer, rows.from, around);
	if (strcmp(kind, "rows") == 0)
		return beneath;
	if (strcmp(kind, "group") == 0)
	{
		List *keys =
			list_truncate(list_copy(lthird(item)), intVal(list_nth(item, 4)));

		return psprintf("(group %s %s)", beneath,
						dp_text_join_sorted(
							"by", dp_text_form_texts(writer, keys, 0, &rows)));
	}
	return psprintf("(%s%s %s)", kind, label, beneath);
}

/* The text of an item as one that is joined, without conditions. */
static char *
source_text(DpTextWriter *writer, const List *from, int item,
			const DpTextRow *around)
{
	const List *form = list_nth(ITEMS(from), item);
	void **text = memo(writer, form, 0);

	if (*text == NULL)
		*text = dp_text_shortened(item_text(writer, form, around));
	return *text;
}

/* How an item is joined outer; NULL: it is not. */
static char *
join_text(DpTextWriter *writer, const DpTextRow *rows, int item)
{
	List *join = list_nth(JOINS(rows->from), item);

	return join == NIL ? NULL
					   : dp_text_of_value(
							 dp_text_conditions(writer, join, 1, rows), true);
}

static List *
class_texts(DpTextWriter *writer, const DpTextRow *rows)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, CLASSES(rows->from))
		texts = lappend(texts, dp_text_form_text(writer, lfirst(cell), rows));
	return texts;
}

/* What conditions say of an item. */
static char *
signature(DpTextWriter *writer, const DpTextRow *rows, int item)
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
	texts = lappend(
		texts,
		dp_text_of_value(
			dp_text_conditions(writer, CONDITIONS(rows->from), 0, rows), true));
	writer->marked = NULL;
	return dp_text_shortened(dp_text_join_all("of", texts));
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
comes_before(DpTextWriter *writer, const DpTextRow *rows, Place *a, Place *b)
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
order_of(DpTextWriter *writer, const DpTextRow *rows)
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
place_of(DpTextWriter *writer, const DpTextRow *rows, int item)
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

/* DpTextRow whose items have their numbers, or none while one is marked. */
char *
dp_text_whole_rows(DpTextWriter *writer, const DpTextRow *rows)
{
	int count = list_length(ITEMS(rows->from));
	const int *order = writer->marked == NULL ? order_of(writer, rows) : NULL;
	List *texts = NIL;
	DpTextValue conditions;
	int i;

	for (i = 0; i < count; i++)
	{
		int item = order == NULL ? i : order[i];

		texts = lappend(texts, outer_text(source_text(writer, rows->from, item,
													  rows->around),
										  join_text(writer, rows, item)));
	}
	if (order == NULL)
		list_sort(texts, dp_text_compare);
	texts = list_concat(texts, dp_text_distinct(class_texts(writer, rows)));
	conditions = dp_text_conditions(writer, CONDITIONS(rows->from), 0, rows);
	if (conditions.constant == NULL || conditions.constant->constisnull ||
		!DatumGetBool(conditions.constant->constvalue))
		texts = lappend(
			texts, psprintf("(where %s)", dp_text_of_value(conditions, true)));
	return list_length(texts) == 1 ? linitial(texts)
								   : dp_text_join("from", texts);
}

char *
dp_text_rows_text(DpTextWriter *writer, const List *from,
				  const DpTextRow *around)
{
	DpTextRow rows = {from, around, NULL};
	void **text = memo(writer, from, 0);

	dp_stack_enter();
	if (*text == NULL)
		*text = dp_text_shortened(dp_text_whole_rows(writer, &rows));
	return *text;
}

/* A column of rows by one of its names. */
static char *
name_text(DpTextWriter *writer, const DpTextRow *rows, int depth, int item,
		  int column)
{
	const DpTextRow *of = rows;
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
char *
dp_text_names(DpTextWriter *writer, List *form, const DpTextRow *rows)
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

char *
dp_text_subquery(DpTextWriter *writer, List *form, const DpTextRow *rows)
{
	SubLinkType type = (SubLinkType) intVal(lsecond(form));
	Node *value = lfourth(form);
	DpTextRow inner = {lthird(form), rows, NULL};
	DpTextRow comparison = *rows;
	char *text = dp_text_rows_text(writer, inner.from, rows);

	comparison.compared = &inner;
	return psprintf(
		"(sub%d %s %s)", (int) type, text,
		value == NULL
			? "-"
			: dp_text_form_text(writer, value,
								type == EXPR_SUBLINK ? &inner : &comparison));
}

char *
dp_text_with(DpTextWriter *writer, List *form, const DpTextRow *around)
{
	DpTextRow rows = {lsecond(form), around, NULL};
	char *text = dp_text_rows_text(writer, rows.from, around);

	return dp_text_join(
		"with", lcons(text, dp_text_form_texts(writer, form, 2, &rows)));
}
