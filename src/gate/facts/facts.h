/*
 * facts.h
 *		What is known of a node's rows.
 *
 * Each fact is a function of the node and of its inputs' facts, one file a
 * fact, with its argument in the header. All of them are found when the node is
 * made, and never change. Facts refuse nothing: where there is no rule they say
 * so, and reading the question refuses it (gate/read/).
 */
#ifndef DP_GATE_FACTS_FACTS_H
#define DP_GATE_FACTS_FACTS_H

#include "gate/facts/equalities.h"
#include "gate/facts/keys.h"
#include "gate/facts/order.h"
#include "gate/facts/owner.h"
#include "gate/facts/range.h"
#include "gate/tree/node.h"

typedef struct DpFacts
{
	DpOwner owner;		 /* whose the rows are */
	DpEqualities *equal; /* columns that are equal in all rows */
	DpRowKeys keys;		 /* columns in which no two rows of a unit agree */
	DpColumnFact
		*columns; /* of each column: its values and whether it may be null */
	DpOrderFact order; /* whether its rows depend on the order of others */
} DpFacts;

/*
 * Finds all facts of a node that was just made, and returns it. Sets
 * node->add_facts to itself, so that changed copies get theirs, too.
 */
extern const DpNode *dp_facts_add(DpNode *node);

#endif
