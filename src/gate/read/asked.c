/*
 * asked.c
 *		Reads the private aggregates of a question.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_func.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "aggregates/call.h"
#include "aggregates/categories.h"
#include "aggregates/image.h"
#include "aggregates/numeric_value.h"
#include "gate/facts/facts.h"
#include "gate/read/expression.h"
#include "gate/read/folding.h"
#include "gate/read/parameter.h"
#include "gate/read/released.h"
#include "gate/read/rewrite_aggregate.h"
#include "gate/relations/declared.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/protection.h"
#include "gate/relations/refusal.h"
#include "gate/tree/functions.h"
#include "server/compat.h"

static bool
is_column(const DpExpr *expr)
{
	return expr->kind == DP_EXPR_COLUMN && expr->column.depth == 0;
}

/*
 * The aggregate of the same schema with a name and types of arguments.
 */
static Oid
find_aggregate(const Aggref *aggref, const char *name, List *types)
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

static void
add_argument(Aggref *aggref, Const *argument)
{
	aggref->args =
		lappend(aggref->args,
				makeTargetEntry((Expr *) argument,
								(AttrNumber) (list_length(aggref->args) + 1),
								NULL, false));
	aggref->aggargtypes = lappend_oid(aggref->aggargtypes, argument->consttype);
}

/*
 * Bounds
 */

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
	if (is_column(expr))
	{
		const DpColumnFact *column = &known[expr->column.number];
		Oid type = getBaseType(expr->type.oid);
		Datum bounds[2];

		return dp_range_can_have_bounds(type) && OidIsValid(column->relation) &&
					   !dp_gate_bounds(column->relation, column->attribute,
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

/* Says how bounds are written, or declared: of a column of the relation. */
pg_noreturn static void
refuse_without_bounds(const DpExpr *value, const DpColumnFact *known,
					  DpWrittenCall call)
{
	const DpColumnFact *column = find_unbounded(value, known);

	dp_call_refuse_without_bounds(
		call, column == NULL
				  ? ""
				  : psprintf(", or ask the owner for dp_noise.set_bounds(%s, "
							 "%s, lower, upper)",
							 quoted_relation(column), quoted_column(column)));
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
		is_column(value) ? &known[value->column.number] : &none;
	List *texts = NIL;

	if (!OidIsValid(column->relation))
		dp_call_refuse_without_texts(call, "");
	if (!dp_gate_values(column->relation, column->attribute, &texts))
		dp_call_refuse_without_texts(
			call, psprintf(", or ask the owner for dp_noise.set_values(%s, %s, "
						   "ARRAY['a', 'b'])",
						   quoted_relation(column), quoted_column(column)));
	add_argument(aggref, texts_of(texts));
}

/*
 * Fills in bounds, where the aggregate takes some and none are written. Returns
 * whether they are derived from those of other columns. Errors:
 * invalid_parameter_value, when there are none.
 */
static bool
add_bounds(Aggref *aggref, const DpAskedRows *rows, const DpExpr *argument)
{
	const DpAggregateTraits *traits = dp_private_aggregates_traits(aggref);
	DpWrittenCall call = {traits->aggregate,
						  dp_rewrite_aggregate_written_as(aggref),
						  dp_refusal_cursor(aggref->location)};
	const DpExpr *value;
	DpColumnFact range;

	if (!traits->takes_bounds ||
		list_length(aggref->args) != dp_aggregate_data_arguments(traits))
		return false;
	value = dp_expr_unlabelled(argument);
	if (linitial_oid(aggref->aggargtypes) == TEXTOID)
	{
		add_texts(aggref, value, rows->known, call);
		range.is_declared = true;
	}
	else
	{
		Oid type = getBaseType(linitial_oid(aggref->aggargtypes));

		range = dp_range_of(value, rows->known);
		if (!range.has_bounds)
			refuse_without_bounds(value, rows->known, call);
		add_argument(aggref, bound_of(type, range.lower));
		add_argument(aggref, bound_of(type, range.upper));
	}
	aggref->aggfnoid = find_aggregate(aggref, get_func_name(aggref->aggfnoid),
									  aggref->aggargtypes);
	return !range.is_declared;
}

/*
 * Modes and numbers of different values
 */

/*
 * A mode compares each row's value with those declared: by functions that pass
 * for every value, and by no locale's rules.
 */
static void
check_categories(const Aggref *aggref, const char *name)
{
	Oid type = getBaseType(linitial_oid(aggref->aggargtypes));

	if (!dp_categories_is_total(type, dp_functions_is_total) ||
		(OidIsValid(aggref->inputcollid) &&
		 !get_collation_isdeterministic(aggref->inputcollid)))
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s of type %s cannot be used over a protected relation",
					name, format_type_be(type)),
			 errhint("Numbers, texts, booleans, enums, dates and times and "
					 "uuids can be used, texts of a deterministic "
					 "collation."),
			 dp_gate_position(aggref->location)));
}

