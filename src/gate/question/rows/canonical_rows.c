/*
 * canonical_rows.c
 *		FROM, and what of expressions depends on it, in canonical form.
 *
 * Each entry of FROM is written as what it reads; several that read the same
 * are distinguished by the conditions on them.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/question/expressions/canonical.h"
#include "gate/question/expressions/canonical_parts.h"
#include "gate/question/expressions/canonical_texts.h"
#include "gate/question/expressions/representatives.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/publics.h"
#include "gate/question/rows/join_conditions.h"
#include "server/stack.h"

/*
 * What is asked about, and the queries around an expression, nearest first.
 * All of it is set anew for each text, so after an error nothing of it counts.
 */
static struct
{
	const DpRelations *relations;
	List *queries; /* the last is the relations' frame */

	bool units_apart; /* within an equation of units */

	/*
	 * The query of an entry that is distinguished from others that are the
	 * same; NULL: none.
	 */
	Query *marked;
	int rtindex;

	/* Texts that are asked for again and again, within others: Memo. */
	List *memos;
} asked;

/* The text of a node, or of a part of it, while an entry is marked, or none. */
typedef struct Memo
{
	const void *node;
	int part;
	const Query *marked;
	int rtindex;
	char *text;
} Memo;

void
dp_gate_begin_canonical(const DpRelations *relations)
{
	asked.relations = relations;
	asked.queries = list_make1(relations->frame);
	asked.units_apart = false;
	asked.marked = NULL;
	asked.rtindex = 0;
	asked.memos = NIL;
}

static char *
recall(const void *node, int part)
{
	ListCell *cell;

	foreach (cell, asked.memos)
	{
		const Memo *memo = lfirst(cell);

		if (memo->node == node && memo->part == part &&
			memo->marked == asked.marked && memo->rtindex == asked.rtindex)
			return memo->text;
	}
	return NULL;
}

static char *
keep(const void *node, int part, char *text)
{
	Memo *memo = palloc(sizeof(Memo));

	*memo = (Memo){node, part, asked.marked, asked.rtindex, text};
	asked.memos = lappend(asked.memos, memo);
	return text;
}

/* A long text, replaced by its hash. */
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
	AttrNumber unit = dp_gate_unit_of(asked.relations, relation);
	char *text = psprintf("r%d", dp_gate_member_of(asked.relations, relation));

	if (unit == DP_UNIT_BY_PATH)
		return psprintf(
			"%s%s", text,
			dp_gate_delimited('p', dp_gate_path_of(asked.relations, relation)));
	return unit <= 0 ? text
					 : psprintf("%s%s", text,
								dp_gate_delimited(
									'u', get_attname(relation, unit, false)));
}

/*
 * What an entry of FROM reads; entries that read the same have the same text.
 */
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
			= dp_gate_public_of(asked.relations, rte);
			return public->params == NIL
					   ? public->label
					   : dp_gate_join_parts(public->label, public->params);
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
			list_member_oid(asked.relations->oids, rte->relid));
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
		*texts = dp_gate_add_arm_texts(((FromExpr *) node)->quals, *texts);
	}
	else if (IsA(node, JoinExpr))
	{
		add_conditions(((JoinExpr *) node)->larg, texts);
		add_conditions(((JoinExpr *) node)->rarg, texts);
		*texts = dp_gate_add_arm_texts(((JoinExpr *) node)->quals, *texts);
	}
}

/*
 * What conditions say of an entry. Entries that read the same are sorted by
 * it, so that their order in FROM does not matter.
 */
static char *
signature(List *queries, int rtindex)
{
	List *before = asked.queries;
	List *texts = NIL;
	char *result = recall(linitial(queries), rtindex);

	if (result != NULL)
		return result;
	asked.queries = queries;
	asked.marked = linitial(queries);
	asked.rtindex = rtindex;
	add_conditions((Node *) asked.marked->jointree, &texts);
	result = dp_gate_join_all("of", texts);
	asked.marked = NULL;
	asked.rtindex = 0;
	asked.queries = before;
	return keep(linitial(queries), rtindex, result);
}

