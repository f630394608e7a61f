/*
 * fingerprint.c
 *		Serialisation of questions in canonical form.
 *
 * Every expression becomes a text; the arms of AND and OR are flattened,
 * sorted and freed of duplicates; negations are pushed down to the operators.
 * It errs on the side of calling two questions the same.
 *
 * Neither numbers of objects nor of columns are in it: they are others in a
 * namesake of a table that was dropped, and after a restore.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "aggregates/call.h"
#include "aggregates/categories.h"
#include "gate/question/lookup.h"
#include "gate/question/plain_text.h"
#include "gate/question/protection.h"
#include "gate/question/fingerprint.h"

/* The relations that are asked about, whose columns have names. */
static const DpSubjects *asked = NULL;

static char *canonical(Node *node, bool negate);

Node *
dp_gate_replace_params(Node *node, ParamListInfo params)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Param))
	{
		Param *param = (Param *) node;
		ParamExternData *value;
		ParamExternData room;
		int16 length;
		bool by_value;

		if (params == NULL || param->paramid > params->numParams)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("no value found for parameter %d", param->paramid),
					 errhint("A question has its fingerprint and its price "
							 "with values only: use EXPLAIN EXECUTE.")));
		value = params->paramFetch != NULL
					? params->paramFetch(params, param->paramid, false, &room)
					: &params->params[param->paramid - 1];
		if (value->ptype != param->paramtype)
			elog(ERROR, "type of parameter %d changed", param->paramid);
		get_typlenbyval(param->paramtype, &length, &by_value);
		return (Node *) makeConst(param->paramtype, param->paramtypmod,
								  param->paramcollid, length, value->value,
								  value->isnull, by_value);
	}
	return expression_tree_mutator(node, dp_gate_replace_params, params);
}

/* With its length, so that no text can pose as another's structure. */
static char *
delimited(char letter, const char *text)
{
	return psprintf("%c%zu:%s", letter, strlen(text), text);
}

/*
 * A value as text: numbers of equal value alike, whatever their type and
 * however they are written, zeros of either sign and padded texts too.
 */
static char *
value_text(Oid type, Datum value, bool isnull)
{
	Oid output;
	bool varlena;
	char *text;

	if (isnull)
		return pstrdup("null");
	getTypeOutputInfo(type, &output, &varlena);
	switch (getBaseType(type))
	{
		case FLOAT4OID:
		case FLOAT8OID:
			text = OidOutputFunctionCall(output, value);
			value = DirectFunctionCall3(numeric_in, CStringGetDatum(text),
										ObjectIdGetDatum(InvalidOid),
										Int32GetDatum(-1));
			/* FALLTHROUGH */
		case NUMERICOID:
			text = numeric_normalize(DatumGetNumeric(value));
			break;
		case BPCHAROID:
			value = DirectFunctionCall1(rtrim1, value);
			text = OidOutputFunctionCall(F_TEXTOUT, value);
			break;
		default:
			text = OidOutputFunctionCall(output, value);
			break;
	}
	return delimited('k', text);
}

