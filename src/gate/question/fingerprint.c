/*
 * fingerprint.c
 *		Questions in canonical form, and their fingerprints.
 *
 * It contains no numbers of columns and of most objects, since these change
 * after a restore. Relations that are asked about have their numbers as members
 * of a population, which no other relation gets: a table that is dropped and
 * created again may have other rows.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "pgtime.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "aggregates/call.h"
#include "aggregates/categories.h"
#include "gate/question/expressions/calls.h"
#include "gate/question/expressions/canonical.h"
#include "gate/question/expressions/canonical_texts.h"
#include "gate/question/expressions/folding.h"
#include "gate/question/expressions/nullability.h"
#include "gate/question/fingerprint.h"
#include "gate/question/relations/private_aggregates.h"
#include "gate/question/relations/publics.h"
#include "server/settings.h"

/*
 * The parameters and time zone of an execution: texts are made in another time
 * zone.
 */
typedef struct Execution
{
	ParamListInfo params;
	pg_tz *zone; /* the session's */
} Execution;

/* A value of the execution, in the session's time zone. */
static Node *
execution_constant(Node *node, const Execution *execution)
{
	ExprState *state = ExecInitExpr((Expr *) node, NULL);
	ExprContext *context = CreateStandaloneExprContext();
	pg_tz *plain_zone = session_timezone;
	bool isnull;
	Datum value;
	int16 length;
	bool by_value;
	Const *result;

	PG_TRY();
	{
		session_timezone = execution->zone;
		value = ExecEvalExpr(state, context, &isnull);
	}
	PG_FINALLY();
	{
		session_timezone = plain_zone;
	}
	PG_END_TRY();
	get_typlenbyval(exprType(node), &length, &by_value);
	result = makeConst(exprType(node), exprTypmod(node), InvalidOid, length,
					   datumCopy(value, by_value, length), isnull, by_value);
	FreeExprContext(context, true);
	return (Node *) result;
}

/* Sums, rounding and casts of times, which no setting but the zone changes. */
static bool
is_of_times(Oid function)
{
	switch (function)
	{
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
		case F_DATE_TRUNC_TEXT_TIMESTAMP:
		case F_TIMESTAMPTZ_PL_INTERVAL:
		case F_TIMESTAMPTZ_MI_INTERVAL:
		case F_TIMESTAMP_PL_INTERVAL:
		case F_TIMESTAMP_MI_INTERVAL:
		case F_DATE_PL_INTERVAL:
		case F_DATE_MI_INTERVAL:
		case F_TIMESTAMPTZ_DATE:
		case F_TIMESTAMPTZ_TIMESTAMP:
		case F_TIMESTAMP_DATE:
		case F_TIMESTAMP_TIMESTAMPTZ:
		case F_DATE_TIMESTAMPTZ:
		case F_DATE_TIMESTAMP:
		case F_TIMEZONE_TEXT_TIMESTAMPTZ:
		case F_TIMEZONE_TEXT_TIMESTAMP:
			return true;
		default:
			return false;
	}
}

/*
 * Of constants these are constants, so that the first day of this month is the
 * same one all month long.
 */
static Node *
fold_times(Node *node, const Execution *execution)
{
	List *args = NIL;
	Oid function = InvalidOid;
	ListCell *cell;

	if (IsA(node, OpExpr))
	{
		args = ((OpExpr *) node)->args;
		function = ((OpExpr *) node)->opfuncid;
	}
	else if (IsA(node, FuncExpr))
	{
		args = ((FuncExpr *) node)->args;
		function = ((FuncExpr *) node)->funcid;
	}
	if (!is_of_times(function))
		return node;
	foreach (cell, args)
	{
		if (!IsA(lfirst(cell), Const))
			return node;
	}
	return execution_constant(dp_gate_wrap_expression(node), execution);
}

/* The value of a parameter. */
static Node *
value_of(Param *param, ParamListInfo params)
{
	ParamExternData *value;
	ParamExternData room;
	int16 length;
	bool by_value;

	if (params == NULL || param->paramid > params->numParams)
		ereport(
			ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("no value found for parameter %d", param->paramid),
			 errhint("The price of a question can depend on its parameters: "
					 "use EXPLAIN EXECUTE with their values.")));
	value = params->paramFetch != NULL
				? params->paramFetch(params, param->paramid, false, &room)
				: &params->params[param->paramid - 1];
	if (value->ptype != param->paramtype)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("parameter %d is of type %s, but the statement was "
						"planned for type %s",
						param->paramid, format_type_be(value->ptype),
						format_type_be(param->paramtype)),
				 errhint("Cast it to one type in the statement.")));
	get_typlenbyval(param->paramtype, &length, &by_value);
	return (Node *) makeConst(param->paramtype, param->paramtypmod,
							  param->paramcollid, length, value->value,
							  value->isnull, by_value);
}

