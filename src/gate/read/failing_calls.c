/*
 * failing_calls.c
 *		Functions that can fail, over protected rows.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "expressions/wrapped.h"
#include "gate/read/call_words.h"
#include "gate/read/collations.h"
#include "gate/read/failing_calls.h"
#include "gate/relations/publics.h"
#include "gate/relations/refusal.h"
#include "gate/tree/functions.h"
#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/search.h"

/* A call that is wrapped, or might be. */
typedef struct Call
{
	const DpWrapped *wrapped; /* NULL: not listed */
	Oid function;			  /* InvalidOid: a cast by way of a text */
	List *args;
	Oid input_collation;
} Call;

/*
 * Arrays are compared by their elements' type: by a function that is found
 * when the first row comes to it, and must be there and total. Ranges
 * likewise: those of the server's own types pass.
 */
static bool
are_plain_arrays(List *args)
{
	ListCell *cell;

	foreach (cell, args)
	{
		Oid element = get_element_type(exprType(lfirst(cell)));
		TypeCacheEntry *type;

		if (type_is_range(getBaseType(exprType(lfirst(cell)))) &&
			getBaseType(exprType(lfirst(cell))) >= FirstGenbkiObjectId)
			return false;
		if (!OidIsValid(element))
			continue;
		type = lookup_type_cache(element, TYPECACHE_EQ_OPR);
		if (element >= FirstGenbkiObjectId || !OidIsValid(type->eq_opr) ||
			!dp_functions_is_total(get_opcode(type->eq_opr)))
			return false;
	}
	return true;
}

static bool
read_call(Node *node, Call *call)
{
	switch (nodeTag(node))
	{
		case T_OpExpr:
		{
			OpExpr *op = (OpExpr *) node;

			call->function = op->opfuncid;
			call->args = op->args;
			call->input_collation = op->inputcollid;
			break;
		}
		case T_FuncExpr:
		{
			FuncExpr *function = (FuncExpr *) node;

			call->function = function->funcid;
			call->args = function->args;
			call->input_collation = function->inputcollid;
			break;
		}
		case T_CoerceViaIO:
			call->function = InvalidOid;
			call->args = list_make1(((CoerceViaIO *) node)->arg);
			call->input_collation = InvalidOid;
			break;
		default:
			return false;
	}
	if (IsA(node, CoerceViaIO))
		call->wrapped = dp_wrapped_find_cast(
			getBaseType(exprType((Node *) linitial(call->args))),
			exprType(node));
	else
		call->wrapped = dp_functions_is_total(call->function)
							? NULL
							: dp_wrapped_find(call->function);
	return call->wrapped != NULL && are_plain_arrays(call->args);
}

/* What may differ from row to row, also of an outer query. */
static bool
varies(Node *node, void *context)
{
	(void) context;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Aggref:
		case T_WindowFunc:
			return true;
		case T_SubLink:
			return ((SubLink *) node)->testexpr != NULL ||
				   dp_publics_refers_outward(
					   (Query *) ((SubLink *) node)->subselect);
		case T_Param: /* else the column of a sub-query */
			return ((Param *) node)->paramkind != PARAM_EXTERN;
		default:
			return false;
	}
}

/* True for constants, parameters, and what is computed from them. */
static bool
is_same_for_all_rows(Node *node)
{
	return !dp_search_within(node, varies, NULL);
}

/* Harmless values of types. */
static const struct
{
	Oid type;
	const char *text;
} samples[] = {{INT4OID, "1"},
			   {INT8OID, "1"},
			   {FLOAT4OID, "1"},
			   {FLOAT8OID, "1"},
			   {NUMERICOID, "1"},
			   {DATEOID, "2000-01-01"},
			   {TIMEOID, "00:00"},
			   {TIMESTAMPOID, "2000-01-01"},
			   {TIMESTAMPTZOID, "2000-01-01"},
			   {INTERVALOID, "1 day"},
			   {TIMETZOID, "00:00+00"},
			   {BYTEAOID, ""},
			   {JSONBOID, "null"}};

/*
 * A harmless value of a type; false where there is none. A text is the last
 * constant of the call: whether a pattern of LIKE is one shows at its end.
 */
