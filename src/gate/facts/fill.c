/*
 * fill.c
 *		Values in place of expressions without columns, as an execution has them.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "gate/facts/fill.h"
#include "server/search.h"

/* The value of a parameter. */
static Node *
value_of(Param *param, ParamListInfo params)
{
	ParamExternData *value;
	ParamExternData room;
	int16 length;
	bool by_value;

	if (params == NULL || param->paramid > params->numParams)
		ereport(
			ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("no value found for parameter %d", param->paramid),
			 errhint("The price of a question can depend on its parameters: "
					 "use EXPLAIN EXECUTE with their values.")));
	value = params->paramFetch != NULL
				? params->paramFetch(params, param->paramid, false, &room)
				: &params->params[param->paramid - 1];
	if (value->ptype != param->paramtype)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("parameter %d is of type %s, but the statement was "
						"planned for type %s",
						param->paramid, format_type_be(value->ptype),
						format_type_be(param->paramtype)),
				 errhint("Cast it to one type in the statement.")));
	get_typlenbyval(param->paramtype, &length, &by_value);
	return (Node *) makeConst(param->paramtype, param->paramtypmod,
							  param->paramcollid, length, value->value,
							  value->isnull, by_value);
}

static Node *
fill_param(Node *node, int depth, void *params)
{
	(void) depth;
	return IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN
			   ? value_of((Param *) node, params)
			   : NULL;
}

Node *
dp_fill_params(Node *node, ParamListInfo params)
{
	return dp_search_replace(node, fill_param, params);
}

/* An expression without columns, as the rows of this execution see it. */
static Const *
evaluate(Node *node, const DpExecution *execution)
{
	pg_tz *plain_zone = session_timezone;
	Expr *volatile result = NULL;

	PG_TRY();
	{
		session_timezone = execution->zone;
		result = evaluate_expr((Expr *) node, exprType(node), exprTypmod(node),
							   exprCollation(node));
	}
	PG_FINALLY();
	{
		session_timezone = plain_zone;
	}
	PG_END_TRY();
	return castNode(Const, (Node *) result);
}

Const *
dp_fill(Node *hole, void *execution)
{
	Node *filled = dp_fill_params(hole, ((DpExecution *) execution)->params);

	return IsA(filled, Const) ? (Const *) filled : evaluate(filled, execution);
}
