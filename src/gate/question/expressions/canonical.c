/*
 * canonical.c
 *		Expressions in canonical form.
 *
 * The arms of AND and OR are flattened, sorted and freed of duplicates;
 * negations are pushed down to the operators.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "expressions/wrapped.h"
#include "gate/question/expressions/canonical.h"
#include "gate/question/expressions/canonical_parts.h"
#include "gate/question/expressions/canonical_texts.h"
#include "gate/question/expressions/expression.h"
#include "gate/question/expressions/list_elements.h"
#include "gate/question/expressions/written_calls.h"
#include "server/stack.h"

/*
 * What a constant is compared as: 1.0 and 1 are equal as numbers, not as
 * texts, and texts that end with spaces equal others only where they are
 * padded. Types of users go by name: their oids are new after a restore.
 */
static const char *
kind_of_constant(Oid type)
{
	type = getBaseType(type);
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return "";
		case TEXTOID:
		case VARCHAROID:
		case NAMEOID:
		case UNKNOWNOID:
			return "t";
		default:
			return type < FirstNormalObjectId
					   ? psprintf("%u:", type)
					   : dp_gate_delimited(
							 'y', format_type_extended(
									  type, -1, FORMAT_TYPE_FORCE_QUALIFY));
	}
}

static char *
constant_text(const Const *constant, bool is_compared)
{
	char *text = dp_gate_value_text(constant->consttype, constant->constvalue,
									constant->constisnull, is_compared);

	return constant->constisnull
			   ? text
			   : psprintf("%s%s", kind_of_constant(constant->consttype), text);
}

/*
 * Comparisons of numbers have the same result whatever the numbers' types. The
 * results of other operators depend on the types, so they are written with
 * their oids.
 */
static char *
operator_word(Oid operator)
{
	if (dp_gate_is_total(get_opcode(operator)))
		return get_opname(operator);
	return psprintf("o%u", operator);
}

/* An operand: of a comparison, numbers that are equal have one text. */
static char *
operand_text(Oid operator, Node * node)
{
	return IsA(node, Const) && dp_gate_is_total(get_opcode(operator))
			   ? constant_text((Const *) node, true)
			   : dp_gate_canonical_part(node, false);
}

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
given_types(Oid function, List *args)
{
	StringInfoData types;
	Oid *declared;
	int count;
	bool any = false;
	ListCell *cell;
	int i;

	(void) get_func_signature(function, &declared, &count);
	for (i = 0; i < count; i++)
		any |= get_typtype(declared[i]) == TYPTYPE_PSEUDO;
	initStringInfo(&types);
	foreach (cell, any ? args : NIL)
	{
		Oid type = getBaseType(exprType(lfirst(cell)));

		/* The oids of users' types are new after a restore. */
		appendStringInfo(&types, ":%u",
						 type < FirstNormalObjectId ? type : InvalidOid);
	}
	return types.data;
}

/*
 * "(op a b)", with the operands in order where the operator commutes. types:
 * those of the arguments, where they matter, and the collation that tells what
 * letters are.
 */