static int
compare_texts(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

/* "(word a b ...)" of sorted, distinct texts; a single one stands alone. */
static char *
join_sorted(const char *word, List *texts)
{
	StringInfoData buffer;
	const char *last = NULL;
	int count = 0;
	ListCell *cell;

	list_sort(texts, compare_texts);
	initStringInfo(&buffer);
	foreach (cell, texts)
	{
		const char *text = lfirst(cell);

		if (last != NULL && strcmp(last, text) == 0)
			continue;
		appendStringInfo(&buffer, " %s", text);
		last = text;
		count++;
	}
	if (count == 1)
		return buffer.data + 1;
	return psprintf("(%s%s)", word, buffer.data);
}

/* Adds the arms of nested ANDs (or ORs) to a list of texts. */
static List *
collect_arms(Node *node, BoolExprType type, bool negate, List *texts)
{
	ListCell *cell;

	if (IsA(node, List))
	{
		foreach (cell, (List *) node)
			texts = collect_arms(lfirst(cell), type, negate, texts);
		return texts;
	}
	if (IsA(node, BoolExpr))
	{
		BoolExpr *expr = (BoolExpr *) node;
		BoolExprType is = expr->boolop;

		if (is == NOT_EXPR)
			return collect_arms(linitial(expr->args), type, !negate, texts);
		if (negate)
			is = is == AND_EXPR ? OR_EXPR : AND_EXPR;
		if (is == type)
		{
			foreach (cell, expr->args)
				texts = collect_arms(lfirst(cell), type, negate, texts);
			return texts;
		}
	}
	return lappend(texts, canonical(node, negate));
}

/* "(op a b)", with the operands in order where the operator commutes. */
static char *
operator_text(Oid operator, const char * left, const char *right, bool negate)
{
	Oid commutator;
	const char *swap;

	if (negate)
	{
		Oid negator = get_negator(operator);

		if (!OidIsValid(negator))
			return psprintf("(not %s)",
							operator_text(operator, left, right, false));
		operator= negator;
	}
	commutator = get_commutator(operator);
	if (OidIsValid(commutator) && strcmp(left, right) > 0)
	{
		swap = left;
		left = right;
		right = swap;
		operator= commutator;
	}
	return psprintf("(%s %s %s)", get_opname(operator), left, right);
}

/* x op ANY (list) as an OR of comparisons, ALL as an AND. */
static char *
array_text(ScalarArrayOpExpr *expr, bool negate)
{
	const char *left = canonical(linitial(expr->args), false);
	Node *array = lsecond(expr->args);
	bool any = expr->useOr != negate;
	List *texts = NIL;

	if (IsA(array, ArrayExpr))
	{
		ListCell *cell;

		foreach (cell, ((ArrayExpr *) array)->elements)
			texts = lappend(texts, operator_text(expr->opno, left,
												 canonical(lfirst(cell), false),
												 negate));
	}
	else if (IsA(array, Const) && !((Const *) array)->constisnull)
	{
		ArrayType *values = DatumGetArrayTypeP(((Const *) array)->constvalue);
		Oid type = ARR_ELEMTYPE(values);
		Datum *elements;
		bool *nulls;
		int count;
		int i;
		int16 length;
		bool by_value;
		char align;

		get_typlenbyvalalign(type, &length, &by_value, &align);
		deconstruct_array(values, type, length, by_value, align, &elements,
						  &nulls, &count);
		for (i = 0; i < count; i++)
			texts = lappend(
				texts,
				operator_text(expr->opno, left,
							  value_text(type, elements[i], nulls[i]), negate));
	}
	if (texts == NIL)
		return psprintf("(%s %s %s)", any ? "any" : "all", left,
						IsA(array, Const) && ((Const *) array)->constisnull
							? "null"
							: "empty");
	return join_sorted(any ? "or" : "and", texts);
}

/* Conversions that change no value are left out. */
static bool
is_widening(Oid function)
{
	switch (function)
	{
		case F_INT4_INT2:
		case F_INT8_INT2:
		case F_INT8_INT4:
		case F_FLOAT8_FLOAT4:
		case F_FLOAT8_INT2:
		case F_FLOAT8_INT4:
		case F_FLOAT8_INT8:
		case F_FLOAT4_INT2:
		case F_FLOAT4_INT4:
		case F_FLOAT4_INT8:
		case F_NUMERIC_INT2:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
			return true;
		default:
			return false;
	}
}

/* "(word a b ...)" in the order given. */
static char *
join(const char *word, List *nodes)
{
	StringInfoData buffer;
	ListCell *cell;

	initStringInfo(&buffer);
	appendStringInfo(&buffer, "(%s", word);
	foreach (cell, nodes)
		appendStringInfo(&buffer, " %s",
						 lfirst(cell) == NULL ? "-"
											  : canonical(lfirst(cell), false));
	appendStringInfoChar(&buffer, ')');
	return buffer.data;
}

/*
 * A column by its name, of several relations with the number that the relation
 * has in the extension's tables. Units that are equal in every row are one.
 */
static char *
column_text(const Var *column)
{
	char *name = get_attname(dp_gate_relation_of(asked, column),
							 column->varattno, false);

	if (list_length(asked->relations) == 1)
		return delimited('c', name);
	if (dp_gate_is_unit(asked, column) && !dp_gate_is_nullable(asked, column))
		return pstrdup("unit");
	return psprintf("r%d%s", dp_gate_identity_of(asked, column),
					delimited('c', name));
}

/* Expressions other than AND, OR, NOT and operators. */
static char *
other_text(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Var:
			return column_text((Var *) node);
		case T_Const:
			return value_text(((Const *) node)->consttype,
							  ((Const *) node)->constvalue,
							  ((Const *) node)->constisnull);
		case T_RelabelType:
			return canonical((Node *) ((RelabelType *) node)->arg, false);
		case T_FuncExpr:
		{
			FuncExpr *function = (FuncExpr *) node;

			if (is_widening(function->funcid))
				return canonical(linitial(function->args), false);
			return join(psprintf("f%u", function->funcid), function->args);
		}
		case T_RowExpr: /* a column of a joined table */
			return join(psprintf("row%u", ((RowExpr *) node)->row_typeid),
						dp_gate_lookup_key(node));
		case T_DistinctExpr:
			return join(psprintf("distinct %s",
								 get_opname(((DistinctExpr *) node)->opno)),
						((DistinctExpr *) node)->args);
		case T_NullIfExpr:
			return join(
				psprintf("nullif %s", get_opname(((NullIfExpr *) node)->opno)),
				((NullIfExpr *) node)->args);
		case T_NullTest:
			return join(((NullTest *) node)->nulltesttype == IS_NULL
							? "null"
							: "notnull",
						list_make1(((NullTest *) node)->arg));
		case T_BooleanTest:
			return join(
				psprintf("test%d", (int) ((BooleanTest *) node)->booltesttype),
				list_make1(((BooleanTest *) node)->arg));
		case T_ArrayExpr:
			return join("array", ((ArrayExpr *) node)->elements);
		case T_CoalesceExpr:
			return join("coalesce", ((CoalesceExpr *) node)->args);
		case T_CaseTestExpr:
			return pstrdup("case");
		case T_CaseWhen:
			return join("when", list_make2(((CaseWhen *) node)->expr,
										   ((CaseWhen *) node)->result));
		case T_CaseExpr:
		{
			CaseExpr *expr = (CaseExpr *) node;

			return join("case", lappend(lcons(expr->arg, list_copy(expr->args)),
										expr->defresult));
		}
		default:
			elog(ERROR, "unexpected node %d in a question",
				 (int) nodeTag(node));
	}
}

