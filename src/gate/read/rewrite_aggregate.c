/*
 * rewrite_aggregate.c
 *		The server's aggregates as private ones.
 *
 * One table says which, and how arguments are passed on. The aggregate that
 * was written is remembered in aggtranstype: the planner sets that field only
 * in what it plans, and two calls are never distinguished by it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "gate/read/counts_rows.h"
#include "gate/read/rewrite_aggregate.h"
#include "gate/read/source_column.h"
#include "gate/relations/declared.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/refusal.h"
#include "ledger/declared_values.h"
#include "server/compat.h"
#include "server/settings.h"

/* Marks the hidden count of a query for keys alone: no function's oid. */
#define KEYS_ALONE ((Oid) 1)

typedef struct Rule Rule;

/* An aggregate of the server's, of all types that it has. */
struct Rule
{
	const char *name;
	DpAggregate private; /* its private form, if it has one */
	Node *(*rewrite)(const Rule *rule, const Aggref *aggref, Query *query);
	const char *hint; /* what to write instead, where there is none */
};

pg_noreturn static void
refuse(const Aggref *aggref, const char *what, const char *hint)
{
	dp_refusal_raise(psprintf("%s%s", get_func_name(aggref->aggfnoid), what),
					 hint, aggref->location);
}

/* The private aggregate of these types of arguments, if there is one. */
static Oid
find_private(DpAggregate aggregate, const Oid *types, int count)
{
	CatCList *functions = SearchSysCacheList1(
		PROCNAMEARGSNSP, CStringGetDatum(dp_aggregate_name(aggregate)));
	Oid found = InvalidOid;
	int i;

	for (i = 0; i < functions->n_members; i++)
	{
		Form_pg_proc form =
			(Form_pg_proc) GETSTRUCT(&functions->members[i]->tuple);

		if (form->pronargs == count &&
			(count == 0 || memcmp(form->proargtypes.values, types,
								  count * sizeof(Oid)) == 0) &&
			dp_private_aggregates_is_one(form->oid))
			found = form->oid;
	}
	ReleaseSysCacheList(functions);
	return found;
}

/*
 * A call of a private aggregate for one of the server's. arguments: of Expr.
 * result: its type.
 */
static Aggref *
make_call(Oid function, Oid result, List *arguments, const Aggref *written)
{
	Aggref *call = makeNode(Aggref);

	call->aggfnoid = function;
	call->aggtype = result;
	call->aggtranstype = written->aggfnoid;
	call->aggkind = AGGKIND_NORMAL;
	call->aggsplit = AGGSPLIT_SIMPLE;
	call->aggno = call->aggtransno = -1;
	call->aggstar = arguments == NIL;
	call->aggfilter = copyObject(written->aggfilter);
	call->location = written->location;
	foreach_ptr (Expr, argument, arguments)
	{
		call->aggargtypes =
			lappend_oid(call->aggargtypes, exprType((Node *) argument));
		call->args = lappend(
			call->args, makeTargetEntry(argument, list_length(call->args) + 1,
										NULL, false));
	}
	return call;
}

/* The value that an aggregate is computed from. */
static Expr *
value_of(const Aggref *aggref)
{
	return copyObject(linitial_node(TargetEntry, aggref->args)->expr);
}

/* The type of a value, as the functions of the extension know it. */
static Oid
type_of(const Expr *value)
{
	return getBaseType(exprType((const Node *) value));
}

static void
refuse_order(const Aggref *aggref)
{
	if (aggref->aggorder != NIL)
		refuse(aggref, " with ORDER BY", "Leave ORDER BY out.");
}

pg_noreturn static void
refuse_type(const Aggref *aggref, Oid type)
{
	dp_refusal_raise(psprintf("%s of type %s", get_func_name(aggref->aggfnoid),
							  format_type_be(type)),
					 "It can be asked of numbers, dates and times; count rows "
					 "with count(*), and the rows of "
					 "each value with GROUP BY.",
					 aggref->location);
}

/* count(*), count(x), count(DISTINCT x) */
static Node *
rewrite_count(const Rule *rule, const Aggref *aggref, Query *query)
{
	bool is_distinct = aggref->aggdistinct != NIL;
	Oid any = is_distinct ? ANYELEMENTOID : ANYOID;

	if (dp_counts_rows(aggref, query))
		return (Node *) make_call(find_private(rule->private, NULL, 0), INT8OID,
								  NIL, aggref);
	return (Node *) make_call(
		find_private(is_distinct ? DP_AGGREGATE_COUNT_DISTINCT : rule->private,
					 &any, 1),
		INT8OID, list_make1(value_of(aggref)), aggref);
}

