/*
 * constants.c
 *		Values that are found before a question is asked.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "gate/read/constants.h"

Param *
dp_constants_take(DpPlanning *planning, const Node *expr, Query *query)
{
	Param *param = makeNode(Param);

	param->paramkind = PARAM_EXTERN;
	param->paramid = planning->next_parameter++;
	param->paramtype = exprType(expr);
	param->paramtypmod = exprTypmod(expr);
	param->paramcollid = exprCollation(expr);
	param->location = exprLocation(expr);
	planning->constants = lappend(planning->constants, query);
	planning->constant_numbers =
		lappend_int(planning->constant_numbers, param->paramid);
	return param;
}

Param *
dp_constants_take_of_asker(DpPlanning *planning, const Node *expr)
{
	Query *query = makeNode(Query);

	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->jointree = makeFromExpr(NIL, NULL);
	query->targetList = list_make1(
		makeTargetEntry((Expr *) copyObject(expr), 1, pstrdup("c1"), false));
	return dp_constants_take(planning, expr, query);
}
