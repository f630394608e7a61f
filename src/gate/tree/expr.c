/*
 * expr.c
 *		Makes expressions, and walks over them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/tree/expr.h"
#include "gate/tree/node.h"
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

bool
dp_expr_has_total(const DpExpr *expr)
{
	return expr->kind == DP_EXPR_AGGREGATE || expr->kind == DP_EXPR_WINDOW_CALL;
}

/*
 * Columns of the rows around sub-queries
 */

/* What looks for columns: which they are, seen from the outermost expression. */
typedef struct Search
{
	bool (*found)(int depth, int number, void *context);
	void *context;
	int depth; /* sub-query expressions that are entered */
} Search;

static bool search_expr(const DpExpr *expr, void *context);

static bool
search_node(const DpNode *node, int depth, void *context)
{
	Search search = *(Search *) context;
	ListCell *cell;

	search.depth += depth + 1;
	foreach (cell, dp_node_exprs(node))
	{
		if (dp_expr_visit(lfirst(cell), search_expr, &search))
			return true;
	}
	return false;
}

/* Sub-queries are entered from the outermost expression alone. */
static bool
search_expr(const DpExpr *expr, void *context)
{
	Search *search = context;

	if (expr->kind == DP_EXPR_COLUMN)
		return expr->column.depth >= search->depth &&
			   search->found(expr->column.depth - search->depth,
							 expr->column.number, search->context);
	return expr->kind == DP_EXPR_SUBQUERY && search->depth == 0 &&
		   dp_node_visit(expr->subquery->rows, search_node, NULL, search);
}

static bool
search_columns(const DpExpr *expr,
			   bool (*found)(int depth, int number, void *context),
			   void *context)
{
	Search search = {found, context, 0};

	return dp_expr_visit(expr, search_expr, &search);
}

static bool
add_own(int depth, int number, void *context)
{
	Bitmapset **columns = context;

	if (depth == 0)
		*columns = bms_add_member(*columns, number);
	return false;
}

Bitmapset *
dp_expr_columns(const DpExpr *expr)
{
	Bitmapset *columns = NULL;

	(void) search_columns(expr, add_own, &columns);
	return columns;
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

/*
 * Equality
 */

static bool
same_constants(const DpExpr *one, const DpExpr *other)
{
	int16 length;
	bool by_value;

	if (one->constant.isnull || other->constant.isnull)
		return one->constant.isnull && other->constant.isnull;
	get_typlenbyval(one->type.oid, &length, &by_value);
	return datumIsEqual(one->constant.value, other->constant.value, by_value,
						length);
}

/* Window functions are in the same window of their query, too. */
static bool
same_totals(const DpTotal *one, const DpTotal *other)
{
	return one->function == other->function &&
		   (one->window == NULL ||
			one->window->winref == other->window->winref) &&
		   one->is_distinct == other->is_distinct &&
		   (one->filter == NULL
				? other->filter == NULL
				: other->filter != NULL &&
					  dp_expr_equal(one->filter, other->filter));
}

/* Whether two of one kind differ in nothing but their parts. */
static bool
same_by_kind(const DpExpr *one, const DpExpr *other)
{
	switch (one->kind)
	{
		case DP_EXPR_COLUMN:
			return one->column.depth == other->column.depth &&
				   one->column.number == other->column.number;
		case DP_EXPR_CONSTANT:
			return same_constants(one, other);
		case DP_EXPR_PARAMETER:
		case DP_EXPR_COMPARED:
			return one->parameter == other->parameter;
		case DP_EXPR_MOMENT:
			return equal(one->moment, other->moment);
		case DP_EXPR_CALL:
		case DP_EXPR_DISTINCT:
		case DP_EXPR_NULLIF:
		case DP_EXPR_ANY:
		case DP_EXPR_ALL:
		case DP_EXPR_CAST_BY_TEXT:
			return one->call.function == other->call.function &&
				   one->call.operator== other->call.operator&&
				   one->call.is_variadic == other->call.is_variadic;
		case DP_EXPR_NULL_TEST:
			return one->is_negated == other->is_negated;
		case DP_EXPR_TRUTH_TEST:
			return one->truth == other->truth;
		case DP_EXPR_CASE:
			return one->has_subject == other->has_subject;
		case DP_EXPR_SUBQUERY:
			return one->subquery->form == other->subquery->form &&
				   dp_node_equal(one->subquery->rows, other->subquery->rows);
		case DP_EXPR_AGGREGATE:
		case DP_EXPR_WINDOW_CALL:
			return same_totals(one->total, other->total);
		default:
			return true;
	}
}

bool
dp_expr_equal(const DpExpr *one, const DpExpr *other)
{
	int i;

	dp_stack_enter();
	if (one == other)
		return true;
	if (one->kind != other->kind || one->type.oid != other->type.oid ||
		one->type.typmod != other->type.typmod ||
		one->type.collation != other->type.collation ||
		one->input_collation != other->input_collation ||
		one->nargs != other->nargs || !same_by_kind(one, other))
		return false;
	for (i = 0; i < one->nargs; i++)
	{
		if (!dp_expr_equal(one->args[i], other->args[i]))
			return false;
	}
	return true;
}

int
dp_expr_number(const List *exprs, const DpExpr *expr)
{
	ListCell *cell;

	foreach (cell, exprs)
	{
		if (dp_expr_equal(lfirst(cell), expr))
			return foreach_current_index(cell);
	}
	return -1;
}
