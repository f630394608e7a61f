/*
 * text_expr.c
 *		The canonical form of expressions.
 *
 * The arms of AND and OR are flattened; negations are pushed down to the
 * operators; lists are comparisons with each of their elements; conversions that
 * change no value are left out. An expression without columns is a hole.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "expressions/wrapped.h"
#include "gate/facts/text.h"
#include "gate/facts/text_forms.h"
#include "gate/tree/functions.h"
#include "gate/tree/kinds.h"
#include "server/stack.h"

/*
 * Holes
 */

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

static Node *
hole_form(const DpExpr *expr, bool negate)
{
	DpWriter writer = {.context = NULL};
	Node *hole = dp_kinds_write(expr, &writer);

	return negate ? (Node *) dp_text_list("!", list_make1(hole)) : hole;
}

/*
 * Operators
 */

/*
 * The collation that tells a function what letters are, if it is not the
 * database's.
 */
static const char *
letters(Oid function, Oid collation)
{
	const DpWrapped *wrapped =
		OidIsValid(collation) && collation != DEFAULT_COLLATION_OID
			? dp_wrapped_find(function)
			: NULL;

	return wrapped != NULL && (wrapped->rules & DP_RULE_LETTERS) != 0 ? "C"
																	  : "";
}

/*
 * Of what is given to a function or operator that takes any type, the types:
 * it may do something else for each, as concat of a real and of the same
 * number in double precision. None where all are fixed.
 */
static char *
given_types(const DpExpr *call)
{
	StringInfoData types;
	Oid *declared;
	int count;
	bool any = false;
	int i;

	(void) get_func_signature(call->call.function, &declared, &count);
	for (i = 0; i < count; i++)
		any |= get_typtype(declared[i]) == TYPTYPE_PSEUDO;
	initStringInfo(&types);
	for (i = 0; any && i < call->nargs; i++)
	{
		Oid type = getBaseType(call->args[i]->type.oid);

		/* The oids of users' types are new after a restore. */
		appendStringInfo(&types, ":%u",
						 type < FirstNormalObjectId ? type : InvalidOid);
	}
	return types.data;
}

/*
 * Comparisons of numbers have the same result whatever the numbers' types. The
 * results of other operators depend on the types, so they are written with
 * their oids.
 */
static char *
operator_word(Oid operator, const char * types)
{
	if (dp_functions_is_total(get_opcode(operator)))
		return psprintf("%s%s", get_opname(operator), types);
	return psprintf("o%u%s", operator, types);
}

/*
 * How a comparison by an operator is written: "~= =". *negate: becomes false if
 * it is that by the negator.
 */
static char *
comparison_word(Oid operator, const char * types, bool *negate)
{
	Oid negator = *negate ? get_negator(operator) : InvalidOid;
	Oid commutator;

	if (OidIsValid(negator))
	{
		operator= negator;
		*negate = false;
	}
	commutator = get_commutator(operator);
	return psprintf(
		"%c%s%s%s", dp_functions_is_total(get_opcode(operator)) ? '~' : ':',
		operator_word(operator, types), OidIsValid(commutator) ? " " : "",
		OidIsValid(commutator) ? operator_word(commutator, types) : "");
}

static Node *
negated(Node *form, bool negate)
{
	return negate ? (Node *) dp_text_list("=not", list_make1(form)) : form;
}

static void
note_zone(const DpTextScope *scope, const DpWrapped *wrapped)
{
	if (wrapped != NULL && (wrapped->rules & DP_RULE_TIMEZONE) != 0)
		*scope->depends_on_zone = true;
}

static const DpWrapped *
wrapped_of(const DpExpr *expr)
{
	return dp_functions_is_total(expr->call.function)
			   ? NULL
			   : dp_wrapped_find(expr->call.function);
}

/* An operator of two operands. */
static Node *
comparison_form(const DpTextScope *scope, const DpExpr *expr, bool negate)
{
	const char *types = psprintf(
		"%s%s", letters(get_opcode(expr->call.operator), expr->input_collation),
		given_types(expr));
	char *word = comparison_word(expr->call.operator, types, &negate);

	return negated(
		(Node *) dp_text_list(
			word, list_make2(dp_text_expr(scope, expr->args[0], false),
							 dp_text_expr(scope, expr->args[1], false))),
		negate);
}

/*
 * Conversions that change no value: two results are equal exactly where the
 * arguments are. Those that round are not among them, as bigint to double
 * precision: other values are equal after it.
 */
static bool
is_exact(Oid function)
{
	switch (function)
	{
		case F_INT4_INT2:
		case F_INT8_INT2:
		case F_INT8_INT4:
		case F_FLOAT8_FLOAT4:
		case F_FLOAT8_INT2:
		case F_FLOAT8_INT4:
		case F_FLOAT4_INT2:
		case F_NUMERIC_INT2:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
			return true;
		default:
			return false;
	}
}

