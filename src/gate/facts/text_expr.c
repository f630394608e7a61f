/*
 * text_expr.c
 *		The canonical form of expressions.
 *
 * Lists are comparisons with each of their elements; conversions that change no
 * value are left out. An expression without columns is a hole.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"

#include "expressions/wrapped.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/order.h"
#include "gate/facts/text_scope.h"
#include "gate/facts/value_text.h"
#include "gate/tree/functions.h"
#include "gate/tree/kinds.h"
#include "server/stack.h"

/*
 * Columns
 */

/* By its own name; NULL: none is needed. */
static char *
own_name(const DpTextScope *scope, int number)
{
	foreach_ptr (const DpTextItem, item, scope->items)
	{
		int own = number - item->start;

		if (own >= 0 && own < item->node->ncolumns)
			return item->names[own] == NULL
					   ? NULL
					   : psprintf("%s.%s", item->place, item->names[own]);
	}
	elog(ERROR, "no column %d in canonical rows", number);
}

/*
 * Where equal values are the same, and say the same: integers of all widths,
 * else columns of one type, with its length or scale.
 */
static bool
may_stand_for(const DpExpr *one, const DpExpr *other)
{
	if (!dp_order_has_one_form(one) || !dp_order_has_one_form(other))
		return false;
	if (one->type.oid == other->type.oid)
		return one->type.typmod == other->type.typmod;
	return dp_value_text_kind(one->type.oid) == INT8OID &&
		   dp_value_text_kind(other->type.oid) == INT8OID;
}

/* The least name of a row's own columns that stand for one; NULL: there is none. */
static char *
least_name(const DpTextScope *scope, const DpExpr *column)
{
	char *least = NULL;

	foreach_ptr (const DpExpr, member,
				 dp_equalities_class(scope->equal, column->column))
	{
		char *name;

		if (member->column.depth > 0 || !may_stand_for(column, member))
			continue;
		name = own_name(scope, member->column.number);
		if (least == NULL || (name != NULL && strcmp(name, least) < 0))
			least = name;
	}
	return least;
}

static char *
column_name(const DpTextScope *scope, const DpExpr *column)
{
	DpColumnName name = column->column;
	char *text = least_name(scope, column);

	if (text == NULL && name.depth == 0)
		text = own_name(scope, name.number);
	if (text == NULL && name.depth > 0)
	{
		name.depth--;
		text = psprintf(
			"^%s",
			column_name(scope->around, dp_expr_column(name, column->type, -1)));
	}
	if (text == NULL)
		elog(ERROR, "a column of canonical rows has no name");
	return text;
}

/*
 * Words
 */

/*
 * The collation that tells a function what letters are, if it is not the
 * database's; and whether the session's time zone matters to it.
 */
static const char *
settings_of(const DpTextScope *scope, const DpExpr *expr)
{
	const DpWrapped *wrapped = dp_functions_wrapped(expr);

	if (expr->kind != DP_EXPR_CALL && expr->kind != DP_EXPR_CAST_BY_TEXT)
		wrapped = dp_wrapped_find(expr->call.function);
	if (wrapped == NULL)
		return "";
	if ((wrapped->rules & DP_RULE_TIMEZONE) != 0)
		*scope->depends_on_zone = true;
	return OidIsValid(expr->input_collation) &&
				   expr->input_collation != DEFAULT_COLLATION_OID &&
				   (wrapped->rules & DP_RULE_LETTERS) != 0
			   ? "C"
			   : "";
}

/*
 * The types of what is given to a function: it may do something else for each,
 * as concat of a real and of the same number in double precision.
 */
static char *
types_of(const DpExpr *call)
{
	char *types = pstrdup("");
	int i;

	for (i = 0; i < call->nargs; i++)
		types = psprintf("%s:%u", types,
						 dp_value_text_type(call->args[i]->type.oid));
	return types;
}

/*
 * Comparisons of numbers have the same result whatever the numbers' types. The
 * results of other operators depend on the types, so they are written with
 * their oids.
 */
