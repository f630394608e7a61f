/*
 * block.c
 *		The shapes that are answered.
 *
 * One protected relation, private aggregates, conditions: no grouping, no
 * joins. What is not known to be safe is refused.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"

#include "gate/block.h"
#include "gate/block_aggregate.h"
#include "gate/expression.h"
#include "gate/inner_query.h"
#include "gate/protection.h"
#include "gate/release.h"
#include "server/compat.h"

/* True when a query, at any depth, reads a protected relation. */
static bool
reads_protected_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *rte = (RangeTblEntry *) node;

		return rte->rtekind == RTE_RELATION &&
			   (rte->relkind == RELKIND_RELATION ||
				rte->relkind == RELKIND_PARTITIONED_TABLE ||
				rte->relkind == RELKIND_FOREIGN_TABLE) &&
			   dp_gate_is_protected(rte->relid);
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, reads_protected_walker,
								 context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, reads_protected_walker, context);
}

Oid
dp_gate_block_relation(Query *query)
{
	Node *from;

	if (!reads_protected_walker((Node *) query, NULL))
		return InvalidOid;
	if (list_length(query->jointree->fromlist) == 1)
	{
		from = linitial(query->jointree->fromlist);
		if (IsA(from, RangeTblRef))
		{
			RangeTblEntry *rte =
				rt_fetch(((RangeTblRef *) from)->rtindex, query->rtable);

			if (rte->rtekind == RTE_RELATION &&
				dp_gate_is_protected(rte->relid))
				return rte->relid;
		}
	}
	dp_gate_refuse("a join, a view or a sub-query",
				   "Write SELECT ... FROM the protected relation itself, with "
				   "conditions in WHERE.",
				   -1);
	return InvalidOid;
}

/* Columns outside the aggregates: there are none without GROUP BY. */
static bool
has_bare_column_walker(Node *node, void *context)
{
	if (node == NULL || IsA(node, Aggref))
		return false;
	if (IsA(node, Var))
		return true;
	return expression_tree_walker(node, has_bare_column_walker, context);
}

static void
check_shape(Query *query, RangeTblEntry *rte)
{
	if (!dp_gate_protection(rte->relid)->unit_is_row)
		dp_gate_refuse(
			"a privacy unit of several rows",
			"Ask the owner for a privacy unit that is a unique column, not "
			"null; other units are not supported yet.",
			-1);
	if (!dp_gate_protection(rte->relid)->is_add_remove)
		dp_gate_refuse(
			"neighbours => 'substitute'",
			"Ask the owner for neighbours => 'add_remove'; substitution is "
			"not supported yet.",
			-1);
	if (query->commandType != CMD_SELECT || query->setOperations != NULL)
		dp_gate_refuse("this statement", "Write a plain SELECT.", -1);
	if (query->groupClause != NIL || query->groupingSets != NIL)
		dp_gate_refuse(
			"GROUP BY",
			"Ask for one group at a time, with a condition in WHERE or FILTER.",
			-1);
	if (query->havingQual != NULL)
		dp_gate_refuse("HAVING",
					   "Filter the released answer in an outer query.", -1);
	if (query->distinctClause != NIL || query->sortClause != NIL ||
		query->limitCount != NULL || query->limitOffset != NULL)
		dp_gate_refuse("DISTINCT, ORDER BY, LIMIT or OFFSET",
					   "The answer is one row; write an outer query around it.",
					   -1);
	if (query->hasWindowFuncs || query->hasTargetSRFs)
		dp_gate_refuse("a window function or a set-returning function",
					   "Write it in an outer query around the released answer.",
					   -1);
	if (query->hasSubLinks || query->cteList != NIL)
		dp_gate_refuse("a sub-query",
					   "Write it in an outer query around the released answer.",
					   -1);
	if (query->rowMarks != NIL)
		dp_gate_refuse("FOR UPDATE or FOR SHARE", "Leave it out.", -1);
	if (!rte->inh)
		dp_gate_refuse("ONLY", "Leave it out.", -1);
	if (rte->tablesample != NULL)
		dp_gate_refuse("TABLESAMPLE", "Leave it out.", -1);
	if (rte->securityQuals != NIL)
		dp_gate_refuse("row-level security",
					   "Protect a table without row-level security policies.",
					   -1);
	if (has_bare_column_walker((Node *) query->targetList, NULL))
		dp_gate_refuse("a column outside an aggregate", "Write an aggregate.",
					   -1);
}

