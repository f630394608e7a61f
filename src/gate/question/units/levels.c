/*
 * levels.c
 *		Aggregates that are answered at several privacy levels.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "gate/question/relations/private_aggregates.h"
#include "gate/question/units/levels.h"
#include "server/ordered_type.h"

bool
dp_gate_is_in_chain(const DpAggregateTraits *traits, Oid type)
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
dp_gate_level_calls(List *aggregates, List *levels)
{
	List *calls = NIL;
	ListCell *cell;

	if (levels == NIL)
		return aggregates;
	foreach (cell, aggregates)
	{
		Aggref *aggref = lfirst_node(Aggref, cell);
		Oid type = aggref->aggargtypes == NIL
					   ? InvalidOid
					   : getBaseType(linitial_oid(aggref->aggargtypes));
		const DpAggregateTraits *traits = dp_gate_traits_of(aggref);

		if (dp_gate_is_in_chain(traits, type))
			aggref = make_call(aggref, traits, floatVal(linitial(levels)));
		calls = lappend(calls, aggref);
	}
	return calls;
}
