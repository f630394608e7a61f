/*
 * order.h
 *		Whether a result could depend on the order in which rows are read, and
 *		so on other people's rows.
 *
 * It could: row_number() over rows that its ORDER BY does not tell apart; which
 * of 1.0 and 1.00 stands for a group; the last digits of a sum of floating-point
 * numbers. Such nodes are refused, or read as a form that does not depend on it.
 */
#ifndef DP_GATE_FACTS_ORDER_H
#define DP_GATE_FACTS_ORDER_H

#include "gate/tree/node.h"

typedef struct DpOrderFact
{
	bool depends;	  /* it may */
	int location;	  /* of what does */
	const char *what; /* for the message; NULL */
} DpOrderFact;

extern DpOrderFact dp_order_of(const DpNode *node);

/*
 * Whether values of this type that are equal can be told apart, so that which of
 * them stands for others matters: numeric, floating-point numbers, padded texts,
 * times with zones ...
 */
extern bool dp_order_has_twins(Oid type);

#endif
