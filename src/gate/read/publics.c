/*
 * publics.c
 *		Reads what is public in a question.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "gate/facts/facts.h"
#include "gate/tree/functions.h"
#include "gate/question/relations/locations.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/row_copies.h"
#include "gate/question/relations/shown.h"
#include "gate/read/answers.h"
#include "gate/question/relations/code_of_others.h"
#include "gate/read/publics.h"
#include "gate/read/sets.h"
#include "server/compat.h"

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

/* Finds what may not be evaluated where protected rows are. */
static bool
foreign_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_OpExpr:
		case T_DistinctExpr:
			set_opfuncid((OpExpr *) node);
			if (((OpExpr *) node)->opno >= FirstNormalObjectId ||
				!dp_functions_is_total(((OpExpr *) node)->opfuncid))
				return true;
			break;
		case T_ScalarArrayOpExpr:
			set_sa_opfuncid((ScalarArrayOpExpr *) node);
			if (((ScalarArrayOpExpr *) node)->opno >= FirstNormalObjectId ||
				!dp_functions_is_total(((ScalarArrayOpExpr *) node)->opfuncid))
				return true;
			break;
		case T_FuncExpr:
			if (!dp_functions_is_total(((FuncExpr *) node)->funcid))
				return true;
			break;
		case T_Var:
		case T_Const:
		case T_Param:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_RelabelType:
		case T_ArrayExpr:
		case T_List:
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, foreign_walker, context);
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
	ListCell *cell;

	foreach (cell, *conditions)
	{
		Node *condition = lfirst(cell);

		if (is_of_entry(scope, condition, rtindex) &&
			foreign_walker(condition, NULL) &&
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
	ListCell *cell;

	foreach (cell, statement->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

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

/* Whether a query may have other rows each time that it is read. */
static bool
varies_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, TableSampleClause) &&
		((TableSampleClause *) node)->repeatable == NULL)
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, varies_walker, context, 0);
	return expression_tree_walker(node, varies_walker, context);
}

/* Rows that a statement reads; it must be complete. */
static DpPublicRows *
read_statement(Query *statement, const char *name, List *names, int location)
{
	DpPublicRows *rows = dp_node_public(statement, name, names, location);

	rows->is_shown = true;
	rows->is_of_role = dp_gate_is_of_role(statement) ||
					   contain_mutable_functions((Node *) statement);
	rows->is_stable = !contain_volatile_functions((Node *) statement) &&
					  !varies_walker((Node *) statement, NULL);
	return rows;
}

/* Reads some columns of an entry of a query's FROM. conditions: of it alone. */
static DpPublicRows *
read_entry(Query *query, int rtindex, List *conditions,
		   const Bitmapset *columns)
{
	const RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	int location = dp_gate_location_of_entry(query, rtindex);
	List *own = copyObject(conditions);
	Query *statement;
	DpPublicRows *rows;

	dp_gate_check_public(rte, location);
	ChangeVarNodes((Node *) own, rtindex, 1, 0);
	statement = dp_gate_copy_query(query, rtindex, own);
	dp_gate_check_public_privileges(statement);
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
dp_publics_read(DpScope *scope, int rtindex, List **conditions,
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
	bool is_shown = dp_gate_is_shown(scope->query, rte);
	List *own =
		is_shown ? take_own_conditions(scope, rtindex, conditions) : NIL;
	DpPublicRows *rows;

	if (rte->rtekind == RTE_SUBQUERY && !rte->lateral)
		rte->subquery = dp_answers_take(scope->planning, rte->subquery);
	rows = read_entry(scope->query, rtindex, own, columns);
	rows->is_shown = is_shown;
	*attributes = numbers_of(columns);
	return dp_facts_add(&rows->node);
}

const DpNode *
dp_publics_read_query(DpScope *scope, Query *query)
{
	bool is_shown = dp_gate_shows_all(query);
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	Query *around = makeNode(Query);
	Bitmapset *columns = NULL;
	DpPublicRows *rows;
	int number = 0;
	ListCell *cell;

	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = dp_answers_take(scope->planning, query);
	rte->eref = makeAlias("dp_public", NIL);
	foreach (cell, rte->subquery->targetList)
	{
		if (lfirst_node(TargetEntry, cell)->resjunk)
			continue;
		columns = bms_add_member(columns, ++number);
		rte->eref->colnames =
			lappend(rte->eref->colnames, makeString(psprintf("c%d", number)));
	}
	around->rtable = list_make1(rte);
	around->jointree = makeFromExpr(NIL, NULL);
	rows = read_entry(around, 1, NIL, columns);
	rows->is_shown = is_shown;
	return dp_facts_add(&rows->node);
}

const DpNode *
dp_publics_read_nothing(void)
{
	Query *statement = makeNode(Query);

	statement->commandType = CMD_SELECT;
	statement->querySource = QSRC_ORIGINAL;
	statement->canSetTag = true;
	statement->jointree = makeFromExpr(NIL, NULL);
	return dp_facts_add(&read_statement(statement, "nothing", NIL, -1)->node);
}
