/*
 * levels.c
 *		Privacy levels: calls and prices of questions that have them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

#include "aggregates/prepare.h"
#include "gate/bound/levels.h"
#include "gate/relations/private_aggregates.h"
#include "server/ordered_type.h"
#include "server/report.h"

/* Counts, and sums that are exact: not those of binary fractions. */
static bool
is_in_chain(const DpAggregateTraits *traits, Oid type)
{
	if (traits->chain == DP_AUTO)
		return false;
	return OidIsValid(traits->counted_as) ||
		   (type != FLOAT4OID && type != FLOAT8OID &&
			dp_ordered_type(type) == NULL);
}

/* The same aggregate with an epsilon and a mechanism of its own. */
static Aggref *
make_call(Aggref *aggref, const DpAggregateTraits *traits, double epsilon)
{
	Aggref *result = copyObject(aggref);
	int data =
		dp_aggregate_data_arguments(traits) + (traits->takes_bounds ? 2 : 0);
	Oid types[FUNC_MAX_ARGS];
	Expr *choice[2];
	int i;

	if (result->aggstar)
	{
		result->aggstar = false;
		result->args = list_make1(makeTargetEntry(
			(Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
							   Int32GetDatum(1), false, true),
			1, NULL, false));
		result->aggargtypes = list_make1_oid(INT4OID);
	}
	if (list_length(result->args) < data)
		return result; /* without bounds: refused when parameters are read */
	result->args = list_truncate(result->args, data);
	result->aggargtypes = list_truncate(result->aggargtypes, data);
	choice[0] =
		(Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
						   Float8GetDatum(epsilon), false, FLOAT8PASSBYVAL);
	choice[1] = (Expr *) makeConst(
		TEXTOID, -1, InvalidOid, -1,
		CStringGetTextDatum(dp_mechanism_name(traits->chain)), false, false);
	for (i = 0; i < 2; i++)
	{
		result->args =
			lappend(result->args,
					makeTargetEntry(choice[i], (AttrNumber) (data + i + 1),
									NULL, false));
		result->aggargtypes =
			lappend_oid(result->aggargtypes, i == 0 ? FLOAT8OID : TEXTOID);
	}
	for (i = 0; i < list_length(result->aggargtypes); i++)
		types[i] = list_nth_oid(result->aggargtypes, i);
	if (OidIsValid(traits->counted_as))
		types[0] = traits->counted_as;
	result->aggfnoid =
		LookupFuncName(list_make2(makeString(get_namespace_name(
									  get_func_namespace(aggref->aggfnoid))),
								  makeString(get_func_name(aggref->aggfnoid))),
					   list_length(result->aggargtypes), types, false);
	return result;
}

List *
dp_levels_calls(List *aggregates, List *levels)
{
	List *calls = NIL;

	if (levels == NIL)
		return aggregates;
	foreach_ptr (Aggref, aggref, aggregates)
	{
		Oid type = aggref->aggargtypes == NIL
					   ? InvalidOid
					   : getBaseType(linitial_oid(aggref->aggargtypes));
		const DpAggregateTraits *traits = dp_private_aggregates_traits(aggref);

		if (is_in_chain(traits, type))
			aggref = make_call(aggref, traits, floatVal(linitial(levels)));
		calls = lappend(calls, aggref);
	}
	return calls;
}

char *
dp_levels_text(const List *levels)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	foreach (cell, levels)
		appendStringInfo(&text, "%s%s", text.len == 0 ? "" : ", ",
						 float8out_internal(floatVal(lfirst(cell))));
	return text.data;
}

/* The index of an epsilon among the levels; -1 when it is none. */
static int
level_of(const List *levels, double epsilon)
{
	ListCell *cell;

	foreach (cell, levels)
	{
		if (floatVal(lfirst(cell)) == epsilon)
			return foreach_current_index(cell);
	}
	return -1;
}

bool
dp_levels_answer(const List *levels, const DpCall *call)
{
	return levels != NIL &&
		   is_in_chain(dp_aggregate_get(call->aggregate), call->type);
}

void
dp_levels_choose(const List *levels, const DpRelations *relations, DpCall *call)
{
	const char *relation = dp_relations_names(relations);
	const DpMechanismChoice *choice = &call->choice;
	const DpAggregateTraits *traits = dp_aggregate_get(call->aggregate);

	if (!dp_levels_answer(levels, call))
		return;
	if (level_of(levels, call->epsilon_asked) < 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s over \"%s\" is answered at certain privacy levels only",
					traits->name, relation),
			 errhint("Set dp_noise.epsilon to one of %s.",
					 dp_levels_text(levels))));
	if ((choice->mechanism != DP_AUTO &&
		 dp_mechanism_noise(choice->mechanism) != DP_NOISE_LAPLACE) ||
		choice->truncated || choice->quantum != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s over \"%s\" has one mechanism, for all its privacy "
						"levels",
						traits->name, relation),
				 errhint("Set dp_noise.mechanism to auto.")));
	call->choice.mechanism = traits->chain;
}

/*
 * The noise of an aggregate at one level, in steps of 2^*exponent, as it is
 * prepared for answers; false where there is none.
 */
static bool
noise_of(DpCall call, double level, DpNoise *noise, int *exponent)
{
	DpPrepared prepared;

	if (!dp_amount_epsilon_of(level, &call.epsilon))
		elog(ERROR, "epsilon out of range");
	*exponent = 0;
	if (call.aggregate == DP_AGGREGATE_COUNT)
	{
		dp_prepare_count(&call, noise);
		return true;
	}
	dp_prepare_sum(&call, &prepared);
	*noise = prepared.sum.noise;
	*exponent = prepared.sum.exponent;
	return prepared.sum.sensitivity > 0;
}

DpNoiseStep *
dp_levels_steps(const List *levels, const DpCall *call, int *exponent)
{
	DpNoiseStep *steps = palloc(list_length(levels) * sizeof(DpNoiseStep));
	DpNoise above;
	ListCell *cell;

	(void) noise_of(*call, floatVal(linitial(levels)), &above, exponent);
	foreach (cell, levels)
	{
		DpNoise noise;
		DpNoiseStep *step = &steps[foreach_current_index(cell)];

		if (noise_of(*call, floatVal(lfirst(cell)), &noise, exponent))
			dp_report_status(dp_noise_step_init(step, &above, &noise));
		else
			*step = (DpNoiseStep){0};
		above = noise;
	}
	return steps;
}

void
dp_levels_charge(const List *levels, const DpCall *call, DpCharge *charge)
{
	DpNoise highest;
	DpRho rho;
	int exponent;

	/* Refused before it is charged where a level has no noise. */
	(void) dp_levels_steps(levels, call, &exponent);

	charge->level = (uint32) level_of(levels, call->epsilon_asked);
	if (!dp_amount_from_double(floatVal(linitial(levels)),
							   &charge->whole_epsilon))
		elog(ERROR, "epsilon out of range");
	(void) noise_of(*call, floatVal(linitial(levels)), &highest, &exponent);
	dp_report_status(dp_noise_rho(&highest, 1, call->contribution, &rho));
	charge->whole_rho.ticks = rho.ticks;
}