static Node *
replace(Node *node, Execution *execution)
{
	if (node == NULL)
		return NULL;
	if (dp_gate_is_execution_constant(node))
		return execution_constant(node, execution);
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		return value_of((Param *) node, execution->params);
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, replace, execution,
										   0);
	return fold_times(expression_tree_mutator(node, replace, execution),
					  execution);
}

Node *
dp_gate_replace_params(Node *node, ParamListInfo params)
{
	Execution execution = {params, session_timezone};

	return replace(node, &execution);
}

/* The relations with the values of parameters in them. */
static DpRelations
relations_with(const DpRelations *relations, Execution *execution)
{
	DpRelations result = *relations;
	ListCell *cell;

	result.frame = (Query *) replace((Node *) relations->frame, execution);
	result.publics = NIL;
	foreach (cell, relations->publics)
	{
		DpPublic *public = copyObject((DpPublic *) lfirst(cell));

		public->params = (List *) replace((Node *) public->params, execution);
		result.publics = lappend(result.publics, public);
	}
	return result;
}

/* True for a constant or a column, whatever it is converted to. */
static bool
is_converted(Node *node)
{
	if (IsA(node, RelabelType))
		return is_converted((Node *) ((RelabelType *) node)->arg);
	if (IsA(node, FuncExpr) && list_length(((FuncExpr *) node)->args) == 1)
		return is_converted(linitial(((FuncExpr *) node)->args));
	return IsA(node, Const) || IsA(node, Var);
}

/*
 * What values are computed as and answers are read as. A conversion that
 * changes no value changes what is done with it: integers lie on a grid of
 * their own, are clamped to bounds that are rounded, and numbers of several
 * types are written in different ways. The types of users have new oids after
 * a restore.
 */
static Oid
known_type(Oid type)
{
	type = getBaseType(type);
	return type < FirstNormalObjectId ? type : InvalidOid;
}

/* The same where all integers are treated alike, and all texts. */
static Oid
known_kind(Oid type)
{
	type = known_type(type);
	switch (type)
	{
		case INT2OID:
		case INT4OID:
			return INT8OID;
		case VARCHAROID:
			return TEXTOID;
		default:
			return type;
	}
}

/*
 * The types that a stored answer to an aggregate depends on, and the law of its
 * noise (aggregates/law.h). Values that are only counted may have any. The grid
 * of computed answers is the same for all integers, and other answers are of
 * the type of the values, or arrays of them.
 */
static char *
types_text(const DpAggregateTraits *traits, const Aggref *aggref)
{
	if (OidIsValid(traits->counted_as))
		return "";
	return psprintf(":%u:%u", known_kind(linitial_oid(aggref->aggargtypes)),
					known_type(aggref->aggtype));
}

/* A group key in canonical form, and what the keys of an answer are read as. */
typedef struct KeyText
{
	char *text;
	int index; /* as written, from 0 */
} KeyText;

static int
compare_keys(const ListCell *a, const ListCell *b)
{
	return strcmp(((KeyText *) lfirst(a))->text, ((KeyText *) lfirst(b))->text);
}

/* Keys in canonical form and order. */
static List *
canonical_keys(const DpRelations *relations, List *keys, Execution *execution)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, keys)
	{
		KeyText *key = palloc(sizeof(KeyText));
		Node *node = replace(lfirst(cell), execution);

		node = dp_gate_evaluate(node);
		dp_gate_probe_calls(node);
		key->text = psprintf("%s:%u", dp_gate_canonical(relations, node),
							 known_kind(exprType(node)));
		key->index = list_length(texts);
		texts = lappend(texts, key);
	}
	list_sort(texts, compare_keys);
	return texts;
}

int *
dp_gate_key_order(const DpRelations *relations, List *keys,
				  ParamListInfo params)
{
	int *order = palloc(Max(list_length(keys), 1) * sizeof(int));
	Execution execution = {params, session_timezone};
	int nest = dp_setting_plain_texts();
	int count = 0;
	ListCell *cell;

	foreach (cell, canonical_keys(relations, keys, &execution))
		order[count++] = ((KeyText *) lfirst(cell))->index;
	AtEOXact_GUC(true, nest);
	return order;
}

/* The values that a mode may be, whatever order they are declared in. */
static char *
categories_text(Aggref *aggref, Execution *execution)
{
	Oid type = getBaseType(linitial_oid(aggref->aggargtypes));
	Node *array = list_length(aggref->args) < 2
					  ? NULL
					  : (Node *) lsecond_node(TargetEntry, aggref->args)->expr;
	DpCategories *categories;
	List *texts = NIL;
	uint32 i;

	if (array == NULL || !OidIsValid(get_base_element_type(exprType(array))))
		categories = dp_categories_of_type(type);
	else
	{
		array = dp_gate_evaluate(replace(array, execution));
		if (!IsA(array, Const) || ((Const *) array)->constisnull)
			elog(ERROR, "the values of a mode are not constant");
		categories = dp_categories_of_array(type, aggref->inputcollid,
											((Const *) array)->constvalue);
	}
	for (i = 0; i < categories->count; i++)
		texts = lappend(texts, dp_gate_value_text(type, categories->values[i],
												  false, true));
	return dp_gate_join_sorted("domain", texts);
}

