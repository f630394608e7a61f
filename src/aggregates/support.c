/*
 * support.c
 *		Finds out which aggregate a support function serves.
 *
 * AggGetAggref() knows that of transition and final functions alone: where
 * states are serialised or read again it names the aggregate that came last.
 * So the function is looked for among those of the plan node.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/dependency.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "executor/nodeAgg.h"
#include "nodes/execnodes.h"
#include "utils/syscache.h"

#include "aggregates/support.h"
#include "server/citus.h"
#include "server/statement_error.h"

/* What a function does for an aggregate. */
typedef enum Role
{
	ROLE_NONE,
	ROLE_TRANSITION,
	ROLE_COMBINE,
	ROLE_SERIALIZE,
	ROLE_DESERIALIZE,
	ROLE_FINAL
} Role;

/* Finds a function among those of a node. */
static Role
find_role(const AggState *node, const FmgrInfo *function, Aggref **aggref)
{
	int i;

	for (i = 0; i < node->numtrans; i++)
	{
		AggStatePerTrans transition = &node->pertrans[i];

		*aggref = transition->aggref;
		if (function == &transition->transfn)
			return DO_AGGSPLIT_COMBINE(node->aggsplit) ? ROLE_COMBINE
													   : ROLE_TRANSITION;
		if (function == &transition->serialfn)
			return ROLE_SERIALIZE;
		if (function == &transition->deserialfn)
			return ROLE_DESERIALIZE;
	}
	for (i = 0; i < node->numaggs; i++)
	{
		*aggref = node->peragg[i].aggref;
		if (function == &node->peragg[i].finalfn)
			return ROLE_FINAL;
	}
	return ROLE_NONE;
}

/* The function that an aggregate has in a role. */
static Oid
function_in_role(Form_pg_aggregate aggregate, Role role)
{
	switch (role)
	{
		case ROLE_TRANSITION:
			return aggregate->aggtransfn;
		case ROLE_COMBINE:
			return aggregate->aggcombinefn;
		case ROLE_SERIALIZE:
			return aggregate->aggserialfn;
		case ROLE_DESERIALIZE:
			return aggregate->aggdeserialfn;
		case ROLE_FINAL:
			return aggregate->aggfinalfn;
		case ROLE_NONE:
			break;
	}
	return InvalidOid;
}

/* True for an aggregate of the extension that has the function in that role. */
static bool
is_served(Oid aggregate, Oid function, Role role)
{
	Oid extension = getExtensionOfObject(ProcedureRelationId, function);
	HeapTuple tuple;
	bool result;

	if (!OidIsValid(extension) ||
		getExtensionOfObject(ProcedureRelationId, aggregate) != extension)
		return false;
	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	if (!HeapTupleIsValid(tuple))
		return false;
	result = function_in_role((Form_pg_aggregate) GETSTRUCT(tuple), role) ==
			 function;
	ReleaseSysCache(tuple);
	return result;
}

Aggref *
dp_support_aggref(FunctionCallInfo fcinfo)
{
	Aggref *aggref = NULL;
	Role role;

	if (AggCheckCallContext(fcinfo, NULL) != AGG_CONTEXT_AGGREGATE)
		dp_statement_error(
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("private aggregates cannot be used as window "
					"functions or called directly"),
			 errhint("Write the aggregate in a query with GROUP BY "
					 "or without grouping.")));
	role =
		find_role(castNode(AggState, fcinfo->context), fcinfo->flinfo, &aggref);
	if (role == ROLE_NONE ||
		!is_served(aggref->aggfnoid, fcinfo->flinfo->fn_oid, role))
		dp_statement_error(
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("support functions of private aggregates cannot "
					"be used in other aggregates"),
			 errhint("Use the aggregates of the extension.")));
	if (role == ROLE_FINAL)
		dp_citus_refuse();
	return aggref;
}
