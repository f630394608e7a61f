/*
 * enum_calls.c
 *		Rewrites calls that depend on the labels of an enum.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "gate/question/expressions/enum_calls.h"
#include "server/compat.h"

typedef struct Label
{
	Oid value;
	float4 sort_order;
	char *text;
} Label;

bool
dp_gate_is_enum_order(Oid function)
{
	return function == F_ENUM_LT || function == F_ENUM_LE ||
		   function == F_ENUM_GT || function == F_ENUM_GE;
}

static bool
is_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID;
}

static bool
is_constant(Node *node)
{
	return IsA(node, Const) && !((Const *) node)->constisnull;
}

bool
dp_gate_is_enum_call(Node *node)
{
	if (IsA(node, OpExpr))
	{
		OpExpr *op = (OpExpr *) node;

		return dp_gate_is_enum_order(op->opfuncid) &&
			   (is_constant(linitial(op->args)) ||
				is_constant(lsecond(op->args)));
	}
	if (IsA(node, CoerceViaIO))
	{
		Oid from = getBaseType(exprType((Node *) ((CoerceViaIO *) node)->arg));
		Oid to = exprType(node);

		return (type_is_enum(from) && is_text(to)) ||
			   (is_text(from) && type_is_enum(to));
	}
	return false;
}

static int
compare_labels(const void *a, const void *b)
{
	float4 left = ((const Label *) a)->sort_order;
	float4 right = ((const Label *) b)->sort_order;

	return (left > right) - (left < right);
}

/* The labels of a type, in their order. */
static Label *
labels_of(Oid type, int *count)
{
	CatCList *list =
		SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
	Label *labels = palloc((list->n_members + 1) * sizeof(Label));
	int i;

	*count = list->n_members;
	for (i = 0; i < *count; i++)
	{
		Form_pg_enum label = (Form_pg_enum) GETSTRUCT(&list->members[i]->tuple);

		labels[i] = (Label){label->oid, label->enumsortorder,
							pstrdup(NameStr(label->enumlabel))};
	}
	ReleaseSysCacheList(list);
	qsort(labels, *count, sizeof(Label), compare_labels);
	return labels;
}

static Const *
value_of(Oid type, const Label *label)
{
	return makeConst(type, -1, InvalidOid, sizeof(Oid),
					 ObjectIdGetDatum(label->value), false, true);
}

static Const *
text_of(const Label *label)
{
	return makeConst(TEXTOID, -1, C_COLLATION_OID, -1,
					 CStringGetTextDatum(label->text), false, false);
}

/* x = value, of enums or of texts. */
static Node *
equals(Oid type, Node *x, Node *value, Oid function)
{
	OpExpr *result = makeNode(OpExpr);

	result->opno = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	result->opfuncid = function;
	result->opresulttype = BOOLOID;
	result->inputcollid = type == TEXTOID ? C_COLLATION_OID : InvalidOid;
	result->args = list_make2(x, value);
	result->location = -1;
	return (Node *) result;
}

/* False, and null for null. */
static Node *
never(Node *x)
{
	CaseExpr *result = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);
	NullTest *test = makeNode(NullTest);

	test->arg = (Expr *) x;
	test->nulltesttype = IS_NULL;
	test->location = -1;
	when->expr = (Expr *) test;
	when->result = (Expr *) makeNullConst(BOOLOID, -1, InvalidOid);
	when->location = -1;
	result->casetype = BOOLOID;
	result->args = list_make1(when);
	result->defresult = (Expr *) makeBoolConst(false, false);
	result->location = -1;
	return (Node *) result;
}

/* Whether a label compares to another as the operator says. */
static bool
lies_so(Oid function, bool is_swapped, float4 sort_order, float4 constant)
{
	float4 left = is_swapped ? constant : sort_order;
	float4 right = is_swapped ? sort_order : constant;

	switch (function)
	{
		case F_ENUM_LT:
			return left < right;
		case F_ENUM_LE:
			return left <= right;
		case F_ENUM_GT:
			return left > right;
		default:
			return left >= right;
	}
}

