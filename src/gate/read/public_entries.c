/*
 * public_entries.c
 *		Reads what is public in a question.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/facts/facts.h"
#include "gate/read/parameter.h"
#include "gate/read/public_entries.h"
#include "gate/read/sets.h"
#include "gate/relations/code_of_others.h"
#include "gate/relations/locations.h"
#include "gate/relations/publics.h"
#include "gate/relations/release_call.h"
#include "gate/relations/row_copies.h"
#include "gate/relations/shown.h"
#include "gate/tree/functions.h"
#include "server/compat.h"
#include "server/queries.h"
#include "server/search.h"

/*
 * Private answers among what is public in a block.
 *
 * Tools ask for the largest groups first and join them to the table again, or
 * name them in an IN. The rows of a release exist only while their statement
 * runs, and its number is different each time; but as a value they can be part
 * of a question. jsonb can hold rows of the server's own types, and returns
 * them unchanged.
 */

/* SELECT of nothing yet FROM (query) AS alias (c1, c2 ...). */
static Query *
from_query(Query *query, const char *alias)
{
	Query *around = dp_query_make();
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	int i;

	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = query;
	rte->eref = makeAlias(alias, NIL);
	for (i = 1; i <= ExecCleanTargetListLength(query->targetList); i++)
		rte->eref->colnames =
			lappend(rte->eref->colnames, makeString(psprintf("c%d", i)));

	/* for Citus, which sends what it reads as text */
	rte->alias = copyObject(rte->eref);
	around->rtable = list_make1(rte);
	return around;
}

/*
 * Rows of pseudo-types, such as record, do not come back from a jsonb; and
 * users' types may be converted to jsonb and back by their owners' code.
 */
static bool
has_plain_types(const Query *rows)
{
	foreach_node (TargetEntry, entry, rows->targetList)
	{
		Oid type = exprType((Node *) entry->expr);

		if (type >= FirstNormalObjectId || get_typtype(type) == TYPTYPE_PSEUDO)
			return false;
	}
	return true;
}

/* SELECT jsonb_agg(ROW(c1, c2)), of the rows that a query has. */
static SubLink *
value_of(const Query *rows)
{
	SubLink *link = makeNode(SubLink);
	Query *query = copyObject((Query *) rows);
	RowExpr *row = makeNode(RowExpr);
	Aggref *aggref = makeNode(Aggref);

	row->row_typeid = RECORDOID;
	row->row_format = COERCE_EXPLICIT_CALL;
	row->location = -1;
	foreach_node (TargetEntry, entry, query->targetList)
	{
		row->args = lappend(row->args, entry->expr);
		row->colnames =
			lappend(row->colnames, makeString(pstrdup(entry->resname)));
	}
	aggref->aggfnoid = F_JSONB_AGG;
	aggref->aggtype = JSONBOID;
	aggref->aggargtypes = list_make1_oid(RECORDOID);
	aggref->args = list_make1(makeTargetEntry((Expr *) row, 1, NULL, false));
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggsplit = AGGSPLIT_SIMPLE;
	aggref->aggno = aggref->aggtransno = -1;
	aggref->location = -1;
	query->targetList =
		list_make1(makeTargetEntry((Expr *) aggref, 1, pstrdup("c1"), false));
	query->hasAggs = true;
	link->subLinkType = EXPR_SUBLINK;
	link->subselect = (Node *) query;
	link->location = -1;
	return link;
}

/* jsonb_to_recordset(value) AS (c1 ..., c2 ...) */
static RangeTblEntry *
rows_from(Param *value, const Query *rows)
{
	List *columns = NIL;

	foreach_node (TargetEntry, entry, rows->targetList)
		columns = lappend(columns, entry->expr);
	return dp_release_call_make_record(F_JSONB_TO_RECORDSET, (Expr *) value,
									   "dp_answer", columns);
}

/*
 * A sub-query that reads private answers, nothing protected besides, and
 * nothing of the queries around it, becomes one over a constant: its rows, as
 * jsonb. They are found first, as those of a statement of their own, and the
 * question around has them as a parameter, so that it is a question by their
 * values. Others are returned as they are.
 */
