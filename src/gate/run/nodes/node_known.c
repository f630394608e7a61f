/*
 * node_known.c
 *		Query parameters whose values are known when a statement is planned.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "gate/run/nodes/node_known.h"
#include "server/search.h"

/* The value of a parameter, if a plan may rely on it. */
static const ParamExternData *
value_of(const Param *param, ParamListInfo params, ParamExternData *room)
{
	const ParamExternData *value;

	if (param->paramkind != PARAM_EXTERN || param->paramid <= 0 ||
		param->paramid > params->numParams)
		return NULL;
	value = params->paramFetch != NULL
				? params->paramFetch(params, param->paramid, true, room)
				: &params->params[param->paramid - 1];
	return value->ptype == param->paramtype &&
				   (value->pflags & PARAM_FLAG_CONST) != 0
			   ? value
			   : NULL;
}

static Node *
constant_for(Node *node, int depth, void *params)
{
	const Param *param = (const Param *) node;
	const ParamExternData *value;
	ParamExternData room;
	bool by_value;
	int16 length;

	(void) depth;
	if (!IsA(node, Param))
		return NULL;
	value = value_of(param, params, &room);
	if (value == NULL)
		return NULL;
	get_typlenbyval(param->paramtype, &length, &by_value);
	return (Node *) makeConst(
		param->paramtype, param->paramtypmod, param->paramcollid, length,
		value->isnull ? value->value
					  : datumCopy(value->value, by_value, length),
		value->isnull, by_value);
}

Query *
dp_nodes_known(Query *statement, ParamListInfo params)
{
	return (Query *) dp_search_replace((Node *) statement, constant_for,
									   params);
}
