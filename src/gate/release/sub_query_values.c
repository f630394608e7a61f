/*
 * sub_query_values.c
 *		The values of sub-queries that a release waits for.
 *
 * They become parameters of the execution, after the ones that it has: no two
 * sub-queries of a statement have the same number
 * (gate/read/parameter.h).
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "nodes/params.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "gate/read/parameter.h"
#include "gate/release/execution.h"
#include "gate/release/sub_query_values.h"
#include "server/search.h"

/* More parameters than an execution has, which are looked up often. */
typedef struct Extended
{
	ParamListInfo before; /* may be NULL */
	int first;			  /* number of the first */
	int count;
	ParamExternData
		values[FLEXIBLE_ARRAY_MEMBER]; /* ptype 0: not one of them */
} Extended;

static ParamExternData *
fetch(ParamListInfo params, int number, bool speculative,
	  ParamExternData *workspace)
{
	Extended *extended = params->paramFetchArg;
	ParamListInfo before = extended->before;
	int index = number - extended->first;

	if (index >= 0 && index < extended->count &&
		OidIsValid(extended->values[index].ptype))
		return &extended->values[index];
	if (before == NULL || number > before->numParams)
	{
		*workspace = (ParamExternData){.isnull = true, .ptype = InvalidOid};
		return workspace;
	}
	if (before->paramFetch != NULL)
		return before->paramFetch(before, number, speculative, workspace);
	return &before->params[number - 1];
}

ParamExternData *
dp_sub_query_values_room(DpReleaseState *state, int first, int count)
{
	EState *estate = state->estate;
	ParamListInfo before = estate->es_param_list_info;
	Extended *extended = MemoryContextAllocZero(
		estate->es_query_cxt,
		offsetof(Extended, values) + (Size) count * sizeof(ParamExternData));
	ParamListInfo after = MemoryContextAllocZero(
		estate->es_query_cxt, offsetof(ParamListInfoData, params));
	int last = first + count - 1;

	extended->before = before;
	extended->first = first;
	extended->count = count;
	after->paramFetch = fetch;
	after->paramFetchArg = extended;
	after->numParams = before == NULL ? last : Max(last, before->numParams);
	estate->es_param_list_info = after;
	return extended->values;
}

static void
add_parameter(DpReleaseState *state, int number, const ParamExternData *value)
{
	*dp_sub_query_values_room(state, number, 1) = *value;
}

typedef struct Found
{
	ParamExternData value;
	bool any;
} Found;

static bool
receive_value(TupleTableSlot *slot, void *context)
{
	Found *found = context;
	int16 length;
	bool by_value;
	Datum value;

	if (found->any)
		ereport(ERROR, (errcode(ERRCODE_CARDINALITY_VIOLATION),
						errmsg("more than one row returned by a subquery used "
							   "as an expression")));
	found->any = true;
	value = slot_getattr(slot, 1, &found->value.isnull);
	get_typlenbyval(found->value.ptype, &length, &by_value);
	if (!found->value.isnull)
		found->value.value = datumCopy(value, by_value, length);
	return true;
}

static Expr *
value_of(const PlannedStmt *plan)
{
	return linitial_node(TargetEntry, plan->planTree->targetlist)->expr;
}

static void
find_constant(DpReleaseState *state, PlannedStmt *plan, int number)
{
	EState *estate = state->estate;
	Expr *value = value_of(plan);
	Found found = {
		.value = {.isnull = true, .ptype = exprType((Node *) value)}};
	MemoryContext old;

	dp_shapes_check(&state->plan->shapes);
	old = MemoryContextSwitchTo(estate->es_query_cxt);
	dp_execution_run(plan, estate, list_make1(value), receive_value, &found);
	add_parameter(state, number, &found.value);
	MemoryContextSwitchTo(old);
}

bool
dp_sub_query_values_are_awaited(const DpReleaseState *state)
{
	return state->outline->constants != NIL && !state->has_sub_query_values;
}

static bool
is_value(Node *node, void *numbers)
{
	return IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN &&
		   list_member_int(numbers, ((Param *) node)->paramid);
}

bool
dp_sub_query_values_are_named(const DpReleaseState *state, Node *expression)
{
	return dp_search_within(expression, is_value,
							state->outline->constant_numbers);
}

void
dp_sub_query_values_find_of_asker(DpReleaseState *state)
{
	ListCell *cell;

	foreach (cell, state->outline->constants)
	{
		if (!dp_parameter_is_of_asker((Node *) value_of(lfirst(cell))))
			return;
	}
	dp_sub_query_values_find(state);
}

/* Another grouping of the same query that has its values already, or NULL. */
static DpReleaseState *
find_sibling(const DpReleaseState *state)
{
	if (state->outline->family == 0)
		return NULL;
	foreach_ptr (DpReleaseState, other, dp_release_states_of(state->estate))
	{
		if (other->outline->family == state->outline->family &&
			other->outline->row_constants == state->outline->row_constants &&
			other->has_sub_query_values)
			return other;
	}
	return NULL;
}

/*
 * Groupings share FROM and WHERE, so they must share the values in them, or
 * they would count different rows. False where the value is not known yet.
 */
static bool
take_constant(DpReleaseState *state, const DpReleaseState *sibling, int index)
{
	EState *estate = state->estate;
	ParamListInfo params = estate->es_param_list_info;
	ParamExternData room;
	ParamExternData value;

	if (sibling == NULL || index >= state->outline->row_constants)
		return false;
	value = *params->paramFetch(
		params, list_nth_int(sibling->outline->constant_numbers, index), false,
		&room);
	if (value.ptype !=
		exprType((Node *) value_of(list_nth(state->outline->constants, index))))
		elog(ERROR, "groupings of one question differ");
	add_parameter(state, list_nth_int(state->outline->constant_numbers, index),
				  &value);
	return true;
}

void
dp_sub_query_values_find(DpReleaseState *state)
{
	const DpReleaseState *sibling = find_sibling(state);
	ListCell *cell;

	if (!dp_sub_query_values_are_awaited(state))
		return;
	foreach (cell, state->outline->constants)
	{
		int index = foreach_current_index(cell);

		if (!take_constant(state, sibling, index))
			find_constant(
				state, lfirst(cell),
				list_nth_int(state->outline->constant_numbers, index));
	}
	state->css.ss.ps.ps_ExprContext->ecxt_param_list_info =
		state->estate->es_param_list_info;
	state->has_sub_query_values = true;
}
