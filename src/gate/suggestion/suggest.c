/*
 * suggest.c
 *		dp_noise.suggest(): caps and bounds, found privately.
 *
 * A suggestion is a question like any other, whose release is a sparse vector
 * (sparse_vector.h), and whose answer the owner publishes as a setting. It is
 * priced, then charged as a release is, durably, to the table's population, for
 * the session's user: for the population's owner or a superuser its grant alone
 * pays, for the table's other owner that role's budget, too. Each time it is a
 * question of its own, so that none is stored or replayed. The two bounds of a
 * column are one suggestion with two walks, at half of epsilon each. All
 * suggestions of one call are charged at once, before anything is read. The
 * privilege to call it is checked for the current user, as in all functions for
 * owners; if the session's user is another one, that one pays.
 *
 * Rows are read with the owner's rights, restricted, whoever calls: a
 * superuser must not run the owner's code with more. None of the ledger's
 * locks is held, since the worker would wait for it; by the settings' version
 * the worker knows whether they are still those by which rows are counted.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "gate/relations/role_rights.h"
#include "gate/release/charge_request.h"
#include "gate/suggestion/sparse_vector.h"
#include "ledger/numeric_amount.h"
#include "mechanisms/zcdp.h"
#include "server/citus.h"
#include "server/column_names.h"
#include "server/ownership.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_suggest);

/* What can be suggested, and its name in SQL. */
typedef enum Setting
{
	MAX_ROWS,
	MAX_GROUPS,
	BOUNDS,
	SETTINGS
} Setting;

static const char *const setting_names[SETTINGS] = {
	"max_rows_per_unit", "max_groups_per_unit", "bounds"};

typedef struct Suggestion
{
	Setting setting;
	AttrNumber column; /* of bounds */
	DpSparseVector *vector;
	int first_walk; /* the number of its first walk in the vector */
	uint32 walks;	/* how many it has; epsilon is divided evenly among them */

	/* What was found: of a cap one, of bounds the upper and the lower one. */
	const char *texts[DP_WALKS];
} Suggestion;

/* One call. */
typedef struct Call
{
	Oid relation;
	DpUnits units;
	DpAmount asked;	   /* of each suggestion */
	DpEpsilon epsilon; /* that may be used for it; at least 2 units */
	double later;	   /* the epsilon that later questions will have */
	List *group_by;	   /* columns, as integers */
	List *suggestions;
} Call;

/* The following functions read the arguments. */

/* The elements of an array of texts, none of which is null or comes twice. */
static List *
texts_of(Datum array, const char *parameter)
{
	List *texts = NIL;
	Datum *elements;
	bool *nulls;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false,
					  TYPALIGN_INT, &elements, &nulls, &count);
	for (i = 0; i < count; i++)
	{
		String *name;

		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s must not have nulls", parameter),
					 errhint("Leave %s out for its default.", parameter)));
		name = makeString(TextDatumGetCString(elements[i]));
		if (list_member(texts, name))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s names \"%s\" twice", parameter, strVal(name)),
					 errhint("Each suggestion is charged: name it once.")));
		texts = lappend(texts, name);
	}
	return texts;
}

/* Columns by their names, as integers. */
static List *
columns_of(Oid relation, Datum names, const char *parameter)
{
	List *columns = NIL;

	foreach_ptr (String, name, texts_of(names, parameter))
	{
		AttrNumber column = dp_column_named(relation, strVal(name));

		if (column <= 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of relation \"%s\" does not exist",
							strVal(name), get_rel_name(relation)),
					 errhint("Write the name of a column of the relation.")));
		columns = lappend_int(columns, column);
	}
	return columns;
}

static void
read_epsilons(Datum epsilon, Datum later, Call *call)
{
	DpEpsilon of_questions;

	call->asked = dp_amount_of_numeric(epsilon, true, "epsilon");
	if (!dp_amount_to_epsilon(call->asked, &call->epsilon) ||
		call->epsilon.ticks < 2)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon is out of range"),
						errhint("Write what each suggestion may cost, such as "
								"0.1.")));
	if (!dp_amount_to_epsilon(
			dp_amount_of_numeric(later, false, "epsilon_later"), &of_questions))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon_later is out of range"),
				 errhint("Write the epsilon that questions will have, from %g "
						 "to %g.",
						 DP_EPSILON_MIN, DP_EPSILON_MAX)));
	call->later = dp_epsilon_to_double(of_questions);
}

static void
read_settings(Datum names, bool wants[SETTINGS])
{
	foreach_ptr (String, name, texts_of(names, "settings"))
	{
		int i = 0;

		while (i < SETTINGS && strcmp(setting_names[i], strVal(name)) != 0)
			i++;
		if (i < SETTINGS)
		{
			wants[i] = true;
			continue;
		}
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" cannot be suggested", strVal(name)),
				 errhint("Write %s, %s or %s.", setting_names[MAX_ROWS],
						 setting_names[MAX_GROUPS], setting_names[BOUNDS])));
	}
}

