/*
 * canonical_texts.h
 *		Values as texts, and how texts are put together.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_CANONICAL_TEXTS_H
#define DP_GATE_QUESTION_EXPRESSIONS_CANONICAL_TEXTS_H

#include "nodes/pg_list.h"

/*
 * A value as text. Where it is compared, numbers of equal value have one,
 * whatever their type and however they are written, with all digits that they
 * have, and so have zeros of either sign and padded texts; elsewhere the
 * digits that a numeric shows, the spaces of a padded text and the sign of a
 * zero make a difference. Errors: program_limit_exceeded.
 */
extern char *dp_gate_value_text(Oid type, Datum value, bool isnull,
								bool is_compared);

/*
 * A text with its length, so that its contents cannot be taken for structure.
 */
extern char *dp_gate_delimited(char letter, const char *text);

/* "(word a b ...)" of sorted texts, none of them left out. */
extern char *dp_gate_join_all(const char *word, List *texts);

/* The same of distinct ones; a single one stands alone. */
extern char *dp_gate_join_sorted(const char *word, List *texts);

#endif
