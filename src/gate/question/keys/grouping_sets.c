/*
 * grouping_sets.c
 *		GROUPING SETS, ROLLUP and CUBE of a block.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_agg.h"
#include "rewrite/rewriteManip.h"

#include "gate/question/expressions/expression.h"
#include "gate/question/keys/grouping_family.h"
#include "gate/question/keys/grouping_sets.h"
#include "server/compat.h"

/* The most groupings of a block. */
#define MOST_GROUPINGS 64

/* Levels of queries that come around a block. */
#define LEVELS 2

/* One of them. */
typedef struct Grouping
{
	List *keys; /* of all of them, expressions */
	List *refs; /* beside: their numbers, integers */
	List *own;	/* numbers of its own */
} Grouping;

/* The bits of GROUPING: set for what is not among the keys. */
static Node *
grouping_bits(const GroupingFunc *function, const Grouping *grouping)
{
	uint32 bits = 0;
	ListCell *cell;

	foreach (cell, function->refs)
		bits = (bits << 1) | !list_member_int(grouping->own, lfirst_int(cell));
	return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
							  Int32GetDatum((int32) bits), false, true);
}

/*
 * Replaces keys that are not the grouping's own by null, except within
 * aggregates.
 */
static Node *
choose_keys(Node *node, Grouping *grouping)
{
	ListCell *key;
	ListCell *ref;

	if (node == NULL || IsA(node, Aggref) || IsA(node, Query))
		return node;
	if (IsA(node, GroupingFunc))
		return grouping_bits((GroupingFunc *) node, grouping);
	forboth (key, grouping->keys, ref, grouping->refs)
	{
		if (!equal(node, lfirst(key)))
			continue;
		return list_member_int(grouping->own, lfirst_int(ref))
				   ? node
				   : (Node *) makeNullConst(exprType(node), exprTypmod(node),
											exprCollation(node));
	}
	return expression_tree_mutator(node, choose_keys, grouping);
}

/* Leaves one grouping of a query. */
static void
keep_grouping(Query *query, Grouping *grouping)
{
	List *clauses = NIL;
	ListCell *cell;

	foreach (cell, query->groupClause)
	{
		Index ref = lfirst_node(SortGroupClause, cell)->tleSortGroupRef;

		if (list_member_int(grouping->own, (int) ref))
			clauses = lappend(clauses, lfirst(cell));
	}
	foreach (cell, query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		entry->expr = (Expr *) choose_keys((Node *) entry->expr, grouping);
	}
	query->havingQual = choose_keys(query->havingQual, grouping);
	query->groupClause = clauses;
	query->groupingSets = NIL;
	query->groupDistinct = false;
}

/* The block of a grouping, within queries that order and choose its rows. */
static Query *
block_of(Query *query, Grouping *grouping)
{
	Query *block = copyObject(query);
	ListCell *cell;

	keep_grouping(block, grouping);
	foreach (cell, block->targetList)
		lfirst_node(TargetEntry, cell)->resjunk = false;
	block->sortClause = block->distinctClause = NIL;
	block->hasDistinctOn = block->canSetTag = false;
	block->limitCount = block->limitOffset = NULL;
	block->limitOption = LIMIT_OPTION_COUNT;
	IncrementVarSublevelsUp((Node *) block, LEVELS, 1);
	return block;
}

static RangeTblEntry *
entry_of(Query *query, const char *name, bool is_in_from)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	ListCell *cell;

	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = query;
	rte->eref = makeAlias(name, NIL);
	rte->inFromCl = is_in_from;
	foreach (cell, query->targetList)
	{
		const char *column = lfirst_node(TargetEntry, cell)->resname;

		rte->eref->colnames =
			lappend(rte->eref->colnames,
					makeString(pstrdup(column == NULL ? "" : column)));
	}
	return rte;
}

/* A column of the first entry for each of some targets. */
static List *
columns_of(List *targets)
{
	List *columns = NIL;
	ListCell *cell;

	foreach (cell, targets)
	{
		TargetEntry *entry = flatCopyTargetEntry(lfirst(cell));
		Node *value = (Node *) entry->expr;

		entry->expr =
			(Expr *) makeVar(1, entry->resno, exprType(value),
							 exprTypmod(value), exprCollation(value), 0);
		columns = lappend(columns, entry);
	}
	return columns;
}

