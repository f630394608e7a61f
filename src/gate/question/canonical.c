/*
 * canonical.c
 *		Expressions in canonical form.
 *
 * The arms of AND and OR are flattened, sorted and freed of duplicates;
 * negations are pushed down to the operators.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "core/exact_decimal.h"
#include "gate/question/canonical.h"
#include "gate/question/expression.h"
#include "gate/question/join_conditions.h"
#include "gate/question/protection.h"
#include "gate/question/publics.h"

/* What is asked about, and the queries around an expression, nearest first. */
static struct
{
	const DpSubjects *subjects;
	List *queries; /* the last is the subjects' frame */

	/* An entry that is told from others that are the same; NULL: none. */
	Query *marked;
	int place;

	/* Texts that are asked for again and again, within others: Memo. */
	List *memos;
} asked;

/* The text of a node, or of a place in it, while an entry is marked, or none. */
typedef struct Memo
{
	const void *node;
	int part;
	const Query *marked;
	int place;
	char *text;
} Memo;

static char *
recall(const void *node, int part)
{
	ListCell *cell;

	foreach (cell, asked.memos)
	{
		const Memo *memo = lfirst(cell);

		if (memo->node == node && memo->part == part &&
			memo->marked == asked.marked && memo->place == asked.place)
			return memo->text;
	}
	return NULL;
}

static char *
keep(const void *node, int part, char *text)
{
	Memo *memo = palloc(sizeof(Memo));

	*memo = (Memo){node, part, asked.marked, asked.place, text};
	asked.memos = lappend(asked.memos, memo);
	return text;
}

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

