/*
 * block_aggregate.c
 *		The aggregates of a block: checked, with their bounds.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "utils/array.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "aggregates/call.h"
#include "aggregates/categories.h"
#include "aggregates/image.h"
#include "aggregates/numeric_value.h"
#include "gate/question/block_aggregate.h"
#include "gate/question/expressions/derived_bounds.h"
#include "gate/question/expressions/expression.h"
#include "gate/question/expressions/folding.h"
#include "gate/question/relations/declared.h"
#include "gate/question/relations/private_aggregates.h"
#include "gate/question/relations/refusal.h"
#include "gate/question/rewrite_aggregate.h"
#include "server/compat.h"

/*
 * The value that an aggregate is computed from. A column whose type is a
 * domain is read as the domain's base type.
 */
static Expr *
first_argument(Aggref *aggref)
{
	Expr *value = linitial_node(TargetEntry, aggref->args)->expr;

	while (IsA(value, RelabelType))
		value = ((RelabelType *) value)->arg;
	return value;
}

/* The first column that a value is made of, and that lacks bounds. */
typedef struct Unbounded
{
	const DpRelations *relations;
	Oid relation;
	AttrNumber attribute;
} Unbounded;

static bool
unbounded_walker(Node *node, Unbounded *search)
{
	Datum bounds[2];
	ListCell *cell;

	if (node == NULL || IsA(node, SubLink))
		return false;
	if (IsA(node, CaseExpr)) /* what is only compared needs none */
	{
		foreach (cell, ((CaseExpr *) node)->args)
		{
			if (unbounded_walker((Node *) lfirst_node(CaseWhen, cell)->result,
								 search))
				return true;
		}
		return unbounded_walker((Node *) ((CaseExpr *) node)->defresult,
								search);
	}
	if (IsA(node, Var))
		return dp_gate_can_have_bounds(getBaseType(exprType(node))) &&
			   dp_gate_declared_origin(search->relations, (Var *) node,
									   &search->relation, &search->attribute) &&
			   !dp_gate_bounds(search->relation, search->attribute,
							   getBaseType(exprType(node)), &bounds[0],
							   &bounds[1]);
	return expression_tree_walker(node, unbounded_walker, search);
}

/* Says how bounds are written, or declared: of a column of the relation. */
static void
refuse_without_bounds(Expr *value, const DpRelations *relations,
					  DpWrittenCall call)
{
	Unbounded search = {relations, InvalidOid, InvalidAttrNumber};
	char *name;
	char *column;

	if (!unbounded_walker((Node *) value, &search))
		dp_call_refuse_without_bounds(call, "");
	name = DatumGetCString(
		DirectFunctionCall1(regclassout, ObjectIdGetDatum(search.relation)));
	column = get_attname(search.relation, search.attribute, false);
	dp_call_refuse_without_bounds(
		call,
		psprintf(", or ask the owner for dp_noise.set_bounds(%s, %s, lower, "
				 "upper)",
				 quote_literal_cstr(name), quote_literal_cstr(column)));
}

/* A declared bound as an aggregate over values of that type takes it. */
static Datum
bound_of(Oid type, Datum declared, Oid *bound_type)
{
	const DpOrderedType *ordered = dp_ordered_type(type);

	if (ordered != NULL)
	{
		*bound_type = type;
		return dp_ordered_value(ordered, DatumGetInt64(DirectFunctionCall1(
											 numeric_int8, declared)));
	}
	if (type == FLOAT4OID || type == FLOAT8OID)
	{
		*bound_type = FLOAT8OID;
		return Float8GetDatum(dp_numeric_to_double(declared));
	}
	*bound_type = NUMERICOID;
	return declared;
}

