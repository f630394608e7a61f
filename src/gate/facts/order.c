/*
 * order.c
 *		Whether a result could depend on the order in which rows are read.
 */
#include "postgres.h"

#include "gate/facts/facts.h"

DpOrderFact
dp_order_of(const DpNode *node)
{
	(void) node;
	elog(ERROR, "not yet");
}

bool
dp_order_has_twins(Oid type)
{
	(void) type;
	elog(ERROR, "not yet");
}