static bool
sample_of(Oid type, const Call *call, Datum *value)
{
	size_t i;

	if (type == TEXTOID || type == BPCHAROID)
	{
		*value = CStringGetTextDatum("");
		if ((call->wrapped->rules & DP_RULE_EMPTY) != 0)
			return true;
		foreach_ptr (Const, other, call->args)
		{
			if (IsA(other, Const) && other->consttype == TEXTOID &&
				!other->constisnull)
				*value = other->constvalue;
		}
		return true;
	}
	for (i = 0; i < lengthof(samples); i++)
	{
		Oid input;
		Oid io_param;

		if (samples[i].type != type)
			continue;
		getTypeInputInfo(type, &input, &io_param);
		*value =
			OidInputFunctionCall(input, pstrdup(samples[i].text), io_param, -1);
		return true;
	}
	return false;
}

/*
 * Calls the function with its constants, and harmless values in the place of
 * what rows hold: an error about the constants then says nothing about a row.
 * Nothing is called where a constant is not known yet, or null.
 */
static void
probe(const Call *call, Node *node)
{
	LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
	FmgrInfo function;
	Datum result;
	int count = 0;

	fmgr_info(call->function, &function);
	fmgr_info_set_expr(node, &function);
	InitFunctionCallInfoData(*fcinfo, &function, list_length(call->args),
							 C_COLLATION_OID, NULL, NULL);
	foreach_ptr (Node, arg, call->args)
	{
		NullableDatum *value = &fcinfo->args[count++];

		value->isnull = false;
		if (IsA(arg, Const))
		{
			if (((Const *) arg)->constisnull)
				return;
			value->value = ((Const *) arg)->constvalue;
		}
		else if (is_same_for_all_rows(arg) ||
				 !sample_of(getBaseType(exprType(arg)), call, &value->value))
			return;
	}
	if (call->wrapped->guard != NULL && !call->wrapped->guard(fcinfo))
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s cannot be used in this way over a protected relation",
					dp_call_words(node)),
			 errhint("The pattern or format is too long, refers back to what "
					 "it has matched, depends on the server's language, or "
					 "could take too long to match.")));
	if ((call->wrapped->rules & DP_RULE_EMPTY) != 0)
		(void) dp_wrapped_call(fcinfo, &result); /* a text that is no value */
	else
		(void) FunctionCallInvoke(fcinfo);
}

static void
check_constants(const Call *call, Node *node, const char *what)
{
	int argno = 0;

	foreach_ptr (Node, one, call->args)
	{
		if ((call->wrapped->constants & (1 << argno++)) != 0 &&
			!is_same_for_all_rows(one))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("%s can be used in %s over a protected relation "
							"only with a constant",
							dp_call_words(node), what),
					 errhint("Write a pattern, format, field or time zone that "
							 "is the same for all rows."),
					 dp_refusal_position(exprLocation(one))));
	}
}

bool
dp_failing_calls_check(Node *node, const char *what)
{
	Call call;

	if (!read_call(node, &call) || !OidIsValid(dp_wrapped_form(call.wrapped)))
		return false;
	if (OidIsValid(call.function) &&
		!dp_compat_may_execute(call.function, GetUserId()))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION,
					   get_func_name(call.function));
	check_constants(&call, node, what);
	if ((call.wrapped->rules & DP_RULE_BYTES) != 0 &&
		OidIsValid(call.input_collation)) /* without one: see operators.c */
		dp_collations_check_order(call.input_collation, exprLocation(node));
	if ((call.wrapped->rules & DP_RULE_LETTERS) != 0 &&
		OidIsValid(call.input_collation))
		dp_collations_check_letters(call.input_collation, node);
	if ((call.wrapped->rules & DP_RULE_DEFAULT_BYTES) != 0)
		dp_collations_check_default(node);
	if ((call.wrapped->rules & DP_RULE_PROBE) != 0)
		probe(&call, node);
	return true;
}

static bool
probe_node(Node *node, void *context)
{
	Call call;

	(void) context;
	if (read_call(node, &call) && (call.wrapped->rules & DP_RULE_PROBE) != 0)
		probe(&call, node);
	return false;
}

void
dp_failing_calls_probe(Node *expression)
{
	(void) dp_search_within(expression, probe_node, NULL);
}

bool
dp_failing_calls_is_moment(Node *node)
{
	if (IsA(node, FuncExpr))
		return ((FuncExpr *) node)->funcid == F_NOW ||
			   ((FuncExpr *) node)->funcid == F_TRANSACTION_TIMESTAMP ||
			   ((FuncExpr *) node)->funcid == F_STATEMENT_TIMESTAMP;
	if (!IsA(node, SQLValueFunction))
		return false;
	switch (exprType(node))
	{
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return true;
		default:
			return false;
	}
}
