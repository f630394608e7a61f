/*
 * text_writer.h
 *		What canonical forms are written with: for the files that do.
 */
#ifndef DP_GATE_FACTS_TEXT_WRITER_H
#define DP_GATE_FACTS_TEXT_WRITER_H

#include "utils/hsearch.h"

#include "gate/facts/text.h"
#include "gate/facts/text_forms.h"

typedef struct DpTextWriter
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
} DpTextWriter;

/* The rows that columns are of, and those around. */
typedef struct DpTextRow
{
	const List *from;
	const struct DpTextRow *around;
	const struct DpTextRow *compared;
} DpTextRow;

/* What has been written: a constant, or a text. */
typedef struct DpTextValue
{
	Const *constant;
	char *text;
} DpTextValue;

/* A table for texts that are asked for again and again, within others. */
extern HTAB *dp_text_memos(void);

/* In text_write.c: forms over rows, and texts. */
extern DpTextValue dp_text_form(DpTextWriter *writer, Node *form,
								const DpTextRow *rows);
extern char *dp_text_form_text(DpTextWriter *writer, Node *form,
							   const DpTextRow *rows);
extern List *dp_text_form_texts(DpTextWriter *writer, List *forms, int first,
								const DpTextRow *rows);
extern DpTextValue dp_text_conditions(DpTextWriter *writer, List *forms,
									  int first, const DpTextRow *rows);
extern char *dp_text_of_value(DpTextValue value, bool is_compared);
extern char *dp_text_shortened(char *text);

/* "(word a b ...)": in this order, or sorted. */
extern char *dp_text_join(const char *word, List *texts);
extern char *dp_text_join_all(const char *word, List *texts);

/* Byte by byte, for list_sort. */
extern int dp_text_compare(const ListCell *a, const ListCell *b);

/* Sorts texts, and leaves each once. */
extern List *dp_text_distinct(List *texts);

/* In text_rows.c: rows, whole or, if that is long, by a hash. */
extern char *dp_text_whole_rows(DpTextWriter *writer, const DpTextRow *rows);
extern char *dp_text_rows_text(DpTextWriter *writer, const List *from,
							   const DpTextRow *around);

/* Forms that begin with "@", "sub" and "with". */
extern char *dp_text_names(DpTextWriter *writer, List *form,
						   const DpTextRow *rows);
extern char *dp_text_subquery(DpTextWriter *writer, List *form,
							  const DpTextRow *rows);
extern char *dp_text_with(DpTextWriter *writer, List *form,
						  const DpTextRow *around);

#endif
