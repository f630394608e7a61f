/*
 * probe.c
 *		Queries that can have no rows, which tools send to learn the columns, and
 *		the server's aggregates over none.
 *
 * What the clauses say is computed from constants and the server's own
 * operators only, so that no user-defined code runs.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "gate/read/folding.h"
#include "gate/read/probe.h"
#include "gate/relations/kept_back.h"
#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/search.h"

/* What is not a constant, nor made of such by the server's own means. */
static bool
is_unknown(Node *node, void *context)
{
	(void) context;
	switch (nodeTag(node))
	{
		case T_Const:
			return ((Const *) node)->consttype >= FirstNormalObjectId;
		case T_OpExpr:
			return ((OpExpr *) node)->opno >= FirstNormalObjectId ||
				   func_volatile(get_opcode(((OpExpr *) node)->opno)) !=
					   PROVOLATILE_IMMUTABLE;
		case T_FuncExpr:
			return ((FuncExpr *) node)->funcid >= FirstNormalObjectId ||
				   func_volatile(((FuncExpr *) node)->funcid) !=
					   PROVOLATILE_IMMUTABLE;
		case T_BoolExpr:
		case T_RelabelType:
		case T_List:
			return false;
		default:
			return true;
	}
}

/* The constant that an expression is; NULL where it may be another. */
static Const *
constant_of(Node *expression)
{
	Node *folded;

	if (expression == NULL || dp_search_any(expression, is_unknown, NULL))
		return NULL;
	folded = dp_folding_evaluate(copyObject(expression));
	return IsA(folded, Const) ? (Const *) folded : NULL;
}

/* Finds a condition, of those that are ANDed, that is true of no row. */
static DpVisit
find_never_true(Node *condition, const List *around, void *context)
{
	const Const *value;

	(void) around;
	(void) context;
	if (is_andclause(condition) || IsA(condition, List))
		return DP_VISIT_PARTS;
	value = constant_of(condition);
	return value != NULL &&
				   (value->constisnull || !DatumGetBool(value->constvalue))
			   ? DP_VISIT_FOUND
			   : DP_VISIT_NEXT;
}

static bool
is_never_true(Node *conditions)
{
	return dp_search(conditions, find_never_true, NULL, 0);
}

static bool
is_zero(Node *limit)
{
	const Const *value = constant_of(limit);

	return value != NULL && !value->constisnull &&
		   DatumGetInt64(value->constvalue) == 0;
}

/*
 * Finds what the server would refuse, apart from the rows that are kept back.
 */
static DpVisit
find_refused(Node *node, const List *around, void *context)
{
	Query *query = (Query *) node;

	(void) around;
	(void) context;
	if (!IsA(node, Query))
		return DP_VISIT_PARTS;
	if (query->commandType != CMD_SELECT || query->rowMarks != NIL)
		return DP_VISIT_FOUND;
	foreach_node (RangeTblEntry, rte, query->rtable)
	{
		if (!dp_compat_is_allowed(query, rte) &&
			!dp_kept_back_is_entry(query, rte))
			return DP_VISIT_FOUND;
	}
	return DP_VISIT_PARTS;
}

/* Columns of the same names and types, and nothing in them. */
static List *
empty_columns(List *targets)
{
	List *result = NIL;

	foreach_node (TargetEntry, entry, targets)
	{
		Node *value = (Node *) entry->expr;

		if (entry->resjunk)
			continue;
		entry->expr = (Expr *) makeNullConst(exprType(value), exprTypmod(value),
											 exprCollation(value));
		entry->ressortgroupref = 0;
		result = lappend(result, entry);
	}
	return result;
}

/* Columns of the query itself become null: no row is there to have one. */
static Node *
null_for_column(Node *node, int depth, void *context)
{
	(void) context;
	return IsA(node, Var) && (int) ((Var *) node)->varlevelsup == depth
			   ? (Node *) makeNullConst(exprType(node), exprTypmod(node),
										exprCollation(node))
			   : NULL;
}

/* Keeps the clauses that apply to the one row of such a query. */
static void
keep_row(Query *empty, const Query *query)
{
	empty->hasAggs = true;
	empty->targetList = (List *) dp_search_replace((Node *) query->targetList,
												   null_for_column, NULL);
	empty->havingQual =
		dp_search_replace(query->havingQual, null_for_column, NULL);
	empty->distinctClause = query->distinctClause;
	empty->hasDistinctOn = query->hasDistinctOn;
	empty->sortClause = query->sortClause;
	empty->limitOffset = query->limitOffset;
	empty->limitCount = query->limitCount;
	empty->limitOption = query->limitOption;
}

/* What a query returns, whatever there is in the tables. */
typedef enum Outcome
{
	OUTCOME_UNKNOWN,
	OUTCOME_NO_ROWS,
	OUTCOME_ONE_ROW /* of the server's aggregates over no rows */
} Outcome;

/* Where WHERE is never true. Over no rows an aggregate without GROUP BY is a row. */
static Outcome
outcome_over_none(const Query *query)
{
	if (query->groupingSets != NIL)
		return OUTCOME_UNKNOWN;
	if (query->groupClause != NIL ||
		(!query->hasAggs && query->havingQual == NULL))
		return OUTCOME_NO_ROWS;
	return query->hasAggs && !query->hasSubLinks && !query->hasWindowFuncs &&
				   !query->hasTargetSRFs
			   ? OUTCOME_ONE_ROW
			   : OUTCOME_UNKNOWN;
}

/*
 * Private aggregates, as they are called, have rows for all groups with public keys,
 * whatever the clauses say.
 */
static Outcome
outcome_of(const Query *query, bool is_block)
{
	if (is_zero(query->limitCount))
		return OUTCOME_NO_ROWS;
	if (query->jointree == NULL || is_block)
		return OUTCOME_UNKNOWN;
	if (is_never_true(query->havingQual))
		return OUTCOME_NO_ROWS;
	return is_never_true(query->jointree->quals) ? outcome_over_none(query)
												 : OUTCOME_UNKNOWN;
}

bool
dp_probe_empty(Query *query, bool is_block)
{
	Outcome outcome;
	Query *empty;

	if (query->commandType != CMD_SELECT)
		return false;
	outcome = outcome_of(query, is_block);
	if (outcome == OUTCOME_UNKNOWN ||
		dp_search((Node *) query, find_refused, NULL, 0))
		return false;
	dp_compat_flatten_groups(query);
	empty = makeNode(Query);
	empty->commandType = CMD_SELECT;
	empty->querySource = query->querySource;
	empty->queryId = query->queryId;
	empty->canSetTag = query->canSetTag;
	empty->stmt_location = query->stmt_location;
	empty->stmt_len = query->stmt_len;
	if (outcome == OUTCOME_NO_ROWS)
		empty->targetList = empty_columns(query->targetList);
	else
		keep_row(empty, query);
	empty->jointree = makeFromExpr(NIL, makeBoolConst(false, false));
	*query = *empty;
	return true;
}