/* All of some texts, in any order, none of them left out. */
static char *
join_all(const char *word, List *texts)
{
	StringInfoData buffer;
	ListCell *cell;

	list_sort(texts, compare_texts);
	initStringInfo(&buffer);
	appendStringInfo(&buffer, "(%s", word);
	foreach (cell, texts)
		appendStringInfo(&buffer, " %s", (char *) lfirst(cell));
	appendStringInfoChar(&buffer, ')');
	return buffer.data;
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

/*
 * The comparisons that x op ANY (list) or ALL stands for; NIL: none, since the
 * list is empty, null, or not known.
 */
static List *
array_texts(ScalarArrayOpExpr *expr, bool negate)
{
	const char *left = canonical(linitial(expr->args), false);
	Node *array = lsecond(expr->args);
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
	return lappend(texts, canonical(node, negate));
}

/* x op ANY (list) as an OR of comparisons, ALL as an AND. */
static char *
array_text(ScalarArrayOpExpr *expr, bool negate)
{
	List *texts = array_texts(expr, negate);
	Node *array = lsecond(expr->args);
	bool any = expr->useOr != negate;

	if (!IsA(array, ArrayExpr) && !IsA(array, Const)) /* a column */
		return psprintf("(%s%s %s %s %s)", negate ? "not " : "",
						expr->useOr ? "any" : "all", get_opname(expr->opno),
						canonical(linitial(expr->args), false),
						canonical(array, false));
	if (texts == NIL)
		return psprintf("(%s %s %s)", any ? "any" : "all",
						canonical(linitial(expr->args), false),
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

/* A long text in short. */
static char *
shortened(char *text)
{
	unsigned char hash[SHA256_DIGEST_LENGTH];
	StringInfoData result;
	int i;

	if (strlen(text) <= 2 * SHA256_DIGEST_LENGTH)
		return text;
	SHA256((unsigned char *) text, strlen(text), hash);
	initStringInfo(&result);
	appendStringInfoChar(&result, '#');
	for (i = 0; i < SHA256_DIGEST_LENGTH; i++)
		appendStringInfo(&result, "%02x", hash[i]);
	return result.data;
}

static char *query_text(Query *query, List *around, bool with_targets);

/* A protected relation, and what is the unit of its rows. */
static char *
relation_text(Oid relation)
{
	AttrNumber unit = dp_gate_unit_of(asked.subjects, relation);
	char *text = psprintf("r%d", dp_gate_identity_of(asked.subjects, relation));

	if (unit == DP_UNIT_BY_PATH)
		return psprintf(
			"%s%s", text,
			dp_gate_delimited('p', dp_gate_path_of(asked.subjects, relation)));
	return unit <= 0 ? text
					 : psprintf("%s%s", text,
								dp_gate_delimited(
									'u', get_attname(relation, unit, false)));
}

/* What an entry of FROM is, without telling it from others that are the same. */
static char *
source_text(const RangeTblEntry *rte, List *queries)
{
	const DpPublic *public;

	switch (rte->rtekind)
	{
		case RTE_RELATION:
			return relation_text(rte->relid);
		case RTE_NAMEDTUPLESTORE:
			public
			= dp_gate_public_of(asked.subjects, rte);
			return public->params == NIL ? public->label
										 : join(public->label, public->params);
		case RTE_SUBQUERY:
		{
			char *text = recall(rte, 0);

			return text != NULL ? text
								: keep(rte, 0,
									   shortened(query_text(rte->subquery,
															queries, false)));
		}
		default:
			elog(ERROR, "unexpected entry %d in FROM of a question",
				 (int) rte->rtekind);
	}
}

static bool
is_source(const RangeTblEntry *rte)
{
	return rte->rtekind == RTE_NAMEDTUPLESTORE ||
		   rte->rtekind == RTE_SUBQUERY ||
		   (rte->rtekind == RTE_RELATION &&
			list_member_oid(asked.subjects->relations, rte->relid));
}

/* Conditions of FROM, at any depth of it. */
static void
add_conditions(Node *node, List **texts)
{
	ListCell *cell;

	if (IsA(node, FromExpr))
	{
		foreach (cell, ((FromExpr *) node)->fromlist)
			add_conditions(lfirst(cell), texts);
		if (((FromExpr *) node)->quals != NULL)
			*texts = collect_arms(((FromExpr *) node)->quals, AND_EXPR, false,
								  *texts);
	}
	else if (IsA(node, JoinExpr))
	{
		add_conditions(((JoinExpr *) node)->larg, texts);
		add_conditions(((JoinExpr *) node)->rarg, texts);
		if (((JoinExpr *) node)->quals != NULL)
			*texts = collect_arms(((JoinExpr *) node)->quals, AND_EXPR, false,
								  *texts);
	}
}

/*
 * What conditions say of an entry, with which those that are the same are put in
 * order, however FROM lists them.
 */
static char *
signature(List *queries, int place)
{
	List *before = asked.queries;
	List *texts = NIL;
	char *result = recall(linitial(queries), place);

	if (result != NULL)
		return result;
	asked.queries = queries;
	asked.marked = linitial(queries);
	asked.place = place;
	add_conditions((Node *) asked.marked->jointree, &texts);
	result = join_all("of", texts);
	asked.marked = NULL;
	asked.place = 0;
	asked.queries = before;
	return keep(linitial(queries), place, result);
}

/* The number of an entry among those that are the same. */
static int
number_of(List *queries, int place, const char *text)
{
	Query *query = linitial(queries);
	const RangeTblEntry *rte = rt_fetch(place, query->rtable);
	char *own = NULL;
	int before = 0;
	int i;

	for (i = 1; i <= list_length(query->rtable); i++)
	{
		const RangeTblEntry *other = rt_fetch(i, query->rtable);
		int order;

		if (i == place || !is_source(other) || other->rtekind != rte->rtekind ||
			strcmp(source_text(other, queries), text) != 0)
			continue;
		if (own == NULL)
			own = signature(queries, place);
		order = strcmp(signature(queries, i), own);
		if (order < 0 || (order == 0 && i < place))
			before++;
	}
	return before;
}

/* An entry of the range table of a query, the first of those given. */
static char *
entry_text(List *queries, int place)
{
	Query *query = linitial(queries);
	char *text = source_text(rt_fetch(place, query->rtable), queries);
	int number;

	if (asked.marked == query)
		return place == asked.place ? psprintf("%s@", text) : text;
	if (asked.marked != NULL)
		return text;
	number = number_of(queries, place, text);
	return number == 0 ? text : psprintf("%s.%d", text, number);
}

/* Whether FROM is one relation, whose columns need no more than their names. */
static bool
is_alone(const Query *query)
{
	Node *first = linitial(query->jointree->fromlist);

	return list_length(query->jointree->fromlist) == 1 &&
		   IsA(first, RangeTblRef) &&
		   rt_fetch(((RangeTblRef *) first)->rtindex, query->rtable)->rtekind ==
			   RTE_RELATION;
}

/* A column of the first of some queries, without saying which query that is. */
static char *
near_column_text(const Var *column, List *queries)
{
	Query *query = linitial(queries);
	const RangeTblEntry *rte = rt_fetch(column->varno, query->rtable);
	char *text;

	if (rte->rtekind == RTE_RELATION)
	{
		text = dp_gate_delimited(
			'c', get_attname(rte->relid, column->varattno, false));
		if (query == asked.subjects->frame && is_alone(query))
			return text;
	}
	else if (rte->rtekind == RTE_SUBQUERY)
	{
		TargetEntry *entry =
			get_tle_by_resno(rte->subquery->targetList, column->varattno);
		List *before = asked.queries;

		text = recall(entry, 0);
		if (text != NULL)
			return psprintf("%s%s", entry_text(queries, column->varno), text);
		asked.queries = lcons(rte->subquery, list_copy(queries));
		text =
			psprintf("o%s", shortened(canonical((Node *) entry->expr, false)));
		asked.queries = before;
		if (rte->subquery->setOperations != NULL)
			text = psprintf("o%d", column->varattno);
		(void) keep(entry, 0, text);
	}
	else
		text = psprintf("n%d", column->varattno);
	return psprintf("%s%s", entry_text(queries, column->varno), text);
}

/*
 * A column by its name, and what it is of. Units that are equal in every row are
 * one. Columns of queries around say how far out these are.
 */
static char *
column_text(const Var *column)
{
	List *queries = list_copy_tail(asked.queries, (int) column->varlevelsup);
	Query *query = linitial(queries);
	char *text;

	if (query == asked.subjects->frame && !is_alone(query))
	{
		Var *near = copyObject((Var *) column);

		near->varlevelsup = 0;
		if (dp_gate_is_unit(asked.subjects, near) &&
			dp_gate_is_unit_or_null(asked.subjects, near))
			text = pstrdup("unit");
		else
			text = near_column_text(column, queries);
	}
	else
		text = near_column_text(column, queries);
	return column->varlevelsup == 0
			   ? text
			   : psprintf("^%u%s", column->varlevelsup, text);
}

/* The texts of what is joined at a node of FROM. */
static List *
from_texts(Node *node, List *queries, List *texts)
{
	JoinExpr *join = (JoinExpr *) node;
	List *nullable;
	char *on;

	check_stack_depth();
	if (IsA(node, RangeTblRef))
		return lappend(texts,
					   entry_text(queries, ((RangeTblRef *) node)->rtindex));
	texts = from_texts(join->larg, queries, texts);
	if (join->jointype == JOIN_INNER)
		return from_texts(join->rarg, queries, texts);
	nullable = from_texts(join->rarg, queries, NIL);
	on = join->quals == NULL ? "true" : canonical(join->quals, false);
	return lappend(texts,
				   psprintf("(left %s on %s)", join_all("from", nullable), on));
}

static char *
rows_text(Query *query, List *queries)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, query->jointree->fromlist)
		texts = from_texts(lfirst(cell), queries, texts);
	return join_all("from", texts);
}

/* Expressions of clauses, in any order. */
static char *
clauses_text(const char *word, List *clauses, List *targets)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, clauses)
		texts = lappend(
			texts,
			canonical(get_sortgroupclause_expr(lfirst(cell), targets), false));
	return join_all(word, texts);
}

