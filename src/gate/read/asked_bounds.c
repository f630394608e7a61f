/*
 * asked_bounds.c
 *		Bounds of the private aggregates of a question: declared, derived, or chosen.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_func.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "aggregates/bins.h"
#include "aggregates/call.h"
#include "aggregates/numeric_value.h"
#include "gate/facts/facts.h"
#include "gate/read/asked_bounds.h"
#include "gate/read/rewrite_aggregate.h"
#include "gate/read/value_range.h"
#include "gate/relations/declared.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/refusal.h"
#include "server/compat.h"
#include "server/settings.h"

Oid
dp_asked_bounds_function(const Aggref *aggref, const char *name, List *types)
{
	Oid arguments[FUNC_MAX_ARGS];
	Oid result;
	ListCell *cell;

	foreach (cell, types)
		arguments[foreach_current_index(cell)] = lfirst_oid(cell);
	result =
		LookupFuncName(list_make2(makeString(get_namespace_name(
									  get_func_namespace(aggref->aggfnoid))),
								  makeString(pstrdup(name))),
					   list_length(types), arguments, false);
	if (!dp_private_aggregates_is_one(result))
		elog(ERROR, "not a private aggregate: %u", result);
	return result;
}

void
dp_asked_bounds_argument(Aggref *aggref, void *argument)
{
	aggref->args =
		lappend(aggref->args,
				makeTargetEntry((Expr *) argument,
								(AttrNumber) (list_length(aggref->args) + 1),
								NULL, false));
	aggref->aggargtypes = lappend_oid(aggref->aggargtypes, exprType(argument));
}


/* Whether an argument of CASE is only compared, and no result. */
static bool
is_compared(const DpExpr *expr, int argno)
{
	return expr->kind == DP_EXPR_CASE && argno < expr->nargs - 1 &&
		   (argno - (expr->has_subject ? 1 : 0)) % 2 != 1;
}

/* The first column that a value is made of, and that lacks bounds. */
static const DpColumnFact *
find_unbounded(const DpExpr *expr, const DpColumnFact *known)
{
	const DpColumnFact *found = NULL;
	int i;

	if (expr->kind == DP_EXPR_SUBQUERY)
		return NULL;
	if (dp_expr_is_own_column(expr))
	{
		const DpColumnFact *column = &known[expr->column.number];
		Oid type = getBaseType(expr->type.oid);
		Datum bounds[2];

		return dp_range_can_have_bounds(type) && OidIsValid(column->relation) &&
					   !dp_declared_bounds(column->relation, column->attribute,
										   type, &bounds[0], &bounds[1])
				   ? column
				   : NULL;
	}
	for (i = 0; i < expr->nargs && found == NULL; i++)
	{
		if (!is_compared(expr, i))
			found = find_unbounded(expr->args[i], known);
	}
	return found;
}

/* The name of what values are declared for, as a literal in a hint. */
static char *
quoted_relation(const DpColumnFact *column)
{
	return quote_literal_cstr(DatumGetCString(
		DirectFunctionCall1(regclassout, ObjectIdGetDatum(column->relation))));
}

static char *
quoted_column(const DpColumnFact *column)
{
	return quote_literal_cstr(
		get_attname(column->relation, column->attribute, false));
}

/* Says how bounds are written, declared (of a column of the relation) or chosen. */
pg_noreturn static void
refuse_without_bounds(const DpAskedRows *rows, const DpExpr *value,
					  DpWrittenCall call)
{
	const DpColumnFact *column = dp_value_range_follows(rows->rows, value)
									 ? find_unbounded(value, rows->known)
									 : NULL;
	bool may_choose = dp_aggregate_get(call.aggregate)->may_choose;

	dp_call_refuse_without_bounds(
		call,
		psprintf(
			"%s%s",
			column == NULL
				? ""
				: psprintf(", or ask the owner for dp_noise.set_bounds(%s, "
						   "%s, lower, upper)",
						   quoted_relation(column), quoted_column(column)),
			may_choose ? ", or have bounds chosen: SET "
						 "dp_noise.choose_bounds = 0.2"
					   : ""));
}

/* A bound as an aggregate over values of that type takes it. */
static Const *
bound_of(Oid type, Datum bound)
{
	const DpOrderedType *ordered = dp_ordered_type(type);
	int16 length;
	bool by_value;

	if (ordered != NULL)
		bound = dp_ordered_value(
			ordered, DatumGetInt64(DirectFunctionCall1(numeric_int8, bound)));
	else if (type == FLOAT4OID || type == FLOAT8OID)
	{
		type = FLOAT8OID;
		bound = Float8GetDatum(dp_numeric_to_double(bound));
	}
	else
		type = NUMERICOID;
	get_typlenbyval(type, &length, &by_value);
	return makeConst(type, -1, InvalidOid, length, bound, false, by_value);
}

/* The texts that are declared, as an array. */
static Const *
texts_of(List *texts)
{
	Datum *values = palloc(list_length(texts) * sizeof(Datum));
	int count = 0;
	ListCell *cell;

	foreach (cell, texts)
		values[count++] = CStringGetTextDatum(lfirst(cell));
	return makeConst(TEXTARRAYOID, -1, DEFAULT_COLLATION_OID, -1,
					 PointerGetDatum(construct_array(values, count, TEXTOID, -1,
													 false, TYPALIGN_INT)),
					 false, false);
}