/* A maximum or minimum of texts, with the values that are declared for them. */
static Aggref *
with_texts(Aggref *aggref, Expr *value, const DpRelations *relations,
		   DpWrittenCall call)
{
	Oid types[2] = {TEXTOID, TEXTARRAYOID};
	Aggref *result = copyObject(aggref);
	Oid relation;
	AttrNumber column;
	List *texts = NIL;
	Datum *values;
	ListCell *cell;
	int count = 0;

	if (!IsA(value, Var) ||
		!dp_gate_declared_origin(relations, (Var *) value, &relation, &column))
		dp_call_refuse_without_texts(call, "");
	if (!dp_gate_values(relation, column, &texts))
		dp_call_refuse_without_texts(
			call,
			psprintf(", or ask the owner for dp_noise.set_values(%s, %s, "
					 "ARRAY['a', 'b'])",
					 quote_literal_cstr(DatumGetCString(DirectFunctionCall1(
						 regclassout, ObjectIdGetDatum(relation)))),
					 quote_literal_cstr(get_attname(relation, column, false))));
	values = palloc(list_length(texts) * sizeof(Datum));
	foreach (cell, texts)
		values[count++] = CStringGetTextDatum(lfirst(cell));
	result->aggfnoid =
		LookupFuncName(list_make2(makeString(get_namespace_name(
									  get_func_namespace(aggref->aggfnoid))),
								  makeString(get_func_name(aggref->aggfnoid))),
					   2, types, false);
	if (!dp_gate_is_private_aggregate(result->aggfnoid))
		elog(ERROR, "not a private aggregate: %u", result->aggfnoid);
	result->args =
		lappend(result->args,
				makeTargetEntry(
					(Expr *) makeConst(
						TEXTARRAYOID, -1, DEFAULT_COLLATION_OID, -1,
						PointerGetDatum(construct_array(
							values, count, TEXTOID, -1, false, TYPALIGN_INT)),
						false, false),
					2, NULL, false));
	result->aggargtypes = lappend_oid(result->aggargtypes, TEXTARRAYOID);
	return result;
}

/*
 * The aggregate of the same name that takes bounds, with them. Errors:
 * invalid_parameter_value, when there are none.
 */
static Aggref *
with_bounds(Aggref *aggref, const DpRelations *relations, DpAggregate aggregate)
{
	const DpAggregateTraits *traits = dp_aggregate_get(aggregate);
	DpWrittenCall call = {aggregate, dp_gate_written_as(aggref),
						  dp_gate_cursor(aggref->location)};
	int data = dp_aggregate_data_arguments(traits);
	Oid types[4];
	Datum bounds[2];
	Oid bound_type;
	int16 length;
	bool by_value;
	Expr *value;
	bool is_declared;
	List *name;
	Aggref *result;
	int i;

	if (!traits->takes_bounds || list_length(aggref->args) != data)
		return aggref;
	value = first_argument(aggref);
	if (linitial_oid(aggref->aggargtypes) == TEXTOID)
		return with_texts(aggref, value, relations, call);
	if (!dp_gate_derive_bounds(relations, (Node *) value, &bounds[0],
							   &bounds[1], &is_declared))
		refuse_without_bounds(value, relations, call);

	for (i = 0; i < data; i++)
		types[i] = list_nth_oid(aggref->aggargtypes, i);
	for (i = 0; i < 2; i++)
		bounds[i] = bound_of(getBaseType(types[0]), bounds[i], &bound_type);
	get_typlenbyval(bound_type, &length, &by_value);
	types[data] = types[data + 1] = bound_type;
	name = list_make2(
		makeString(get_namespace_name(get_func_namespace(aggref->aggfnoid))),
		makeString(get_func_name(aggref->aggfnoid)));

	result = copyObject(aggref);
	result->aggfnoid = LookupFuncName(name, data + 2, types, false);
	if (!dp_gate_is_private_aggregate(result->aggfnoid))
		elog(ERROR, "not a private aggregate: %u", result->aggfnoid);
	for (i = 0; i < 2; i++)
	{
		Const *bound = makeConst(bound_type, -1, InvalidOid, length, bounds[i],
								 false, by_value);

		if (!is_declared)
			dp_gate_mark_derived(bound);
		result->args =
			lappend(result->args,
					makeTargetEntry((Expr *) bound, data + i + 1, NULL, false));
		result->aggargtypes = lappend_oid(result->aggargtypes, bound_type);
	}
	return result;
}

/*
 * A mode compares each row's value with those declared: by functions that pass
 * for every value, and by no locale's rules.
 */
