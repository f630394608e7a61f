/*
 * folding.c
 *		Evaluates constants in a block, but no user-defined code.
 *
 * The server evaluates calls of immutable functions whose arguments are
 * constants, and replaces calls of SQL functions by their bodies. So a
 * user-defined function would run after the statement has been parsed and
 * before its block has been read, and could change the tables that it names.
 * Therefore only the following is evaluated, and everything else is refused:
 *
 * - functions that may see protected values (gate/tree/functions.c), whatever
 *   their types are;
 * - the server's immutable functions where all arguments and the result are of
 *   its own plain types. Other types lead to user-defined code: arrays, rows
 *   and ranges to domains and their checks, oids to relations
 *   (satisfies_hash_partition), input functions to types. Its stable functions
 *   are allowed likewise: they are not evaluated, and those in SQL are
 *   replaced by bodies that belong to the server;
 * - the order of enums, and their casts: the server looks their labels up;
 * - expressions that call no function.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "gate/read/call_words.h"
#include "gate/read/enums.h"
#include "gate/read/folding.h"
#include "gate/relations/refusal.h"
#include "gate/tree/functions.h"
#include "server/plain_type.h"
#include "server/search.h"

static const char *const hint =
	"Compute it from the released answer, or write a constant.";

/*
 * True for types whose values no user's code makes, compares or prints, and arrays
 * of them.
 */
static bool
is_plain(Oid type)
{
	return dp_plain_type_is(type, DP_PLAIN_FOLDED) ||
		   dp_plain_type_is(get_element_type(type), DP_PLAIN_FOLDED);
}

static bool
are_plain(List *expressions)
{
	foreach_ptr (Node, node, expressions)
	{
		if (!is_plain(exprType(node)))
			return false;
	}
	return true;
}

static void
check_function(Oid function, Node *call, List *args, const char *what)
{
	if (dp_functions_is_total(function) ||
		dp_functions_is_enum_order(function) ||
		(function < FirstGenbkiObjectId &&
		 func_volatile(function) != PROVOLATILE_VOLATILE &&
		 is_plain(exprType(call)) && are_plain(args)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s cannot be used in %s over a protected relation",
					dp_call_words(call), what),
			 errhint("%s", hint), dp_refusal_position(exprLocation(call))));
}

/* A user's operator may have any name over a function of the server's. */
static void
check_operator(Oid operator, Oid function, Node *call, List *args,
			   const char *what)
{
	if (operator>= FirstGenbkiObjectId)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg(
				 "operator %s cannot be used in %s over a protected relation",
				 format_operator(operator), what),
			 errhint("Use the operators of PostgreSQL itself."),
			 dp_refusal_position(exprLocation(call))));
	check_function(function, call, args, what);
}

static void
refuse_node(Node *node, const char *what)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg(
			 "this expression cannot be used in %s over a protected relation",
			 what),
		 errhint("%s", hint), dp_refusal_position(exprLocation(node))));
}

/* Arguments of "any" type: literals of none are texts. */
static List *
with_texts(List *args)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, args)
	{
		Const *constant = lfirst(cell);

		if (IsA(constant, Const) && constant->consttype == UNKNOWNOID)
			constant = makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
								 constant->constisnull
									 ? (Datum) 0
									 : CStringGetTextDatum(DatumGetCString(
										   constant->constvalue)),
								 constant->constisnull, false);
		result = lappend(result, constant);
	}
	return result;
}

static void check(Node *node, const char *what);

/* What calls functions: true where it is checked so. */
static bool
check_call(Node *node, const char *what)
{
	OpExpr *op = (OpExpr *) node;
	ScalarArrayOpExpr *any = (ScalarArrayOpExpr *) node;
	FuncExpr *call = (FuncExpr *) node;

	switch (nodeTag(node))
	{
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr: /* of one layout */
			set_opfuncid(op);
			check_operator(op->opno, op->opfuncid, node, op->args, what);
			return true;
		case T_ScalarArrayOpExpr:
			set_sa_opfuncid(any);
			check_operator(any->opno, any->opfuncid, node, any->args, what);
			return true;
		case T_FuncExpr:
			call->args = with_texts(call->args);
			check_function(call->funcid, node, call->args, what);
			return true;
		default:
			return false;
	}
}

