/*
 * facts.c
 *		What is known of a node's rows.
 */
#include "postgres.h"

#include "gate/facts/facts.h"

const DpNode *
dp_facts_add(DpNode *node)
{
	DpFacts *facts = palloc0(sizeof(DpFacts));

	Assert(node->facts == NULL);
	facts->owner = dp_owner_of_node(node, dp_equalities_of_row(node));
	facts->equal = dp_equalities_of(node);
	node->facts = facts;
	node->add_facts = dp_facts_add;
	facts->keys = dp_keys_of(node);
	facts->columns = dp_range_of_columns(node);
	facts->order = dp_order_of(node);
	return node;
}
