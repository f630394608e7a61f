/*
 * block.c
 *		The shapes that are answered.
 *
 * One protected relation, private aggregates, conditions: no grouping, no
 * joins. What is not known to be safe is refused.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/rel.h"

#include "aggregates/call.h"
#include "aggregates/numeric_value.h"
#include "gate/block.h"
#include "gate/expression.h"
#include "gate/protection.h"
#include "gate/release.h"
#include "server/compat.h"

static void
refuse(const char *what, const char *hint, int location)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("%s cannot be used in a query over a protected relation", what),
		 errhint("%s", hint), dp_gate_position(location)));
}

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
	refuse("a join, a view or a sub-query",
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
		refuse("a privacy unit of several rows",
			   "Ask the owner for a privacy unit that is a unique column, not "
			   "null; other units are not supported yet.",
			   -1);
	if (!dp_gate_protection(rte->relid)->is_add_remove)
		refuse("neighbours => 'substitute'",
			   "Ask the owner for neighbours => 'add_remove'; substitution is "
			   "not supported yet.",
			   -1);
	if (query->commandType != CMD_SELECT || query->setOperations != NULL)
		refuse("this statement", "Write a plain SELECT.", -1);
	if (query->groupClause != NIL || query->groupingSets != NIL)
		refuse(
			"GROUP BY",
			"Ask for one group at a time, with a condition in WHERE or FILTER.",
			-1);
	if (query->havingQual != NULL)
		refuse("HAVING", "Filter the released answer in an outer query.", -1);
	if (query->distinctClause != NIL || query->sortClause != NIL ||
		query->limitCount != NULL || query->limitOffset != NULL)
		refuse("DISTINCT, ORDER BY, LIMIT or OFFSET",
			   "The answer is one row; write an outer query around it.", -1);
	if (query->hasWindowFuncs || query->hasTargetSRFs)
		refuse("a window function or a set-returning function",
			   "Write it in an outer query around the released answer.", -1);
	if (query->hasSubLinks || query->cteList != NIL)
		refuse("a sub-query",
			   "Write it in an outer query around the released answer.", -1);
	if (query->rowMarks != NIL)
		refuse("FOR UPDATE or FOR SHARE", "Leave it out.", -1);
	if (!rte->inh)
		refuse("ONLY", "Leave it out.", -1);
	if (rte->tablesample != NULL)
		refuse("TABLESAMPLE", "Leave it out.", -1);
	if (rte->securityQuals != NIL)
		refuse("row-level security",
			   "Protect a table without row-level security policies.", -1);
	if (has_bare_column_walker((Node *) query->targetList, NULL))
		refuse("a column outside an aggregate", "Write an aggregate.", -1);
}

/* The aggregate of the same name that takes bounds, with them. */
static Aggref *
with_bounds(Aggref *aggref, Oid relation, DpAggregate aggregate)
{
	int data = dp_call_data_arguments(aggregate);
	Oid types[4];
	Datum bounds[2];
	Oid bound_type = NUMERICOID;
	Node *value;
	List *name;
	Aggref *result;
	int i;

	if (aggregate == DP_AGGREGATE_COUNT || list_length(aggref->args) != data)
		return aggref;
	value = (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	if (!IsA(value, Var) || !dp_gate_bounds(relation, ((Var *) value)->varattno,
											&bounds[0], &bounds[1]))
		return aggref; /* refused when its parameters are read */

	for (i = 0; i < data; i++)
		types[i] = list_nth_oid(aggref->aggargtypes, i);
	if (types[0] == FLOAT4OID || types[0] == FLOAT8OID)
	{
		bound_type = FLOAT8OID;
		for (i = 0; i < 2; i++)
			bounds[i] = Float8GetDatum(dp_numeric_to_double(bounds[i]));
	}
	types[data] = types[data + 1] = bound_type;
	name = list_make2(
		makeString(get_namespace_name(get_func_namespace(aggref->aggfnoid))),
		makeString(get_func_name(aggref->aggfnoid)));

	result = copyObject(aggref);
	result->aggfnoid = LookupFuncName(name, data + 2, types, false);
	for (i = 0; i < 2; i++)
	{
		Const *bound = makeConst(bound_type, -1, InvalidOid,
								 bound_type == FLOAT8OID ? 8 : -1, bounds[i],
								 false, bound_type == FLOAT8OID);

		result->args =
			lappend(result->args,
					makeTargetEntry((Expr *) bound, data + i + 1, NULL, false));
		result->aggargtypes = lappend_oid(result->aggargtypes, bound_type);
	}
	return result;
}

/* Checks one aggregate; its form with bounds. */
static Aggref *
check_aggregate(Aggref *aggref, Oid relation, Index varno)
{
	const char *name = get_func_name(aggref->aggfnoid);
	DpAggregate aggregate;
	ListCell *cell;
	int place = 0;

	if (!dp_gate_is_private_aggregate(aggref->aggfnoid) || name == NULL ||
		!dp_call_aggregate_of(name, &aggregate))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("aggregate %s cannot be used over a protected relation",
						name != NULL ? name : "of that kind"),
				 errhint("Use dp_count, dp_sum, dp_mean, dp_max, dp_min, "
						 "dp_median_exp or dp_quantile_exp."),
				 dp_gate_position(aggref->location)));

	/* Functions of constants are evaluated here, once for charge and use. */
	aggref =
		(Aggref *) eval_const_expressions(NULL, (Node *) copyObject(aggref));
	fix_opfuncids((Node *) aggref);
	if (aggref->agglevelsup != 0)
		refuse("an aggregate of an outer query", "Write it in its own query.",
			   aggref->location);
	if (aggref->aggdistinct != NIL || aggref->aggorder != NIL ||
		aggref->aggdirectargs != NIL || aggref->aggvariadic)
		refuse("DISTINCT or ORDER BY inside an aggregate", "Leave it out.",
			   aggref->location);
	foreach (cell, aggref->args)
	{
		Node *node = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (place++ == 0)
			dp_gate_check_expression(node, varno, "an aggregate");
		else
			dp_gate_check_parameter(node, exprLocation(node));
	}

	/* count(*) has no arguments, and its parameters are settings. */
	if (aggref->aggfilter != NULL)
		dp_gate_check_expression((Node *) aggref->aggfilter, varno, "FILTER");
	return with_bounds(aggref, relation, aggregate);
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
			replace->aggregates = lappend(
				replace->aggregates,
				check_aggregate(aggref, replace->relation, replace->varno));
			place = list_length(replace->originals);
		}
		return (Node *) makeVar(1, place, aggref->aggtype, -1,
								aggref->aggcollid, 0);
	}
	return expression_tree_mutator(node, replace_mutator, replace);
}