/*
 * Checks that values can be compared by their images (aggregates/image.h),
 * which know no collations.
 */
static void
check_values(const Aggref *aggref)
{
	Oid type = getBaseType(linitial_oid(aggref->aggargtypes));

	if (!OidIsValid(dp_image_kind(type)) ||
		(OidIsValid(aggref->inputcollid) &&
		 !get_collation_isdeterministic(aggref->inputcollid)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp_count_distinct of type %s cannot be used over a "
						"protected relation",
						format_type_be(type)),
				 errhint("Numbers, texts, booleans, enums, dates and times, "
						 "uuids, bytes and addresses can be used, texts of a "
						 "deterministic collation."),
				 dp_gate_position(aggref->location)));
}

/* Makes it the aggregate with so many first arguments, null where there is none. */
static void
set_arguments(Aggref *aggref, DpAggregate aggregate, int count)
{
	const DpAggregateTraits *traits = dp_aggregate_get(aggregate);
	const Oid types[] = {traits->counted_as, FLOAT8OID, TEXTOID, INT4OID};
	List *sought = NIL;
	int i;

	aggref->args = list_truncate(aggref->args, count);
	aggref->aggargtypes = list_truncate(aggref->aggargtypes, count);
	while (list_length(aggref->args) < count)
	{
		Oid type = types[list_length(aggref->args)];

		add_argument(aggref,
					 makeNullConst(type, -1,
								   type == TEXTOID ? DEFAULT_COLLATION_OID
												   : InvalidOid));
	}
	for (i = 0; i < count; i++)
		sought = lappend_oid(sought, types[i]);
	aggref->aggfnoid = find_aggregate(aggref, traits->name, sought);
}

/* A null stands for a default only where all arguments are written. */
static void
refuse_nulls(const Aggref *aggref)
{
	ListCell *cell;

	for_each_from (cell, aggref->args, 1)
	{
		Node *node = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (IsA(node, Const) && ((Const *) node)->constisnull)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s of a private aggregate must not be null",
							foreach_current_index(cell) == 1 ? "epsilon"
															 : "mechanism"),
					 errhint("Leave the argument out to use its "
							 "default, or write a value."),
					 dp_gate_position(aggref->location)));
	}
}

/*
 * Whether a value is the unit of every row, or the unit of a relation that is
 * null where an outer join met none of its rows.
 */
static bool
is_unit_or_null(const DpExpr *value, const DpAskedRows *rows)
{
	const DpFacts *facts = rows->rows->facts;
	const DpUnitName *unit = dp_owner_value_name(&facts->owner);
	const DpColumnFact *column;
	const DpScan *scan;

	if (!is_column(value))
		return false;
	if (unit != NULL && !OidIsValid(unit->relation) &&
		bms_is_member(
			value->column.number,
			dp_equalities_of_column(facts->equal, linitial_int(unit->columns))))
		return true;
	column = &rows->known[value->column.number];
	if (column->source == NULL || column->source->kind != DP_NODE_SCAN)
		return false;
	scan = (const DpScan *) column->source;
	return scan->attributes[column->source_column] ==
		   dp_gate_protection(scan->relation)->unit;
}

/*
 * What is counted: privacy units, once each, or values, of which a unit counts
 * for as many as its rows may, or as the last argument says. Of values it has
 * that argument, perhaps null, and so it is known. Where units are rows,
 * counting them is a count of rows that have one.
 */
