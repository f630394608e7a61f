/*
 * expr.c
 *		Makes expressions, and walks over them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/tree/expr.h"
#include "server/collations.h"
#include "server/stack.h"

DpType
dp_expr_type_of(const Node *node)
{
	return (DpType){exprType(node), exprTypmod(node), exprCollation(node)};
}

DpExpr *
dp_expr_make(DpExprKind kind, DpType type, int nargs, const DpExpr **args,
			 int location)
{
	DpExpr *expr = palloc0(sizeof(DpExpr));

	expr->kind = kind;
	expr->type = type;
	expr->location = location;
	expr->nargs = nargs;
	expr->args = args;
	return expr;
}

DpExpr *
dp_expr_over(DpExprKind kind, DpType type, const List *args, int location)
{
	const DpExpr **all = palloc((list_length(args) + 1) * sizeof(DpExpr *));
	ListCell *cell;

	foreach (cell, args)
		all[foreach_current_index(cell)] = lfirst(cell);
	return dp_expr_make(kind, type, list_length(args), all, location);
}

const DpExpr *
dp_expr_relabel(const DpExpr *value, DpType type)
{
	return dp_expr_over(DP_EXPR_RELABEL, type, list_make1((void *) value), -1);
}

const DpExpr *
dp_expr_column(DpColumnName name, DpType type, int location)
{
	DpExpr *expr = dp_expr_make(DP_EXPR_COLUMN, type, 0, NULL, location);

	expr->column = name;
	return expr;
}

const DpExpr *
dp_expr_constant(DpType type, Datum value, bool isnull)
{
	DpExpr *expr = dp_expr_make(DP_EXPR_CONSTANT, type, 0, NULL, -1);

	expr->constant.value = value;
	expr->constant.isnull = isnull;
	return expr;
}

static const DpType boolean_type = {BOOLOID, -1, InvalidOid};

const DpExpr *
dp_expr_boolean(bool value)
{
	return dp_expr_constant(boolean_type, BoolGetDatum(value), false);
}

static bool
is_true(const DpExpr *expr)
{
	return expr->kind == DP_EXPR_CONSTANT && expr->type.oid == BOOLOID &&
		   !expr->constant.isnull && DatumGetBool(expr->constant.value);
}

List *
dp_expr_arms(const DpExpr *condition, List *arms)
{
	int i;

	if (condition == NULL || is_true(condition))
		return arms;
	if (condition->kind != DP_EXPR_AND)
		return lappend(arms, (void *) condition);
	dp_stack_enter();
	for (i = 0; i < condition->nargs; i++)
		arms = dp_expr_arms(condition->args[i], arms);
	return arms;
}

bool
dp_expr_visit(const DpExpr *expr, DpExprVisit visit, void *context)
{
	int i;

	dp_stack_enter();
	if (visit(expr, context))
		return true;
	for (i = 0; i < expr->nargs; i++)
	{
		if (dp_expr_visit(expr->args[i], visit, context))
			return true;
	}
	return dp_expr_has_total(expr) && expr->total->filter != NULL &&
		   dp_expr_visit(expr->total->filter, visit, context);
}

static bool
is_of_kind(const DpExpr *expr, void *kind)
{
	return expr->kind == *(const DpExprKind *) kind;
}

bool
dp_expr_has_kind(const DpExpr *expr, DpExprKind kind)
{
	return dp_expr_visit(expr, is_of_kind, &kind);
}

bool
dp_expr_has_total(const DpExpr *expr)
{
	return expr->kind == DP_EXPR_AGGREGATE || expr->kind == DP_EXPR_WINDOW_CALL;
}

/*
 * What an expression is
 */

static Oid
equality_of(Oid type)
{
	return lookup_type_cache(getBaseType(type), TYPECACHE_EQ_OPR)->eq_opr;
}

/* Whether reading a value as another type or collation keeps what it equals. */
static bool
keeps_equality(DpType from, DpType to)
{
	Oid equality = equality_of(from.oid);

	return (getBaseType(from.oid) == getBaseType(to.oid) ||
			(OidIsValid(equality) && equality == equality_of(to.oid))) &&
		   dp_are_alike(from.collation, to.collation);
}

const DpExpr *
dp_expr_column_of(const DpExpr *expr)
{
	while (expr->kind == DP_EXPR_RELABEL &&
		   keeps_equality(expr->args[0]->type, expr->type))
		expr = expr->args[0];
	return expr->kind == DP_EXPR_COLUMN ? expr : NULL;
}

const DpExpr *
dp_expr_unlabelled(const DpExpr *expr)
{
	while (expr->kind == DP_EXPR_RELABEL)
		expr = expr->args[0];
	return expr;
}

bool
dp_expr_is_result(const DpExpr *expr, int argument)
{
	switch (expr->kind)
	{
		case DP_EXPR_RELABEL:
		case DP_EXPR_NULLIF:
			return argument == 0;
		case DP_EXPR_COALESCE:
		case DP_EXPR_GREATEST:
		case DP_EXPR_LEAST:
			return true;
		case DP_EXPR_CASE: /* subject?, (when, then)..., else */
			return argument == expr->nargs - 1 ||
				   (argument > 0 &&
					(argument - (expr->has_subject ? 1 : 0)) % 2 == 1);
		default:
			return false;
	}
}