static Query *
take_answers(DpPlanning *planning, Query *query)
{
	Query *rows;
	Query *from;
	SubLink *value;

	if (!dp_publics_reads_release(query) || dp_publics_reads_protected(query) ||
		dp_publics_refers_outward(query))
		return query;
	if (query->targetList == NIL) /* EXISTS may have none */
		(void) dp_query_add_target(query, makeBoolConst(true, false), NULL);
	rows = dp_row_copies_query(from_query(query, "dp_answer"), 1, NIL);
	if (!has_plain_types(rows))
		return query;
	value = value_of(rows);
	from = dp_query_make();
	from->rtable = list_make1(
		rows_from(dp_parameter_of_query(planning, (Node *) value,
										castNode(Query, value->subselect)),
				  rows));
	return dp_row_copies_query(from, 1, NIL);
}

/*
 * Conditions of a public entry alone
 */

/* Whether a condition names columns of this entry, and of nothing else. */
static bool
is_of_entry(const DpScope *scope, Node *condition, int rtindex)
{
	Bitmapset *entries = dp_sets_named(scope->query, condition);
	int level = 1;

	if (!bms_is_member(rtindex, entries) || bms_num_members(entries) != 1 ||
		checkExprHasSubLink(condition))
		return false;
	for (; scope != NULL; scope = scope->around)
	{
		if (contain_vars_of_level(condition, level++))
			return false;
	}
	return true;
}

/* What may not be evaluated where protected rows are. */
static bool
is_foreign(Node *node, void *context)
{
	(void) context;
	switch (nodeTag(node))
	{
		case T_OpExpr:
		case T_DistinctExpr:
			set_opfuncid((OpExpr *) node);
			return ((OpExpr *) node)->opno >= FirstNormalObjectId ||
				   !dp_functions_is_total(((OpExpr *) node)->opfuncid);
		case T_ScalarArrayOpExpr:
			set_sa_opfuncid((ScalarArrayOpExpr *) node);
			return ((ScalarArrayOpExpr *) node)->opno >= FirstNormalObjectId ||
				   !dp_functions_is_total(
					   ((ScalarArrayOpExpr *) node)->opfuncid);
		case T_FuncExpr:
			return !dp_functions_is_total(((FuncExpr *) node)->funcid);
		case T_Var:
		case T_Const:
		case T_Param:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_RelabelType:
		case T_ArrayExpr:
		case T_List:
			return false;
		default:
			return true;
	}
}

/*
 * Takes out the conditions that are applied to the copy. In a protected view they
 * run with the rights of whoever asks: those that may run somebody's code stay
 * where protected rows are, and are refused unless that allows them.
 */
static List *
take_own_conditions(const DpScope *scope, int rtindex, List **conditions)
{
	List *own = NIL;
	List *rest = NIL;

	foreach_ptr (Node, condition, *conditions)
	{
		if (is_of_entry(scope, condition, rtindex) &&
			dp_search_any(condition, is_foreign, NULL) &&
			(scope->planning->view_depth == 0 ||
			 !dp_code_is_of_others(condition)))
			own = lappend(own, condition);
		else
			rest = lappend(rest, condition);
	}
	*conditions = rest;
	return own;
}

/*
 * Copies
 */

/* Leaves these columns alone of what a statement puts out. */
static void
keep_columns(Query *statement, const Bitmapset *columns)
{
	List *kept = NIL;

	foreach_node (TargetEntry, entry, statement->targetList)
	{
		if (!bms_is_member(entry->resno, columns))
			continue;
		kept = lappend(kept, entry);
		entry->resno = (AttrNumber) list_length(kept);
	}
	statement->targetList = kept;
}

static const AttrNumber *
numbers_of(const Bitmapset *columns)
{
	AttrNumber *numbers = palloc(bms_num_members(columns) * sizeof(AttrNumber));
	int count = 0;
	int column = -1;

	while ((column = bms_next_member(columns, column)) > 0)
		numbers[count++] = (AttrNumber) column;
	return numbers;
}