static void
check_categories(Aggref *aggref, const char *name)
{
	Oid type = getBaseType(linitial_oid(aggref->aggargtypes));

	if (!dp_categories_is_total(type, dp_gate_is_total) ||
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

/* The aggregate of that name with so many first arguments of another. */
static Aggref *
with_arguments(Aggref *aggref, DpAggregate aggregate, int count)
{
	const DpAggregateTraits *traits = dp_aggregate_get(aggregate);
	Oid types[] = {traits->counted_as, FLOAT8OID, TEXTOID, INT4OID};
	char *schema = get_namespace_name(get_func_namespace(aggref->aggfnoid));

	aggref->args = list_truncate(aggref->args, count);
	aggref->aggargtypes = list_truncate(aggref->aggargtypes, count);
	while (list_length(aggref->args) < count)
	{
		int argno = list_length(aggref->args);

		aggref->args =
			lappend(aggref->args,
					makeTargetEntry(
						(Expr *) makeNullConst(
							types[argno], -1,
							argno == 2 ? DEFAULT_COLLATION_OID : InvalidOid),
						(AttrNumber) (argno + 1), NULL, false));
		aggref->aggargtypes = lappend_oid(aggref->aggargtypes, types[argno]);
	}
	aggref->aggfnoid = LookupFuncName(
		list_make2(makeString(schema), makeString(pstrdup(traits->name))),
		count, types, false);
	return aggref;
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
 * What is counted: privacy units, once each, or values, of which a unit counts
 * for as many as its rows may, or as the last argument says. Of values it has
 * that argument, perhaps null, and so it is known. Where units are rows,
 * counting them is a count of rows that have one.
 */
static Aggref *
check_distinct(Aggref *aggref, const DpRelations *relations)
{
	Expr *value = first_argument(aggref);
	int count = list_length(aggref->args);

	if (!IsA(value, Var) || !dp_gate_is_unit_or_null(relations, (Var *) value))
	{
		check_values(aggref);
		if (count <= DP_CALL_CAP)
			refuse_nulls(aggref);
		return with_arguments(aggref, DP_AGGREGATE_COUNT_DISTINCT,
							  DP_CALL_CAP + 1);
	}
	if (count > DP_CALL_CAP)
		dp_gate_refuse("a limit on values per privacy unit, where the units "
					   "themselves are counted,",
					   "Leave it out: each counts once.", aggref->location);
	return relations->several
			   ? aggref
			   : with_arguments(aggref, DP_AGGREGATE_COUNT, count);
}

/* Checks one aggregate; returns it in the form that takes bounds. */
Aggref *
dp_gate_check_aggregate(Aggref *aggref, const DpRelations *relations)
{
	const char *name = get_func_name(aggref->aggfnoid);
	const DpAggregateTraits *traits = NULL;
	ListCell *cell;
	int argno = 0;

	if (name != NULL && dp_gate_is_private_aggregate(aggref->aggfnoid))
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

	/* Functions of constants are evaluated here, once for charge and use. */
	aggref =
		(Aggref *) dp_gate_fold((Node *) copyObject(aggref), "an aggregate");
	if (aggref->agglevelsup != 0)
		dp_gate_refuse("an aggregate of an outer query",
					   "Write it in its own query.", aggref->location);
	if (aggref->aggdistinct != NIL || aggref->aggorder != NIL ||
		aggref->aggdirectargs != NIL || aggref->aggvariadic)
		dp_gate_refuse("DISTINCT or ORDER BY inside an aggregate",
					   "Leave it out.", aggref->location);
	foreach (cell, aggref->args)
	{
		Node *node = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (argno++ == 0)
			dp_gate_check_expression(node, relations, "an aggregate");
		else
			dp_gate_check_parameter(node, exprLocation(node));
	}

	if (traits->own == DP_OWN_CATEGORIES)
		check_categories(aggref, traits->name);
	if (traits->aggregate == DP_AGGREGATE_COUNT_DISTINCT)
		aggref = check_distinct(aggref, relations);

	/* count(*) has no arguments, and its parameters are settings. */
	if (aggref->aggfilter != NULL)
		dp_gate_check_expression((Node *) aggref->aggfilter, relations,
								 "FILTER");
	return with_bounds(aggref, relations, traits->aggregate);
}