static char *
operator_word(Oid operator, const char * rest)
{
	return dp_functions_is_total(get_opcode(operator))
			   ? get_opname(operator)
			   : psprintf("o%u%s", operator, rest);
}

/*
 * How an operator of two operands is written: "~= =". What commutes compares, or
 * has fixed types.
 */
static char *
comparison_word(const DpTextScope *scope, const DpExpr *expr)
{
	Oid operator= expr->call.operator;
	Oid commutator = get_commutator(operator);
	const char *rest = settings_of(scope, expr);
	char kind = dp_functions_is_total(get_opcode(operator)) ? '~' : ':';

	if (expr->kind == DP_EXPR_DISTINCT) /* commutes, whatever its operator */
		return psprintf("%cdistinct distinct", kind);
	if (OidIsValid(commutator))
		return psprintf("%c%s %s", kind, operator_word(operator, rest),
						operator_word(commutator, rest));
	if (expr->kind == DP_EXPR_CALL)
		rest = psprintf("%s%s", rest, types_of(expr));
	return psprintf("%c%s", kind, operator_word(operator, rest));
}

static char *
call_word(const DpTextScope *scope, const DpExpr *expr)
{
	const char *settings = settings_of(scope, expr);

	if (!OidIsValid(expr->call.operator))
		return psprintf("=f%u%s%s%s", expr->call.function, settings,
						expr->call.is_variadic ? "v" : "", types_of(expr));
	return expr->nargs == 2 ? comparison_word(scope, expr)
							: psprintf("=%s", operator_word(expr->call.operator,
															types_of(expr)));
}

static char *
word_of(const DpTextScope *scope, const DpExpr *expr)
{
	const char *word = dp_kinds_get(expr->kind)->word;
	int choice = 0;

	switch (expr->kind)
	{
		case DP_EXPR_CALL:
			return call_word(scope, expr);
		case DP_EXPR_DISTINCT:
			return comparison_word(scope, expr);
		case DP_EXPR_AND:
		case DP_EXPR_OR:
			return psprintf("|%s", word);
		case DP_EXPR_CAST_BY_TEXT:
			return psprintf("=%s%s%s to %u", word, settings_of(scope, expr),
							types_of(expr), expr->type.oid);
		case DP_EXPR_ANY:
		case DP_EXPR_ALL:
		case DP_EXPR_NULLIF:
			return psprintf(
				"=%s %s", word,
				operator_word(expr->call.operator, settings_of(scope, expr)));
		case DP_EXPR_AGGREGATE:
		case DP_EXPR_WINDOW_CALL:
			return psprintf("=%s %u%s", word, expr->total->function,
							expr->total->is_distinct ? " distinct" : "");
		case DP_EXPR_NULL_TEST:
			choice = expr->is_negated;
			break;
		case DP_EXPR_TRUTH_TEST:
			choice = (int) expr->truth;
			break;
		case DP_EXPR_CASE:
			choice = expr->has_subject;
			break;
		default:
			choice = (int) dp_value_text_type(expr->type.oid);
			break;
	}
	return psprintf("=%s %d", word, choice);
}

/*
 * Forms
 */

static List *
args_of(const DpTextScope *scope, const DpExpr *expr)
{
	List *forms = NIL;
	int i;

	for (i = 0; i < expr->nargs; i++)
		forms = lappend(forms, dp_text_expr(scope, expr->args[i]));
	return forms;
}

/* Finds what is not known before rows are read. */
static bool
reads_rows(const DpExpr *expr, void *context)
{
	(void) context;
	switch (expr->kind)
	{
		case DP_EXPR_COLUMN:
		case DP_EXPR_CASE_SUBJECT: /* of a CASE around */
		case DP_EXPR_SUBQUERY:
		case DP_EXPR_COMPARED:
		case DP_EXPR_AGGREGATE:
		case DP_EXPR_WINDOW_CALL:
			return true;
		default:
			return false;
	}
}

