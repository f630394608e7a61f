/*
 * constants.c
 *		Sub-queries as values that are found before a question is asked.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"

#include "gate/question/expressions/constants.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/shown.h"

/*
 * The number of the next parameter that stands for one. Set for each statement
 * that is planned, and restored when its planning ends, also with an error.
 */
static int next = 1;

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
dp_gate_first_constant(Query *statement, ParamListInfo params)
{
	int most = params == NULL ? 0 : params->numParams;

	(void) most_walker((Node *) statement, &most);
	return most + 1;
}

int
dp_gate_begin_constants(int first)
{
	int before = next;

	next = first;
	return before;
}

void
dp_gate_end_constants(int before)
{
	next = before;
}

int
dp_gate_take_parameters(int count)
{
	int first = next;

	next += count;
	return first;
}

/*
 * A public aggregate over all rows is left to copies, where it has one row. So
 * is what a view reads with its owner's rights: as a parameter its value could
 * be that of a key, and whoever asks the same with a value written out would
 * learn whether they have guessed it.
 */
bool
dp_gate_is_constant(const SubLink *link)
{
	Query *query = castNode(Query, link->subselect);

	return link->subLinkType == EXPR_SUBLINK &&
		   (dp_gate_reads_release(query) || !dp_gate_has_one_row(query)) &&
		   !dp_gate_reads_protected(query) && !dp_gate_refers_outward(query) &&
		   dp_gate_shows_all(query);
}

/* What stands for the value of an expression, found by a query. */
static Param *
add_constant(const Node *node, Query *query, DpRelations *relations)
{
	Param *param = makeNode(Param);

	param->paramkind = PARAM_EXTERN;
	param->paramid = next++;
	param->paramtype = exprType(node);
	param->paramtypmod = exprTypmod(node);
	param->paramcollid = exprCollation(node);
	param->location = exprLocation(node);
	relations->constants = lappend(relations->constants, query);
	relations->constant_numbers =
		lappend_int(relations->constant_numbers, param->paramid);
	return param;
}

Param *
dp_gate_take_constant(const SubLink *link, DpRelations *relations)
{
	return add_constant((const Node *) link,
						(Query *) copyObject(link->subselect), relations);
}

/* Beneath a release these would be evaluated as the owner. */
bool
dp_gate_is_of_asker(const Node *node)
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
dp_gate_take_of_asker(Node *node, DpRelations *relations)
{
	Query *query = makeNode(Query);

	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->jointree = makeFromExpr(NIL, NULL);
	query->targetList = list_make1(
		makeTargetEntry((Expr *) copyObject(node), 1, pstrdup("c1"), false));
	return add_constant(node, query, relations);
}
