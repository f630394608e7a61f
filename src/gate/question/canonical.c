/*
 * canonical.c
 *		Expressions in canonical form.
 *
 * The arms of AND and OR are flattened, sorted and freed of duplicates;
 * negations are pushed down to the operators.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "core/exact_decimal.h"
#include "gate/question/canonical.h"
#include "gate/question/expression.h"
#include "gate/question/lookup.h"

/* The relations that are asked about, whose columns have names. */
static const DpSubjects *asked = NULL;

static char *canonical(Node *node, bool negate);

char *
dp_gate_delimited(char letter, const char *text)
{
	return psprintf("%c%zu:%s", letter, strlen(text), text);
}

char *
dp_gate_canonical_value(Oid type, Datum value, bool isnull)
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
			text = palloc(DP_EXACT_DECIMAL_SIZE);
			dp_exact_decimal(DatumGetFloat4(value), text);
			break;
		case FLOAT8OID:
			text = palloc(DP_EXACT_DECIMAL_SIZE);
			dp_exact_decimal(DatumGetFloat8(value), text);
			break;
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
	return dp_gate_delimited('k', text);
}

static int
compare_texts(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

/* "(word a b ...)" of sorted, distinct texts; a single one stands alone. */
char *
dp_gate_join_sorted(const char *word, List *texts)
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

/*
 * Comparisons of numbers say the same of them whatever their types are. What
 * other operators give depends on the types, which their numbers tell.
 */
static char *
operator_word(Oid operator)
{
	if (dp_gate_is_total(get_opcode(operator)))
		return get_opname(operator);
	return psprintf("o%u", operator);
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
	return psprintf("(%s %s %s)", operator_word(operator), left, right);
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
			texts =
				lappend(texts, operator_text(expr->opno, left,
											 dp_gate_canonical_value(
												 type, elements[i], nulls[i]),
											 negate));
	}
	else if (!IsA(array, Const)) /* a column */
		return psprintf("(%s%s %s %s %s)", negate ? "not " : "",
						expr->useOr ? "any" : "all", get_opname(expr->opno),
						left, canonical(array, false));
	if (texts == NIL)
		return psprintf("(%s %s %s)", any ? "any" : "all", left,
						IsA(array, Const) && ((Const *) array)->constisnull
							? "null"
							: "empty");
	return dp_gate_join_sorted(any ? "or" : "and", texts);
}

/*
 * Conversions that change no value: an equality of what they give is one of
 * what they are given. Those that round are not among them, as bigint to double
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
		return dp_gate_delimited('c', name);
	if (dp_gate_is_unit(asked, column) && !dp_gate_is_nullable(asked, column))
		return pstrdup("unit");
	return psprintf("r%d%s", dp_gate_identity_of(asked, column),
					dp_gate_delimited('c', name));
}

/*
 * The same bytes under another type are the same value, but for texts that
 * become padded ones: spaces at their end no longer count.
 */
static char *
relabelled_text(RelabelType *relabel)
{
	Node *value = (Node *) relabel->arg;

	if (getBaseType(relabel->resulttype) == BPCHAROID &&
		getBaseType(exprType(value)) != BPCHAROID)
		return join("padded", list_make1(value));
	return canonical(value, false);
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
			return dp_gate_canonical_value(((Const *) node)->consttype,
										   ((Const *) node)->constvalue,
										   ((Const *) node)->constisnull);
		case T_RelabelType:
			return relabelled_text((RelabelType *) node);
		case T_FuncExpr:
		{
			FuncExpr *function = (FuncExpr *) node;

			if (is_exact(function->funcid))
				return canonical(linitial(function->args), false);
			return join(psprintf("f%u", function->funcid), function->args);
		}
		case T_OpExpr: /* of one operand */
			return join(operator_word(((OpExpr *) node)->opno),
						((OpExpr *) node)->args);
		case T_CoerceViaIO:
			return join(psprintf("cast%u-%u",
								 exprType((Node *) ((CoerceViaIO *) node)->arg),
								 ((CoerceViaIO *) node)->resulttype),
						list_make1(((CoerceViaIO *) node)->arg));
		case T_SubscriptingRef:
			return join("element",
						lcons(((SubscriptingRef *) node)->refexpr,
							  ((SubscriptingRef *) node)->refupperindexpr));
		case T_MinMaxExpr:
			return join(psprintf("%s%u",
								 ((MinMaxExpr *) node)->op == IS_GREATEST
									 ? "greatest"
									 : "least",
								 ((MinMaxExpr *) node)->minmaxtype),
						((MinMaxExpr *) node)->args);
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
			return dp_gate_join_sorted(
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

char *
dp_gate_canonical(const DpSubjects *subjects, Node *expression)
{
	asked = subjects;
	return canonical(expression, false);
}