/* The number of an entry among those that are the same. */
static int
number_of(List *queries, int rtindex, const char *text)
{
	Query *query = linitial(queries);
	const RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	char *own = NULL;
	int before = 0;
	int i;

	for (i = 1; i <= list_length(query->rtable); i++)
	{
		const RangeTblEntry *other = rt_fetch(i, query->rtable);
		int order;

		if (i == rtindex || !is_source(other) ||
			other->rtekind != rte->rtekind ||
			strcmp(source_text(other, queries), text) != 0)
			continue;
		if (own == NULL)
			own = signature(queries, rtindex);
		order = strcmp(signature(queries, i), own);
		if (order < 0 || (order == 0 && i < rtindex))
			before++;
	}
	return before;
}

/* An entry of the range table of a query, the first of those given. */
static char *
entry_text(List *queries, int rtindex)
{
	Query *query = linitial(queries);
	char *text = source_text(rt_fetch(rtindex, query->rtable), queries);
	int number;

	if (asked.marked == query)
		return rtindex == asked.rtindex ? psprintf("%s@", text) : text;
	if (asked.marked != NULL)
		return text;
	number = number_of(queries, rtindex, text);
	return number == 0 ? text : psprintf("%s.%d", text, number);
}

/*
 * Whether a question is about one relation, whose columns need only their
 * names: the question says which one. In others, conditions may read further
 * relations.
 */
static bool
is_alone(const Query *query)
{
	Node *first = linitial(query->jointree->fromlist);

	return list_length(asked.relations->oids) == 1 &&
		   list_length(query->jointree->fromlist) == 1 &&
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
		if (query == asked.relations->frame && is_alone(query))
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
		text = psprintf("o%s", shortened(dp_gate_canonical_part(
								   (Node *) entry->expr, false)));
		asked.queries = before;
		if (rte->subquery->setOperations != NULL)
			text = psprintf("o%d", column->varattno);
		(void) keep(entry, 0, text);
	}
	else
		text = psprintf("n%d", column->varattno);
	return psprintf("%s%s", entry_text(queries, column->varno), text);
}

/* A column of a query around, as one of that query. */
static Var *
near_column(const Var *column)
{
	Var *near = copyObject((Var *) column);

	near->varlevelsup = 0;
	return near;
}

/*
 * Whether it does not matter which of the columns that equal the unit a column
 * is: values that are equal are the same.
 */
static bool
is_any_unit(const Var *column)
{
	const Query *query = list_nth(asked.queries, (int) column->varlevelsup);
	Var *near;

	if (asked.units_apart || query != asked.relations->frame || is_alone(query))
		return false;
	near = near_column(column);
	return dp_gate_is_unit(asked.relations, near) &&
		   dp_gate_has_one_form((Node *) near);
}

/* A type, or all integers as one: equal ones say the same. */
static Oid
kind_of(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
			return INT8OID;
		default:
			return type < FirstNormalObjectId ? type : InvalidOid;
	}
}

char *
dp_gate_column_text(const Var *column)
{
	char *text;

	if (is_any_unit(column))
		text = psprintf("unit%u", kind_of(column->vartype));
	else
		text = near_column_text(
			column, list_copy_tail(asked.queries, (int) column->varlevelsup));
	return column->varlevelsup == 0
			   ? text
			   : psprintf("^%u%s", column->varlevelsup, text);
}

/* A column that may stand for any unit. */
static bool
is_unit(Node *operand)
{
	const Var *column = dp_gate_column_of(operand);

	return column != NULL && is_any_unit(column);
}

bool
dp_gate_begin_equation(const OpExpr *op)
{
	if (!is_unit(linitial(op->args)) || !is_unit(lsecond(op->args)))
		return false;
	asked.units_apart = true;
	return true;
}

void
dp_gate_end_equation(bool is_begun)
{
	if (is_begun)
		asked.units_apart = false;
}

