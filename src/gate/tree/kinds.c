/*
 * kinds.c
 *		The table of expression kinds.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/tree/aggregates.h"
#include "gate/tree/functions.h"
#include "gate/tree/kinds.h"
#include "server/stack.h"

/*
 * Texts are compared byte by byte, which is what every collation does that is
 * allowed there. A collation is looked up when the first row is compared: a
 * user-defined one could have been dropped by then, and the error would reveal
 * that there is such a row.
 */
static Oid
by_bytes(Oid collation)
{
	return OidIsValid(collation) ? C_COLLATION_OID : InvalidOid;
}

/*
 * The database's collation always exists, and decides what is a letter:
 * functions keep it, wrapped ones where they ask for letters.
 */
static Oid
collation_within(const DpExpr *call, const DpWrapped *wrapped)
{
	if (call->input_collation == DEFAULT_COLLATION_OID &&
		(wrapped == NULL || (wrapped->rules & DP_RULE_LETTERS) != 0))
		return DEFAULT_COLLATION_OID;
	return by_bytes(call->input_collation);
}

static Node *
write_column(const DpExpr *expr, List *args, const DpWriter *writer)
{
	(void) args;
	return writer->column(expr, writer->context);
}

static Node *
write_constant(const DpExpr *expr, List *args, const DpWriter *writer)
{
	int16 length;
	bool by_value;

	(void) args;
	(void) writer;
	get_typlenbyval(expr->type.oid, &length, &by_value);
	return (Node *) makeConst(
		expr->type.oid, expr->type.typmod, expr->type.collation, length,
		expr->constant.value, expr->constant.isnull, by_value);
}

static Node *
write_parameter(const DpExpr *expr, List *args, const DpWriter *writer)
{
	Param *param = makeNode(Param);

	(void) args;
	(void) writer;
	param->paramkind =
		expr->kind == DP_EXPR_COMPARED ? PARAM_SUBLINK : PARAM_EXTERN;
	param->paramid =
		expr->kind == DP_EXPR_COMPARED ? expr->parameter + 1 : expr->parameter;
	param->paramtype = expr->type.oid;
	param->paramtypmod = expr->type.typmod;
	param->paramcollid = expr->type.collation;
	param->location = -1;
	return (Node *) param;
}

static Node *
write_moment(const DpExpr *expr, List *args, const DpWriter *writer)
{
	(void) args;
	(void) writer;
	return copyObject(expr->moment);
}

static Node *
wrapped_call(const DpExpr *expr, const DpWrapped *wrapped, List *args)
{
	Oid function = dp_wrapped_form(wrapped);

	if (!OidIsValid(function))
		elog(ERROR, "no wrapped form of %s", wrapped->name);
	return (Node *) makeFuncExpr(
		function, expr->type.oid, args, expr->type.collation,
		collation_within(expr, wrapped), COERCE_EXPLICIT_CALL);
}

/* An operator, or what looks like one: all have one layout. */
static Node *
write_operator(const DpExpr *expr, List *args, NodeTag tag)
{
	OpExpr *op = makeNode(OpExpr);

	NodeSetTag(op, tag);
	op->opno = expr->call.operator;
	op->opfuncid = expr->call.function;
	op->opresulttype = expr->type.oid;
	op->opcollid = expr->type.collation;
	op->inputcollid = by_bytes(expr->input_collation);
	op->args = args;
	op->location = -1;
	return (Node *) op;
}

static Node *
write_call(const DpExpr *expr, List *args, const DpWriter *writer)
{
	const DpWrapped *wrapped = dp_functions_wrapped(expr);
	FuncExpr *call;

	if (wrapped != NULL && !writer->as_asked)
		return wrapped_call(expr, wrapped, args);
	if (!dp_functions_is_total(expr->call.function) && !writer->as_asked)
		elog(ERROR, "function %u is not wrapped", expr->call.function);
	if (OidIsValid(expr->call.operator))
		return write_operator(expr, args, T_OpExpr);
	call = makeFuncExpr(expr->call.function, expr->type.oid, args,
						expr->type.collation, collation_within(expr, NULL),
						expr->call.form);
	call->funcvariadic = expr->call.is_variadic;
	return (Node *) call;
}

