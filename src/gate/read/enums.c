/*
 * enums.c
 *		Reads what depends on the labels of an enum.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "gate/read/enums.h"
#include "gate/tree/functions.h"
#include "server/compat.h"

static const DpType text_type = {TEXTOID, -1, C_COLLATION_OID};
static const DpType boolean_type = {BOOLOID, -1, InvalidOid};

typedef struct Label
{
	Oid value;
	float4 sort_order;
	char *text;
} Label;

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

static const DpExpr *
value_of(DpType type, const Label *label)
{
	return dp_expr_constant(type, ObjectIdGetDatum(label->value), false);
}

static const DpExpr *
text_of(const Label *label)
{
	return dp_expr_constant(text_type, CStringGetTextDatum(label->text), false);
}

/* x = value, or, as the kind says, x = ANY (value): of enums or of texts. */
static const DpExpr *
equals(DpExprKind kind, const DpExpr *x, const DpExpr *value)
{
	bool is_text = x->type.oid == TEXTOID;
	DpExpr *result = dp_expr_over(kind, boolean_type,
								  list_make2((void *) x, (void *) value), -1);

	result->input_collation = is_text ? C_COLLATION_OID : InvalidOid;
	result->call.function = is_text ? F_TEXTEQ : F_ENUM_EQ;
	result->call.operator= lookup_type_cache(x->type.oid, TYPECACHE_EQ_OPR)
		->eq_opr;
	return result;
}

/* False, and null for null. */
static const DpExpr *
false_unless_null(const DpExpr *x)
{
	const DpExpr *test = dp_expr_over(DP_EXPR_NULL_TEST, boolean_type,
									  list_make1((void *) x), -1);

	return dp_expr_over(
		DP_EXPR_CASE, boolean_type,
		list_make3((void *) test,
				   (void *) dp_expr_constant(boolean_type, (Datum) 0, true),
				   (void *) dp_expr_boolean(false)),
		-1);
}

/*
 * Orders
 */

static bool
is_constant(const Node *node)
{
	return IsA(node, Const) && !((const Const *) node)->constisnull;
}

bool
dp_enums_is_order(const OpExpr *op)
{
	return dp_functions_is_enum_order(op->opfuncid) &&
		   (is_constant(linitial(op->args)) || is_constant(lsecond(op->args)));
}

/* Whether a label compares to another as the operator says. */
static bool
lies_so(Oid function, float4 left, float4 right)
{
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

/* As x = ANY (labels). */
const DpExpr *
dp_enums_order(const OpExpr *op, List *args)
{
	bool is_swapped = !is_constant(lsecond(op->args));
	const Const *constant = is_swapped ? linitial(op->args) : lsecond(op->args);
	DpType type = {getBaseType(constant->consttype), -1, InvalidOid};
	DpType array = {get_array_type(type.oid), -1, InvalidOid};
	const DpExpr *x =
		dp_expr_relabel(is_swapped ? lsecond(args) : linitial(args), type);
	int count;
	Label *labels = labels_of(type.oid, &count);
	List *found = NIL;
	float4 bound = 0;
	int i;

	for (i = 0; i < count; i++)
	{
		if (labels[i].value == DatumGetObjectId(constant->constvalue))
			bound = labels[i].sort_order;
	}
	for (i = 0; i < count; i++)
	{
		float4 order = labels[i].sort_order;

		if (is_swapped ? lies_so(op->opfuncid, bound, order)
					   : lies_so(op->opfuncid, order, bound))
			found = lappend(found, (void *) value_of(type, &labels[i]));
	}
	return found == NIL ? false_unless_null(x)
						: equals(DP_EXPR_ANY, x,
								 dp_expr_over(DP_EXPR_ARRAY, array, found, -1));
}

/*
 * Casts
 */

bool
dp_enums_is_cast(const CoerceViaIO *cast)
{
	Oid from = getBaseType(exprType((Node *) cast->arg));
	Oid to = cast->resulttype;

	return (type_is_enum(from) && (to == TEXTOID || to == VARCHAROID)) ||
		   ((from == TEXTOID || from == VARCHAROID) && type_is_enum(to));
}

/* As CASE x WHEN label THEN the other form of it. */
const DpExpr *
dp_enums_cast(const CoerceViaIO *cast, const DpExpr *value)
{
	Oid from = getBaseType(value->type.oid);
	bool is_to_text = type_is_enum(from);
	DpType type = {is_to_text ? from : cast->resulttype, -1, InvalidOid};
	DpType asked = is_to_text ? type : text_type;
	DpType result =
		is_to_text ? (DpType){TEXTOID, -1, cast->resultcollid} : type;
	const DpExpr *otherwise = dp_expr_constant(result, (Datum) 0, true);
	const DpExpr *subject = dp_expr_over(DP_EXPR_CASE_SUBJECT, asked, NIL, -1);
	List *args = list_make1((void *) dp_expr_relabel(value, asked));
	int count;
	Label *labels = labels_of(type.oid, &count);
	DpExpr *choice;
	int i;

	for (i = 0; i < count; i++)
	{
		const DpExpr *label = value_of(type, &labels[i]);
		const DpExpr *words = text_of(&labels[i]);

		args = lappend(args, (void *) equals(DP_EXPR_CALL, subject,
											 is_to_text ? label : words));
		args = lappend(args, (void *) (is_to_text ? words : label));
	}
	if (count == 0)
		return otherwise;
	choice = dp_expr_over(DP_EXPR_CASE, result,
						  lappend(args, (void *) otherwise), -1);
	choice->has_subject = true;
	return dp_expr_relabel(choice,
						   (DpType){cast->resulttype, -1, cast->resultcollid});
}
