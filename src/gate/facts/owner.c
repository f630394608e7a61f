/*
 * owner.c
 *		Whose a node's rows are.
 */
#include "postgres.h"

#include "gate/facts/facts.h"

DpOwner
dp_owner_of_node(const DpNode *node, const DpEqualities *equal)
{
	(void) node;
	(void) equal;
	elog(ERROR, "not yet");
}

bool
dp_owner_same_unit(const DpOwner *one, const DpOwner *other,
				   const DpEqualities *equal, bool *crosses)
{
	(void) one;
	(void) other;
	(void) equal;
	(void) crosses;
	elog(ERROR, "not yet");
}

bool
dp_owner_is_determined(const DpOwner *owner, const DpEqualities *equal,
					   List *exprs)
{
	(void) owner;
	(void) equal;
	(void) exprs;
	elog(ERROR, "not yet");
}

bool
dp_owner_of_subquery(const DpExpr *expr, const DpOwner *row_owner,
					 const DpEqualities *row_equal, bool *crosses)
{
	(void) expr;
	(void) row_owner;
	(void) row_equal;
	(void) crosses;
	elog(ERROR, "not yet");
}

const DpUnitName *
dp_owner_value_name(const DpOwner *owner)
{
	ListCell *cell;

	foreach (cell, owner->names)
	{
		const DpUnitName *name = lfirst(cell);

		if (name->population != 0)
			return name;
	}
	return NULL;
}