static Node *
write_cast(const DpExpr *expr, List *args, const DpWriter *writer)
{
	const DpWrapped *wrapped = dp_functions_wrapped(expr);
	CoerceViaIO *result = makeNode(CoerceViaIO);

	if (!writer->as_asked && wrapped == NULL)
		elog(ERROR, "a cast is not wrapped");
	if (!writer->as_asked)
		return wrapped_call(expr, wrapped, args);
	result->arg = linitial(args);
	result->resulttype = expr->type.oid;
	result->resultcollid = expr->type.collation;
	result->coerceformat = COERCE_EXPLICIT_CAST;
	result->location = -1;
	return (Node *) result;
}

static Node *
write_relabel(const DpExpr *expr, List *args, const DpWriter *writer)
{
	(void) writer;
	return (Node *) makeRelabelType(linitial(args), expr->type.oid,
									expr->type.typmod, expr->type.collation,
									COERCE_IMPLICIT_CAST);
}

static Node *
write_logic(const DpExpr *expr, List *args, const DpWriter *writer)
{
	(void) writer;
	return (Node *) makeBoolExpr(expr->kind == DP_EXPR_AND	? AND_EXPR
								 : expr->kind == DP_EXPR_OR ? OR_EXPR
															: NOT_EXPR,
								 args, -1);
}

static Node *
write_null_test(const DpExpr *expr, List *args, const DpWriter *writer)
{
	NullTest *test = makeNode(NullTest);

	(void) writer;
	test->arg = linitial(args);
	test->nulltesttype = expr->is_negated ? IS_NOT_NULL : IS_NULL;
	test->location = -1;
	return (Node *) test;
}

static Node *
write_truth_test(const DpExpr *expr, List *args, const DpWriter *writer)
{
	BooleanTest *test = makeNode(BooleanTest);

	(void) writer;
	test->arg = linitial(args);
	test->booltesttype = expr->truth;
	test->location = -1;
	return (Node *) test;
}

/* IS DISTINCT FROM, and NULLIF. */
static Node *
write_like_operator(const DpExpr *expr, List *args, const DpWriter *writer)
{
	(void) writer;
	return write_operator(expr, args,
						  expr->kind == DP_EXPR_DISTINCT ? T_DistinctExpr
														 : T_NullIfExpr);
}

static Node *
write_case(const DpExpr *expr, List *args, const DpWriter *writer)
{
	CaseExpr *result = makeNode(CaseExpr);
	int i = expr->has_subject ? 1 : 0;

	(void) writer;
	result->casetype = expr->type.oid;
	result->casecollid = expr->type.collation;
	result->arg = expr->has_subject ? linitial(args) : NULL;
	for (; i + 1 < list_length(args); i += 2)
	{
		CaseWhen *when = makeNode(CaseWhen);

		when->expr = list_nth(args, i);
		when->result = list_nth(args, i + 1);
		when->location = -1;
		result->args = lappend(result->args, when);
	}
	result->defresult = llast(args);
	result->location = -1;
	return (Node *) result;
}

static Node *
write_subject(const DpExpr *expr, List *args, const DpWriter *writer)
{
	CaseTestExpr *test = makeNode(CaseTestExpr);

	(void) args;
	(void) writer;
	test->typeId = expr->type.oid;
	test->typeMod = expr->type.typmod;
	test->collation = expr->type.collation;
	return (Node *) test;
}

static Node *
write_coalesce(const DpExpr *expr, List *args, const DpWriter *writer)
{
	CoalesceExpr *result = makeNode(CoalesceExpr);

	(void) writer;
	result->coalescetype = expr->type.oid;
	result->coalescecollid = expr->type.collation;
	result->args = args;
	result->location = -1;
	return (Node *) result;
}

