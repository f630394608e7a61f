/*
 * operators.c
 *		Reads operators and casts, and says what may be called.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "gate/read/call_words.h"
#include "gate/read/enums.h"
#include "gate/read/failing_calls.h"
#include "gate/read/operators.h"
#include "gate/read/parts.h"
#include "gate/relations/refusal.h"
#include "gate/tree/functions.h"

void
dp_operators_refuse(const DpScope *scope, Node *node, int location)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("%s cannot be used in %s over a protected relation",
						   dp_call_words(node), scope->what),
					errhint("Comparisons, arithmetic, AND, OR, NOT, IS NULL, "
							"IN, BETWEEN, LIKE, CASE, COALESCE and most of "
							"PostgreSQL's functions of numbers, texts, dates "
							"and times can; compute anything else from the "
							"released answer."),
					dp_refusal_position(location)));
}

void
dp_operators_check_function(DpScope *scope, Oid function, Node *node,
							List *args, int location)
{
	ListCell *cell;

	foreach (cell, args)
	{
		if (IsA(lfirst(cell), SubLink))
			(void) dp_parts_read(scope, lfirst(cell));
	}
	if (!dp_functions_is_total(function) &&
		!(IsA(node, OpExpr) && dp_enums_is_order((OpExpr *) node)) &&
		!dp_failing_calls_check(node, scope->what))
		dp_operators_refuse(scope, node, location);
}

void
dp_operators_check(DpScope *scope, Oid operator, Oid function, Node *node,
				   List *args, int location)
{
	if (operator>= FirstNormalObjectId)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg(
				 "operator %s cannot be used in %s over a protected relation",
				 format_operator(operator), scope->what),
			 errhint("Use the operators of PostgreSQL itself."),
			 dp_refusal_position(location)));
	dp_operators_check_function(scope, function, node, args, location);
}

void
dp_operators_check_collation(const DpScope *scope, Oid collation, List *args,
							 int location)
{
	foreach_ptr (Node, node, args)
	{
		if (!OidIsValid(collation) && type_is_collatable(exprType(node)))
			ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_COLLATION),
							errmsg("the collations of what is compared in %s "
								   "over a protected relation are in conflict",
								   scope->what),
							errhint("Write COLLATE \"C\" after one of them."),
							dp_refusal_position(location)));
	}
	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("a nondeterministic collation cannot be used in "
							   "%s over a protected relation",
							   scope->what),
						errhint("Write COLLATE \"C\" after the column."),
						dp_refusal_position(location)));
}

const DpExpr *
dp_operators_make(DpScope *scope, const OpExpr *op, DpExprKind kind,
				  List **read)
{
	DpExpr *expr;

	dp_operators_check(scope, op->opno, op->opfuncid, (Node *) op, op->args,
					   op->location);
	dp_operators_check_collation(scope, op->inputcollid, op->args,
								 op->location);
	if (*read == NIL)
		*read = dp_parts_read_all(scope, op->args);
	if (dp_enums_is_order(op) && kind == DP_EXPR_CALL)
		return dp_enums_order(op, *read);
	expr = dp_expr_over(kind, dp_expr_type_of((const Node *) op), *read,
						op->location);
	expr->input_collation = op->inputcollid;
	expr->call.function = op->opfuncid;
	expr->call.operator= op->opno;
	return expr;
}

const DpExpr *
dp_operators_read(DpScope *scope, Node *node, DpExprKind kind)
{
	List *read = NIL;

	return dp_operators_make(scope, (OpExpr *) node, kind, &read);
}

const DpExpr *
dp_operators_read_cast(DpScope *scope, CoerceViaIO *cast, const DpExpr *value)
{
	bool is_enum = dp_enums_is_cast(cast);

	if (!is_enum && !dp_failing_calls_check((Node *) cast, scope->what))
		dp_operators_refuse(scope, (Node *) cast, cast->location);
	if (value == NULL)
		value = dp_parts_read(scope, (Node *) cast->arg);
	return is_enum ? dp_enums_cast(cast, value)
				   : dp_expr_over(DP_EXPR_CAST_BY_TEXT,
								  dp_expr_type_of((Node *) cast),
								  list_make1((void *) value), cast->location);
}
