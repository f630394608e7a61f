/*
 * fingerprint.c
 *		Questions in canonical form, and their fingerprints.
 *
 * It contains no numbers of objects or columns, since these change when a
 * table is dropped and created again, and after a restore.
 */
#include "postgres.h"

#include <openssl/sha.h>

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
#include "gate/question/fingerprint.h"
#include "gate/question/relations/plain_text.h"
#include "gate/question/relations/publics.h"

/* The session's time zone, while texts are made in another. */
static pg_tz *session_zone = NULL;

/* A value of the execution, in the session's time zone. */
static Node *
execution_constant(Node *node)
{
	ExprState *state = ExecInitExpr((Expr *) node, NULL);
	ExprContext *context = CreateStandaloneExprContext();
	pg_tz *plain_zone = session_timezone;
	bool isnull;
	Datum value;
	int16 length;
	bool by_value;
	Const *result;

	session_timezone = session_zone;
	value = ExecEvalExpr(state, context, &isnull);
	session_timezone = plain_zone;
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
fold_times(Node *node)
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
	return execution_constant(dp_gate_wrap_expression(node));
}

Node *
dp_gate_replace_params(Node *node, ParamListInfo params)
{
	if (node == NULL)
		return NULL;
	if (dp_gate_is_execution_constant(node))
		return execution_constant(node);
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
	{
		Param *param = (Param *) node;
		ParamExternData *value;
		ParamExternData room;
		int16 length;
		bool by_value;

		if (params == NULL || param->paramid > params->numParams)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("no value found for parameter %d", param->paramid),
					 errhint("A question has its fingerprint and its price "
							 "with values only: use EXPLAIN EXECUTE.")));
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
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node,
										   dp_gate_replace_params, params, 0);
	return fold_times(
		expression_tree_mutator(node, dp_gate_replace_params, params));
}

/* The subjects with the values of parameters in them. */
static DpSubjects
subjects_with(const DpSubjects *subjects, ParamListInfo params)
{
	DpSubjects result = *subjects;
	ListCell *cell;

	result.frame =
		(Query *) dp_gate_replace_params((Node *) subjects->frame, params);
	result.publics = NIL;
	foreach (cell, subjects->publics)
	{
		DpPublic *public = copyObject((DpPublic *) lfirst(cell));

		public->params =
			(List *) dp_gate_replace_params((Node *) public->params, params);
		result.publics = lappend(result.publics, public);
	}
	return result;
}

/* True for what can never be null. Conversions give null for null only. */
static bool
is_not_null(const DpSubjects *subjects, Node *node)
{
	if (IsA(node, RelabelType))
		return is_not_null(subjects, (Node *) ((RelabelType *) node)->arg);
	if (IsA(node, FuncExpr) && list_length(((FuncExpr *) node)->args) == 1 &&
		!dp_gate_can_be_null(node))
		return is_not_null(subjects, linitial(((FuncExpr *) node)->args));
	if (IsA(node, Const))
		return !((Const *) node)->constisnull;
	return IsA(node, Var) && dp_gate_is_never_null(subjects, (Var *) node);
}

/* A group key in canonical form. */
typedef struct KeyText
{
	char *text;
	int place; /* as written, from 0 */
} KeyText;

static int
compare_keys(const ListCell *a, const ListCell *b)
{
	return strcmp(((KeyText *) lfirst(a))->text, ((KeyText *) lfirst(b))->text);
}

/* Keys in canonical form and order. */
static List *
canonical_keys(const DpSubjects *subjects, List *keys, ParamListInfo params)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, keys)
	{
		KeyText *key = palloc(sizeof(KeyText));
		Node *node = dp_gate_replace_params(lfirst(cell), params);

		node = eval_const_expressions(NULL, node);
		dp_gate_probe_calls(node);
		key->text = dp_gate_canonical(subjects, node);
		key->place = list_length(texts);
		texts = lappend(texts, key);
	}
	list_sort(texts, compare_keys);
	return texts;
}

int *
dp_gate_key_order(const DpSubjects *subjects, List *keys, ParamListInfo params)
{
	int *order = palloc(Max(list_length(keys), 1) * sizeof(int));
	int count = 0;
	ListCell *cell;

	session_zone = session_timezone;
	foreach (cell, canonical_keys(subjects, keys, params))
		order[count++] = ((KeyText *) lfirst(cell))->place;
	return order;
}

