/*
 * ends.c
 *		Reads calls of dp_low and dp_high.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "aggregates/law.h"
#include "gate/read/ends.h"
#include "gate/read/folding.h"
#include "gate/read/parameter.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/refusal.h"
#include "server/plan_node.h"

static const char *const names[] = {"dp_low", "dp_high"};

/* The functions of the node in plans. */

static void
copy_ends(ExtensibleNode *to, const ExtensibleNode *from)
{
	DpEnds *new = (DpEnds *) to;
	const DpEnds *old = (const DpEnds *) from;

	new->aggnos = list_copy(old->aggnos);
	new->sides = list_copy(old->sides);
	new->levels = copyObject(old->levels);
	new->types = copyObject(old->types);
}

DpEnds *
dp_ends_make(void)
{
	return dp_plan_node_make(DP_ENDS_NAME, sizeof(DpEnds));
}

void
dp_ends_init(void)
{
	dp_plan_node_register(DP_ENDS_NAME, sizeof(DpEnds), copy_ends);
}

/* The functions that recognise and read calls. */

/* 0: dp_low, 1: dp_high; -1: another function. */
static int
side_of(Oid function)
{
	char *name;
	int side;

	if (!dp_private_aggregates_is_one(function))
		return -1;
	name = get_func_name(function);
	for (side = 0; side < (int) lengthof(names); side++)
	{
		if (name != NULL && strcmp(name, names[side]) == 0)
			return side;
	}
	return -1;
}

bool
dp_ends_is_call(Node *node)
{
	return IsA(node, FuncExpr) && side_of(((FuncExpr *) node)->funcid) >= 0;
}

void
dp_ends_refuse(const FuncExpr *call)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s must stand beside the private aggregate that it is of",
					get_func_name(call->funcid)),
			 errhint("Write it in the very query that reads the protected "
					 "relation, such as SELECT count(*), dp_low(count(*)), and "
					 "use its column outside."),
			 dp_refusal_position(call->location)));
}

void
dp_ends_check_level(double level, int location)
{
	if (!(level > 0 && level <= DP_LEVEL_MAX))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the level of an interval must be greater than 0 and "
						"less than 1"),
				 errhint("Write 0.95, for example: the interval then has the "
						 "truth with a probability of 95%% or more."),
				 dp_refusal_position(location)));
}

/* All arguments in order, those that were left out with their defaults. */
static List *
arguments_of(FuncExpr *call)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(call->funcid));
	List *arguments;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", call->funcid);
	arguments = expand_function_arguments(copyObject(call->args), false,
										  call->funcresulttype, tuple);
	ReleaseSysCache(tuple);
	return arguments;
}

/* A level that is known when the statement is planned is checked then. */
static Node *
read_level(Node *level, int location)
{
	level = dp_folding_fold(level, "the level of an interval");
	dp_parameter_check(level, location);
	if (IsA(level, Const))
		dp_ends_check_level(((Const *) level)->constisnull
								? 0
								: DatumGetFloat8(((Const *) level)->constvalue),
							location);
	return level;
}

/*
 * Whether an aggregate may have an interval, whatever its mechanism, so that a
 * call of dp_low around a cast of it is refused.
 */
static bool
has_law(const Aggref *aggref)
{
	const DpAggregateTraits *traits =
		dp_aggregate_find(get_func_name(aggref->aggfnoid));

	return traits != NULL && traits->law != NULL;
}

/* What is cast by relabelling or by a function; NULL: it is no such cast. */
static Node *
beneath_cast(Node *node)
{
	FuncExpr *call = (FuncExpr *) node;

	if (IsA(node, RelabelType))
		return (Node *) ((RelabelType *) node)->arg;
	if (IsA(node, FuncExpr) && call->funcformat != COERCE_EXPLICIT_CALL &&
		call->args != NIL)
		return linitial(call->args);
	return NULL;
}

/* What is cast in any way; NULL: it is no cast. */
static Node *
beneath_any_cast(Node *node)
{
	if (IsA(node, CoerceViaIO))
		return (Node *) ((CoerceViaIO *) node)->arg;
	if (IsA(node, ArrayCoerceExpr))
		return (Node *) ((ArrayCoerceExpr *) node)->arg;
	return beneath_cast(node);
}

