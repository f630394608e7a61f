/*
 * aggregates.c
 *		Aggregates and window functions of the server's own, written back.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/tree/aggregates.h"
#include "gate/tree/functions.h"
#include "server/queries.h"

/*
 * The greatest values that are summed, as texts of the type; greater ones are
 * null to sums.
 */
#define MOST_FLOAT4 "1e20"
#define MOST_FLOAT8 "1e140"
#define MOST_NUMERIC "1e1000"

Node *
dp_aggregates_byte_order(Node *value)
{
	if (!OidIsValid(exprCollation(value)) ||
		exprCollation(value) == C_COLLATION_OID)
		return value;
	return (Node *) makeRelabelType((Expr *) value, exprType(value),
									exprTypmod(value), C_COLLATION_OID,
									COERCE_IMPLICIT_CAST);
}

static Const *
bound(Oid type, const char *text)
{
	Oid input;
	Oid parameter;
	int16 length;
	bool by_value;

	getTypeInputInfo(type, &input, &parameter);
	get_typlenbyval(type, &length, &by_value);
	return makeConst(type, -1, InvalidOid, length,
					 OidInputFunctionCall(input, (char *) text, parameter, -1),
					 false, by_value);
}

static Node *
compare(int16 strategy, Node *value, Oid type, const char *text)
{
	Oid operator= get_opfamily_member(
		get_opclass_family(GetDefaultOpClass(type, BTREE_AM_OID)), type, type,
		strategy);
	Expr *result =
		make_opclause(operator, BOOLOID, false, (Expr *) copyObject(value),
					  (Expr *) bound(type, text), InvalidOid, InvalidOid);

	set_opfuncid((OpExpr *) result);
	return (Node *) result;
}

/* CASE WHEN value BETWEEN -most AND most THEN value END */
static Node *
clamp(Node *value, Oid type, const char *most)
{
	CaseExpr *result = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);

	if (getBaseType(exprType(value)) != type)
		elog(ERROR, "unexpected type of a sum");
	when->expr = (Expr *) make_andclause(
		list_make2(compare(BTGreaterEqualStrategyNumber, value, type,
						   psprintf("-%s", most)),
				   compare(BTLessEqualStrategyNumber, value, type, most)));
	when->result = (Expr *) value;
	when->location = -1;
	result->casetype = exprType(value);
	result->args = list_make1(when);
	result->defresult =
		(Expr *) makeNullConst(result->casetype, -1, InvalidOid);
	result->location = -1;
	return (Node *) result;
}

/* A value for a sum, null where it is too great for that. */
static Node *
limit_value(Oid function, Node *value)
{
	switch (function)
	{
		case F_SUM_FLOAT4:
			return clamp(value, FLOAT4OID, MOST_FLOAT4);
		case F_SUM_FLOAT8:
		case F_AVG_FLOAT8:
			return clamp(value, FLOAT8OID, MOST_FLOAT8);
		case F_SUM_NUMERIC:
		case F_AVG_NUMERIC:
			/* with a declared precision it has at most 1,000 digits */
			return exprTypmod(value) >= 0
					   ? value
					   : clamp(value, NUMERICOID, MOST_NUMERIC);
		default:
			return value;
	}
}

/*
 * One form
 */

