/*
 * pure.c
 *		Which expressions other nodes may compute.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/run/nodes/pure.h"
#include "server/citus.h"
#include "server/search.h"

static bool
is_servers(Oid object)
{
	return object < FirstGenbkiObjectId;
}

/* Others are found by their names, and may be something else on other nodes. */
static bool
is_one_collation(Oid collation)
{
	return !OidIsValid(collation) || is_servers(collation);
}

/* Equality of texts, which compares bytes in every deterministic collation. */
static bool
is_equality_of_texts(Oid function)
{
	return function == F_TEXTEQ || function == F_TEXTNE ||
		   function == F_BPCHAREQ || function == F_BPCHARNE;
}

static bool
compares_bytes(Oid collation, Oid function)
{
	return !OidIsValid(collation) || collation == C_COLLATION_OID ||
		   (is_equality_of_texts(function) && is_servers(collation) &&
			get_collation_isdeterministic(collation));
}

static bool
is_pure_call(Oid function, Oid collation, Oid result)
{
	return is_servers(function) && is_servers(result) &&
		   !dp_citus_sends_text(result) &&
		   func_volatile(function) == PROVOLATILE_IMMUTABLE &&
		   !get_func_retset(function) && compares_bytes(collation, function);
}

/*
 * What is sent names functions without their schema, and pg_catalog comes first where
 * they are looked up; but a function in another schema whose arguments are of the very
 * types is preferred to one of pg_catalog that takes others. So none is sent that does.
 * (Citus names operators with their schema.)
 */
static bool
takes_those(const FuncExpr *call)
{
	Oid *types;
	int count;
	ListCell *cell;

	(void) get_func_signature(call->funcid, &types, &count);
	if (count != list_length(call->args))
		return false;
	foreach (cell, call->args)
	{
		if (exprType(lfirst(cell)) != types[foreach_current_index(cell)])
			return false;
	}
	return true;
}

/*
 * A backslash in a literal is read by standard_conforming_strings, which the owner may
 * have turned off for sessions there: the literal would end elsewhere, and what
 * follows in it would be the asker's statement with the owner's rights.
 */
static bool
has_backslash(const Const *constant)
{
	Oid output;
	bool is_varlena;

	if (constant->constisnull)
		return false;
	getTypeOutputInfo(constant->consttype, &output, &is_varlena);
	return strchr(OidOutputFunctionCall(output, constant->constvalue), '\\') !=
		   NULL;
}

/* Which array_nulls reads. */
static bool
has_nulls(const Const *constant)
{
	return !constant->constisnull &&
		   ARR_HASNULL(DatumGetArrayTypeP(constant->constvalue));
}

/* Whether the text of a value depends on no setting, here and there. */
static bool
has_one_text(const Const *constant)
{
	switch (constant->consttype)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case UUIDOID:
		case DATEOID: /* dp_citus_write_plainly */
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return true;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			return !has_backslash(constant);
		case INT2ARRAYOID:
		case INT4ARRAYOID:
		case INT8ARRAYOID:
		case NUMERICARRAYOID:
		case TEXTARRAYOID:
			return !has_nulls(constant) && !has_backslash(constant);
		default:
			return false;
	}
}

static bool
is_pure_relabel(const RelabelType *relabel)
{
	return is_servers(relabel->resulttype) && relabel->resulttypmod == -1 &&
		   is_servers(getBaseType(exprType((Node *) relabel->arg))) &&
		   exprCollation((Node *) relabel->arg) == relabel->resultcollid;
}

static bool
is_impure(Node *node, void *context)
{
	const FuncExpr *call = (FuncExpr *) node;
	OpExpr *operator=(OpExpr *) node;
	ScalarArrayOpExpr *any = (ScalarArrayOpExpr *) node;
	const Var *column = (Var *) node;

	(void) context;
	switch (nodeTag(node))
	{
		case T_Var:
			return column->varlevelsup > 0 || column->varattno <= 0;
		case T_Const:
			return !has_one_text((Const *) node) ||
				   !is_one_collation(((Const *) node)->constcollid);
		case T_FuncExpr:
			return call->funcvariadic || !takes_those(call) ||
				   !is_pure_call(call->funcid, call->inputcollid,
								 call->funcresulttype);
		case T_OpExpr:
			set_opfuncid(operator);
			return !is_servers(operator->opno) ||
				   !is_pure_call(operator->opfuncid, operator->inputcollid,
													 operator->opresulttype);
		case T_ScalarArrayOpExpr:
			set_sa_opfuncid(any);
			return !is_servers(any->opno) ||
				   !is_pure_call(any->opfuncid, any->inputcollid, BOOLOID);
		case T_RelabelType:
			return !is_pure_relabel((RelabelType *) node);
		case T_NullTest:
			return ((NullTest *) node)->argisrow;
		case T_CaseExpr:
			return ((CaseExpr *) node)->arg != NULL ||
				   !is_servers(((CaseExpr *) node)->casetype);
		case T_CoalesceExpr:
			return !is_servers(((CoalesceExpr *) node)->coalescetype);
		case T_BoolExpr:
		case T_BooleanTest:
		case T_CaseWhen:
		case T_List:
			return false;
		default:
			return true;
	}
}

bool
dp_nodes_is_pure(Node *expression)
{
	return !dp_search_within(expression, is_impure, NULL);
}

List *
dp_nodes_conjuncts(Node *condition)
{
	List *result = NIL;
	ListCell *cell;

	if (condition == NULL)
		return NIL;
	if (!is_andclause(condition))
		return list_make1(condition);
	foreach (cell, ((BoolExpr *) condition)->args)
		result = list_concat(result, dp_nodes_conjuncts(lfirst(cell)));
	return result;
}

/*
 * Some types have no equality. Texts of a collation in which different ones may be
 * equal would be put together that are to be told apart here.
 */
bool
dp_nodes_is_key(Node *expression)
{
	Oid collation = exprCollation(expression);
	Oid type = exprType(expression);

	return dp_nodes_is_pure(expression) && is_servers(type) &&
		   OidIsValid(lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr) &&
		   is_one_collation(collation) &&
		   (!OidIsValid(collation) || get_collation_isdeterministic(collation));
}

Node *
dp_nodes_grouped_by(const Query *query, const SortGroupClause *clause)
{
	Node *key =
		get_sortgroupclause_expr((SortGroupClause *) clause, query->targetList);

	while (IsA(key, RelabelType))
		key = (Node *) ((RelabelType *) key)->arg;
	return key;
}

/* What was left out since it follows, in the session that read it. */
static bool
write_cast(Node *node, void *context)
{
	(void) context;
	if (IsA(node, RelabelType))
		((RelabelType *) node)->relabelformat = COERCE_EXPLICIT_CAST;
	if (IsA(node, FuncExpr) &&
		((FuncExpr *) node)->funcformat == COERCE_IMPLICIT_CAST)
		((FuncExpr *) node)->funcformat = COERCE_EXPLICIT_CAST;
	return false;
}

Node *
dp_nodes_written_out(Node *expression)
{
	Node *result = (Node *) copyObject(expression);

	(void) dp_search_within(result, write_cast, NULL);
	return result;
}