/*
 * The aggregate beneath the casts that make a quantile's value the type of the
 * server's own, or of which it is a column, as corr is of a regression: then the end
 * is that column of the row of ends. NULL where something else was computed.
 */
static Aggref *
aggregate_in(Node *node)
{
	bool is_cast = false;

	if (IsA(node, FieldSelect))
		node = (Node *) ((FieldSelect *) node)->arg;
	while (node != NULL && !IsA(node, Aggref))
	{
		node = beneath_any_cast(node);
		is_cast = true;
	}
	if (node != NULL && is_cast && has_law((Aggref *) node))
		return NULL;
	return (Aggref *) node;
}

Aggref *
dp_ends_aggregate(FuncExpr *call, Node **value, Node **level)
{
	List *arguments = arguments_of(call);
	Aggref *aggref = aggregate_in(linitial(arguments));
	const char *name = get_func_name(call->funcid);

	if (aggref == NULL)
	{
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the argument of %s must be an aggregate", name),
				 errhint("Write %s(count(*)), for example; compute with the "
						 "result, and cast that, outside.",
						 name),
				 dp_refusal_position(call->location)));
	}
	*value = linitial(arguments);
	*level = read_level(lsecond(arguments), call->location);
	return aggref;
}

int
dp_ends_side(const FuncExpr *call)
{
	return side_of(call->funcid);
}

/* What is divided by, NULLIF or casts around it. */
static Node *
beneath_nullif(Node *node)
{
	for (;;)
	{
		Node *within = IsA(node, NullIfExpr)
						   ? linitial(((NullIfExpr *) node)->args)
						   : beneath_cast(node);

		if (within == NULL)
			return node;
		node = within;
	}
}

static bool
is_division(Oid function)
{
	switch (function)
	{
		case F_INT2DIV:
		case F_INT4DIV:
		case F_INT8DIV:
		case F_INT24DIV:
		case F_INT42DIV:
		case F_INT28DIV:
		case F_INT82DIV:
		case F_INT48DIV:
		case F_INT84DIV:
		case F_NUMERIC_DIV:
		case F_FLOAT4DIV:
		case F_FLOAT8DIV:
		case F_FLOAT48DIV:
		case F_FLOAT84DIV:
		case F_CASH_DIV_INT8:
		case F_CASH_DIV_FLT8:
		case F_INTERVAL_DIV:
			return true;
		default:
			return false;
	}
}

bool
dp_ends_is_division(Node *node)
{
	return IsA(node, OpExpr) &&
		   is_division(get_opcode(((OpExpr *) node)->opno));
}

Aggref *
dp_ends_divisor(Node *node, Node **level)
{
	const DpAggregateTraits *traits;
	OpExpr *division = (OpExpr *) node;
	Node *divisor;

	if (!dp_ends_is_division(node))
		return NULL;
	divisor = beneath_nullif(lsecond(division->args));
	if (!IsA(divisor, Aggref) ||
		!dp_private_aggregates_is_one(((Aggref *) divisor)->aggfnoid))
		return NULL;
	traits = dp_aggregate_find(get_func_name(((Aggref *) divisor)->aggfnoid));
	if (traits == NULL || !traits->has_count || traits->sums > 0)
		return NULL;
	*level = (Node *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
								Float8GetDatum(0.95), false, FLOAT8PASSBYVAL);
	return (Aggref *) divisor;
}

int
dp_ends_add(DpEnds *ends, int side, Aggref *aggref, int aggno, Node *level)
{
	int count = list_length(ends->aggnos);
	int i;

	for (i = 0; i < count; i++)
	{
		if (list_nth_int(ends->aggnos, i) == aggno &&
			list_nth_int(ends->sides, i) == side &&
			equal(list_nth(ends->levels, i), level))
			return i;
	}
	ends->aggnos = lappend_int(ends->aggnos, aggno);
	ends->sides = lappend_int(ends->sides, side);
	ends->levels = lappend(ends->levels, level);
	ends->types = lappend(
		ends->types, makeNullConst(aggref->aggtype, -1, aggref->aggcollid));
	return count;
}
