/*
 * sets.h
 *		FROM as sets of entries that are joined inner.
 *
 * In which order inner joins are written, and whether a condition stands in WHERE
 * or in ON, does not matter: an entry is in a set, and a condition holds in all
 * rows of it. What is joined to a set by a left join is a set of its own.
 */
#ifndef DP_GATE_READ_SETS_H
#define DP_GATE_READ_SETS_H

#include "nodes/parsenodes.h"

typedef struct DpSet
{
	List *entries;	  /* their numbers in the range table, integers */
	List *conditions; /* ANDed: Node, as they are written */

	/*
	 * Those of left joins that are inner ones, a list for each. They are evaluated
	 * apart: where one is never true, the others still say what is equal.
	 */
	List *apart;
	List *outer; /* left joins onto it, in order: JoinExpr */
} DpSet;

/*
 * The set of what is joined inner in some nodes of FROM. condition: that holds in
 * it, too; may be NULL. Error: feature_not_supported for FULL JOIN.
 *
 * A left join is an inner one where an equation of the set is true only in rows
 * that matched.
 */
extern DpSet *dp_sets_of(Query *query, List *nodes, Node *condition);

/* The entries in a node of FROM. */
extern Bitmapset *dp_sets_entries(const Node *node);

/*
 * The entries whose columns a condition names. That these may be null by an outer
 * join, which later servers count as naming the join, is no part of that.
 */
extern Bitmapset *dp_sets_named(const Query *query, Node *condition);

/*
 * What follows from two equations of one column with others: that these are
 * equal, as equations. conditions, known: Node.
 */
extern List *dp_sets_implied(List *conditions, List *known);

#endif