/* Both ask for the quantile at 0.5, by whatever mechanism. */
static bool
is_median(DpAggregate aggregate)
{
	return aggregate == DP_AGGREGATE_MEDIAN ||
		   aggregate == DP_AGGREGATE_MEDIAN_EXP;
}

/* The values that a mode may be, whatever order they are declared in. */
static char *
categories_text(Aggref *aggref, ParamListInfo params)
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
		array =
			eval_const_expressions(NULL, dp_gate_replace_params(array, params));
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
arguments_asked(DpAggregate aggregate, const Aggref *aggref)
{
	if (aggref->args == NIL)
		return 0;
	return dp_call_data_arguments(aggregate) +
		   dp_call_bounding_arguments(aggregate,
									  linitial_oid(aggref->aggargtypes));
}

/* Adds a condition, behind a word. */
static void
add_condition(StringInfo text, const char *word, const DpSubjects *subjects,
			  Node *condition, ParamListInfo params)
{
	condition =
		eval_const_expressions(NULL, dp_gate_replace_params(condition, params));
	dp_gate_probe_calls(condition);
	appendStringInfo(text, " %s %s", word,
					 dp_gate_canonical(subjects, condition));
}

void
dp_gate_fingerprint(const DpSubjects *subjects, Node *quals, List *keys,
					bool are_private, Aggref *aggref, ParamListInfo params,
					unsigned char fingerprint[32])
{
	const char *name = get_func_name(aggref->aggfnoid);
	DpSubjects with_values;
	StringInfoData text;
	List *conditions = NIL;
	char *rows;
	DpAggregate aggregate;
	ListCell *cell;
	int place = 0;
	int nest;

	session_zone = session_timezone;
	with_values = subjects_with(subjects, params);
	subjects = &with_values;
	nest = dp_gate_begin_plain_texts();
	if (name == NULL || !dp_call_aggregate_of(name, &aggregate))
		elog(ERROR, "not a private aggregate: %u", aggref->aggfnoid);
	if (quals != NULL)
		conditions = lappend(conditions, quals);
	if (aggref->aggfilter != NULL && !are_private)
		conditions = lappend(conditions, aggref->aggfilter);

	/* The ledger keeps the questions about each relation for themselves. */
	initStringInfo(&text);
	appendStringInfoString(&text, is_median(aggregate)
									  ? dp_call_name(DP_AGGREGATE_QUANTILE)
									  : name);
	foreach (cell, aggref->args)
	{
		Node *node = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (place >= arguments_asked(aggregate, aggref))
			break;
		node = dp_gate_replace_params(node, params);
		node = eval_const_expressions(NULL, node);
		dp_gate_probe_calls(node);
		if (aggregate == DP_AGGREGATE_COUNT && is_not_null(subjects, node))
			break; /* counts rows */
		appendStringInfo(&text, " %s", dp_gate_canonical(subjects, node));
		if (place == 0 && is_median(aggregate))
			appendStringInfoString(&text, " k3:0.5");
		place++;
	}
	if (aggregate == DP_AGGREGATE_MODE)
		appendStringInfo(&text, " %s", categories_text(aggref, params));
	if (conditions != NIL)
		add_condition(&text, "where", subjects,
					  (Node *) make_ands_explicit(conditions), params);
	if (aggref->aggfilter != NULL && are_private)
		add_condition(&text, "filter", subjects, (Node *) aggref->aggfilter,
					  params);
	rows = dp_gate_canonical_rows(subjects);
	if (rows != NULL)
		appendStringInfo(&text, " of %s", rows);
	foreach (cell, canonical_keys(subjects, keys, params))
		appendStringInfo(&text, " by %s", ((KeyText *) lfirst(cell))->text);
	if (dp_gate_depends_on_zone((Node *) aggref) ||
		dp_gate_depends_on_zone(quals) ||
		dp_gate_depends_on_zone((Node *) keys) ||
		dp_gate_depends_on_zone((Node *) subjects->frame))
		appendStringInfo(
			&text, " in %s",
			dp_gate_delimited('z', pg_get_timezone_name(session_zone)));
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