/* x op ANY (list) as an OR of comparisons, ALL as an AND. */
static Node *
array_form(const DpTextScope *scope, const DpExpr *expr)
{
	const DpExpr *array = expr->args[1];
	bool is_known = !dp_expr_visit(array, reads_rows, NULL);
	const char *logic = expr->kind == DP_EXPR_ANY ? "or" : "and";
	List *forms = NIL;
	Node *left;
	char *word;
	int i;

	if (!is_known && array->kind != DP_EXPR_ARRAY)
		return dp_text_list(word_of(scope, expr), args_of(scope, expr));
	left = dp_text_expr(scope, expr->args[0]); /* once, however deep it nests */
	word = comparison_word(scope, expr);
	if (is_known)
		return dp_text_list(
			psprintf("%%%s", logic),
			list_make3(makeString(word), left, dp_text_expr(scope, array)));
	for (i = 0; i < array->nargs; i++)
		forms = lappend(
			forms,
			dp_text_list(
				word, list_make2(left, dp_text_expr(scope, array->args[i]))));
	return dp_text_list(psprintf("|%s", logic), forms);
}

static Node *
subquery_form(const DpTextScope *scope, const DpExpr *expr)
{
	const DpNode *rows = expr->subquery->rows;
	DpTextScope inner = {.rows = scope->rows,
						 .around = scope,
						 .is_rough = scope->is_rough,
						 .depends_on_zone = scope->depends_on_zone};
	DpTextScope comparison = *scope;
	Bitmapset *used = NULL;
	List *forms;

	if (expr->subquery->form == EXPR_SUBLINK)
		used = bms_make_singleton(0);
	else if (expr->nargs > 0)
		used = bms_add_range(NULL, 0, rows->ncolumns - 1);
	forms = list_make1(scope->rows(&inner, rows, NIL, used));
	comparison.compared = &inner;
	if (expr->subquery->form == EXPR_SUBLINK)
		forms = lappend(forms, dp_text_expr(&inner, dp_node_column(rows, 0)));
	return dp_text_list(psprintf("=sub%d", (int) expr->subquery->form),
						list_concat(forms, args_of(&comparison, expr)));
}

static Node *
compared_form(const DpTextScope *scope, const DpExpr *expr)
{
	DpColumnName name = {0, expr->parameter};

	return (Node *) makeString(
		psprintf("=%s", column_name(scope->compared,
									dp_expr_column(name, expr->type, -1))));
}

/* An aggregate or a window function of a unit's rows. */
static Node *
total_form(const DpTextScope *scope, const DpExpr *expr)
{
	List *forms = args_of(scope, expr);

	if (expr->total->filter != NULL)
		forms = lappend(
			forms,
			dp_text_list("=filter",
						 list_make1(dp_text_expr(scope, expr->total->filter))));
	return dp_text_list(word_of(scope, expr), forms);
}

Node *
dp_text_expr(const DpTextScope *scope, const DpExpr *expr)
{
	DpWriter writer = {.context = NULL};

	dp_stack_enter();
	if (!dp_expr_visit(expr, reads_rows, NULL))
		return dp_kinds_write(expr, &writer);
	switch (expr->kind)
	{
		case DP_EXPR_COLUMN:
			return (Node *) makeString(column_name(scope, expr));
		case DP_EXPR_COMPARED:
			return compared_form(scope, expr);
		case DP_EXPR_SUBQUERY:
			return subquery_form(scope, expr);
		case DP_EXPR_ANY:
		case DP_EXPR_ALL:
			return array_form(scope, expr);
		case DP_EXPR_AGGREGATE:
		case DP_EXPR_WINDOW_CALL:
			return total_form(scope, expr);
		default:
			return dp_arithmetic_keeps_value(expr)
					   ? dp_text_expr(scope, expr->args[0])
					   : dp_text_list(word_of(scope, expr),
									  args_of(scope, expr));
	}
}

List *
dp_text_exprs(const DpTextScope *scope, const List *exprs)
{
	List *forms = NIL;

	foreach_ptr (const DpExpr, expr, exprs)
		forms = lappend(forms, dp_text_expr(scope, expr));
	return forms;
}