static Node *
write_greatest(const DpExpr *expr, List *args, const DpWriter *writer)
{
	MinMaxExpr *result = makeNode(MinMaxExpr);

	(void) writer;
	result->minmaxtype = expr->type.oid;
	result->minmaxcollid = expr->type.collation;
	result->inputcollid = by_bytes(expr->input_collation);
	result->op = expr->kind == DP_EXPR_GREATEST ? IS_GREATEST : IS_LEAST;
	result->args = args;
	result->location = -1;
	return (Node *) result;
}

/* An array of constants. */
static Node *
constant_array(const DpExpr *expr, List *args)
{
	Oid type = get_element_type(getBaseType(expr->type.oid));
	ArrayBuildState *built = initArrayResult(type, CurrentMemoryContext, false);

	foreach_node (Const, constant, args)
		(void) accumArrayResult(built, constant->constvalue,
								constant->constisnull, type,
								CurrentMemoryContext);
	return (Node *) makeConst(expr->type.oid, -1, expr->type.collation, -1,
							  makeArrayResult(built, CurrentMemoryContext),
							  false, false);
}

/* A text that is null where it is longer than what is computed may be. */
static Node *
bound_text(Node *text)
{
	Oid type = exprType(text);
	Oid collation = exprCollation(text);
	Const *nothing = makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
							   CStringGetTextDatum(""), false, false);
	FuncExpr *joined = makeFuncExpr(
		dp_wrapped_form(dp_wrapped_find(F_TEXTCAT)), TEXTOID,
		list_make2(makeRelabelType((Expr *) text, TEXTOID, -1, collation,
								   COERCE_IMPLICIT_CAST),
				   nothing),
		collation, by_bytes(collation), COERCE_EXPLICIT_CALL);

	if (!OidIsValid(joined->funcid))
		elog(ERROR, "no wrapped form of textcat");
	return (Node *) makeRelabelType((Expr *) joined, type, -1, collation,
									COERCE_IMPLICIT_CAST);
}

/*
 * Elements of an array are not shortened when it is made, and the array may
 * become too long for the server: columns are bounded here, as what is computed
 * is by itself. Only texts come here, other long types were refused.
 */
static Node *
write_array(const DpExpr *expr, List *args, const DpWriter *writer)
{
	ArrayExpr *result = makeNode(ArrayExpr);
	bool is_constant = true;
	ListCell *cell;

	(void) writer;
	foreach (cell, args)
		is_constant = is_constant && IsA(lfirst(cell), Const);
	if (is_constant)
		return constant_array(expr, args);
	result->array_typeid = expr->type.oid;
	result->array_collid = expr->type.collation;
	result->element_typeid = get_element_type(getBaseType(expr->type.oid));
	result->location = -1;
	foreach (cell, args)
	{
		Node *element = lfirst(cell);

		if (dp_kinds_is_unbounded(expr->args[foreach_current_index(cell)]))
			element = bound_text(element);
		result->elements = lappend(result->elements, element);
	}
	return (Node *) result;
}

static Node *
write_element(const DpExpr *expr, List *args, const DpWriter *writer)
{
	SubscriptingRef *result = makeNode(SubscriptingRef);

	(void) writer;
	result->refcontainertype = getBaseType(expr->args[0]->type.oid);
	result->refelemtype = get_element_type(result->refcontainertype);
	result->refrestype = expr->type.oid;
	result->reftypmod = expr->type.typmod;
	result->refcollid = expr->type.collation;
	result->refexpr = linitial(args);
	result->refupperindexpr = list_copy_tail(args, 1);
	return (Node *) result;
}

static Node *
write_any(const DpExpr *expr, List *args, const DpWriter *writer)
{
	ScalarArrayOpExpr *result = makeNode(ScalarArrayOpExpr);

	(void) writer;
	result->opno = expr->call.operator;
	result->opfuncid = expr->call.function;
	result->useOr = expr->kind == DP_EXPR_ANY;
	result->inputcollid = by_bytes(expr->input_collation);
	result->args = args;
	result->location = -1;
	return (Node *) result;
}

static Node *
write_subquery(const DpExpr *expr, List *args, const DpWriter *writer)
{
	return writer->subquery(expr, args == NIL ? NULL : linitial(args),
							writer->context);
}

