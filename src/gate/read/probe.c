/*
 * probe.c
 *		Queries that can have no rows, which tools send to learn the columns,
 *		and
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

/* Conditions that are true of no row. */
static bool
is_never_true(Node *quals)
{
	const Const *value;

	if (quals == NULL)
		return false;
	if (is_andclause(quals))
	{
		foreach_ptr (Node, node, ((BoolExpr *) quals)->args)
		{
			if (is_never_true(node))
				return true;
		}
		return false;
	}
	value = constant_of(quals);
	return value != NULL &&
		   (value->constisnull || !DatumGetBool(value->constvalue));
}

static bool
is_zero(Node *limit)
{
	const Const *value = constant_of(limit);

	return value != NULL && !value->constisnull &&
		   DatumGetInt64(value->constvalue) == 0;
}

/*
 * An aggregate over no rows is a row, unless it is grouped by something; and
 * private aggregates, as they are called, have rows for all groups with public
 * keys.
 */
static bool
has_no_rows(const Query *query, bool is_block)
{
	if (is_zero(query->limitCount))
		return true;
	if (query->jointree == NULL || is_block)
		return false;
	if (is_never_true(query->havingQual))
		return true;
	return query->groupingSets == NIL &&
		   (query->groupClause != NIL ||
			(!query->hasAggs && query->havingQual == NULL)) &&
		   is_never_true(query->jointree->quals);
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
		if (!dp_compat_is_allowed(query, rte) && !dp_kept_back_is(query, rte))
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

/*
 * An aggregate of the server's over no rows, which is the same whatever there
 * is.
 */
static bool
has_constant_row(const Query *query)
{
	return query->hasAggs && query->groupClause == NIL &&
		   query->groupingSets == NIL && !query->hasSubLinks &&
		   !query->hasWindowFuncs && !query->hasTargetSRFs &&
		   query->jointree != NULL && is_never_true(query->jointree->quals);
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

bool
dp_probe_empty(Query *query, bool is_block)
{
	bool has_row = has_constant_row(query) && !is_block;
	Query *empty;

	if (query->commandType != CMD_SELECT ||
		(!has_row && !has_no_rows(query, is_block)) ||
		dp_search((Node *) query, find_refused, NULL, 0))
		return false;
	has_row = has_row && !has_no_rows(query, is_block);
	dp_compat_flatten_groups(query);
	empty = makeNode(Query);
	empty->commandType = CMD_SELECT;
	empty->querySource = query->querySource;
	empty->queryId = query->queryId;
	empty->canSetTag = query->canSetTag;
	empty->stmt_location = query->stmt_location;
	empty->stmt_len = query->stmt_len;
	if (!has_row)
		empty->targetList = empty_columns(query->targetList);
	else
		keep_row(empty, query);
	empty->jointree = makeFromExpr(NIL, makeBoolConst(false, false));
	*query = *empty;
	return true;
}