/* Of UNION ALL, its parts with their columns. */
static void
union_texts(Node *node, Query *query, List *queries, List **texts)
{
	if (IsA(node, RangeTblRef))
	{
		int place = ((RangeTblRef *) node)->rtindex;

		*texts =
			lappend(*texts, query_text(rt_fetch(place, query->rtable)->subquery,
									   queries, true));
		return;
	}
	union_texts(((SetOperationStmt *) node)->larg, query, queries, texts);
	union_texts(((SetOperationStmt *) node)->rarg, query, queries, texts);
}

/* A sub-query. with_targets: and what it puts out, in order. */
static char *
query_text(Query *query, List *around, bool with_targets)
{
	List *before = asked.queries;
	List *queries = lcons(query, list_copy(around));
	StringInfoData text;
	Node *conditions;
	List *texts = NIL;
	ListCell *cell;

	check_stack_depth();
	asked.queries = queries;
	initStringInfo(&text);
	if (query->setOperations != NULL)
	{
		union_texts(query->setOperations, query, queries, &texts);
		asked.queries = before;
		return join_all("union", texts);
	}
	conditions = dp_gate_inner_conditions(query);
	appendStringInfo(&text, "(query %s", rows_text(query, queries));
	if (conditions != NULL)
		appendStringInfo(&text, " where %s", canonical(conditions, false));
	if (query->hasAggs || query->groupClause != NIL)
		appendStringInfo(
			&text, " %s",
			clauses_text("by", query->groupClause, query->targetList));
	if (query->havingQual != NULL)
		appendStringInfo(&text, " having %s",
						 canonical(query->havingQual, false));
	if (query->distinctClause != NIL)
		appendStringInfo(
			&text, " %s",
			clauses_text("distinct", query->distinctClause, query->targetList));
	foreach (cell, with_targets ? query->targetList : NIL)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!entry->resjunk)
			appendStringInfo(&text, " %s",
							 canonical((Node *) entry->expr, false));
	}
	appendStringInfoChar(&text, ')');
	asked.queries = before;
	return text.data;
}

