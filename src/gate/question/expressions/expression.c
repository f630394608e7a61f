/*
 * expression.c
 *		The allow-list of expression nodes over protected columns.
 *
 * What is not listed is refused: a node unknown today is refused tomorrow.
 * CoerceViaIO, CoerceToDomain and array coercions carry functions that the
 * list could not see; they are refused by not being here.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/typcache.h"

#include "gate/question/expressions/calls.h"
#include "gate/question/expressions/compare_bytes.h"
#include "gate/question/expressions/enum_calls.h"
#include "gate/question/expressions/expression.h"
#include "gate/question/expressions/totals.h"
#include "gate/question/expressions/written_calls.h"
#include "gate/question/relations/protection.h"
#include "server/compat.h"

typedef struct Check
{
	const DpRelations *relations;
	const char *what;
	int depth;		  /* levels of queries around, up to the block */
	bool with_totals; /* aggregates and window functions of the server's */
} Check;

static void
refuse_call(const Check *check, Node *node, int location)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("%s cannot be used in %s over a protected relation",
						   dp_gate_call_words(node), check->what),
					errhint("Comparisons, arithmetic, AND, OR, NOT, IS NULL, "
							"IN, BETWEEN, LIKE, CASE, COALESCE and most of "
							"PostgreSQL's functions of numbers, texts, dates "
							"and times can; compute anything else from the "
							"released answer."),
					dp_gate_position(location)));
}

/* A function must be total, or run as its wrapped form. */
static void
check_function(const Check *check, Oid function, Node *node, int location)
{
	if (!dp_gate_is_total(function) && !dp_gate_is_enum_call(node) &&
		!dp_gate_is_wrapped_call(node, check->what))
		refuse_call(check, node, location);
}

/* A user's operator may have any name over a listed function. */
static void
check_operator(const Check *check, Oid operator, Oid function, Node *node,
			   int location)
{
	if (operator>= FirstNormalObjectId)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg(
				 "operator %s cannot be used in %s over a protected relation",
				 format_operator(operator), check->what),
			 errhint("Use the operators of PostgreSQL itself."),
			 dp_gate_position(location)));
	check_function(check, function, node, location);
}

/*
 * Comparison of texts must not depend on a locale's rules. Where two columns'
 * collations are in conflict there is none, and the comparison would fail at
 * the first row, and so reveal that there is one.
 */
static void
refuse_collation(const Check *check, Oid collation, List *args, int location)
{
	ListCell *cell;

	foreach (cell, args)
	{
		if (!OidIsValid(collation) &&
			type_is_collatable(exprType((Node *) lfirst(cell))))
			ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_COLLATION),
							errmsg("the collations of what is compared in %s "
								   "over a protected relation are in conflict",
								   check->what),
							errhint("Write COLLATE \"C\" after one of them."),
							dp_gate_position(location)));
	}
	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("a nondeterministic collation cannot be used in "
							   "%s over a protected relation",
							   check->what),
						errhint("Write COLLATE \"C\" after the column."),
						dp_gate_position(location)));
}

/* One element of an array, null where there is none: no slice, no json. */
static bool
is_element(const SubscriptingRef *ref)
{
	return ref->refassgnexpr == NULL && ref->reflowerindexpr == NIL &&
		   OidIsValid(get_element_type(ref->refcontainertype)) &&
		   ref->refelemtype < FirstGenbkiObjectId;
}

/* GREATEST and LEAST compare by their type's order, texts byte by byte. */
static void
check_order(const Check *check, MinMaxExpr *expr)
{
	TypeCacheEntry *type =
		lookup_type_cache(expr->minmaxtype, TYPECACHE_LT_OPR);

	if (expr->minmaxtype == TEXTOID || expr->minmaxtype == VARCHAROID ||
		expr->minmaxtype == BPCHAROID)
	{
		dp_gate_check_bytes(expr->inputcollid, expr->location);
		return;
	}
	if (!OidIsValid(type->lt_opr) || type->lt_opr >= FirstNormalObjectId ||
		!dp_gate_is_total(get_opcode(type->lt_opr)))
		refuse_call(check, (Node *) expr, expr->location);
}