static char *
operator_text(Oid operator, const char * types, const char *left,
			  const char *right, bool negate)
{
	Oid commutator;
	const char *swap;

	if (negate)
	{
		Oid negator = get_negator(operator);

		if (!OidIsValid(negator))
			return psprintf("(not %s)",
							operator_text(operator, types, left, right, false));
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
	return psprintf("(%s%s %s %s)", operator_word(operator), types, left,
					right);
}

/* An operator of two operands. */
static char *
comparison_text(const OpExpr *op, bool negate)
{
	Oid function = get_opcode(op->opno);
	const char *types = psprintf("%s%s", letters(function, op->inputcollid),
								 given_types(function, op->args));
	bool is_equation = dp_gate_begin_equation(op);
	char *left = operand_text(op->opno, linitial(op->args));
	char *right = operand_text(op->opno, lsecond(op->args));

	dp_gate_end_equation(is_equation);
	return operator_text(op->opno, types, left, right, negate);
}

/*
 * The comparisons that x op ANY (list) or ALL stands for; NIL: none, since the
 * list is empty, null, or not known.
 */
static List *
array_texts(ScalarArrayOpExpr *expr, bool negate)
{
	const char *types = letters(get_opcode(expr->opno), expr->inputcollid);
	const char *left;
	List *elements;
	List *texts = NIL;
	ListCell *cell;

	if (!dp_gate_list_elements(lsecond(expr->args), &elements) ||
		elements == NIL)
		return NIL;
	dp_gate_check_repeats(expr);
	left = operand_text(expr->opno, linitial(expr->args));
	foreach (cell, elements)
		texts =
			lappend(texts, operator_text(expr->opno, types, left,
										 operand_text(expr->opno, lfirst(cell)),
										 negate));
	return texts;
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
	if (IsA(node, ScalarArrayOpExpr) &&
		(((ScalarArrayOpExpr *) node)->useOr != negate) == (type == OR_EXPR))
	{
		List *more = array_texts((ScalarArrayOpExpr *) node, negate);

		if (more != NIL)
			return list_concat(texts, more);
	}
	return lappend(texts, dp_gate_canonical_part(node, negate));
}

List *
dp_gate_add_arm_texts(Node *condition, List *texts)
{
	return condition == NULL ? texts
							 : collect_arms(condition, AND_EXPR, false, texts);
}

/* x op ANY (list) as an OR of comparisons, ALL as an AND. */
static char *
array_text(ScalarArrayOpExpr *expr, bool negate)
{
	List *texts = array_texts(expr, negate);
	Node *array = lsecond(expr->args);
	bool any = expr->useOr != negate;

	if (!IsA(array, ArrayExpr) && !IsA(array, Const)) /* a column */
		return psprintf("(%s%s %s%s %s %s)", negate ? "not " : "",
						expr->useOr ? "any" : "all", get_opname(expr->opno),
						letters(get_opcode(expr->opno), expr->inputcollid),
						dp_gate_canonical_part(linitial(expr->args), false),
						dp_gate_canonical_part(array, false));
	if (texts == NIL)
		return psprintf("(%s %s %s)", any ? "any" : "all",
						dp_gate_canonical_part(linitial(expr->args), false),
						IsA(array, Const) && ((Const *) array)->constisnull
							? "null"
							: "empty");
	return dp_gate_join_sorted(any ? "or" : "and", texts);
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

char *
dp_gate_join_parts(const char *word, List *nodes)
{
	StringInfoData buffer;
	ListCell *cell;

	initStringInfo(&buffer);
	appendStringInfo(&buffer, "(%s", word);
	foreach (cell, nodes)
		appendStringInfo(&buffer, " %s",
						 lfirst(cell) == NULL
							 ? "-"
							 : dp_gate_canonical_part(lfirst(cell), false));
	appendStringInfoChar(&buffer, ')');
	return buffer.data;
}

static char *
sublink_text(const SubLink *link)
{
	return psprintf("(sub%d %s %s)", (int) link->subLinkType,
					link->testexpr == NULL
						? "-"
						: dp_gate_canonical_part(link->testexpr, false),
					dp_gate_query_text((Query *) link->subselect,
									   link->subLinkType != EXISTS_SUBLINK));
}

static char *
aggregate_text(Aggref *aggref)
{
	return psprintf(
		"(agg%u%s %s %s)", aggref->aggfnoid,
		aggref->aggdistinct != NIL ? "distinct" : "",
		dp_gate_join_parts("of", aggref->args),
		aggref->aggfilter == NULL
			? "-"
			: dp_gate_canonical_part((Node *) aggref->aggfilter, false));
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
		return dp_gate_join_parts("padded", list_make1(value));
	return dp_gate_canonical_part(value, false);
}

/* Expressions other than AND, OR, NOT and operators. */
static char *
other_text(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Var:
			return dp_gate_column_text((Var *) node);
		case T_Const:
			return constant_text((Const *) node, false);
		case T_RelabelType:
			return relabelled_text((RelabelType *) node);
		case T_FuncExpr:
		{
			FuncExpr *function = (FuncExpr *) node;

			if (is_exact(function->funcid))
				return dp_gate_canonical_part(linitial(function->args), false);
			return dp_gate_join_parts(
				psprintf("f%u%s%s%s", function->funcid,
						 letters(function->funcid, function->inputcollid),
						 function->funcvariadic ? "v" : "",
						 given_types(function->funcid, function->args)),
				function->args);
		}
		case T_Param: /* a column of a sub-query that is compared */
			return psprintf("p%d", ((Param *) node)->paramid);
		case T_SubLink:
			return sublink_text((SubLink *) node);
		case T_Aggref:
			return aggregate_text((Aggref *) node);
		case T_WindowFunc:
			return dp_gate_window_text((WindowFunc *) node);
		case T_TargetEntry:
			return dp_gate_canonical_part((Node *) ((TargetEntry *) node)->expr,
										  false);
		case T_OpExpr: /* of one operand */
			return dp_gate_join_parts(operator_word(((OpExpr *) node)->opno),
									  ((OpExpr *) node)->args);
		case T_CoerceViaIO:
			return dp_gate_join_parts(
				psprintf("cast%u-%u",
						 exprType((Node *) ((CoerceViaIO *) node)->arg),
						 ((CoerceViaIO *) node)->resulttype),
				list_make1(((CoerceViaIO *) node)->arg));
		case T_SubscriptingRef:
		{
			SubscriptingRef *ref = (SubscriptingRef *) node;
			char *part = dp_gate_join_parts(
				"element", lcons(ref->refexpr, ref->refupperindexpr));

			if (ref->reflowerindexpr == NIL)
				return part;
			return psprintf("(slice %s %s)", part,
							dp_gate_join_parts("from", ref->reflowerindexpr));
		}
		case T_MinMaxExpr:
			return dp_gate_join_parts(
				psprintf("%s%u",
						 ((MinMaxExpr *) node)->op == IS_GREATEST ? "greatest"
																  : "least",
						 ((MinMaxExpr *) node)->minmaxtype),
				((MinMaxExpr *) node)->args);
		case T_DistinctExpr:
			return dp_gate_join_parts(
				psprintf("distinct %s",
						 get_opname(((DistinctExpr *) node)->opno)),
				((DistinctExpr *) node)->args);
		case T_NullIfExpr:
			return dp_gate_join_parts(
				psprintf("nullif %s", get_opname(((NullIfExpr *) node)->opno)),
				((NullIfExpr *) node)->args);
		case T_NullTest:
			return dp_gate_join_parts(
				((NullTest *) node)->nulltesttype == IS_NULL ? "null"
															 : "notnull",
				list_make1(((NullTest *) node)->arg));
		case T_BooleanTest:
			return dp_gate_join_parts(
				psprintf("test%d", (int) ((BooleanTest *) node)->booltesttype),
				list_make1(((BooleanTest *) node)->arg));
		case T_ArrayExpr:
			return dp_gate_join_parts("array", ((ArrayExpr *) node)->elements);
		case T_CoalesceExpr:
			return dp_gate_join_parts("coalesce",
									  ((CoalesceExpr *) node)->args);
		case T_CaseTestExpr:
			return pstrdup("case");
		case T_CaseWhen:
			return dp_gate_join_parts("when",
									  list_make2(((CaseWhen *) node)->expr,
												 ((CaseWhen *) node)->result));
		case T_CaseExpr:
		{
			CaseExpr *expr = (CaseExpr *) node;

			return dp_gate_join_parts(
				"case", lappend(lcons(expr->arg, list_copy(expr->args)),
								expr->defresult));
		}
		default:
			elog(ERROR, "unexpected node %d in a question",
				 (int) nodeTag(node));
	}
}

char *
dp_gate_canonical_part(Node *node, bool negate)
{
	dp_stack_enter();
	CHECK_FOR_INTERRUPTS();
	switch (nodeTag(node))
	{
		case T_List:
		case T_BoolExpr:
		{
			bool is_and =
				IsA(node, List) || ((BoolExpr *) node)->boolop == AND_EXPR;

			if (IsA(node, BoolExpr) && ((BoolExpr *) node)->boolop == NOT_EXPR)
				return dp_gate_canonical_part(
					linitial(((BoolExpr *) node)->args), !negate);
			is_and = is_and != negate;
			return dp_gate_join_sorted(
				is_and ? "and" : "or",
				collect_arms(node, is_and ? AND_EXPR : OR_EXPR, negate, NIL));
		}
		case T_OpExpr:
		{
			OpExpr *op = (OpExpr *) node;

			if (list_length(op->args) == 2)
				return comparison_text(op, negate);
			break;
		}
		case T_DistinctExpr: /* commutes, whatever its operator */
		{
			const DistinctExpr *op = (DistinctExpr *) node;
			char *left = operand_text(op->opno, linitial(op->args));
			char *right = operand_text(op->opno, lsecond(op->args));
			bool swap = strcmp(left, right) > 0;

			return psprintf("(%sdistinct %s %s)", negate ? "not " : "",
							swap ? right : left, swap ? left : right);
		}
		case T_ScalarArrayOpExpr:
			return array_text((ScalarArrayOpExpr *) node, negate);
		case T_NullTest:
			if (negate)
				return dp_gate_join_parts(
					((NullTest *) node)->nulltesttype == IS_NULL ? "notnull"
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
dp_gate_canonical(const DpRelations *relations, Node *expression)
{
	dp_gate_begin_canonical(relations);
	if (IsA(expression, Const))
		return constant_text((Const *) expression, true);
	return dp_gate_canonical_part(expression, false);
}