/* What calls functions of types alone. */
static bool
is_of_plain_types(Node *node)
{
	CoerceViaIO *cast =
		(CoerceViaIO *) node; /* by output and input functions */

	return is_plain(exprType(node)) &&
		   (!IsA(node, CoerceViaIO) ||
			is_plain(getBaseType(exprType((Node *) cast->arg))));
}

/* What is not evaluated itself; true for what that is. */
static bool
check_parts(Node *node, const char *what)
{
	Aggref *aggref = (Aggref *) node;
	WindowFunc *window = (WindowFunc *) node;

	switch (nodeTag(node))
	{
		case T_Aggref: /* of the extension's own */
			check((Node *) aggref->aggdirectargs, what);
			check((Node *) aggref->args, what);
			check((Node *) aggref->aggfilter, "FILTER");
			return true;
		case T_SubLink: /* its query is folded by itself */
			check(((SubLink *) node)->testexpr, what);
			return true;
		case T_WindowFunc:
			check((Node *) window->args, what);
			check((Node *) window->aggfilter, "FILTER");
			return true;
		default:
			return false;
	}
}

/* What is not listed is refused. what: const char *. */
static DpVisit
check_node(Node *node, const List *around, void *what)
{
	(void) around;
	if (check_call(node, what))
		return DP_VISIT_PARTS;
	if (check_parts(node, what))
		return DP_VISIT_NEXT;
	switch (nodeTag(node))
	{
		case T_CoerceViaIO:
			if (!dp_enums_is_cast((CoerceViaIO *) node) &&
				!is_of_plain_types(node))
				refuse_node(node, what);
			break;
		case T_ArrayCoerceExpr:
		case T_MinMaxExpr: /* compares by its type's order */
		case T_SubscriptingRef:
			if (!is_of_plain_types(node))
				refuse_node(node, what);
			break;
		case T_RowExpr:
			if (((RowExpr *) node)->row_typeid != RECORDOID)
				refuse_node(node, what);
			break;
		case T_Var:
		case T_Const:
		case T_Param:
		case T_CaseTestExpr:
		case T_SQLValueFunction: /* stays as it is */
		case T_RowCompareExpr:	 /* checked when it is read */
		case T_NamedArgExpr:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CoalesceExpr:
		case T_RelabelType:
		case T_CollateExpr:
		case T_ArrayExpr:
		case T_TargetEntry:
		case T_List:
			break;
		default:
			refuse_node(node, what);
	}
	return DP_VISIT_PARTS;
}

static void
check(Node *node, const char *what)
{
	(void) dp_search(node, check_node, (void *) what, 0);
}

Node *
dp_folding_evaluate(Node *expression)
{
	MemoryContext context = CurrentMemoryContext;
	Node *volatile result = NULL;

	PG_TRY();
	{
		result = eval_const_expressions(NULL, expression);
	}
	PG_CATCH();
	{
		if (geterrcode() != ERRCODE_INTERNAL_ERROR)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a constant of the question is too large"),
				 errhint("A function of constants has a result that is longer "
						 "than the server allows.")));
	}
	PG_END_TRY();
	return result;
}

Node *
dp_folding_fold(Node *expression, const char *what)
{
	check(expression, what);
	expression = dp_folding_evaluate(expression);
	fix_opfuncids(expression);
	return expression;
}

/* Each by itself, so that one that is never true leaves the others. */
static List *
fold_each(const DpScope *scope, List *conditions)
{
	List *folded = NIL;

	foreach_ptr (Node, node, conditions)
		folded = list_concat(
			folded,
			make_ands_implicit((Expr *) dp_folding_fold(node, scope->what)));
	return folded;
}

List *
dp_folding_fold_conditions(const DpScope *scope, Node *node)
{
	List *conditions =
		node != NULL && IsA(node, List) ? (List *) node : list_make1(node);
	Node *folded;

	if (node == NULL)
		return NIL;
	folded = (Node *) make_ands_explicit(conditions);
	folded = dp_folding_fold(folded, scope->what);
	return IsA(folded, Const) ? fold_each(scope, conditions)
							  : make_ands_implicit((Expr *) folded);
}