/* The canonical text of an expression, or of its negation. */
static char *
canonical(Node *node, bool negate)
{
	check_stack_depth();
	switch (nodeTag(node))
	{
		case T_List:
		case T_BoolExpr:
		{
			bool is_and =
				IsA(node, List) || ((BoolExpr *) node)->boolop == AND_EXPR;

			if (IsA(node, BoolExpr) && ((BoolExpr *) node)->boolop == NOT_EXPR)
				return canonical(linitial(((BoolExpr *) node)->args), !negate);
			is_and = is_and != negate;
			return join_sorted(
				is_and ? "and" : "or",
				collect_arms(node, is_and ? AND_EXPR : OR_EXPR, negate, NIL));
		}
		case T_OpExpr:
		{
			OpExpr *op = (OpExpr *) node;

			if (list_length(op->args) == 2)
				return operator_text(
					op->opno, canonical(linitial(op->args), false),
					canonical(lsecond(op->args), false), negate);
			break;
		}
		case T_DistinctExpr: /* commutes, whatever its operator */
		{
			List *args = ((DistinctExpr *) node)->args;
			char *left = canonical(linitial(args), false);
			char *right = canonical(lsecond(args), false);
			bool swap = strcmp(left, right) > 0;

			return psprintf("(%sdistinct %s %s)", negate ? "not " : "",
							swap ? right : left, swap ? left : right);
		}
		case T_ScalarArrayOpExpr:
			return array_text((ScalarArrayOpExpr *) node, negate);
		case T_NullTest:
			if (negate)
				return join(((NullTest *) node)->nulltesttype == IS_NULL
								? "notnull"
								: "null",
							list_make1(((NullTest *) node)->arg));
			break;
		default:
			break;
	}
	if (negate)
		return psprintf("(not %s)", other_text(node));
	return other_text(node);
}