typedef struct Replace
{
	Oid relation;
	Index varno;
	List *originals;  /* of Aggref, distinct */
	List *aggregates; /* checked, with bounds; same order */
} Replace;

/* Replaces each aggregate by the column of the released row that holds it. */
static Node *
replace_mutator(Node *node, Replace *replace)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Aggref))
	{
		Aggref *aggref = (Aggref *) node;
		ListCell *cell;
		int place = 0;

		foreach (cell, replace->originals)
		{
			place++;
			if (equal(lfirst(cell), aggref))
				break;
		}
		if (cell == NULL)
		{
			replace->originals = lappend(replace->originals, aggref);
			replace->aggregates =
				lappend(replace->aggregates,
						dp_gate_check_aggregate(aggref, replace->relation,
												replace->varno));
			place = list_length(replace->originals);
		}
		return (Node *) makeVar(1, place, aggref->aggtype, -1,
								aggref->aggcollid, 0);
	}
	return expression_tree_mutator(node, replace_mutator, replace);
}

/* FROM dp_noise.release(number) AS release (a1 ..., a2 ...) */
static RangeTblEntry *
make_release(List *aggregates, int64 number)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblFunction *function = makeNode(RangeTblFunction);
	Const *argument = makeConst(INT8OID, -1, InvalidOid, 8,
								Int64GetDatum(number), false, true);
	ListCell *cell;
	int place = 0;

	function->funcexpr = (Node *) makeFuncExpr(
		dp_gate_release_function(), RECORDOID, list_make1(argument), InvalidOid,
		InvalidOid, COERCE_EXPLICIT_CALL);
	((FuncExpr *) function->funcexpr)->funcretset = true;
	rte->rtekind = RTE_FUNCTION;
	rte->eref = makeAlias("dp_release", NIL);
	foreach (cell, aggregates)
	{
		Aggref *aggref = lfirst(cell);
		char *name = psprintf("a%d", ++place);

		rte->eref->colnames = lappend(rte->eref->colnames, makeString(name));
		function->funccolnames =
			lappend(function->funccolnames, makeString(name));
		function->funccoltypes =
			lappend_oid(function->funccoltypes, aggref->aggtype);
		function->funccoltypmods = lappend_int(function->funccoltypmods, -1);
		function->funccolcollations =
			lappend_oid(function->funccolcollations, aggref->aggcollid);
	}
	function->funccolcount = place;
	rte->functions = list_make1(function);
	rte->inFromCl = true;
	return rte;
}

void
dp_gate_block_split(Query *query, Oid relation, int64 number, DpBlock *block)
{
	Replace replace = {relation, 0, NIL, NIL};
	RangeTblRef *ref = linitial_node(RangeTblRef, query->jointree->fromlist);
	RangeTblEntry *rte = rt_fetch(ref->rtindex, query->rtable);
	List *target_list;

	dp_compat_flatten_groups(query);
	check_shape(query, rte);
	dp_gate_check_columns(query);
	replace.varno = ref->rtindex;

	/* Folded once, so that what is checked and asked is what is run. */
	query->jointree->quals =
		eval_const_expressions(NULL, query->jointree->quals);
	fix_opfuncids(query->jointree->quals);
	if (query->jointree->quals != NULL)
		dp_gate_check_expression(query->jointree->quals, ref->rtindex, "WHERE");
	target_list =
		(List *) replace_mutator((Node *) query->targetList, &replace);

	block->relation = relation;
	block->varno = ref->rtindex;
	block->keys = NIL;
	block->aggregates = replace.aggregates;
	block->quals = query->jointree->quals;
	block->inner = dp_gate_inner_query(query, block);

	query->targetList = target_list;
	query->rtable = list_make1(make_release(replace.aggregates, number));
	dp_compat_drop_permissions(query);
	ref = makeNode(RangeTblRef);
	ref->rtindex = 1;
	query->jointree = makeFromExpr(list_make1(ref), NULL);
	query->hasAggs = false;
	query->hasRowSecurity = false;
}
