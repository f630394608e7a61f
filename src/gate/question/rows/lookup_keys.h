/*
 * lookup_keys.h
 *		Unique keys by which public rows are looked up.
 *
 * A row matches at most one row of a table whose unique key is compared with
 * values that the row determines. The index only tells which columns are the
 * key: that its values are unique is checked, not trusted.
 */
#ifndef DP_GATE_QUESTION_ROWS_LOOKUP_KEYS_H
#define DP_GATE_QUESTION_ROWS_LOOKUP_KEYS_H

#include "gate/question/relations/publics.h"
#include "gate/question/rows/rows.h"

/* What is known of a row of FROM: entries as a whole, and single columns. */
typedef struct DpKnown
{
	Bitmapset *rtindexes;
	List *columns; /* Var */
} DpKnown;

/* Whether an expression is made of what is known, without sub-queries. */
extern bool dp_gate_is_known(const Node *expression, const DpKnown *known);

/*
 * The columns of a unique key of something public that equal what is known, by
 * the conditions it is joined by; NIL: there is none.
 */
extern List *dp_gate_find_key(const DpPublicJoin *join, const DpPublic *public,
							  const DpKnown *known);

#endif