/* Groups are counted by the server: their columns need an equality. */
static void
check_groups(const Call *call)
{
	ListCell *cell;

	foreach (cell, call->group_by)
	{
		AttrNumber column = (AttrNumber) lfirst_int(cell);
		Oid type = get_atttype(call->relation, column);

		if (!OidIsValid(lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of type %s cannot be grouped by",
							get_attname(call->relation, column, false),
							format_type_be(type)),
					 errhint("Name columns that questions are grouped by.")));
	}
}

/* Refuses settings that were named, but say nothing here. */
static void
check_caps(const Call *call, const bool named[SETTINGS])
{
	if (!call->units.several_rows && (named[MAX_ROWS] || named[MAX_GROUPS]))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a privacy unit of \"%s\" has one row",
							   get_rel_name(call->relation)),
						errhint("There is nothing to suggest: its caps are "
								"1.")));
	if (named[MAX_GROUPS] && call->group_by == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s depends on what questions are grouped by",
						setting_names[MAX_GROUPS]),
				 errhint("Name the columns, such as group_by => '{city}'.")));
}

static bool
has_candidates(const Call *call, AttrNumber column)
{
	return dp_candidates_exist(
		getBaseType(get_atttype(call->relation, column)));
}

/* columns: those that were named; NULL: all that need bounds. */
static void
add_bounds(Call *call, List *const *columns)
{
	ListCell *cell;

	foreach (cell, columns == NULL ? call->units.undeclared : *columns)
	{
		AttrNumber column = (AttrNumber) lfirst_int(cell);
		Suggestion *suggestion;

		if (!has_candidates(call, column))
		{
			if (columns == NULL)
				continue;
			ereport(
				ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("bounds of column \"%s\" of type %s cannot "
						"be suggested",
						get_attname(call->relation, column, false),
						format_type_be(get_atttype(call->relation, column))),
				 errhint("Suggestions are for numbers, dates and "
						 "timestamps. dp_noise.set_bounds() takes "
						 "what is known of the others.")));
		}
		suggestion = palloc0(sizeof(Suggestion));
		suggestion->setting = BOUNDS;
		suggestion->column = column;
		suggestion->vector = dp_sparse_vector_of_values(&call->units, column);
		suggestion->walks = DP_WALKS;
		call->suggestions = lappend(call->suggestions, suggestion);
	}
}

/* Both caps are of the same rows, which are read once. */
static void
add_caps(Call *call, const bool wants[SETTINGS])
{
	DpSparseVector *sizes =
		dp_sparse_vector_of_sizes(&call->units, call->group_by);
	int i;

	for (i = MAX_ROWS; i <= MAX_GROUPS; i++)
	{
		Suggestion *suggestion;

		if (!wants[i] || (i == MAX_GROUPS && call->group_by == NIL))
			continue;
		suggestion = palloc0(sizeof(Suggestion));
		suggestion->setting = (Setting) i;
		suggestion->vector = sizes;
		suggestion->first_walk = i - MAX_ROWS;
		suggestion->walks = 1;
		call->suggestions = lappend(call->suggestions, suggestion);
	}
}

/* Reads and checks all arguments, before anything is charged. */
static void
read_arguments(FunctionCallInfo fcinfo, Call *call)
{
	bool named[SETTINGS] = {false};
	bool all[SETTINGS] = {true, true, true};
	const bool *wants = PG_ARGISNULL(5) ? all : named;
	List *columns = NIL;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("epsilon and epsilon_later must not be null"),
						errhint("Leave them out for their defaults.")));
	read_epsilons(PG_GETARG_DATUM(1), PG_GETARG_DATUM(2), call);
	if (!PG_ARGISNULL(3))
		call->group_by =
			columns_of(call->relation, PG_GETARG_DATUM(3), "group_by");
	if (!PG_ARGISNULL(4))
		columns = columns_of(call->relation, PG_GETARG_DATUM(4), "columns");
	if (!PG_ARGISNULL(5))
		read_settings(PG_GETARG_DATUM(5), named);
	check_caps(call, named);
	check_groups(call);
	if (call->units.several_rows)
		add_caps(call, wants);
	if (wants[BOUNDS])
		add_bounds(call, PG_ARGISNULL(4) ? NULL : &columns);
	if (list_length(call->suggestions) > DP_CHARGES_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many suggestions at once"),
						errhint("Name fewer columns.")));
}

/* The following functions are the line: price, charge, run. */

/* A charge, about all relations that the units lead to. */
static DpCharge
price(const Call *call, const Suggestion *suggestion)
{
	DpCharge charge = {.population_id = call->units.population,
					   .relation_count = call->units.asked_count,
					   .asked = call->asked};
	DpRho rho;

	dp_report_status(dp_cost_of_pure(call->asked, (DpAmount){0}, &charge.cost));

	/* Rounded up, so that the charge is at least what is used. */
	if (suggestion->walks > 1)
	{
		dp_report_status(
			dp_zcdp_of_pure(call->epsilon, suggestion->walks, &rho));
		charge.cost.rho.ticks = rho.ticks;
	}

	/* A random fingerprint: each call is another question. */
	if (!pg_strong_random(charge.fingerprint, sizeof(charge.fingerprint)))
		dp_report_status(DP_RANDOM_FAILED);
	strlcpy(charge.aggregate, "suggest", sizeof(charge.aggregate));
	strlcpy(charge.mechanism, "above_threshold", sizeof(charge.mechanism));
	return charge;
}