/* True for what can never be null. */
static bool
is_not_null(Node *node)
{
	if (IsA(node, RelabelType))
		return is_not_null((Node *) ((RelabelType *) node)->arg);
	if (IsA(node, FuncExpr) && is_widening(((FuncExpr *) node)->funcid))
		return is_not_null(linitial(((FuncExpr *) node)->args));
	if (IsA(node, Const))
		return !((Const *) node)->constisnull;
	return IsA(node, Var) && dp_gate_is_never_null(asked, (Var *) node);
}

/*
 * "join" and the relations, with their units, which tell what is joined, and
 * the conditions of outer joins, in order.
 */
static char *
joins_text(ParamListInfo params)
{
	List *texts = NIL;
	ListCell *relation;
	ListCell *identity;
	ListCell *unit;
	ListCell *condition;

	forfour(relation, asked->relations, identity, asked->identities, unit,
			asked->units, condition, asked->conditions)
	{
		char *name = get_attname(lfirst_oid(relation),
								 (AttrNumber) lfirst_int(unit), false);
		char *text =
			psprintf("r%d%s", lfirst_int(identity), delimited('c', name));

		if (lfirst(condition) != NULL)
		{
			Node *node = dp_gate_replace_params(lfirst(condition), params);

			node = eval_const_expressions(NULL, node);
			text = psprintf("(outer %s %s)", text, canonical(node, false));
		}
		texts = lappend(texts, text);
	}
	return join_sorted("join", texts);
}

/* A group key in canonical form. */
typedef struct KeyText
{
	char *text;
	int place; /* as written, from 0 */
} KeyText;

static int
compare_keys(const ListCell *a, const ListCell *b)
{
	return strcmp(((KeyText *) lfirst(a))->text, ((KeyText *) lfirst(b))->text);
}

/* Keys in canonical form and order. */
static List *
canonical_keys(List *keys, ParamListInfo params)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, keys)
	{
		KeyText *key = palloc(sizeof(KeyText));
		Node *node = dp_gate_replace_params(lfirst(cell), params);

		key->text = canonical(eval_const_expressions(NULL, node), false);
		key->place = list_length(texts);
		texts = lappend(texts, key);
	}
	list_sort(texts, compare_keys);
	return texts;
}

int *
dp_gate_key_order(const DpSubjects *subjects, List *keys, ParamListInfo params)
{
	int *order = palloc(Max(list_length(keys), 1) * sizeof(int));
	int count = 0;
	ListCell *cell;

	asked = subjects;
	foreach (cell, canonical_keys(keys, params))
		order[count++] = ((KeyText *) lfirst(cell))->place;
	return order;
}

/* Both ask for the quantile at 0.5, by whatever mechanism. */
static bool
is_median(DpAggregate aggregate)
{
	return aggregate == DP_AGGREGATE_MEDIAN ||
		   aggregate == DP_AGGREGATE_MEDIAN_EXP;
}

/* The values that a mode may be, whatever order they are declared in. */
static char *
categories_text(Aggref *aggref, ParamListInfo params)
{
	Oid type = getBaseType(linitial_oid(aggref->aggargtypes));
	Node *array = list_length(aggref->args) < 2
					  ? NULL
					  : (Node *) lsecond_node(TargetEntry, aggref->args)->expr;
	DpCategories *categories;
	List *texts = NIL;
	uint32 i;

	if (array == NULL || !OidIsValid(get_base_element_type(exprType(array))))
		categories = dp_categories_of_type(type);
	else
	{
		array =
			eval_const_expressions(NULL, dp_gate_replace_params(array, params));
		if (!IsA(array, Const) || ((Const *) array)->constisnull)
			elog(ERROR, "the values of a mode are not constant");
		categories = dp_categories_of_array(type, aggref->inputcollid,
											((Const *) array)->constvalue);
	}
	for (i = 0; i < categories->count; i++)
		texts = lappend(texts, value_text(type, categories->values[i], false));
	return join_sorted("domain", texts);
}