static bool
check_walker(Node *node, Check *check)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		{
			Var *var = (Var *) node;

			if ((int) var->varlevelsup > check->depth)
				ereport(
					ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("%s over a protected relation cannot refer to an "
							"outer query",
							check->what),
					 errhint(
						 "Write a constant or a query parameter such as $1."),
					 dp_gate_position(var->location)));
			if (var->varattno <= 0)
				ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
								errmsg("system columns and whole rows of a "
									   "protected relation cannot be used"),
								errhint("Name the columns one by one."),
								dp_gate_position(var->location)));
			return false;
		}
		case T_Const:
			return false;
		case T_Param:
			if (((Param *) node)->paramkind == PARAM_EXTERN ||
				((Param *) node)->paramkind == PARAM_SUBLINK)
				return false;
			break;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		{
			OpExpr *op = (OpExpr *) node; /* as all three are */

			check_operator(check, op->opno, op->opfuncid, node, op->location);
			refuse_collation(check, op->inputcollid, op->args, op->location);
			return expression_tree_walker(node, check_walker, check);
		}
		case T_ScalarArrayOpExpr:
		{
			ScalarArrayOpExpr *op = (ScalarArrayOpExpr *) node;
			Node *array = lsecond(op->args);
			List *calls = dp_gate_element_calls(op);

			if (calls != NIL)
				return check_walker((Node *) calls, check);
			check_operator(check, op->opno, op->opfuncid, node, op->location);
			refuse_collation(check, op->inputcollid, op->args, op->location);

			/* IN (list): the list itself, or an array that is computed. */
			if (!IsA(array, ArrayExpr) && !IsA(array, Const) &&
				!IsA(array, Param) && !IsA(array, Var) &&
				!IsA(array, FuncExpr) && !IsA(array, OpExpr) &&
				!IsA(array, SubscriptingRef))
				break;
			return expression_tree_walker(node, check_walker, check);
		}
		case T_FuncExpr:
		{
			FuncExpr *function = (FuncExpr *) node;
			Node *form;

			if (function->funcretset)
				break;
			if (dp_gate_is_execution_constant(node))
				return false;
			form = dp_gate_written_form(node);
			if (form != NULL)
				return check_walker(form, check);
			check_function(check, function->funcid, node, function->location);
			refuse_collation(check, function->inputcollid, function->args,
							 function->location);
			return expression_tree_walker(node, check_walker, check);
		}
		case T_CoerceViaIO:
			if (!dp_gate_is_enum_call(node) &&
				!dp_gate_is_wrapped_call(node, check->what))
				refuse_call(check, node, exprLocation(node));
			return expression_tree_walker(node, check_walker, check);
		case T_SubscriptingRef:
			if (!is_element((SubscriptingRef *) node))
				break;
			return expression_tree_walker(node, check_walker, check);
		case T_MinMaxExpr:
			check_order(check, (MinMaxExpr *) node);
			return expression_tree_walker(node, check_walker, check);
		case T_SQLValueFunction:
			if (!dp_gate_is_execution_constant(node))
				break;
			return false;
		case T_SubLink: /* its query has been checked */
			return check_walker(((SubLink *) node)->testexpr, check);
		case T_Aggref:
			if (!check->with_totals || ((Aggref *) node)->agglevelsup != 0)
				break;
			dp_gate_check_total((Aggref *) node);
			return check_walker((Node *) ((Aggref *) node)->args, check) ||
				   check_walker((Node *) ((Aggref *) node)->aggfilter, check);
		case T_WindowFunc:
			if (!check->with_totals)
				break;
			dp_gate_check_window_function((WindowFunc *) node);
			return check_walker((Node *) ((WindowFunc *) node)->args, check) ||
				   check_walker((Node *) ((WindowFunc *) node)->aggfilter,
								check);
		case T_TargetEntry:
			return check_walker((Node *) ((TargetEntry *) node)->expr, check);
		case T_ArrayExpr:
			if (((ArrayExpr *) node)->multidims)
				break;
			return expression_tree_walker(node, check_walker, check);
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_CoalesceExpr:
		case T_RelabelType:
		case T_List:
			if (IsA(node, NullTest) && ((NullTest *) node)->argisrow)
				break;
			return expression_tree_walker(node, check_walker, check);
		default:
			break;
	}
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg(
			 "this expression cannot be used in %s over a protected relation",
			 check->what),
		 errhint("Comparisons, arithmetic, AND, OR, NOT, IS NULL, IN, BETWEEN, "
				 "LIKE, CASE, COALESCE and most of PostgreSQL's functions of "
				 "numbers, texts, dates and times can; compute anything else "
				 "from the released answer."),
		 dp_gate_position(exprLocation(node))));
	return true;
}

