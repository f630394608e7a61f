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
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "aggregates/call.h"
#include "aggregates/categories.h"
#include "aggregates/image.h"
#include "gate/facts/facts.h"
#include "gate/read/asked_bounds.h"
#include "gate/read/expression.h"
#include "gate/read/folding.h"
#include "gate/read/parameter.h"
#include "gate/read/released.h"
#include "gate/read/rewrite_aggregate.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/protection.h"
#include "gate/relations/refusal.h"
#include "gate/tree/functions.h"
#include "server/compat.h"
#include "server/compat_permissions.h"

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
			 dp_refusal_position(aggref->location)));
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
				 dp_refusal_position(aggref->location)));
}

/* Makes it the aggregate with this many first arguments, null where there is none. */
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

		dp_asked_bounds_argument(
			aggref, makeNullConst(type, -1,
								  type == TEXTOID ? DEFAULT_COLLATION_OID
												  : InvalidOid));
	}
	for (i = 0; i < count; i++)
		sought = lappend_oid(sought, types[i]);
	aggref->aggfnoid = dp_asked_bounds_function(aggref, traits->name, sought);
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
					 dp_refusal_position(aggref->location)));
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

	if (!dp_expr_is_own_column(value))
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
		   dp_protection_of(scan->relation)->unit;
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
		dp_refusal_raise("a limit on values per privacy unit, where the units "
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
				 dp_refusal_position(aggref->location)));

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

/* values: of each row. What parameters have that were left out, or filled in. */
static List *
read_arguments(const Aggref *aggref, const List *values)
{
	List *args = list_copy(values);
	ListCell *cell;

	for_each_from (cell, aggref->args, list_length(values))
		args =
			lappend(args, (void *) dp_parameter_read(
							  (Node *) lfirst_node(TargetEntry, cell)->expr));
	return args;
}

DpAsked *
dp_asked_read(const DpAskedRows *rows, const Aggref *written)
{
	const DpAggregateTraits *traits = traits_of(written);
	DpAsked *asked = palloc0(sizeof(DpAsked));
	List *values = NIL; /* of DpExpr */
	const DpExpr *first;
	Aggref *aggref;

	/* Functions of constants are evaluated here, once for charge and use. */
	aggref = (Aggref *) dp_folding_fold((Node *) copyObject((Aggref *) written),
										"an aggregate");
	if (aggref->agglevelsup != 0)
		dp_refusal_raise("an aggregate of an outer query",
						 "Write it in its own query.", aggref->location);
	if (aggref->aggdistinct != NIL || aggref->aggorder != NIL ||
		aggref->aggdirectargs != NIL || aggref->aggvariadic)
		dp_refusal_raise("DISTINCT or ORDER BY inside an aggregate",
						 "Leave it out.", aggref->location);
	foreach_node (TargetEntry, entry, aggref->args)
	{
		if (foreach_current_index(entry) < dp_aggregate_values(traits))
			values = lappend(values,
							 (void *) read_over_rows(rows, (Node *) entry->expr,
													 "an aggregate"));
		else
			entry->expr =
				(Expr *) dp_parameter_take(rows->scope, (Node *) entry->expr);
	}
	first = values == NIL ? NULL : linitial(values);
	if (traits->own == DP_OWN_CATEGORIES)
		check_categories(aggref, traits->name);
	if (traits->aggregate == DP_AGGREGATE_COUNT_DISTINCT && first != NULL)
		read_distinct(aggref, rows, first);
	if (aggref->aggfilter != NULL)
		asked->filter =
			read_over_rows(rows, (Node *) aggref->aggfilter, "FILTER");
	dp_asked_bounds_add(aggref, rows, values, asked);
	asked->aggref = aggref;
	asked->args = asked->chooses_bounds ? dp_asked_bounds_chosen(first)
										: read_arguments(aggref, values);
	return asked;
}
