/*
 * constants.c
 *		Values that are found before a question is asked.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"

#include "gate/question/relations/publics.h"
#include "gate/question/relations/shown.h"
#include "gate/read/constants.h"

static bool
most_walker(Node *node, int *most)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
	{
		*most = Max(*most, ((Param *) node)->paramid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, most_walker, most, 0);
	return expression_tree_walker(node, most_walker, most);
}

int
dp_constants_first(Query *statement, ParamListInfo params)
{
	int most = params == NULL ? 0 : params->numParams;

	(void) most_walker((Node *) statement, &most);
	return most + 1;
}

/*
 * A public aggregate over all rows is left to copies, where it has one row. So
 * is what a view reads with its owner's rights: as a parameter its value could
 * be that of a key, and whoever asks the same with a value written out would
 * learn whether they have guessed it.
 */
bool
dp_constants_is(const SubLink *link)
{
	Query *query = castNode(Query, link->subselect);

	return link->subLinkType == EXPR_SUBLINK &&
		   (dp_gate_reads_release(query) || !dp_gate_has_one_row(query)) &&
		   !dp_gate_reads_protected(query) && !dp_gate_refers_outward(query) &&
		   dp_gate_shows_all(query);
}

/* Beneath a release these would be evaluated as the owner. */
bool
dp_constants_is_of_asker(const Node *node)
{
	ListCell *cell;

	if (IsA(node, SQLValueFunction))
		return ((const SQLValueFunction *) node)->type == NAMEOID;
	if (IsA(node, FuncExpr) &&
		((const FuncExpr *) node)->funcid == F_CURRENT_DATABASE)
		return true;
	if (!IsA(node, FuncExpr) ||
		(((const FuncExpr *) node)->funcid != F_CURRENT_SETTING_TEXT &&
		 ((const FuncExpr *) node)->funcid != F_CURRENT_SETTING_TEXT_BOOL))
		return false;
	foreach (cell, ((const FuncExpr *) node)->args)
	{
		if (!IsA(lfirst(cell), Const))
			return false;
	}
	return true;
}

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
