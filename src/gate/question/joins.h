/*
 * joins.h
 *		The joins of a block: protected relations to each other, and to tables
 *		that are looked up.
 */
#ifndef DP_GATE_QUESTION_JOINS_H
#define DP_GATE_QUESTION_JOINS_H

#include "gate/question/subjects.h"

/* What was made of a block's joins. */
typedef struct DpJoins
{
	List *conditions; /* of inner joins, besides WHERE: to be checked, asked */
	List *rows;		  /* of Query: the rows of each joined table */
	List *keys; /* beside: IntList, the columns of each by which it is joined */
} DpJoins;

/*
 * Resolves the joins of a block over some protected relations, and sets the
 * rest of what is known of these. Accepted are inner and outer joins (with a
 * protected relation on the preserved side) of protected relations on equal
 * privacy units (gate/question/unit_joins.h), and of these to ordinary tables that are
 * not protected, where equalities cover a unique key of the table: every
 * protected row meets at most one row of it. An index only tells which columns
 * these are; that no two rows have the same is seen when they are read
 * (gate/release/unique_rows.h).
 *
 * In targets, HAVING and WHERE, which is folded, columns of such tables become lookups
 * (gate/question/lookup.h). FROM reads, instead of each table, the rows of the query of
 * that place in `rows`, an ordinary query of the user's own, by the name
 * dp_gate_lookup_name.
 *
 * Errors: feature_not_supported, with a hint; insufficient_privilege when the
 * user may not read a table.
 */
extern DpJoins dp_gate_resolve_joins(Query *query, DpSubjects *subjects);

/* The name, while a statement runs, of the rows of the table of that place. */
extern char *dp_gate_lookup_name(int place);

/* True for such a name. */
extern bool dp_gate_is_lookup_name(const char *name);

#endif
