/*
 * code_of_others.c
 *		Which public parts of a protected view may run another user's code.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "expressions/wrapped.h"
#include "gate/relations/code_of_others.h"
#include "gate/tree/functions.h"
#include "server/compat.h"
#include "server/search.h"

static bool
is_function_of_user(Oid function, void *context)
{
	(void) context;
	return function >= FirstNormalObjectId;
}

bool
dp_code_calls_users(Node *node)
{
	return check_functions_in_node(node, is_function_of_user, NULL);
}

/*
 * True for functions like generate_series, which return sets and run no user's
 * code.
 */
static bool
is_series(Oid function)
{
	switch (function)
	{
		case F_GENERATE_SERIES_INT4_INT4:
		case F_GENERATE_SERIES_INT4_INT4_INT4:
		case F_GENERATE_SERIES_INT8_INT8:
		case F_GENERATE_SERIES_INT8_INT8_INT8:
		case F_GENERATE_SERIES_NUMERIC_NUMERIC:
		case F_GENERATE_SERIES_NUMERIC_NUMERIC_NUMERIC:
		case F_GENERATE_SERIES_TIMESTAMP_TIMESTAMP_INTERVAL:
		case F_GENERATE_SERIES_TIMESTAMPTZ_TIMESTAMPTZ_INTERVAL:
		case F_UNNEST_ANYARRAY:
			return true;
		default:
			return false;
	}
}

/*
 * True for functions of the server that may run a user's code: they take
 * names, or SQL.
 */
static bool
is_function_of_others(Oid function, void *context)
{
	char kind;

	(void) context;
	if (function >= FirstNormalObjectId)
		return true;
	kind = get_func_prokind(function);
	return kind != PROKIND_AGGREGATE && kind != PROKIND_WINDOW &&
		   !dp_functions_is_total(function) &&
		   dp_wrapped_find(function) == NULL && !is_series(function);
}

/*
 * True for domains, rows and ranges: making a value may run what users
 * defined.
 */
static bool
is_type_of_others(Oid type)
{
	Oid element = get_element_type(type);

	if (OidIsValid(element))
		type = element;
	return type >= FirstNormalObjectId && !type_is_enum(type);
}

/* Whether a node makes a value of such a type, and not only reads it. */
static bool
makes_value_of_others(Node *node)
{
	ListCell *cell;

	if (IsA(node, TableFunc))
	{
		foreach (cell, ((TableFunc *) node)->coltypes)
		{
			if (is_type_of_others(lfirst_oid(cell)))
				return true;
		}
		return false;
	}
	return (IsA(node, Const) || IsA(node, FuncExpr) || IsA(node, CoerceViaIO) ||
			IsA(node, CoerceToDomain) || IsA(node, ArrayCoerceExpr) ||
			IsA(node, RowExpr) || dp_compat_is_json_query(node)) &&
		   is_type_of_others(exprType(node));
}

/*
 * A type, or a part of one, from which users may have defined a cast: enums and
 * rows as well. A domain is cast as what it is over.
 */
static bool
may_have_cast(Oid type)
{
	Oid element;

	type = getBaseType(type);
	element = get_element_type(type);
	if (OidIsValid(element))
		type = getBaseType(element);
	return type >= FirstNormalObjectId || type_is_rowtype(type) ||
		   type == RECORDARRAYOID;
}

/* Aggregates of values of any type that only count, compare or keep them. */
static bool
is_without_casts(Oid aggregate)
{
	switch (aggregate)
	{
		case F_COUNT_ANY:
		case F_ARRAY_AGG_ANYNONARRAY:
		case F_ARRAY_AGG_ANYARRAY:
		case F_MIN_ANYENUM:
		case F_MAX_ANYENUM:
		case F_MIN_ANYARRAY:
		case F_MAX_ANYARRAY:
			return true;
		default:
			return get_func_prokind(aggregate) == PROKIND_WINDOW;
	}
}

/*
 * What a node may cast in a way that no tree shows: json_agg(), JSON_ARRAY().
 */
static List *
cast_unseen(Node *node)
{
	if (IsA(node, Aggref))
		return is_without_casts(((Aggref *) node)->aggfnoid)
				   ? NIL
				   : list_concat_copy(((Aggref *) node)->args,
									  ((Aggref *) node)->aggdirectargs);
	if (IsA(node, WindowFunc))
		return is_without_casts(((WindowFunc *) node)->winfnoid)
				   ? NIL
				   : ((WindowFunc *) node)->args;
	return dp_compat_json_arguments(node);
}

static bool
casts_value_of_others(Node *node)
{
	ListCell *cell;

	foreach (cell, cast_unseen(node))
	{
		Node *value = lfirst(cell);

		if (IsA(value, TargetEntry))
			value = (Node *) ((TargetEntry *) value)->expr;
		if (may_have_cast(exprType(value)))
			return true;
	}
	return false;
}

DpCodeOfOthers
dp_code_of_others(Node *node)
{
	if (!IsA(node, CoerceViaIO) &&
		check_functions_in_node(node, is_function_of_others, NULL))
		return DP_CODE_IN_FUNCTION;
	if (makes_value_of_others(node))
		return DP_CODE_IN_TYPE;
	return casts_value_of_others(node) ? DP_CODE_IN_CAST : DP_NO_CODE;
}

static bool
is_code_of_others(Node *node, void *context)
{
	(void) context;
	return dp_code_of_others(node) != DP_NO_CODE;
}

bool
dp_code_is_of_others(Node *expression)
{
	return dp_search_within(expression, is_code_of_others, NULL);
}