static char *
sublink_text(const SubLink *link)
{
	return psprintf("(sub%d %s %s)", (int) link->subLinkType,
					link->testexpr == NULL ? "-"
										   : canonical(link->testexpr, false),
					query_text((Query *) link->subselect, asked.queries,
							   link->subLinkType != EXISTS_SUBLINK));
}

static char *
aggregate_text(Aggref *aggref)
{
	return psprintf("(agg%u%s %s %s)", aggref->aggfnoid,
					aggref->aggdistinct != NIL ? "distinct" : "",
					join("of", aggref->args),
					aggref->aggfilter == NULL
						? "-"
						: canonical((Node *) aggref->aggfilter, false));
}

/* By which rows it is computed, too. */
static char *
window_text(WindowFunc *function)
{
	Query *query = linitial(asked.queries);
	const WindowClause *window = NULL;
	StringInfoData text;
	ListCell *cell;

	foreach (cell, query->windowClause)
	{
		if (lfirst_node(WindowClause, cell)->winref == function->winref)
			window = lfirst(cell);
	}
	if (window == NULL)
		elog(ERROR, "a window function without a window");
	initStringInfo(&text);
	appendStringInfo(
		&text, "(win%u %s %s %s frame%d", function->winfnoid,
		join("of", function->args),
		function->aggfilter == NULL
			? "-"
			: canonical((Node *) function->aggfilter, false),
		clauses_text("partition", window->partitionClause, query->targetList),
		window->frameOptions);
	foreach (cell, window->orderClause)
	{
		const SortGroupClause *order = lfirst_node(SortGroupClause, cell);

		appendStringInfo(
			&text, " %s %u%s",
			canonical(get_sortgroupclause_expr((SortGroupClause *) order,
											   query->targetList),
					  false),
			order->sortop, order->nulls_first ? "first" : "last");
	}
	appendStringInfoChar(&text, ')');
	return text.data;
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
		case T_Param: /* a column of a sub-query that is compared */
			return psprintf("p%d", ((Param *) node)->paramid);
		case T_SubLink:
			return sublink_text((SubLink *) node);
		case T_Aggref:
			return aggregate_text((Aggref *) node);
		case T_WindowFunc:
			return window_text((WindowFunc *) node);
		case T_TargetEntry:
			return canonical((Node *) ((TargetEntry *) node)->expr, false);
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
	CHECK_FOR_INTERRUPTS();
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
	asked.subjects = subjects;
	asked.queries = list_make1(subjects->frame);
	asked.marked = NULL; /* after an error */
	asked.place = 0;
	asked.memos = NIL;
	return canonical(expression, false);
}

char *
dp_gate_canonical_rows(const DpSubjects *subjects)
{
	asked.subjects = subjects;
	asked.queries = list_make1(subjects->frame);
	asked.marked = NULL;
	asked.place = 0;
	asked.memos = NIL;
	return is_alone(subjects->frame)
			   ? NULL
			   : rows_text(subjects->frame, asked.queries);
}