/* How many arguments are the question's: not epsilon and mechanism. */
static int
arguments_asked(DpAggregate aggregate)
{
	return dp_call_data_arguments(aggregate) +
		   (dp_call_has_bounds(aggregate) ? 2 : 0);
}

void
dp_gate_fingerprint(const DpSubjects *subjects, Node *quals, List *keys,
					Aggref *aggref, ParamListInfo params,
					unsigned char fingerprint[32])
{
	const char *name = get_func_name(aggref->aggfnoid);
	int nest = dp_gate_begin_plain_texts();
	StringInfoData text;
	List *conditions = NIL;
	DpAggregate aggregate;
	ListCell *cell;
	int place = 0;

	if (name == NULL || !dp_call_aggregate_of(name, &aggregate))
		elog(ERROR, "not a private aggregate: %u", aggref->aggfnoid);
	if (quals != NULL)
		conditions = lappend(conditions, quals);
	if (aggref->aggfilter != NULL)
		conditions = lappend(conditions, aggref->aggfilter);

	/* The ledger keeps the questions about each relation for themselves. */
	asked = subjects;
	initStringInfo(&text);
	appendStringInfoString(&text, is_median(aggregate)
									  ? dp_call_name(DP_AGGREGATE_QUANTILE)
									  : name);
	foreach (cell, aggref->args)
	{
		Node *node = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (place >= arguments_asked(aggregate))
			break;
		node = dp_gate_replace_params(node, params);
		node = eval_const_expressions(NULL, node);
		if (aggregate == DP_AGGREGATE_COUNT && is_not_null(node))
			break; /* counts rows */
		appendStringInfo(&text, " %s", canonical(node, false));
		if (place == 0 && is_median(aggregate))
			appendStringInfoString(&text, " k3:0.5");
		place++;
	}
	if (aggregate == DP_AGGREGATE_MODE)
		appendStringInfo(&text, " %s", categories_text(aggref, params));
	if (conditions != NIL)
	{
		Node *node = dp_gate_replace_params(
			(Node *) make_ands_explicit(conditions), params);

		node = eval_const_expressions(NULL, node);
		appendStringInfo(&text, " where %s", canonical(node, false));
	}
	if (list_length(asked->relations) > 1)
		appendStringInfo(&text, " of %s", joins_text(params));
	foreach (cell, canonical_keys(keys, params))
		appendStringInfo(&text, " by %s", ((KeyText *) lfirst(cell))->text);
	AtEOXact_GUC(true, nest);
	SHA256((unsigned char *) text.data, text.len, fingerprint);
}

static int
compare_fingerprints(const void *a, const void *b)
{
	return memcmp(a, b, DP_FINGERPRINT_SIZE);
}

void
dp_gate_fingerprint_selection(const DpCharge *charges, int count,
							  unsigned char fingerprint[32])
{
	Size size = (Size) count * DP_FINGERPRINT_SIZE;
	unsigned char *bytes = palloc(size + DP_FINGERPRINT_SIZE);
	int i;

	memset(bytes, 0, DP_FINGERPRINT_SIZE); /* no question's */
	for (i = 0; i < count; i++)
		memcpy(bytes + (Size) (i + 1) * DP_FINGERPRINT_SIZE,
			   charges[i].fingerprint, DP_FINGERPRINT_SIZE);
	qsort(bytes + DP_FINGERPRINT_SIZE, count, DP_FINGERPRINT_SIZE,
		  compare_fingerprints);
	SHA256(bytes, size + DP_FINGERPRINT_SIZE, fingerprint);
}