/* The owner's rights, for the protected relation alone. */
static Query *
make_inner(Query *query, Oid relation, Index varno, List *aggregates)
{
	Query *inner = copyObject(query);
	RangeTblEntry *rte = rt_fetch(varno, inner->rtable);
	Relation rel = table_open(relation, NoLock);
	ListCell *cell;
	int place = 0;

	dp_compat_check_as_user(inner, rte, rel->rd_rel->relowner);
	table_close(rel, NoLock);
	inner->queryId = UINT64CONST(0);
	inner->canSetTag = true;
	inner->targetList = NIL;
	foreach (cell, aggregates)
	{
		place++;
		inner->targetList = lappend(
			inner->targetList, makeTargetEntry(lfirst(cell), place,
											   psprintf("a%d", place), false));
	}
	return inner;
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
	block->aggregates = replace.aggregates;
	block->quals = query->jointree->quals;
	block->inner =
		make_inner(query, relation, ref->rtindex, replace.aggregates);

	query->targetList = target_list;
	query->rtable = list_make1(make_release(replace.aggregates, number));
	dp_compat_drop_permissions(query);
	ref = makeNode(RangeTblRef);
	ref->rtindex = 1;
	query->jointree = makeFromExpr(list_make1(ref), NULL);
	query->hasAggs = false;
	query->hasRowSecurity = false;
}