/* Charges for all, or none; what comes out is not kept for replay. */
static void
charge_all(Call *call)
{
	DpPrice all = {.count = list_length(call->suggestions),
				   .relations = call->units.asked,
				   .relation_count = call->units.asked_count};

	all.charges = palloc0(Max(all.count, 1) * sizeof(DpPricedCharge));
	foreach_ptr (const Suggestion, suggestion, call->suggestions)
		all.charges[foreach_current_index(suggestion)].charge =
			price(call, suggestion);
	dp_charge_request_ask(&all, dp_ledger_charge);
	dp_charge_request_store(&all);
}

static void
answer(const Call *call, Suggestion *suggestion)
{
	DpEpsilon share = {call->epsilon.ticks / suggestion->walks};
	uint32 i;

	dp_sparse_vector_read(suggestion->vector);
	for (i = 0; i < suggestion->walks; i++)
		suggestion->texts[i] = dp_sparse_vector_draw(
			suggestion->vector, suggestion->first_walk + (int) i, share,
			call->later);

	/* Walks that start at either end may cross where there are few units. */
	if (suggestion->setting == BOUNDS &&
		dp_candidates_cross(
			getBaseType(get_atttype(call->relation, suggestion->column)),
			suggestion->texts[1], suggestion->texts[0]))
	{
		const char *above = suggestion->texts[1];

		suggestion->texts[1] = suggestion->texts[0];
		suggestion->texts[0] = above;
	}
}

/* The following functions show what was found. */

/* The relation's name, as a literal. */
static char *
literal_of_relation(Oid relation)
{
	return quote_literal_cstr(quote_qualified_identifier(
		get_namespace_name(get_rel_namespace(relation)),
		get_rel_name(relation)));
}

/* The cap that was found; otherwise the present one. */
static const char *
cap_of(const Call *call, Setting setting, uint32 present)
{
	foreach_ptr (const Suggestion, suggestion, call->suggestions)
	{
		if (suggestion->setting == setting)
			return suggestion->texts[0];
	}
	return psprintf("%u", present);
}

/* The statement that applies it. protect() resets what is left out, so it names all settings. */
static char *
statement_of(const Call *call, const Suggestion *suggestion)
{
	DpContribution present = call->units.contribution;

	if (suggestion->setting == BOUNDS)
		return psprintf("SELECT dp_noise.set_bounds(%s, %s, '%s', '%s');",
						literal_of_relation(call->relation),
						quote_literal_cstr(get_attname(
							call->relation, suggestion->column, false)),
						suggestion->texts[1], suggestion->texts[0]);
	return psprintf(
		"SELECT dp_noise.protect(%s, privacy_unit => %s, neighbours => '%s', "
		"max_rows_per_unit => %s, max_groups_per_unit => %s%s);",
		literal_of_relation(call->relation),
		quote_literal_cstr(call->units.path),
		present.neighbours == DP_SUBSTITUTE ? "substitute" : "add_remove",
		cap_of(call, MAX_ROWS, present.rows),
		cap_of(call, MAX_GROUPS, present.groups),
		call->units.people == 1
			? ""
			: psprintf(", min_people_per_group => %u", call->units.people));
}

static void
put_row(const Call *call, const Suggestion *suggestion, ReturnSetInfo *rsinfo)
{
	bool is_bounds = suggestion->setting == BOUNDS;
	const char *text = suggestion->texts[0];
	bool nulls[5] = {false, !is_bounds, false, false, false};
	Datum values[5];
	NameData name;

	if (is_bounds)
	{
		namestrcpy(&name,
				   get_attname(call->relation, suggestion->column, false));
		text = psprintf("%s .. %s", suggestion->texts[1], text);
	}
	values[0] = CStringGetTextDatum(setting_names[suggestion->setting]);
	values[1] = NameGetDatum(&name);
	values[2] = CStringGetTextDatum(text);
	values[3] = dp_numeric_of_amount(call->asked);
	values[4] = CStringGetTextDatum(statement_of(call, suggestion));
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * (relation regclass, epsilon numeric, epsilon_later numeric, group_by text[],
 * columns text[], settings text[]) -> setting, column_name, suggested, epsilon,
 * statement
 */
Datum
dp_suggest(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Call call = {0};

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("relation must not be null"),
				 errhint("Write the name of a table, such as 'patients'.")));
	call.relation = PG_GETARG_OID(0);
	dp_lock_as_owner(call.relation);
	dp_role_rights_refuse_nested();
	dp_citus_refuse();
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	dp_units_of(call.relation, &call.units);
	read_arguments(fcinfo, &call);

	charge_all(&call);
	foreach_ptr (Suggestion, suggestion, call.suggestions)
		answer(&call, suggestion);
	foreach_ptr (const Suggestion, suggestion, call.suggestions)
		put_row(&call, suggestion, rsinfo);
	return (Datum) 0;
}