/* The arguments in their order after a word. */
static Node *
args_form(const DpTextScope *scope, const char *word, const DpExpr *expr)
{
	List *forms = NIL;
	int i;

	for (i = 0; i < expr->nargs; i++)
		forms = lappend(forms, dp_text_expr(scope, expr->args[i], false));
	return (Node *) dp_text_list(word, forms);
}

static Node *
call_form(const DpTextScope *scope, const DpExpr *expr, bool negate)
{
	note_zone(scope, wrapped_of(expr));
	if (OidIsValid(expr->call.operator) && expr->nargs == 2)
		return comparison_form(scope, expr, negate);
	if (OidIsValid(expr->call.operator))
		return negated(
			args_form(scope,
					  psprintf("=%s", operator_word(expr->call.operator,
													given_types(expr))),
					  expr),
			negate);
	if (is_exact(expr->call.function))
		return dp_text_expr(scope, expr->args[0], negate);
	return negated(
		args_form(scope,
				  psprintf("=f%u%s%s%s", expr->call.function,
						   letters(expr->call.function, expr->input_collation),
						   expr->call.is_variadic ? "v" : "",
						   given_types(expr)),
				  expr),
		negate);
}

/*
 * The same bytes under another type are the same value, but for texts that
 * become padded ones: spaces at their end no longer count.
 */
static Node *
relabel_form(const DpTextScope *scope, const DpExpr *expr, bool negate)
{
	if (getBaseType(expr->type.oid) == BPCHAROID &&
		getBaseType(expr->args[0]->type.oid) != BPCHAROID)
		return args_form(scope, "=padded", expr);
	return dp_text_expr(scope, expr->args[0], negate);
}

static Node *
cast_form(const DpTextScope *scope, const DpExpr *expr)
{
	Oid from = getBaseType(expr->args[0]->type.oid);

	note_zone(scope, dp_wrapped_find_cast(from, expr->type.oid));
	return args_form(scope, psprintf("=cast%u-%u", from, expr->type.oid), expr);
}

/*
 * AND and OR
 */

static List *collect_arms(const DpTextScope *scope, const DpExpr *expr,
						  DpExprKind kind, bool negate, List *forms);

/* AND for OR, and OR for AND. */
static DpExprKind
dual_of(DpExprKind kind, bool negate)
{
	if (!negate)
		return kind;
	return kind == DP_EXPR_AND ? DP_EXPR_OR : DP_EXPR_AND;
}

static Node *
logic_form(const DpTextScope *scope, const DpExpr *expr, bool negate)
{
	DpExprKind kind = dual_of(expr->kind, negate);

	return (Node *) dp_text_list(kind == DP_EXPR_AND ? "|and" : "|or",
								 collect_arms(scope, expr, kind, negate, NIL));
}

/* x op ANY (list) as an OR of comparisons, ALL as an AND. */
static Node *
array_form(const DpTextScope *scope, const DpExpr *expr, bool negate)
{
	const DpExpr *array = expr->args[1];
	const char *types =
		letters(get_opcode(expr->call.operator), expr->input_collation);
	Node *left = dp_text_expr(scope, expr->args[0], false);
	bool is_or = (expr->kind == DP_EXPR_ANY) != negate;
	bool is_negated = negate;
	char *word = comparison_word(expr->call.operator, types, &is_negated);
	List *forms = NIL;
	int i;

	note_zone(scope, wrapped_of(expr));
	if (array->kind == DP_EXPR_ARRAY &&
		!OidIsValid(get_element_type(get_element_type(array->type.oid))))
	{
		for (i = 0; i < array->nargs; i++)
			forms = lappend(
				forms,
				negated((Node *) dp_text_list(
							word,
							list_make2(left, dp_text_expr(scope, array->args[i],
														  false))),
						is_negated));
		return (Node *) dp_text_list(is_or ? "|or" : "|and", forms);
	}
	if (!dp_expr_visit(array, reads_rows, NULL))
		return (Node *) list_make5(
			makeString(is_or ? "%or" : "%and"), makeString(word), left,
			hole_form(array, false), makeInteger(is_negated));
	return negated(
		(Node *) dp_text_list(
			psprintf("=%s %s", expr->kind == DP_EXPR_ANY ? "any" : "all",
					 operator_word(expr->call.operator, types)),
			list_make2(left, dp_text_expr(scope, array, false))),
		negate);
}

/* Adds the arms of nested ANDs (or ORs) to a list of forms. */
static List *
collect_arms(const DpTextScope *scope, const DpExpr *expr, DpExprKind kind,
			 bool negate, List *forms)
{
	int i;

	dp_stack_enter();
	if (expr->kind == DP_EXPR_NOT)
		return collect_arms(scope, expr->args[0], kind, !negate, forms);
	if ((expr->kind == DP_EXPR_AND || expr->kind == DP_EXPR_OR) &&
		dual_of(expr->kind, negate) == kind)
	{
		for (i = 0; i < expr->nargs; i++)
			forms = collect_arms(scope, expr->args[i], kind, negate, forms);
		return forms;
	}
	return lappend(forms, dp_text_expr(scope, expr, negate));
}