/* As they are called in the question: const char. */
static List *
names_of(const RangeTblEntry *rte, const Bitmapset *columns)
{
	List *names = NIL;
	int column = -1;

	while ((column = bms_next_member(columns, column)) > 0)
		names =
			lappend(names, strVal(list_nth(rte->eref->colnames, column - 1)));
	return names;
}

/* What has other rows each time that it is read. */
static bool
is_sample(Node *node, void *context)
{
	(void) context;
	return IsA(node, TableSampleClause) &&
		   ((TableSampleClause *) node)->repeatable == NULL;
}

/* Rows that a statement reads; it must be complete. */
static DpPublicRows *
read_statement(Query *statement, const char *name, List *names, int location)
{
	DpPublicRows *rows = dp_node_public(statement, name, names, location);

	rows->is_shown = true;
	rows->is_of_role = dp_shown_is_of_role(statement) ||
					   contain_mutable_functions((Node *) statement);
	rows->is_stable = !contain_volatile_functions((Node *) statement) &&
					  !dp_search_any((Node *) statement, is_sample, NULL);
	return rows;
}

/* Reads some columns of an entry of a query's FROM. conditions: of it alone. */
static DpPublicRows *
read_entry(Query *query, int rtindex, List *conditions,
		   const Bitmapset *columns)
{
	const RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	int location = dp_locations_of_entry(query, rtindex);
	List *own = copyObject(conditions);
	Query *statement;
	DpPublicRows *rows;

	dp_publics_check(rte, location);
	ChangeVarNodes((Node *) own, rtindex, 1, 0);
	statement = dp_row_copies_query(query, rtindex, own);
	dp_publics_check_privileges(statement);
	keep_columns(statement, columns);
	rows = read_statement(statement,
						  rte->alias != NULL || rte->rtekind != RTE_RELATION
							  ? rte->eref->aliasname
							  : get_rel_name(rte->relid),
						  names_of(rte, columns), location);
	if (rte->rtekind == RTE_RELATION && rte->tablesample == NULL &&
		rte->securityQuals == NIL)
	{
		rows->relation = rte->relid;
		rows->attributes = numbers_of(columns);
		rows->is_whole = own == NIL;
	}
	return rows;
}

const DpNode *
dp_public_entries_read(DpScope *scope, int rtindex, List **conditions,
					   const AttrNumber **attributes)
{
	RangeTblEntry *rte = rt_fetch(rtindex, scope->query->rtable);
	const Bitmapset *columns = scope->used[rtindex - 1];

	/*
	 * Whether it is shown is decided before answers in it become a parameter:
	 * nobody can then ask the same question with a guess at the rows written
	 * out. Conditions are only moved into it if it is shown, since they may call
	 * the asker's functions, which would see its rows.
	 */
	bool is_shown = dp_shown_is_shown(scope->query, rte);
	List *own =
		is_shown ? take_own_conditions(scope, rtindex, conditions) : NIL;
	DpPublicRows *rows;

	if (rte->rtekind == RTE_SUBQUERY && !rte->lateral)
		rte->subquery = take_answers(scope->planning, rte->subquery);
	rows = read_entry(scope->query, rtindex, own, columns);
	rows->is_shown = is_shown;
	*attributes = numbers_of(columns);
	return dp_facts_add(&rows->node);
}

const DpNode *
dp_public_entries_read_query(DpScope *scope, Query *query)
{
	bool is_shown = dp_shown_all(query);
	Query *around =
		from_query(take_answers(scope->planning, query), "dp_public");
	int count = list_length(
		linitial_node(RangeTblEntry, around->rtable)->eref->colnames);
	DpPublicRows *rows = read_entry(
		around, 1, NIL, count == 0 ? NULL : bms_add_range(NULL, 1, count));

	rows->is_shown = is_shown;
	return dp_facts_add(&rows->node);
}

const DpNode *
dp_public_entries_read_nothing(void)
{
	return dp_facts_add(
		&read_statement(dp_query_make(), "nothing", NIL, -1)->node);
}