static Node *
call(Oid function, Oid type, List *args)
{
	return (Node *) makeFuncExpr(function, type, args, InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* Adding zero turns -0 into 0. */
static Node *
add_zero(Oid function, Oid type, Node *value)
{
	Datum zero = type == FLOAT4OID ? Float4GetDatum(0) : Float8GetDatum(0);
	int16 length;
	bool by_value;

	get_typlenbyval(type, &length, &by_value);
	return call(function, type,
				list_make2(value, makeConst(type, -1, InvalidOid, length, zero,
											false, by_value)));
}

/* A column of a declared scale or length has one form already. */
static bool
is_declared(const DpExpr *expr)
{
	while (expr->kind == DP_EXPR_RELABEL &&
		   expr->type.oid == expr->args[0]->type.oid)
		expr = expr->args[0];
	return expr->kind == DP_EXPR_COLUMN && expr->type.typmod >= 0;
}

Node *
dp_aggregates_one_form(const DpExpr *expr, Node *written)
{
	Oid type = expr->type.oid;
	Node *result;

	switch (getBaseType(type))
	{
		case NUMERICOID:
			if (is_declared(expr))
				return written;
			result = call(F_TRIM_SCALE, NUMERICOID, list_make1(written));
			break;
		case FLOAT4OID:
			result = add_zero(F_FLOAT4PL, FLOAT4OID, written);
			break;
		case FLOAT8OID:
			result = add_zero(F_FLOAT8PL, FLOAT8OID, written);
			break;
		case BPCHAROID:
			if (is_declared(expr))
				return written;
			result = (Node *) makeRelabelType(
				(Expr *) call(F_TEXT_BPCHAR, TEXTOID, list_make1(written)),
				BPCHAROID, -1, exprCollation(written), COERCE_IMPLICIT_CAST);
			break;
		default:
			return written;
	}
	if (type == getBaseType(type))
		return result;
	return (Node *) makeRelabelType((Expr *) result, type, expr->type.typmod,
									exprCollation(written),
									COERCE_IMPLICIT_CAST);
}

bool
dp_aggregates_can_have_one_form(Oid type)
{
	switch (getBaseType(type))
	{
		case BYTEAOID:
		case CHAROID:
		case NAMEOID:
		case TIMETZOID:
		case INETOID:
		case CIDROID:
		case MACADDROID:
		case MACADDR8OID:
		case BITOID:
		case VARBITOID:
		case CASHOID:
			return true;
		default:
			return dp_functions_is_sortable(type) ||
				   type_is_enum(getBaseType(type));
	}
}

/*
 * Writing back
 */

/* The arguments as they can be summed and compared. */
static List *
limit_arguments(const DpExpr *expr, List *args)
{
	const DpTotal *total = expr->total;
	bool one_form =
		dp_functions_picks_one(total->function) || total->is_distinct;
	List *result = NIL;
	ListCell *cell;

	foreach (cell, args)
	{
		Node *value = limit_value(total->function,
								  dp_aggregates_byte_order(lfirst(cell)));

		if (one_form && cell == list_head(args))
			value = dp_aggregates_one_form(expr->args[0], value);
		result = lappend(result, value);
	}
	return result;
}

static Node *
write_aggregate(const DpTotal *total, List *args, Node *filter)
{
	Aggref *aggref = copyObject(total->aggref);
	ListCell *cell;

	aggref->inputcollid =
		OidIsValid(aggref->inputcollid) ? C_COLLATION_OID : InvalidOid;
	aggref->args = NIL;
	aggref->aggdistinct = NIL;
	aggref->aggorder = NIL;
	aggref->aggfilter = (Expr *) filter;
	foreach (cell, args)
	{
		TargetEntry *entry = makeTargetEntry(
			lfirst(cell), (AttrNumber) (foreach_current_index(cell) + 1), NULL,
			false);

		aggref->args = lappend(aggref->args, entry);
		if (total->is_distinct)
			aggref->aggdistinct =
				lappend(aggref->aggdistinct, dp_query_clause(entry, true));
		else if (dp_functions_adds_floats(total->function))
			aggref->aggorder = list_make1(dp_query_clause(entry, true));
	}
	return (Node *) aggref;
}

static Node *
write_window_call(const DpTotal *total, List *args, Node *filter)
{
	WindowFunc *window = copyObject(total->window);

	window->inputcollid =
		OidIsValid(window->inputcollid) ? C_COLLATION_OID : InvalidOid;
	window->args = args;
	window->aggfilter = (Expr *) filter;
	return (Node *) window;
}

Node *
dp_aggregates_write(const DpExpr *expr, List *args, Node *filter)
{
	args = limit_arguments(expr, args);
	return expr->kind == DP_EXPR_AGGREGATE
			   ? write_aggregate(expr->total, args, filter)
			   : write_window_call(expr->total, args, filter);
}