static Node *
write_total(const DpExpr *expr, List *args, const DpWriter *writer)
{
	const DpExpr *filter = expr->total->filter;

	return dp_aggregates_write(
		expr, args, filter == NULL ? NULL : dp_kinds_write(filter, writer));
}


static const DpKindRow kinds[] = {
	{"column", DP_EXPR_COLUMN, DP_NULL_ASK, write_column},
	{"constant", DP_EXPR_CONSTANT, DP_NULL_ASK, write_constant},
	{"parameter", DP_EXPR_PARAMETER, DP_NULL_MAYBE, write_parameter},
	{"moment", DP_EXPR_MOMENT, DP_NULL_NEVER, write_moment},
	{"call", DP_EXPR_CALL, DP_NULL_STRICT, write_call},
	{"relabel", DP_EXPR_RELABEL, DP_NULL_STRICT, write_relabel},
	{"cast", DP_EXPR_CAST_BY_TEXT, DP_NULL_MAYBE, write_cast},
	{"and", DP_EXPR_AND, DP_NULL_STRICT, write_logic},
	{"or", DP_EXPR_OR, DP_NULL_STRICT, write_logic},
	{"not", DP_EXPR_NOT, DP_NULL_STRICT, write_logic},
	{"null", DP_EXPR_NULL_TEST, DP_NULL_NEVER, write_null_test},
	{"test", DP_EXPR_TRUTH_TEST, DP_NULL_NEVER, write_truth_test},
	{"distinct", DP_EXPR_DISTINCT, DP_NULL_NEVER, write_like_operator},
	{"nullif", DP_EXPR_NULLIF, DP_NULL_MAYBE, write_like_operator},
	{"case", DP_EXPR_CASE, DP_NULL_CASE, write_case},
	{"subject", DP_EXPR_CASE_SUBJECT, DP_NULL_MAYBE, write_subject},
	{"coalesce", DP_EXPR_COALESCE, DP_NULL_COALESCE, write_coalesce},
	{"greatest", DP_EXPR_GREATEST, DP_NULL_MAYBE, write_greatest},
	{"least", DP_EXPR_LEAST, DP_NULL_MAYBE, write_greatest},
	{"array", DP_EXPR_ARRAY, DP_NULL_NEVER, write_array},
	{"element", DP_EXPR_ELEMENT, DP_NULL_MAYBE, write_element},
	{"any", DP_EXPR_ANY, DP_NULL_MAYBE, write_any},
	{"all", DP_EXPR_ALL, DP_NULL_MAYBE, write_any},
	{"sub", DP_EXPR_SUBQUERY, DP_NULL_MAYBE, write_subquery},
	{"compared", DP_EXPR_COMPARED, DP_NULL_MAYBE, write_parameter},
	{"agg", DP_EXPR_AGGREGATE, DP_NULL_MAYBE, write_total},
	{"window", DP_EXPR_WINDOW_CALL, DP_NULL_MAYBE, write_total},
};

StaticAssertDecl(lengthof(kinds) == DP_EXPR_KINDS,
				 "each kind of expression has a row");

const DpKindRow *
dp_kinds_get(DpExprKind kind)
{
	Assert(kinds[kind].kind == kind);
	return &kinds[kind];
}

Node *
dp_kinds_write(const DpExpr *expr, const DpWriter *writer)
{
	List *args = NIL;
	int i;

	dp_stack_enter();
	for (i = 0; i < expr->nargs; i++)
		args = lappend(args, dp_kinds_write(expr->args[i], writer));
	return dp_kinds_get(expr->kind)->write(expr, args, writer);
}

bool
dp_kinds_is_unbounded(const DpExpr *element)
{
	switch (element->kind)
	{
		case DP_EXPR_CONSTANT:
		case DP_EXPR_PARAMETER:
		case DP_EXPR_CALL:
		case DP_EXPR_CAST_BY_TEXT:
			return false;
		default:
			return dp_functions_can_be_long(element->type.oid);
	}
}
