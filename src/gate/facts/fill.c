/*
 * fill.c
 *		Values in place of expressions without columns, as an execution has them.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "gate/facts/fill.h"

/* The value of a parameter. */
static Node *
value_of(Param *param, DpExecution *execution)
{
	ParamListInfo params = execution->params;
	ParamExternData *value;
	ParamExternData room;
	int16 length;
	bool by_value;

	if (execution->may_be_described &&
		(params == NULL || param->paramid > params->numParams))
	{
		execution->is_missing = true;
		return (Node *) param;
	}
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
fill_params(Node *node, void *execution)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		return value_of((Param *) node, execution);
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, fill_params,
										   execution, 0);
	return expression_tree_mutator(node, fill_params, execution);
}

Node *
dp_fill_params(Node *node, ParamListInfo params)
{
	DpExecution execution = {.params = params};

	return fill_params(node, &execution);
}

/* An expression without columns, as the rows of this execution see it. */
static Const *
evaluate(Node *node, const DpExecution *execution)
{
	ExprContext *context = CreateStandaloneExprContext();
	pg_tz *plain_zone = session_timezone;
	ExprState *state;
	bool isnull;
	Datum value;
	int16 length;
	bool by_value;
	Const *result;

	PG_TRY();
	{
		session_timezone = execution->zone;
		state = ExecInitExpr((Expr *) node, NULL);
		value = ExecEvalExpr(state, context, &isnull);
	}
	PG_FINALLY();
	{
		session_timezone = plain_zone;
	}
	PG_END_TRY();
	get_typlenbyval(exprType(node), &length, &by_value);
	result = makeConst(exprType(node), exprTypmod(node), InvalidOid, length,
					   isnull ? (Datum) 0 : datumCopy(value, by_value, length),
					   isnull, by_value);
	FreeExprContext(context, true);
	return result;
}

Const *
dp_fill(Node *hole, void *context)
{
	DpExecution *execution = context;
	Node *filled;

	execution->is_missing = false;
	filled = fill_params(hole, execution);
	if (execution->is_missing)
		return NULL;
	return IsA(filled, Const) ? (Const *) filled : evaluate(filled, execution);
}