List *
dp_text_arms(const DpTextScope *scope, List *conditions, List *forms)
{
	ListCell *cell;

	foreach (cell, conditions)
		forms = collect_arms(scope, lfirst(cell), DP_EXPR_AND, false, forms);
	return forms;
}

/*
 * Sub-queries
 */

static Node *
subquery_form(const DpTextScope *scope, const DpExpr *expr)
{
	const DpSubquery *subquery = expr->subquery;
	DpTextScope inner = {.around = scope,
						 .depends_on_zone = scope->depends_on_zone};
	List *rows = dp_text_rows(subquery->rows, NIL, &inner);
	Node *value = NULL;

	if (subquery->form == EXPR_SUBLINK)
		value = (Node *) dp_text_column(&inner, 0, 0);
	else if (expr->nargs > 0)
	{
		DpTextScope comparison = *scope;

		comparison.compared = &inner;
		value = dp_text_expr(&comparison, expr->args[0], false);
	}
	return (Node *) list_make4(makeString("sub"),
							   makeInteger((int) subquery->form), rows, value);
}

/* True, false and unknown have opposites beside them. */
static Node *
test_form(const DpTextScope *scope, const DpExpr *expr, bool negate)
{
	static const BoolTestType opposites[] = {
		[IS_TRUE] = IS_NOT_TRUE,	   [IS_NOT_TRUE] = IS_TRUE,
		[IS_FALSE] = IS_NOT_FALSE,	   [IS_NOT_FALSE] = IS_FALSE,
		[IS_UNKNOWN] = IS_NOT_UNKNOWN, [IS_NOT_UNKNOWN] = IS_UNKNOWN};

	return args_form(scope,
					 psprintf("=test%d", (int) (negate ? opposites[expr->truth]
													   : expr->truth)),
					 expr);
}

/* Expressions of which there is but one way to write NOT. */
static Node *
other_form(const DpTextScope *scope, const DpExpr *expr)
{
	const char *word = dp_kinds_get(expr->kind)->word;

	switch (expr->kind)
	{
		case DP_EXPR_COLUMN:
			return (Node *) dp_text_column(scope, expr->column.depth,
										   expr->column.number);
		case DP_EXPR_COMPARED:
			return (Node *) dp_text_column(scope, DP_TEXT_COMPARED,
										   expr->parameter);
		case DP_EXPR_SUBQUERY:
			return subquery_form(scope, expr);
		case DP_EXPR_CAST_BY_TEXT:
			return cast_form(scope, expr);
		case DP_EXPR_CASE:
			return args_form(
				scope, psprintf("?case%s", expr->has_subject ? " of" : ""),
				expr);
		case DP_EXPR_COALESCE:
			return args_form(scope, "?coalesce", expr);
		case DP_EXPR_DISTINCT: /* commutes, whatever its operator */
			note_zone(scope, wrapped_of(expr));
			return args_form(
				scope,
				dp_functions_is_total(get_opcode(expr->call.operator))
					? "~distinct distinct"
					: ":distinct distinct",
				expr);
		case DP_EXPR_NULLIF:
			note_zone(scope, wrapped_of(expr));
			return args_form(
				scope, psprintf("=nullif %s", get_opname(expr->call.operator)),
				expr);
		case DP_EXPR_GREATEST:
		case DP_EXPR_LEAST:
			return args_form(scope, psprintf("=%s%u", word, expr->type.oid),
							 expr);
		default:
			return args_form(scope, psprintf("=%s", word), expr);
	}
}

Node *
dp_text_expr(const DpTextScope *scope, const DpExpr *expr, bool negate)
{
	dp_stack_enter();
	if (!dp_expr_visit(expr, reads_rows, NULL))
		return hole_form(expr, negate);
	switch (expr->kind)
	{
		case DP_EXPR_AND:
		case DP_EXPR_OR:
			return logic_form(scope, expr, negate);
		case DP_EXPR_NOT:
			return dp_text_expr(scope, expr->args[0], !negate);
		case DP_EXPR_CALL:
			return call_form(scope, expr, negate);
		case DP_EXPR_RELABEL:
			return relabel_form(scope, expr, negate);
		case DP_EXPR_ANY:
		case DP_EXPR_ALL:
			return array_form(scope, expr, negate);
		case DP_EXPR_TRUTH_TEST:
			return test_form(scope, expr, negate);
		case DP_EXPR_NULL_TEST:
			return args_form(
				scope, expr->is_negated != negate ? "=notnull" : "=null", expr);
		default:
			return negated(other_form(scope, expr), negate);
	}
}
