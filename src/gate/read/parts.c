/*
 * parts.c
 *		Parts of the expression that is being read.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "gate/read/parts.h"
#include "gate/relations/refusal.h"

const DpExpr *
dp_parts_read(DpScope *scope, Node *node)
{
	return scope->readers->part(scope, node);
}

List *
dp_parts_read_all(DpScope *scope, List *nodes)
{
	List *read = NIL;

	foreach_ptr (Node, node, nodes)
		read = lappend(read, (void *) dp_parts_read(scope, node));
	return read;
}

DpExpr *
dp_parts_make(DpScope *scope, DpExprKind kind, Node *node, List *args)
{
	return dp_expr_over(kind, dp_expr_type_of(node),
						dp_parts_read_all(scope, args), exprLocation(node));
}

const DpExpr *
dp_parts_make_constant(Node *node)
{
	const Const *constant = (const Const *) node;
	DpExpr *expr = dp_expr_make(DP_EXPR_CONSTANT, dp_expr_type_of(node), 0,
								NULL, exprLocation(node));

	expr->constant.value = constant->constvalue;
	expr->constant.isnull = constant->constisnull;
	return expr;
}

const DpExpr *
dp_parts_make_parameter(Node *node)
{
	const Param *param = (const Param *) node;
	bool is_compared = param->paramkind == PARAM_SUBLINK;
	DpExpr *expr =
		dp_expr_make(is_compared ? DP_EXPR_COMPARED : DP_EXPR_PARAMETER,
					 dp_expr_type_of(node), 0, NULL, exprLocation(node));

	expr->parameter = is_compared ? param->paramid - 1 : param->paramid;
	return expr;
}

const DpExpr *
dp_parts_make_moment(Node *node)
{
	DpExpr *expr = dp_expr_make(DP_EXPR_MOMENT, dp_expr_type_of(node), 0, NULL,
								exprLocation(node));

	expr->moment = copyObject(node);
	return expr;
}

const DpExpr *
dp_parts_make_array(DpScope *scope, Node *array, List *elements)
{
	DpExpr *expr = dp_parts_make(scope, DP_EXPR_ARRAY, array, elements);

	expr->type.typmod = -1;
	return expr;
}

void
dp_parts_refuse(const DpScope *scope, Node *node)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg(
			 "this expression cannot be used in %s over a protected relation",
			 scope->what),
		 errhint("Comparisons, arithmetic, AND, OR, NOT, IS NULL, IN, BETWEEN, "
				 "LIKE, CASE, COALESCE and most of PostgreSQL's functions of "
				 "numbers, texts, dates and times can; compute anything else "
				 "from the released answer."),
		 dp_refusal_position(exprLocation(node))));
}