/* x < constant as x = ANY (labels). */
static Node *
written_order(OpExpr *op)
{
	bool is_swapped = !is_constant(lsecond(op->args));
	Const *constant = is_swapped ? linitial_node(Const, op->args)
								 : lsecond_node(Const, op->args);
	Node *x = is_swapped ? lsecond(op->args) : linitial(op->args);
	Oid type = getBaseType(constant->consttype);
	int count;
	Label *labels = labels_of(type, &count);
	Datum *values = palloc((count + 1) * sizeof(Datum));
	ScalarArrayOpExpr *result = makeNode(ScalarArrayOpExpr);
	float4 sort_order = 0;
	int found = 0;
	int i;

	for (i = 0; i < count; i++)
	{
		if (labels[i].value == DatumGetObjectId(constant->constvalue))
			sort_order = labels[i].sort_order;
	}
	for (i = 0; i < count; i++)
	{
		if (lies_so(op->opfuncid, is_swapped, labels[i].sort_order, sort_order))
			values[found++] = ObjectIdGetDatum(labels[i].value);
	}
	x = (Node *) makeRelabelType((Expr *) x, type, -1, InvalidOid,
								 COERCE_IMPLICIT_CAST);
	if (found == 0)
		return never(x);
	result->opno = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	result->opfuncid = F_ENUM_EQ;
	result->useOr = true;
	result->args = list_make2(
		x, makeConst(get_array_type(type), -1, InvalidOid, -1,
					 PointerGetDatum(construct_array(
						 values, found, type, sizeof(Oid), true, TYPALIGN_INT)),
					 false, false));
	result->location = -1;
	return (Node *) result;
}

/* A cast as CASE x WHEN label THEN the other form of it. */
static Node *
written_cast(CoerceViaIO *cast)
{
	Oid from = getBaseType(exprType((Node *) cast->arg));
	bool is_to_text = type_is_enum(from);
	Oid type = is_to_text ? from : cast->resulttype;
	Oid asked = is_to_text ? type : TEXTOID;
	CaseExpr *result = makeNode(CaseExpr);
	int count;
	Label *labels = labels_of(type, &count);
	int i;

	result->casetype = is_to_text ? TEXTOID : type;
	result->casecollid = is_to_text ? cast->resultcollid : InvalidOid;
	result->arg = (Expr *) makeRelabelType(
		cast->arg, asked, -1, is_to_text ? InvalidOid : C_COLLATION_OID,
		COERCE_IMPLICIT_CAST);
	for (i = 0; i < count; i++)
	{
		CaseWhen *when = makeNode(CaseWhen);
		CaseTestExpr *test = makeNode(CaseTestExpr);

		test->typeId = asked;
		test->typeMod = -1;
		test->collation = is_to_text ? InvalidOid : C_COLLATION_OID;
		when->expr =
			(Expr *) equals(asked, (Node *) test,
							is_to_text ? (Node *) value_of(type, &labels[i])
									   : (Node *) text_of(&labels[i]),
							is_to_text ? F_ENUM_EQ : F_TEXTEQ);
		when->result = is_to_text ? (Expr *) text_of(&labels[i])
								  : (Expr *) value_of(type, &labels[i]);
		when->location = -1;
		result->args = lappend(result->args, when);
	}
	result->defresult =
		(Expr *) makeNullConst(result->casetype, -1, result->casecollid);
	result->location = -1;
	if (count == 0)
		return (Node *) result->defresult;
	return (Node *) makeRelabelType((Expr *) result, exprType((Node *) cast),
									-1, cast->resultcollid,
									COERCE_IMPLICIT_CAST);
}

Node *
dp_gate_enum_form(Node *call)
{
	return IsA(call, OpExpr) ? written_order((OpExpr *) call)
							 : written_cast((CoerceViaIO *) call);
}