/* A maximum or minimum of texts, with the values that are declared for them. */
static void
add_texts(Aggref *aggref, const DpExpr *value, const DpColumnFact *known,
		  DpWrittenCall call)
{
	const DpColumnFact none = {0};
	const DpColumnFact *column =
		dp_expr_is_own_column(value) ? &known[value->column.number] : &none;
	List *texts = NIL;

	if (!OidIsValid(column->relation))
		dp_call_refuse_without_texts(call, "");
	if (!dp_declared_values(column->relation, column->attribute, &texts))
		dp_call_refuse_without_texts(
			call, psprintf(", or ask the owner for dp_noise.set_values(%s, %s, "
						   "ARRAY['a', 'b'])",
						   quoted_relation(column), quoted_column(column)));
	dp_asked_bounds_argument(aggref, texts_of(texts));
}

/*
 * Parameters in the place of bounds, whose values are chosen when the question is
 * answered (gate/release/chosen_bounds.h).
 */
static void
add_chosen(Aggref *aggref, DpPlanning *planning)
{
	Oid type =
		dp_bins_bound_type(getBaseType(linitial_oid(aggref->aggargtypes)));
	int i;

	for (i = 0; i < 2; i++)
	{
		Param *bound = makeNode(Param);

		bound->paramkind = PARAM_EXTERN;
		bound->paramid = planning->next_parameter++;
		bound->paramtype = type;
		bound->paramtypmod = -1;
		bound->location = -1;
		dp_asked_bounds_argument(aggref, bound);
	}
}

/* The bounds of one value: declared or derived, or else to be chosen. */
static void
add_bounds(Aggref *aggref, const DpAskedRows *rows, const DpExpr *value,
		   DpWrittenCall call, DpAsked *asked)
{
	const DpAggregateTraits *traits = dp_private_aggregates_traits(aggref);
	Oid type = getBaseType(linitial_oid(aggref->aggargtypes));
	DpColumnFact range =
		dp_value_range_of(rows->rows, rows->known, value, asked->filter);
	DpBoundsOrigin origin = range.by_conditions ? DP_BOUNDS_OF_CONDITIONS
							: range.is_declared ? DP_BOUNDS_GIVEN
												: DP_BOUNDS_OF_COLUMNS;

	asked->chooses_bounds =
		!range.has_bounds && traits->may_choose && dp_setting_choose_bounds > 0;
	if (asked->chooses_bounds)
		add_chosen(aggref, rows->scope->planning);
	else if (!range.has_bounds)
		refuse_without_bounds(rows, value, call);
	else
	{
		dp_asked_bounds_argument(aggref, bound_of(type, range.lower));
		dp_asked_bounds_argument(aggref, bound_of(type, range.upper));
	}
	if (range.has_bounds)
		asked->bounds_origin = Max(asked->bounds_origin, origin);
}

void
dp_asked_bounds_add(Aggref *aggref, const DpAskedRows *rows, const List *values,
					DpAsked *asked)
{
	const DpAggregateTraits *traits = dp_private_aggregates_traits(aggref);
	DpWrittenCall call = {traits->aggregate,
						  dp_rewrite_aggregate_written_as(aggref),
						  dp_refusal_cursor(aggref->location)};

	if (!traits->takes_bounds ||
		list_length(aggref->args) != dp_aggregate_data_arguments(traits))
		return;
	foreach_ptr (const DpExpr, expr, values)
	{
		const DpExpr *value = dp_expr_unlabelled(expr);

		if (linitial_oid(aggref->aggargtypes) == TEXTOID)
			add_texts(aggref, value, rows->known, call);
		else
			add_bounds(aggref, rows, value, call, asked);
	}
	aggref->aggfnoid = dp_asked_bounds_function(
		aggref, get_func_name(aggref->aggfnoid), aggref->aggargtypes);
}

List *
dp_asked_bounds_chosen(const DpExpr *first)
{
	DpType type = {INT8OID, -1, InvalidOid};
	int64 bits;

	memcpy(&bits, &dp_setting_choose_bounds, sizeof(bits));
	return list_make3(
		(void *) first,
		(void *) dp_expr_constant(type, Int64GetDatum(bits), false),
		(void *) dp_expr_constant(type, (Datum) 0, true));
}

void
dp_asked_bounds_refuse_at_levels(const DpQuestion *question)
{
	foreach_ptr (const DpAsked, asked,
				 question->levels == NIL ? NIL : question->aggregates)
	{
		const Aggref *aggref = asked->aggref;
		DpWrittenCall call = {dp_private_aggregates_traits(aggref)->aggregate,
							  dp_rewrite_aggregate_written_as(aggref),
							  dp_refusal_cursor(aggref->location)};

		if (asked->chooses_bounds)
			dp_call_refuse_without_bounds(
				call, ", or ask the owner for dp_noise.set_bounds: at privacy "
					  "levels none are chosen");
	}
}
