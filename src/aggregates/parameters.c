/*
 * parameters.c
 *		Finds the argument expressions of an aggregate call in the plan.
 *
 * In a plan of one step they are in the Aggref of the Agg node. Where the
 * aggregation is split, the final step's Aggref has a single argument, a Var
 * for the partial state; following it down the plan leads to the partial
 * step's Aggref, which has the expressions.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/execnodes.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"

#include "aggregates/parameters.h"
#include "aggregates/support.h"
#include "server/search.h"
#include "server/statement_error.h"

/* The plan whose target list an OUTER_VAR of this plan refers to. */
static Plan *
input_of(Plan *plan)
{
	/* All members of an append have alike target lists. */
	if (IsA(plan, Append))
		return linitial(((Append *) plan)->appendplans);
	if (IsA(plan, MergeAppend))
		return linitial(((MergeAppend *) plan)->mergeplans);
	if (IsA(plan, SubqueryScan))
		return ((SubqueryScan *) plan)->subplan;
	return outerPlan(plan);
}

/*
 * Follows the partial state of a split aggregation to its Aggref; *plan becomes
 * the node that it belongs to.
 */
static Aggref *
find_partial(Plan **plan, Aggref *aggref)
{
	Node *node = (Node *) aggref;

	while (node != NULL && IsA(node, Aggref) &&
		   DO_AGGSPLIT_COMBINE(((Aggref *) node)->aggsplit))
	{
		node =
			(Node *) linitial_node(TargetEntry, ((Aggref *) node)->args)->expr;
		while (node != NULL && IsA(node, Var))
		{
			TargetEntry *entry;

			*plan = input_of(*plan);
			entry = *plan == NULL ? NULL
								  : get_tle_by_resno((*plan)->targetlist,
													 ((Var *) node)->varattno);
			node = entry == NULL ? NULL : (Node *) entry->expr;
		}
	}
	return node != NULL && IsA(node, Aggref) ? (Aggref *) node : NULL;
}

/* True for plan nodes that pass rows on unchanged. */
static bool
hands_rows_on(Plan *plan)
{
	return IsA(plan, Sort) || IsA(plan, IncrementalSort) || IsA(plan, Gather) ||
		   IsA(plan, GatherMerge) || IsA(plan, Material) || IsA(plan, Result);
}

/*
 * The expression that a Var over a node's input stands for; the Var itself
 * where it leads to none.
 */
static Node *
source_of(Plan *plan, Var *var)
{
	Node *node = (Node *) var;

	do
	{
		TargetEntry *entry;

		if (((Var *) node)->varno != OUTER_VAR)
			return (Node *) var;
		plan = outerPlan(plan);
		entry = plan == NULL ? NULL
							 : get_tle_by_resno(plan->targetlist,
												((Var *) node)->varattno);
		if (entry == NULL)
			return (Node *) var;
		node = (Node *) entry->expr;
	} while (IsA(node, Var) && hands_rows_on(plan));
	return IsA(node, Var) ? (Node *) var : node;
}

/*
 * A query parameter that is a group key as well is computed once, below the
 * aggregation, and is a Var in the Aggref: this puts the parameter back.
 */
static Node *
restore(Node *node, int depth, void *plan)
{
	(void) depth;
	return IsA(node, Var) ? source_of(plan, (Var *) node) : NULL;
}

/* True for what may differ from row to row. */
static bool
varies(Node *node, void *context)
{
	(void) context;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind != PARAM_EXTERN;
	return IsA(node, Var) || IsA(node, Aggref) || IsA(node, SubLink) ||
		   IsA(node, SubPlan) || IsA(node, AlternativeSubPlan) ||
		   IsA(node, GroupingFunc) || IsA(node, CaseTestExpr) ||
		   IsA(node, CurrentOfExpr);
}

static void
evaluate(Expr *expression, DpParameters *parameters, int argno)
{
	ExprState *state;

	if (IsA(expression, Const))
	{
		parameters->values[argno] = ((Const *) expression)->constvalue;
		parameters->nulls[argno] = ((Const *) expression)->constisnull;
		return;
	}
	state = ExecInitExpr(expression, parameters->node);
	parameters->values[argno] = ExecEvalExpr(
		state, parameters->node->ps_ExprContext, &parameters->nulls[argno]);
}

void
dp_parameters_of(Aggref *aggref, PlanState *node, int first,
				 DpParameters *parameters)
{
	ListCell *cell;
	int argno = 0;

	parameters->node = node;
	parameters->count = list_length(aggref->aggargtypes);
	parameters->collation = aggref->inputcollid;
	if (parameters->count > DP_PARAMETERS_MAX)
		elog(ERROR, "too many arguments of a private aggregate");
	foreach (cell, aggref->args)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (argno >= parameters->count)
			break; /* a sort expression */
		parameters->types[argno] = list_nth_oid(aggref->aggargtypes, argno);
		parameters->locations[argno] = exprLocation((Node *) entry->expr);
		if (parameters->locations[argno] < 0)
			parameters->locations[argno] = aggref->location;
		parameters->nulls[argno] = true;
		parameters->known[argno] =
			argno >= first &&
			!dp_search_within((Node *) entry->expr, varies, NULL) &&
			!contain_volatile_functions((Node *) entry->expr);
		if (parameters->known[argno])
			evaluate(entry->expr, parameters, argno);
		argno++;
	}
}

void
dp_parameters_read(FunctionCallInfo fcinfo, int first, DpParameters *parameters)
{
	Aggref *aggref = dp_support_aggref(fcinfo);
	PlanState *node = &castNode(AggState, fcinfo->context)->ss.ps;
	Plan *plan = node->plan;

	aggref = find_partial(&plan, aggref);
	if (aggref == NULL)
		dp_statement_error(
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot find the parameters of a private "
					"aggregate in this plan"),
			 errhint("The aggregation was split in an unknown way, "
					 "perhaps by another extension.")));

	aggref = (Aggref *) dp_search_replace((Node *) aggref, restore, plan);
	dp_parameters_of(aggref, node, first, parameters);
}

int
dp_parameters_position(const DpParameters *parameters, int argno)
{
	return executor_errposition(parameters->node->state,
								parameters->locations[argno]);
}

void
dp_parameters_check(const DpParameters *parameters, int argno, const char *name)
{
	if (!parameters->known[argno])
		dp_statement_error(
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s of a private aggregate must be the same for all rows",
					name),
			 errhint("Write a constant or a query parameter such as $1."),
			 dp_parameters_position(parameters, argno)));
	if (parameters->nulls[argno])
		dp_statement_error(
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("%s of a private aggregate must not be null", name),
			 errhint("Leave the argument out to use its default, or write "
					 "a value."),
			 dp_parameters_position(parameters, argno)));
}