/* The private form of an aggregate of one value with DISTINCT. */
static DpAggregate
distinct_form(const Rule *rule, const Aggref *aggref)
{
	if (dp_aggregate_get(rule->private)->ignores_duplicates)
		return rule->private;
	switch (rule->private)
	{
		case DP_AGGREGATE_SUM:
			return DP_AGGREGATE_SUM_DISTINCT;
		case DP_AGGREGATE_MEAN:
			return DP_AGGREGATE_MEAN_DISTINCT;
		default:
			refuse(aggref, " with DISTINCT",
				   "Leave DISTINCT out. Write SELECT DISTINCT with the privacy "
				   "unit in a sub-query for each unit's different values, or "
				   "aggregate the values of a sub-query that releases them by "
				   "GROUP BY.");
	}
}

/*
 * Rewrites an aggregate of one value; refuses types for which the private
 * one's result has another type.
 */
static Node *
rewrite_value(const Rule *rule, const Aggref *aggref, Query *query)
{
	Expr *value = value_of(aggref);
	Oid type = type_of(value);
	Oid function =
		find_private(aggref->aggdistinct == NIL ? rule->private
												: distinct_form(rule, aggref),
					 &type, 1);

	(void) query;
	refuse_order(aggref);
	if (!OidIsValid(function) || get_func_rettype(function) != aggref->aggtype)
		refuse_type(aggref, exprType((Node *) value));
	return (Node *) make_call(function, aggref->aggtype, list_make1(value),
							  aggref);
}

/* Whether an aggregate WITHIN GROUP orders its values downwards. */
static bool
is_descending(const Aggref *aggref)
{
	const SortGroupClause *order =
		linitial_node(SortGroupClause, aggref->aggorder);
	TypeCacheEntry *type =
		lookup_type_cache(exprType((Node *) value_of(aggref)),
						  TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);

	if (order->sortop != type->lt_opr && order->sortop != type->gt_opr)
		refuse(aggref, " in an order of your own", "Write ORDER BY x.");
	return order->sortop == type->gt_opr;
}

