/*
 * public_sets.h
 *		Public rows that decide expressions over a question's rows.
 *
 * By their columns, and by columns that equal these in all rows
 * (gate/facts/equalities.h). What follows for values says public_values.h.
 */
#ifndef DP_GATE_FACTS_PUBLIC_SETS_H
#define DP_GATE_FACTS_PUBLIC_SETS_H

#include "gate/facts/facts.h"
#include "gate/tree/node.h"

/*
 * Public rows, and others that they determine: an inner join looks those up by a
 * unique key of theirs.
 */
typedef struct DpPublicSet
{
	List *members; /* const DpPublicRows; the first determines the others */
	List
		*links; /* pairs of const DpExpr over the question's rows: equal columns
					* by which they are looked up */
} DpPublicSet;

/*
 * The sets (const DpPublicSet) any of which decides an expression over a
 * question's rows by itself, those of most rows first. NIL: none does, or the
 * asker may not see all of them.
 */
extern List *dp_public_values_sources(const DpNode *rows, const DpExpr *expr);

/* Whether two sets are the same; they are of the same question. */
extern bool dp_public_values_are_same(const DpPublicSet *one,
									  const DpPublicSet *other);

/*
 * The following are for public_values.c.
 */

/*
 * The row that some expressions see, and the public rows they are looked for in,
 * whose columns are numbered one after the other.
 */
typedef struct DpPublicRow
{
	const DpColumnFact *facts; /* of its columns */
	const DpEqualities *equal;
	const DpPublicSet *set;
} DpPublicRow;

/* The row that a node's expressions see. */
extern DpPublicRow dp_public_row_of(const DpNode *node, const DpPublicSet *set);

/* The number of a set's column that a row's column is; -1: it is none. */
extern int dp_public_place_at(const DpPublicRow *row, int column);

/*
 * The same of one that it is or equals. is_whole: nothing is computed from it, so
 * that any of several equal values may stand for it.
 */
extern int dp_public_place_of(const DpPublicRow *row, const DpExpr *column,
							  bool is_whole);

/* The member that has a column of a set, its number, and the column's there. */
extern const DpPublicRows *dp_public_member_at(const DpPublicSet *set,
											   int place, int *number,
											   int *column);

/* A column of a set, as of the type that it is read as; and its own type. */
extern const DpExpr *dp_public_column(const DpPublicSet *set, int place,
									  DpType read);
extern DpType dp_public_type_at(const DpPublicSet *set, int place);

/* An expression over the columns of a set; NULL where others decide, too. */
extern const DpExpr *dp_public_over(const DpExpr *expr, const DpPublicRow *row);

/* Whether a node reads some public rows. */
extern bool dp_public_is_read(const DpNode *node, const DpNode *public);

/* Whether a row of nulls may stand in the place of public rows. */
extern bool dp_public_may_be_nulls(const DpNode *rows, const DpNode *public);

#endif