/* The texts of what is joined at a node of FROM. */
static List *
from_texts(Node *node, List *queries, List *texts)
{
	JoinExpr *join = (JoinExpr *) node;
	List *nullable;
	char *on;

	dp_stack_enter();
	if (IsA(node, RangeTblRef))
		return lappend(texts,
					   entry_text(queries, ((RangeTblRef *) node)->rtindex));
	texts = from_texts(join->larg, queries, texts);
	if (join->jointype == JOIN_INNER)
		return from_texts(join->rarg, queries, texts);
	nullable = from_texts(join->rarg, queries, NIL);
	on = join->quals == NULL ? "true"
							 : dp_gate_canonical_part(join->quals, false);
	return lappend(texts, psprintf("(left %s on %s)",
								   dp_gate_join_all("from", nullable), on));
}

static char *
rows_text(Query *query, List *queries)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, query->jointree->fromlist)
		texts = from_texts(lfirst(cell), queries, texts);
	return dp_gate_join_all("from", texts);
}

/* Expressions of clauses, in any order. */
static char *
clauses_text(const char *word, List *clauses, List *targets)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, clauses)
		texts = lappend(
			texts, dp_gate_canonical_part(
					   get_sortgroupclause_expr(lfirst(cell), targets), false));
	return dp_gate_join_all(word, texts);
}

/* Adds the parts of a UNION ALL, with their columns. */
static void
union_texts(Node *node, Query *query, List *queries, List **texts)
{
	if (IsA(node, RangeTblRef))
	{
		int rtindex = ((RangeTblRef *) node)->rtindex;

		*texts = lappend(*texts,
						 query_text(rt_fetch(rtindex, query->rtable)->subquery,
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

	dp_stack_enter();
	asked.queries = queries;
	initStringInfo(&text);
	if (query->setOperations != NULL)
	{
		union_texts(query->setOperations, query, queries, &texts);
		asked.queries = before;
		return dp_gate_join_all("union", texts);
	}
	conditions = dp_gate_inner_conditions(query);
	appendStringInfo(&text, "(query %s", rows_text(query, queries));
	if (conditions != NULL)
		appendStringInfo(&text, " where %s",
						 dp_gate_canonical_part(conditions, false));
	if (query->hasAggs || query->groupClause != NIL)
		appendStringInfo(
			&text, " %s",
			clauses_text("by", query->groupClause, query->targetList));
	if (query->havingQual != NULL)
		appendStringInfo(&text, " having %s",
						 dp_gate_canonical_part(query->havingQual, false));
	if (query->distinctClause != NIL)
		appendStringInfo(
			&text, " %s",
			clauses_text("distinct", query->distinctClause, query->targetList));
	foreach (cell, with_targets ? query->targetList : NIL)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!entry->resjunk)
			appendStringInfo(
				&text, " %s",
				dp_gate_canonical_part((Node *) entry->expr, false));
	}
	appendStringInfoChar(&text, ')');
	asked.queries = before;
	return text.data;
}

char *
dp_gate_query_text(Query *query, bool with_targets)
{
	return query_text(query, asked.queries, with_targets);
}

char *
dp_gate_window_text(WindowFunc *function)
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
		dp_gate_join_parts("of", function->args),
		function->aggfilter == NULL
			? "-"
			: dp_gate_canonical_part((Node *) function->aggfilter, false),
		clauses_text("partition", window->partitionClause, query->targetList),
		window->frameOptions);
	foreach (cell, window->orderClause)
	{
		const SortGroupClause *order = lfirst_node(SortGroupClause, cell);

		appendStringInfo(&text, " %s %u%s",
						 dp_gate_canonical_part(
							 get_sortgroupclause_expr((SortGroupClause *) order,
													  query->targetList),
							 false),
						 order->sortop, order->nulls_first ? "first" : "last");
	}
	appendStringInfoChar(&text, ')');
	return text.data;
}

char *
dp_gate_canonical_rows(const DpRelations *relations)
{
	dp_gate_begin_canonical(relations);
	return is_alone(relations->frame)
			   ? NULL
			   : rows_text(relations->frame, asked.queries);
}
