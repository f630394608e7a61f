/*
 * keys.c
 *		Columns that no two rows of a unit agree in.
 */
#include "postgres.h"

#include "gate/facts/facts.h"

DpRowKeys
dp_keys_of(const DpNode *node, const DpEqualities *equal)
{
	(void) node;
	(void) equal;
	elog(ERROR, "not yet");
}

bool
dp_keys_one_row(const DpNode *rows, List *exprs)
{
	(void) rows;
	(void) exprs;
	elog(ERROR, "not yet");
}

bool
dp_keys_one_group(const DpNode *rows, List *exprs)
{
	(void) rows;
	(void) exprs;
	elog(ERROR, "not yet");
}

bool
dp_keys_units_are_rows(const DpNode *rows, List **looked_up, List **by)
{
	(void) rows;
	(void) looked_up;
	(void) by;
	elog(ERROR, "not yet");
}
