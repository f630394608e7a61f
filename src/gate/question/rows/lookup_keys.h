/*
 * lookup_keys.h
 *		Unique keys by which something public is looked up.
 *
 * Rows meet at most one row of a table whose unique key equals what is known of
 * them. An index only tells which columns that are: nothing is believed that
 * nobody checks.
 */
#ifndef DP_GATE_QUESTION_ROWS_LOOKUP_KEYS_H
#define DP_GATE_QUESTION_ROWS_LOOKUP_KEYS_H

#include "gate/question/relations/publics.h"
#include "gate/question/rows/rows.h"

/* What is known of a row of FROM: entries as a whole, and single columns. */
typedef struct DpKnown
{
	Bitmapset *places;
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