/* How many arguments are the question's: not epsilon and mechanism. */
static int
arguments_asked(const DpAggregateTraits *traits, const Aggref *aggref)
{
	if (aggref->args == NIL)
		return 0;
	return dp_aggregate_data_arguments(traits) +
		   dp_aggregate_bounding_arguments(traits,
										   linitial_oid(aggref->aggargtypes));
}

/* Adds which relations and views are asked about, by their members' numbers. */
static void
add_members(StringInfo text, const DpRelations *relations)
{
	List *members =
		list_concat_copy(relations->view_members, relations->members);
	ListCell *cell;

	list_sort(members, list_int_cmp);
	appendStringInfoString(text, " about");
	foreach (cell, members)
		appendStringInfo(text, " %d", lfirst_int(cell));
}

/* Adds a condition after a word. */
static void
add_condition(StringInfo text, const char *word, const DpRelations *relations,
			  Node *condition, Execution *execution)
{
	condition = dp_gate_evaluate(replace(condition, execution));
	dp_gate_probe_calls(condition);
	appendStringInfo(text, " %s %s", word,
					 dp_gate_canonical(relations, condition));
}

void
dp_gate_fingerprint(const DpRelations *relations, Node *quals, List *keys,
					bool are_private, Aggref *aggref, ParamListInfo params,
					unsigned char fingerprint[32])
{
	const DpAggregateTraits *traits = dp_gate_traits_of(aggref);
	Execution execution = {params, session_timezone};
	DpRelations with_values;
	StringInfoData text;
	List *conditions = NIL;
	char *rows;
	ListCell *cell;
	int index = 0;
	int nest;

	with_values = relations_with(relations, &execution);
	relations = &with_values;
	nest = dp_setting_plain_texts();
	if (quals != NULL)
		conditions = lappend(conditions, quals);
	if (aggref->aggfilter != NULL && !are_private)
		conditions = lappend(conditions, aggref->aggfilter);
	initStringInfo(&text);
	appendStringInfoString(&text, traits->is_median
									  ? dp_aggregate_name(DP_AGGREGATE_QUANTILE)
									  : traits->name);
	appendStringInfoString(&text, types_text(traits, aggref));
	foreach (cell, aggref->args)
	{
		Node *node = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (index >= arguments_asked(traits, aggref))
			break;
		node = replace(node, &execution);
		node = dp_gate_evaluate(node);
		dp_gate_probe_calls(node);
		if (traits->aggregate == DP_AGGREGATE_COUNT && is_converted(node) &&
			dp_gate_is_never_null(relations, node))
			break; /* counts rows */
		appendStringInfo(&text, " %s", dp_gate_canonical(relations, node));
		if (index == 0 && traits->is_median)
			appendStringInfoString(&text, " k3:0.5");
		index++;
	}
	if (traits->own == DP_OWN_CATEGORIES)
		appendStringInfo(&text, " %s", categories_text(aggref, &execution));
	if (conditions != NIL)
		add_condition(&text, "where", relations,
					  (Node *) make_ands_explicit(conditions), &execution);
	if (aggref->aggfilter != NULL && are_private)
		add_condition(&text, "filter", relations, (Node *) aggref->aggfilter,
					  &execution);
	add_members(&text, relations);
	rows = dp_gate_canonical_rows(relations);
	if (rows != NULL)
		appendStringInfo(&text, " of %s", rows);
	foreach (cell, canonical_keys(relations, keys, &execution))
		appendStringInfo(&text, " by %s", ((KeyText *) lfirst(cell))->text);
	if (dp_gate_depends_on_zone((Node *) aggref) ||
		dp_gate_depends_on_zone(quals) ||
		dp_gate_depends_on_zone((Node *) keys) ||
		dp_gate_depends_on_zone((Node *) relations->frame))
		appendStringInfo(
			&text, " in %s",
			dp_gate_delimited('z', pg_get_timezone_name(execution.zone)));
	AtEOXact_GUC(true, nest);
	SHA256((unsigned char *) text.data, text.len, fingerprint);
}

static int
compare_fingerprints(const void *a, const void *b)
{
	return memcmp(a, b, DP_FINGERPRINT_SIZE);
}

void
dp_gate_fingerprint_selection(const unsigned char *questions, int count,
							  unsigned char fingerprint[32])
{
	Size size = (Size) count * DP_FINGERPRINT_SIZE;
	unsigned char *bytes = palloc(size + DP_FINGERPRINT_SIZE);

	memset(bytes, 0, DP_FINGERPRINT_SIZE); /* no question's */
	memcpy(bytes + DP_FINGERPRINT_SIZE, questions, size);
	qsort(bytes + DP_FINGERPRINT_SIZE, count, DP_FINGERPRINT_SIZE,
		  compare_fingerprints);
	SHA256(bytes, size + DP_FINGERPRINT_SIZE, fingerprint);
}