static void
read_distinct(Aggref *aggref, const DpAskedRows *rows, const DpExpr *argument)
{
	int count = list_length(aggref->args);

	if (!is_unit_or_null(dp_expr_unlabelled(argument), rows))
	{
		check_values(aggref);
		if (count <= DP_CALL_CAP)
			refuse_nulls(aggref);
		set_arguments(aggref, DP_AGGREGATE_COUNT_DISTINCT, DP_CALL_CAP + 1);
		return;
	}
	if (count > DP_CALL_CAP)
		dp_gate_refuse("a limit on values per privacy unit, where the units "
					   "themselves are counted,",
					   "Leave it out: each counts once.", aggref->location);
	if (!rows->several)
		set_arguments(aggref, DP_AGGREGATE_COUNT, count);
}

/*
 * The whole
 */

/* The row of the table of aggregates, of one that the user may call. */
static const DpAggregateTraits *
traits_of(const Aggref *aggref)
{
	const char *name = get_func_name(aggref->aggfnoid);
	const DpAggregateTraits *traits = NULL;

	if (name != NULL && dp_private_aggregates_is_one(aggref->aggfnoid))
		traits = dp_aggregate_find(name);
	if (traits == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("aggregate %s cannot be used over a protected relation",
						name != NULL ? name : "of that kind"),
				 errhint("Use %s.", dp_aggregate_names()),
				 dp_gate_position(aggref->location)));

	/* The owner calls it, but the user asks. */
	if (!dp_compat_may_execute(aggref->aggfnoid, GetUserId()))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_AGGREGATE, name);

	if (aggref->aggargtypes != NIL &&
		linitial_oid(aggref->aggargtypes) == MONEYOID && !traits->takes_money)
		dp_call_refuse_money();
	return traits;
}

static const DpExpr *
read_over_rows(const DpAskedRows *rows, Node *node, const char *what)
{
	rows->scope->what = what;
	return dp_expression_read(rows->scope, node);
}

/* What parameters have that were left out, or filled in. */
static List *
read_arguments(const Aggref *aggref, const DpExpr *first)
{
	List *args = NIL;
	ListCell *cell;

	foreach (cell, aggref->args)
		args = lappend(
			args, foreach_current_index(cell) == 0
					  ? (void *) first
					  : (void *) dp_parameter_read(
							(Node *) lfirst_node(TargetEntry, cell)->expr));
	return args;
}

DpAsked *
dp_asked_read(const DpAskedRows *rows, const Aggref *written)
{
	const DpAggregateTraits *traits = traits_of(written);
	DpAsked *asked = palloc0(sizeof(DpAsked));
	const DpExpr *first = NULL;
	Aggref *aggref;
	ListCell *cell;

	/* Functions of constants are evaluated here, once for charge and use. */
	aggref = (Aggref *) dp_folding_fold((Node *) copyObject((Aggref *) written),
										"an aggregate");
	if (aggref->agglevelsup != 0)
		dp_gate_refuse("an aggregate of an outer query",
					   "Write it in its own query.", aggref->location);
	if (aggref->aggdistinct != NIL || aggref->aggorder != NIL ||
		aggref->aggdirectargs != NIL || aggref->aggvariadic)
		dp_gate_refuse("DISTINCT or ORDER BY inside an aggregate",
					   "Leave it out.", aggref->location);
	foreach (cell, aggref->args)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (foreach_current_index(cell) == 0)
			first = read_over_rows(rows, (Node *) entry->expr, "an aggregate");
		else
			entry->expr =
				(Expr *) dp_parameter_take(rows->scope, (Node *) entry->expr);
	}
	if (traits->own == DP_OWN_CATEGORIES)
		check_categories(aggref, traits->name);
	if (traits->aggregate == DP_AGGREGATE_COUNT_DISTINCT)
		read_distinct(aggref, rows, first);
	if (aggref->aggfilter != NULL)
		asked->filter =
			read_over_rows(rows, (Node *) aggref->aggfilter, "FILTER");
	asked->derives_bounds = add_bounds(aggref, rows, first);
	asked->aggref = aggref;
	asked->args = read_arguments(aggref, first);
	return asked;
}
