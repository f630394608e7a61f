/*
 * sets.h
 *		FROM as sets of entries that are joined inner.
 */
#ifndef DP_GATE_READ_SETS_H
#define DP_GATE_READ_SETS_H

#include "gate/read/scope.h"
#include "server/compat.h"

/* What is joined inner in some nodes of FROM. */
typedef struct DpSet
{
	List *entries;	  /* their numbers in the range table, integers */
	List *items;	  /* beside: of which node in FROM they are, from 1 */
	List *conditions; /* ANDed: Node, as they are written */

	/*
	 * Those of left joins that are inner ones, a list for each. They are evaluated
	 * apart: where one is never true, the others still say what is equal.
	 */
	List *apart;
	List *
		outer; /* left joins onto it, in order: JoinExpr; full ones among them, of
				  * which the owned side is the left one */
} DpSet;

/*
 * The set of what is joined inner in some nodes of FROM. condition: that holds in
 * it, too; may be NULL. A left join is an inner one where an equation of the set is
 * true only in rows that matched. Error: feature_not_supported for FULL JOIN, but
 * of what is owned and what is public.
 */
extern DpSet *dp_sets_of(Query *query, List *nodes, Node *condition);

/* Refuses a FULL JOIN. */
pg_noreturn extern void dp_sets_refuse_full(const JoinExpr *join);

/* The entries in a node of FROM. */
extern Bitmapset *dp_sets_entries(const Node *node);

/* All conditions of a set as one list. */
extern List *dp_sets_conditions(const DpSet *set);

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
