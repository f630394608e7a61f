/*
 * whole.c
 *		Expressions over whole numbers, as nodes are asked to compute them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"

#include "gate/run/nodes/whole.h"

const DpWhole dp_whole_narrow = {INT4OID, F_SUM_INT4, F_INT4LT, F_INT4MI};
const DpWhole dp_whole_wide = {INT8OID, F_SUM_INT8, F_INT8LT, F_INT8MI};

bool
dp_whole_is_type(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

Node *
dp_whole_number(const DpWhole *whole, int64 value)
{
	return (Node *) (whole == &dp_whole_narrow
						 ? makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
									 Int32GetDatum((int32) value), false, true)
						 : makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
									 Int64GetDatum(value), false,
									 FLOAT8PASSBYVAL));
}

Node *
dp_whole_call(Oid function, Oid result, List *args)
{
	return (Node *) makeFuncExpr(function, result, args, InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

Node *
dp_whole_cast(const DpWhole *whole, Node *value)
{
	Oid from = exprType(value);
	Oid function = F_INT4_INT8;

	if (from == whole->type)
		return value;
	if (from == INT2OID)
		function = whole == &dp_whole_narrow ? F_INT4_INT2 : F_INT8_INT2;
	else if (from == INT4OID)
		function = F_INT8_INT4;
	return dp_whole_call(function, whole->type, list_make1(value));
}

Node *
dp_whole_case(List *conditions, List *results, Node *otherwise)
{
	CaseExpr *result = makeNode(CaseExpr);
	ListCell *condition;
	ListCell *value;

	forboth (condition, conditions, value, results)
	{
		CaseWhen *when = makeNode(CaseWhen);

		when->expr = lfirst(condition);
		when->result = lfirst(value);
		when->location = -1;
		result->args = lappend(result->args, when);
	}
	result->casetype = exprType(otherwise);
	result->defresult = (Expr *) otherwise;
	result->location = -1;
	return (Node *) result;
}

Node *
dp_whole_between(const DpWhole *whole, Node *value, int64 lower, int64 upper)
{
	const DpWhole *compared =
		exprType(value) == INT8OID ? &dp_whole_wide : whole;
	Node *number = dp_whole_cast(compared, value);
	Node *is_less =
		dp_whole_call(compared->less, BOOLOID,
					  list_make2(number, dp_whole_number(compared, lower)));
	Node *is_greater = dp_whole_call(
		compared->less, BOOLOID,
		list_make2(dp_whole_number(compared, upper), copyObject(number)));

	return dp_whole_case(list_make2(is_less, is_greater),
						 list_make2(dp_whole_number(whole, lower),
									dp_whole_number(whole, upper)),
						 dp_whole_cast(whole, (Node *) copyObject(number)));
}
