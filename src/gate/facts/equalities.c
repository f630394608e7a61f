/*
 * equalities.c
 *		Which columns are equal in all rows of a node.
 */
#include "postgres.h"

#include "gate/facts/facts.h"

DpEqualities *
dp_equalities_of(const DpNode *node)
{
	(void) node;
	elog(ERROR, "not yet");
}

DpEqualities *
dp_equalities_of_row(const DpNode *node)
{
	(void) node;
	elog(ERROR, "not yet");
}

bool
dp_equalities_equates(const DpExpr *condition, const DpExpr *column)
{
	(void) condition;
	(void) column;
	elog(ERROR, "not yet");
}

DpEqualities *
dp_equalities_learn(DpEqualities *known, const DpExpr *condition)
{
	(void) known;
	(void) condition;
	elog(ERROR, "not yet");
}

DpEqualities *
dp_equalities_add(DpEqualities *known, const DpExpr *one, const DpExpr *other)
{
	(void) known;
	(void) one;
	(void) other;
	elog(ERROR, "not yet");
}

DpEqualities *
dp_equalities_join(DpEqualities *known, const DpEqualities *more)
{
	(void) known;
	(void) more;
	elog(ERROR, "not yet");
}

DpEqualities *
dp_equalities_copy(const DpEqualities *known)
{
	return list_copy(known);
}

DpEqualities *
dp_equalities_shift(const DpEqualities *known, int columns)
{
	(void) known;
	(void) columns;
	elog(ERROR, "not yet");
}

DpEqualities *
dp_equalities_deepen(const DpEqualities *known)
{
	(void) known;
	elog(ERROR, "not yet");
}

bool
dp_equalities_has(const DpEqualities *known, DpColumnName one,
				  DpColumnName other)
{
	(void) known;
	(void) one;
	(void) other;
	elog(ERROR, "not yet");
}

Bitmapset *
dp_equalities_of_column(const DpEqualities *known, int number)
{
	(void) known;
	(void) number;
	elog(ERROR, "not yet");
}