/* Finds what may differ between two evaluations. */
static bool
varies_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Const:
			return false;
		case T_Param:
			return ((Param *) node)->paramkind != PARAM_EXTERN;
		case T_FuncExpr:
			if (((FuncExpr *) node)->funcid >= FirstNormalObjectId ||
				func_volatile(((FuncExpr *) node)->funcid) !=
					PROVOLATILE_IMMUTABLE)
				return true;
			break;
		case T_RelabelType:
		case T_ArrayExpr:
		case T_List:
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, varies_walker, context);
}

void
dp_gate_check_parameter(Node *expression, int location)
{
	if (varies_walker(expression, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("parameters of a private aggregate over a protected "
						"relation must be constants or query parameters"),
				 errhint("Write a constant or a query parameter such as $1."),
				 dp_gate_position(location)));
}

void
dp_gate_check_expression(Node *expression, const DpRelations *relations,
						 const char *what)
{
	dp_gate_check_in_scope(expression, relations, what, 0);
}

void
dp_gate_check_in_scope(Node *expression, const DpRelations *relations,
					   const char *what, int depth)
{
	Check check = {relations, what, depth, false};

	(void) check_walker(expression, &check);
}

void
dp_gate_check_outputs_in_scope(Node *expression, const DpRelations *relations,
							   const char *what, int depth)
{
	Check check = {relations, what, depth, true};

	(void) check_walker(expression, &check);
}

static bool virtual_walker(Node *node, List **queries);

/*
 * A column of a join is one of what is joined. Joins list all of their columns;
 * only those that are named matter.
 */
static void
check_virtual(const Var *var, List *queries)
{
	const Query *query;
	const RangeTblEntry *rte;

	if ((int) var->varlevelsup >= list_length(queries))
		return; /* of the statement around the block */
	queries = list_copy_tail(queries, (int) var->varlevelsup);
	query = linitial_node(Query, queries);
	rte = rt_fetch(var->varno, query->rtable);
	if (rte->rtekind == RTE_JOIN)
		(void) virtual_walker(
			var->varattno > 0 ? list_nth(rte->joinaliasvars, var->varattno - 1)
							  : (Node *) rte->joinaliasvars,
			&queries);
	if (rte->rtekind == RTE_RELATION &&
		dp_compat_is_virtual(rte->relid, var->varattno) &&
		(list_length(queries) == 1 || dp_gate_is_protected(rte->relid)))
		dp_gate_refuse("a virtual generated column",
					   "Its owner can make it STORED.", var->location);
}

/* queries: those around, nearest first. */
static bool
virtual_walker(Node *node, List **queries)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		check_virtual((Var *) node, *queries);
		return false;
	}
	if (IsA(node, Query))
	{
		*queries = lcons(node, *queries);
		(void) query_tree_walker((Query *) node, virtual_walker, queries,
								 QTW_IGNORE_JOINALIASES);
		*queries = list_delete_first(*queries);
		return false;
	}
	return expression_tree_walker(node, virtual_walker, queries);
}

void
dp_gate_check_columns(Query *query)
{
	List *queries = NIL;

	(void) virtual_walker((Node *) query, &queries);
}
