/*
 * few.h
 *		Rows of few different values as a histogram.
 *
 *		SELECT columns, count(*) FROM relation WHERE ... GROUP BY columns
 *
 * Where bounds, types and the domains of keys leave few points for what a statement
 * needs of a row, the nodes count the rows at each. Some aggregates take the numbers;
 * for others each point is read as often as it was counted. So every aggregate is
 * computed as of the rows themselves, in the memory that it takes for them.
 */
#ifndef DP_GATE_RUN_NODES_FEW_H
#define DP_GATE_RUN_NODES_FEW_H

#include "gate/bound/outline.h"
#include "gate/run/nodes/node_asked.h"

/*
 * Brings the arguments of a reader's aggregates between their bounds, which these do
 * themselves. Returns what has then few values: DpFewValues.
 */
extern List *dp_few_bound(Query *reader);

typedef struct DpFewValues
{
	Node *expression;
	double values;
} DpFewValues;

/* Whether what is asked, without aggregates, has few points. keys: of the reader. */
extern bool dp_few_points(const DpNodeAsked *asked, const List *bounded,
						  const Query *reader, const DpOutline *outline);

/* Whether all aggregates of a reader are of sets of values, each value once. */
extern bool dp_few_are_sets(const Query *reader);

/*
 * Makes a reader's aggregates take the number of rows with each value, if all of them
 * can; else false, and nothing is changed.
 */
extern bool dp_few_weigh(Query *reader, Node *number);

/*
 * An entry of FROM that has the rows of a copy, by its entry, each as often as its last
 * column says.
 */
extern RangeTblEntry *dp_few_unfold(RangeTblEntry *copy, const Query *rows);

#endif