/* One minus a fraction. */
static Expr *
remainder_of(const Aggref *aggref, Expr *fraction)
{
	if (exprType((Node *) fraction) != FLOAT8OID)
		refuse(aggref, " of several fractions in descending order",
			   "Order upwards, and write one minus each of the fractions.");
	return (Expr *) makeFuncExpr(
		F_FLOAT8MI, FLOAT8OID,
		list_make2(makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
							 Float8GetDatum(1), false, FLOAT8PASSBYVAL),
				   fraction),
		InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/*
 * The argument of percentile_cont without its cast to double precision, since
 * the owner declared bounds for the column itself.
 */
static Expr *
uncast(Expr *value)
{
	const FuncExpr *cast = (const FuncExpr *) value;

	if (IsA(value, FuncExpr) && cast->funcformat == COERCE_IMPLICIT_CAST &&
		cast->funcid < FirstGenbkiObjectId && list_length(cast->args) == 1)
		return linitial(cast->args);
	return value;
}

/* percentile_cont, percentile_disc */
static Node *
rewrite_percentile(const Rule *rule, const Aggref *aggref, Query *query)
{
	Expr *fraction = copyObject(linitial(aggref->aggdirectargs));
	Expr *value = uncast(value_of(aggref));
	bool are_several = exprType((Node *) fraction) != FLOAT8OID;
	Oid types[2] = {type_of(value), exprType((Node *) fraction)};
	Oid function = find_private(
		are_several ? DP_AGGREGATE_QUANTILES : rule->private, types, 2);
	Oid result;
	Node *call;

	(void) query;
	if (!OidIsValid(function))
		refuse_type(aggref, exprType((Node *) value_of(aggref)));
	if (is_descending(aggref))
		fraction = remainder_of(aggref, fraction);
	result = get_func_rettype(function);
	call = (Node *) make_call(function, result, list_make2(value, fraction),
							  aggref);
	if (result == aggref->aggtype)
		return call;

	/*
	 * Casts the released value, which is within bounds that are double
	 * precision.
	 */
	call = coerce_to_target_type(NULL, call, result, aggref->aggtype, -1,
								 COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
	if (call == NULL)
		refuse_type(aggref, exprType((Node *) value_of(aggref)));
	return call;
}

/* The values that the owner declared for a column, as an array; else NULL. */
static Expr *
declared_values(Query *query, Expr *value)
{
	Oid type = type_of(value);
	Oid relation;
	AttrNumber column;
	Oid input;
	Oid parameter;
	int16 length;
	bool by_value;
	char align;
	List *texts;
	Datum *values;
	int count = 0;
	ListCell *cell;
	int nest;

	if (!dp_source_column(query, (Node *) value, &relation, &column) ||
		!dp_declared_values(relation, column, &texts) ||
		!dp_values_can_be_declared(type) || !OidIsValid(get_array_type(type)) ||
		getBaseType(get_atttype(relation, column)) != type)
		return NULL;
	getTypeInputInfo(type, &input, &parameter);
	get_typlenbyvalalign(type, &length, &by_value, &align);
	values = palloc(list_length(texts) * sizeof(Datum));
	nest = dp_setting_plain_texts();
	foreach (cell, texts)
		values[count++] =
			OidInputFunctionCall(input, lfirst(cell), parameter, -1);
	AtEOXact_GUC(true, nest);
	return (Expr *) makeConst(
		get_array_type(type), -1, exprCollation((Node *) value), -1,
		PointerGetDatum(
			construct_array(values, count, type, length, by_value, align)),
		false, false);
}

/* mode() */
static Node *
rewrite_mode(const Rule *rule, const Aggref *aggref, Query *query)
{
	Expr *value = value_of(aggref);
	Oid type = type_of(value);
	List *arguments = list_make1(value);
	Oid types[2] = {type == BOOLOID ? BOOLOID : ANYENUMOID};
	Aggref *call;

	(void) is_descending(
		aggref); /* only checks: the order does not matter for modes */
	if (type != BOOLOID && !type_is_enum(type))
	{
		Expr *values = declared_values(query, value);

		if (values == NULL)
			refuse(aggref, " of values that are not declared",
				   "GROUP BY it, and ORDER BY count(*) DESC LIMIT 1; or ask "
				   "the owner for dp_noise.set_values().");
		arguments = lappend(arguments, values);
		types[0] = ANYCOMPATIBLEOID;
		types[1] = ANYCOMPATIBLEARRAYOID;
	}
	call = make_call(find_private(rule->private, types, list_length(arguments)),
					 aggref->aggtype, arguments, aggref);
	call->inputcollid = exprCollation((Node *) value);
	call->aggcollid = aggref->aggcollid;
	return (Node *) call;
}

/*
 * corr, regr_slope and the like: a column of dp_regression's answer that has the
 * name of the aggregate, so all of them are one question.
 */
static Node *
rewrite_pair(const Rule *rule, const Aggref *aggref, Query *query)
{
	const Oid types[2] = {FLOAT8OID, FLOAT8OID};
	Oid function = find_private(rule->private, types, 2);
	Oid result = get_func_rettype(function);
	FieldSelect *field = makeNode(FieldSelect);
	List *arguments = NIL;

	(void) query;
	refuse_order(aggref);
	if (aggref->aggdistinct != NIL)
		refuse(aggref, " with DISTINCT", "Leave DISTINCT out.");
	foreach_ptr (TargetEntry, entry, aggref->args)
		arguments = lappend(arguments, copyObject(entry->expr));
	field->arg = (Expr *) make_call(function, result, arguments, aggref);
	field->fieldnum = get_attnum(get_typ_typrelid(result), rule->name);
	field->resulttype = aggref->aggtype;
	field->resulttypmod = -1;
	return (Node *) field;
}

static const char *const all_hint =
	"Write count(*) FILTER (WHERE NOT ...), and compare it with 0: its noise "
	"says how sure that is.";
static const char *const any_hint =
	"Write count(*) FILTER (WHERE ...), and compare it with 0: its noise says "
	"how sure that is.";
static const char *const list_hint =
	"No row's value is shown by itself: GROUP BY it with count(*), which shows "
	"the values that enough have.";

static const Rule rules[] = {
	{"count", DP_AGGREGATE_COUNT, rewrite_count, NULL},
	{"sum", DP_AGGREGATE_SUM, rewrite_value, NULL},
	{"avg", DP_AGGREGATE_MEAN, rewrite_value, NULL},
	{"min", DP_AGGREGATE_MIN, rewrite_value, NULL},
	{"max", DP_AGGREGATE_MAX, rewrite_value, NULL},
	{"variance", DP_AGGREGATE_VARIANCE, rewrite_value, NULL},
	{"var_samp", DP_AGGREGATE_VARIANCE, rewrite_value, NULL},
	{"stddev", DP_AGGREGATE_STDDEV, rewrite_value, NULL},
	{"stddev_samp", DP_AGGREGATE_STDDEV, rewrite_value, NULL},
	{"var_pop", DP_AGGREGATE_VAR_POP, rewrite_value, NULL},
	{"stddev_pop", DP_AGGREGATE_STDDEV_POP, rewrite_value, NULL},
	{"percentile_cont", DP_AGGREGATE_QUANTILE, rewrite_percentile, NULL},
	{"percentile_disc", DP_AGGREGATE_QUANTILE, rewrite_percentile, NULL},
	{"mode", DP_AGGREGATE_MODE, rewrite_mode, NULL},
	{"corr", DP_AGGREGATE_REGRESSION, rewrite_pair, NULL},
	{"covar_pop", DP_AGGREGATE_REGRESSION, rewrite_pair, NULL},
	{"covar_samp", DP_AGGREGATE_REGRESSION, rewrite_pair, NULL},
	{"regr_avgx", DP_AGGREGATE_REGRESSION, rewrite_pair, NULL},
	{"regr_avgy", DP_AGGREGATE_REGRESSION, rewrite_pair, NULL},
	{"regr_count", DP_AGGREGATE_REGRESSION, rewrite_pair, NULL},
	{"regr_intercept", DP_AGGREGATE_REGRESSION, rewrite_pair, NULL},
	{"regr_r2", DP_AGGREGATE_REGRESSION, rewrite_pair, NULL},
	{"regr_slope", DP_AGGREGATE_REGRESSION, rewrite_pair, NULL},
	{"regr_sxx", DP_AGGREGATE_REGRESSION, rewrite_pair, NULL},
	{"regr_sxy", DP_AGGREGATE_REGRESSION, rewrite_pair, NULL},
	{"regr_syy", DP_AGGREGATE_REGRESSION, rewrite_pair, NULL},

	{"bool_and", DP_AGGREGATE_NONE, NULL, all_hint},
	{"bool_or", DP_AGGREGATE_NONE, NULL, any_hint},
	{"every", DP_AGGREGATE_NONE, NULL, all_hint},
	{"array_agg", DP_AGGREGATE_NONE, NULL, list_hint},
	{"string_agg", DP_AGGREGATE_NONE, NULL, list_hint},
	{"json_agg", DP_AGGREGATE_NONE, NULL, list_hint},
	{"jsonb_agg", DP_AGGREGATE_NONE, NULL, list_hint},
	{"json_object_agg", DP_AGGREGATE_NONE, NULL, list_hint},
	{"jsonb_object_agg", DP_AGGREGATE_NONE, NULL, list_hint},
	{"xmlagg", DP_AGGREGATE_NONE, NULL, list_hint},
	{"range_agg", DP_AGGREGATE_NONE, NULL, list_hint},
};

static const char *const other_hint =
	"count, sum, avg, min, max, variance, stddev, corr, covar_pop, covar_samp, "
	"those that begin with regr_, percentile_cont, percentile_disc and mode "
	"can be used, with FILTER, GROUP BY and HAVING.";

static const Rule *
rule_of(const Aggref *aggref)
{
	const char *name = get_func_name(aggref->aggfnoid);
	size_t i;

	if (aggref->aggfnoid >= FirstGenbkiObjectId || name == NULL)
		return NULL;
	for (i = 0; i < lengthof(rules); i++)
	{
		if (strcmp(rules[i].name, name) == 0)
			return &rules[i];
	}
	return NULL;
}

Node *
dp_rewrite_aggregate(const Aggref *aggref, Query *query)
{
	const Rule *rule = rule_of(aggref);

	if (rule == NULL || rule->private == DP_AGGREGATE_NONE)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("aggregate %s cannot be used over a protected relation",
						get_func_name(aggref->aggfnoid)),
				 errhint("%s", rule == NULL ? other_hint : rule->hint),
				 dp_refusal_position(aggref->location)));
	return rule->rewrite(rule, aggref, query);
}

Aggref *
dp_rewrite_aggregate_make_of_keys(void)
{
	Aggref written = {.aggfnoid = KEYS_ALONE, .location = -1};

	return make_call(find_private(DP_AGGREGATE_COUNT, NULL, 0), INT8OID, NIL,
					 &written);
}

bool
dp_rewrite_aggregate_is_of_keys(const Aggref *aggref)
{
	return aggref->aggtranstype == KEYS_ALONE;
}

const char *
dp_rewrite_aggregate_written_as(const Aggref *aggref)
{
	if (!OidIsValid(aggref->aggtranstype))
		return NULL;
	return dp_rewrite_aggregate_is_of_keys(aggref)
			   ? "its keys alone"
			   : get_func_name(aggref->aggtranstype);
}

const char *
dp_rewrite_aggregate_name(const Aggref *aggref)
{
	const char *written = dp_rewrite_aggregate_written_as(aggref);

	return written != NULL ? written : get_func_name(aggref->aggfnoid);
}