static Node *
reference_to(int number)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	ref->rtindex = number;
	return (Node *) ref;
}

/* first UNION ALL second ... */
static Query *
union_of(List *blocks)
{
	Query *result = makeNode(Query);
	List *targets = linitial_node(Query, blocks)->targetList;
	Node *together = NULL;
	ListCell *cell;

	result->commandType = CMD_SELECT;
	result->targetList = columns_of(targets);
	foreach (cell, result->targetList)
		lfirst_node(TargetEntry, cell)->ressortgroupref = 0;
	result->jointree = makeFromExpr(NIL, NULL);
	foreach (cell, blocks)
	{
		SetOperationStmt *operation;
		ListCell *target;

		result->rtable =
			lappend(result->rtable, entry_of(lfirst(cell), "grouping", false));
		if (together == NULL)
		{
			together = reference_to(1);
			continue;
		}
		operation = makeNode(SetOperationStmt);
		operation->op = SETOP_UNION;
		operation->all = true;
		operation->larg = together;
		operation->rarg = reference_to(list_length(result->rtable));
		foreach (target, targets)
		{
			Node *value = (Node *) lfirst_node(TargetEntry, target)->expr;

			operation->colTypes =
				lappend_oid(operation->colTypes, exprType(value));
			operation->colTypmods =
				lappend_int(operation->colTypmods, exprTypmod(value));
			operation->colCollations =
				lappend_oid(operation->colCollations, exprCollation(value));
		}
		together = (Node *) operation;
	}
	result->setOperations = together;
	return result;
}

static int
location_of(const Query *query)
{
	return linitial_node(GroupingSet, query->groupingSets)->location;
}

static void
check_query(const Query *query)
{
	if (query->hasWindowFuncs || query->hasTargetSRFs)
		dp_gate_refuse("GROUPING SETS, ROLLUP or CUBE with window functions or "
					   "functions that return sets",
					   "Write these in an outer query around it.",
					   location_of(query));
	if (query->hasModifyingCTE || query->rowMarks != NIL)
		dp_gate_refuse("GROUPING SETS, ROLLUP or CUBE in this statement",
					   "Ask for each grouping in a query of its own.",
					   location_of(query));
}

/* Makes the outer query, which orders and chooses rows, read the union. */
static void
read_union(Query *query, Query *together)
{
	List *targets = columns_of(query->targetList);

	query->targetList = targets;
	query->rtable = list_make1(entry_of(together, "groupings", true));
	dp_compat_drop_permissions(query);
	query->jointree = makeFromExpr(list_make1(reference_to(1)), NULL);
	query->groupClause = query->groupingSets = query->cteList = NIL;
	query->havingQual = NULL;
	query->groupDistinct = query->hasAggs = false;
	query->hasRecursive = query->hasSubLinks = query->hasRowSecurity = false;
	if (query->limitCount != NULL || query->limitOffset != NULL)
		query->hasSubLinks = true; /* there may be some */
}

void
dp_gate_expand_groupings(Query *query)
{
	Grouping grouping = {NIL, NIL, NIL};
	List *blocks = NIL;
	Query *together;
	int family;
	List *sets;
	ListCell *cell;

	if (query->groupingSets == NIL)
		return;
	check_query(query);
	dp_compat_flatten_groups(query);
	sets = expand_grouping_sets(query->groupingSets, query->groupDistinct,
								MOST_GROUPINGS);
	if (sets == NIL)
		dp_gate_refuse("this number of groupings",
					   "Ask for some of them in a query of its own.",
					   location_of(query));
	foreach (cell, query->groupClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);

		grouping.keys = lappend(
			grouping.keys, get_sortgroupclause_expr(clause, query->targetList));
		grouping.refs =
			lappend_int(grouping.refs, (int) clause->tleSortGroupRef);
	}
	if (list_length(sets) == 1)
	{
		grouping.own = linitial(sets);
		keep_grouping(query, &grouping);
		return;
	}
	foreach (cell, sets)
	{
		grouping.own = lfirst(cell);
		blocks = lappend(blocks, block_of(query, &grouping));
	}
	together = union_of(blocks);
	family = dp_gate_next_family();
	foreach (cell, blocks)
		dp_gate_add_family(lfirst(cell), family, grouping.keys);
	read_union(query, together);
}
