/*
 * parameter.c
 *		Reads the parameters of private aggregates.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/read/parameter.h"
#include "gate/read/parts.h"
#include "gate/relations/publics.h"
#include "gate/relations/refusal.h"
#include "gate/relations/shown.h"
#include "server/queries.h"
#include "server/search.h"

static DpVisit
find_most(Node *node, const List *around, void *most)
{
	(void) around;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		*(int *) most = Max(*(int *) most, ((Param *) node)->paramid);
	return DP_VISIT_PARTS;
}

int
dp_parameter_first(Query *statement, ParamListInfo params)
{
	int most = params == NULL ? 0 : params->numParams;

	(void) dp_search((Node *) statement, find_most, &most, 0);
	return most + 1;
}

/*
 * A public aggregate over all rows is left to copies, where it has one row. So
 * is what a view reads with its owner's rights: as a parameter its value could
 * be that of a key, and whoever asks the same with a value written out would
 * learn whether they have guessed it.
 */
bool
dp_parameter_is_value(const SubLink *link)
{
	Query *query = castNode(Query, link->subselect);

	return link->subLinkType == EXPR_SUBLINK &&
		   (dp_publics_reads_release(query) ||
			!dp_publics_has_one_row(query)) &&
		   !dp_publics_reads_protected(query) &&
		   !dp_publics_refers_outward(query) && dp_shown_all(query);
}

/* Beneath a release these would be evaluated as the owner. */
bool
dp_parameter_is_of_asker(const Node *node)
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

/* What may differ between two evaluations. */
static bool
varies(Node *node, void *context)
{
	(void) context;
	switch (nodeTag(node))
	{
		case T_Const:
			return false;
		case T_Param:
			return ((Param *) node)->paramkind != PARAM_EXTERN;
		case T_FuncExpr:
			return ((FuncExpr *) node)->funcid >= FirstNormalObjectId ||
				   func_volatile(((FuncExpr *) node)->funcid) !=
					   PROVOLATILE_IMMUTABLE;
		case T_RelabelType:
		case T_ArrayExpr:
		case T_List:
			return false;
		default:
			return true;
	}
}

/*
 * Puts parameters in the place of values that are found before. Other
 * sub-queries are read for what is wrong with themselves, and refused after.
 */
static Node *
take_value(Node *node, int depth, void *context)
{
	DpScope *scope = context;

	(void) depth;
	if (dp_parameter_is_of_asker(node))
		return (Node *) dp_parameter_of_asker(scope->planning, node);
	if (IsA(node, SubLink))
	{
		SubLink *link = (SubLink *) node;

		if (dp_parameter_is_value(link))
			return (Node *) dp_parameter_of_query(scope->planning, node,
												  (Query *) link->subselect);
		(void) scope->readers->sublink(scope, link);
		return node;
	}
	return NULL;
}

void
dp_parameter_check(Node *node, int location)
{
	if (dp_search_any(node, varies, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("parameters of a private aggregate over a protected "
						"relation must be constants or query parameters"),
				 errhint("Write a constant or a query parameter such as $1."),
				 dp_refusal_position(location)));
}

Node *
dp_parameter_take(DpScope *scope, Node *node)
{
	node = dp_search_replace(node, take_value, scope);
	dp_parameter_check(node, exprLocation(node));
	return node;
}

const DpExpr *
dp_parameter_read(Node *node)
{
	if (IsA(node, Const))
		return dp_parts_make_constant(node);
	if (IsA(node, Param))
		return dp_parts_make_parameter(node);
	return dp_parts_make_moment(node);
}

/*
 * Values that are found before a question is asked.
 */

Param *
dp_parameter_of_query(DpPlanning *planning, const Node *expr, Query *query)
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
dp_parameter_of_asker(DpPlanning *planning, const Node *expr)
{
	Query *query = dp_query_make();

	(void) dp_query_add_target(query, copyObject((Node *) expr), NULL);
	return dp_parameter_of_query(planning, expr, query);
}
