/*
 * suggest.c
 *		dp_noise.suggest(): caps and bounds, found privately.
 *
 * With a cap, what few units have beyond it is lost, and the noise grows with it:
 * both are about equal where as many units exceed the cap as the noise of a
 * later answer is units large, 1/epsilon_later. So a walk over public candidates
 * stops where about so many are left (mechanisms/above_threshold.h). Nothing is
 * capped before.
 *
 * A suggestion is an answer like any other, for the owner to publish in the
 * settings: it is charged first, durably, for the session's user, who is the
 * owner or a superuser and so has the table's total pay, and those of the tables
 * that its path leads to; and as a question of its own each time, so that none is
 * stored or replayed. A column's bounds are
 * one suggestion of two walks, at half of epsilon each. All that is suggested at
 * once is charged at once, before anything is read. Who asks is the current
 * user, as for all that owners call; with another user of the session, it is that
 * one who pays.
 *
 * Rows are read with the owner's rights, restricted, whoever asks: a superuser
 * runs nothing of the owner's with more. No lock of the ledger's is held, since
 * the worker would wait for it; the settings' version tells it whether they are
 * still those by which rows are counted.
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "gate/question/rights.h"
#include "gate/suggestion/unit_counts.h"
#include "ledger/charge.h"
#include "ledger/numeric_amount.h"
#include "mechanisms/above_threshold.h"
#include "mechanisms/zcdp.h"
#include "server/citus.h"
#include "server/compat.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_suggest);

/* What can be suggested. */
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
	const char
		*texts[DP_WALKS]; /* found: one; of bounds the upper, the lower */
} Suggestion;

/* One call. */
typedef struct Suggesting
{
	Oid relation;
	DpUnits units;
	DpAmount asked;	   /* of each suggestion */
	DpEpsilon epsilon; /* that may be used for it */
	double later;
	bool wants[SETTINGS];
	bool wants_all; /* that apply: none was named */
	List *group_by; /* columns, as integers */
	List *suggestions;
} Suggesting;

/* Refuses all but the owner and superusers, now and under a lock. */
static void
check_owner(Oid relation)
{
	char *name;
	int attempt;

	for (attempt = 0; attempt < 2; attempt++)
	{
		name = get_rel_name(relation);
		if (name == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_TABLE),
					 errmsg("relation with OID %u does not exist", relation)));
		if (!superuser() && !dp_compat_owns_relation(relation, GetUserId()))
			ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
							errmsg("must be owner of relation %s", name)));
		if (attempt == 0)
			LockRelationOid(relation, AccessShareLock);
	}
}

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
		char *name = nulls[i] ? NULL : TextDatumGetCString(elements[i]);
		ListCell *cell;

		if (name == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s must not have nulls", parameter),
					 errhint("Leave %s out for its default.", parameter)));
		foreach (cell, texts)
		{
			if (strcmp(lfirst(cell), name) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("%s names \"%s\" twice", parameter, name),
						 errhint("Each suggestion is charged: name it once.")));
		}
		texts = lappend(texts, name);
	}
	return texts;
}

/* Columns by their names, as integers. */
static List *
columns_of(Oid relation, Datum names, const char *parameter)
{
	List *columns = NIL;
	ListCell *cell;

	foreach (cell, texts_of(names, parameter))
	{
		AttrNumber column = get_attnum(relation, lfirst(cell));

		if (column <= 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of relation \"%s\" does not exist",
							(char *) lfirst(cell), get_rel_name(relation)),
					 errhint("Write the name of a column of the relation.")));
		columns = lappend_int(columns, column);
	}
	return columns;
}

static double
read_later(Datum value)
{
	DpEpsilon epsilon;

	if (!dp_amount_to_epsilon(
			dp_amount_of_numeric(value, false, "epsilon_later"), &epsilon))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon_later is out of range"),
				 errhint("Write the epsilon that questions will have, from %g "
						 "to %g.",
						 DP_EPSILON_MIN, DP_EPSILON_MAX)));
	return dp_epsilon_to_double(epsilon);
}

static void
read_epsilon(Datum value, Suggesting *s)
{
	s->asked = dp_amount_of_numeric(value, true, "epsilon");
	if (!dp_amount_to_epsilon(s->asked, &s->epsilon) || s->epsilon.units < 2)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon is out of range"),
						errhint("Write what each suggestion may cost, such as "
								"0.1.")));
}

/* Error: invalid_parameter_value, where no setting has that name. */
static Setting
setting_of(const char *name)
{
	int i;

	for (i = 0; i < SETTINGS; i++)
	{
		if (strcmp(setting_names[i], name) == 0)
			return (Setting) i;
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("\"%s\" cannot be suggested", name),
					errhint("Write %s, %s or %s.", setting_names[MAX_ROWS],
							setting_names[MAX_GROUPS], setting_names[BOUNDS])));
}

static void
read_settings(Datum names, Suggesting *s)
{
	ListCell *cell;

	foreach (cell, texts_of(names, "settings"))
		s->wants[setting_of(lfirst(cell))] = true;
}

/* Groups are counted by the server: their columns need an equality. */
static void
check_groups(const Suggesting *s)
{
	ListCell *cell;

	foreach (cell, s->group_by)
	{
		Oid type = get_atttype(s->relation, lfirst_int(cell));

		if (!OidIsValid(lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of type %s cannot be grouped by",
							get_attname(s->relation, lfirst_int(cell), false),
							format_type_be(type)),
					 errhint("Name columns that questions are grouped by.")));
	}
}

static void
add_suggestion(Suggesting *s, Setting setting, AttrNumber column)
{
	Suggestion *suggestion = palloc0(sizeof(Suggestion));

	suggestion->setting = setting;
	suggestion->column = column;
	s->suggestions = lappend(s->suggestions, suggestion);
}

/* Columns of numbers and dates that have no bounds yet, nor tell whose a row is. */
static List *
columns_without_bounds(const Suggesting *s)
{
	Relation relation = relation_open(s->relation, NoLock);
	List *columns = NIL;
	int i;

	for (i = 0; i < RelationGetNumberOfAttributes(relation); i++)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(relation), i);

		if (!column->attisdropped &&
			dp_candidates_type(getBaseType(column->atttypid)) != NULL &&
			!bms_is_member(column->attnum, s->units.is_about_units) &&
			!bms_is_member(column->attnum, s->units.has_bounds))
			columns = lappend_int(columns, column->attnum);
	}
	relation_close(relation, NoLock);
	return columns;
}

static void
list_bounds(Suggesting *s, List *columns)
{
	ListCell *cell;

	foreach (cell, columns)
	{
		Oid type = get_atttype(s->relation, lfirst_int(cell));

		if (dp_candidates_type(getBaseType(type)) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("bounds of column \"%s\" of type %s cannot be "
							"suggested",
							get_attname(s->relation, lfirst_int(cell), false),
							format_type_be(type)),
					 errhint("Suggestions are for numbers, dates and "
							 "timestamps. dp_noise.set_bounds() takes what is "
							 "known of the others.")));
		add_suggestion(s, BOUNDS, (AttrNumber) lfirst_int(cell));
	}
}

static int
count_charges(const Suggesting *s)
{
	return list_length(s->suggestions) * list_length(s->units.paying);
}

/* What is asked for: everything that is refused is refused here, uncharged. */
static void
list_suggestions(Suggesting *s, bool has_columns, List *columns)
{
	if (!s->units.several_rows && (s->wants[MAX_ROWS] || s->wants[MAX_GROUPS]))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a privacy unit of \"%s\" has one row",
						get_rel_name(s->relation)),
				 errhint("There is nothing to suggest: its caps are 1.")));
	if (s->wants[MAX_GROUPS] && s->group_by == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s depends on what questions are grouped by",
						setting_names[MAX_GROUPS]),
				 errhint("Name the columns, such as group_by => '{city}'.")));
	check_groups(s);
	if (s->units.several_rows && (s->wants_all || s->wants[MAX_ROWS]))
		add_suggestion(s, MAX_ROWS, InvalidAttrNumber);
	if (s->units.several_rows && s->group_by != NIL &&
		(s->wants_all || s->wants[MAX_GROUPS]))
		add_suggestion(s, MAX_GROUPS, InvalidAttrNumber);
	if (s->wants_all || s->wants[BOUNDS])
		list_bounds(s, has_columns ? columns : columns_without_bounds(s));
	if (count_charges(s) > DP_CHARGES_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many suggestions at once"),
						errhint("Name fewer columns.")));
}

/* The walks of a suggestion, of which each has the same share of epsilon. */
static uint32
walks_of(const Suggestion *suggestion)
{
	return suggestion->setting == BOUNDS ? DP_WALKS : 1;
}

/* A charge but for the relation. */
static void
fill_charge(const Suggesting *s, const Suggestion *suggestion, DpCharge *charge)
{
	DpRho rho;

	memset(charge, 0, sizeof(*charge));
	charge->asked = s->asked;
	dp_report_status(dp_cost_of_pure(s->asked, (DpAmount){0}, &charge->cost));

	/* Rounded up, that is of at least what is used. */
	if (walks_of(suggestion) > 1)
	{
		dp_report_status(
			dp_zcdp_of_pure(s->epsilon, walks_of(suggestion), &rho));
		charge->cost.rho.units = rho.units;
	}

	/* Asked again, it is another question. */
	if (!pg_strong_random(charge->fingerprint, sizeof(charge->fingerprint)))
		dp_report_status(DP_RANDOM_FAILED);
	strlcpy(charge->aggregate, "suggest", sizeof(charge->aggregate));
	strlcpy(charge->mechanism, "above_threshold", sizeof(charge->mechanism));
}

/*
 * Charges for all, or none, each on every relation that its units lead to; what
 * comes out is not kept for replay.
 */
static void
charge_all(const Suggesting *s)
{
	uint32 count = (uint32) count_charges(s);
	DpCharge *charges = palloc(Max(count, 1) * sizeof(DpCharge));
	char **answers = palloc0(Max(count, 1) * sizeof(char *));
	DpChargeResult *results = palloc0(Max(count, 1) * sizeof(DpChargeResult));
	DpCharge *charge = charges;
	ListCell *cell;
	uint32 i;

	foreach (cell, s->suggestions)
	{
		int place;

		fill_charge(s, lfirst(cell), charge);
		for (place = 0; place < list_length(s->units.paying); place++)
		{
			if (place > 0)
				charge[place] = charge[0];
			charge[place].relation = list_nth_oid(s->units.paying, place);
			charge[place].settings_version = s->units.versions[place];
			charge[place].is_joint = place > 0;
		}
		charge += place;
	}
	dp_ledger_charge(charges, count, results);
	for (i = 0; i < count; i++)
		charges[i].ledger_id = results[i].ledger_id;
	dp_ledger_store(charges, count, answers, results);
}

/* One walk, at so many parts of epsilon. */
static const char *
walk(const Suggesting *s, const DpCandidates *candidates,
	 const uint64 *exceeding, uint32 parts)
{
	DpEpsilon share = {s->epsilon.units / parts};
	DpAboveThreshold mechanism;
	uint64_t *counts = palloc(candidates->count * sizeof(uint64_t));
	size_t stop;
	int i;

	for (i = 0; i < candidates->count; i++)
		counts[i] = exceeding[i];
	dp_above_threshold_init(
		&mechanism, share, s->units.neighbours,
		(uint64_t) ceil(1 / s->later + 2 / dp_epsilon_to_double(share)));
	dp_report_status(dp_above_threshold_draw(dp_report_random(), &mechanism,
											 counts, (size_t) candidates->count,
											 &stop));
	if (stop == (size_t) candidates->count)
		stop--;
	return candidates->texts[stop];
}

/* Of the caps both are counted at once. */
static void
suggest_caps(Suggesting *s)
{
	DpCandidates sizes = dp_candidates_of_sizes();
	const DpCandidates *const walks[DP_WALKS] = {&sizes, &sizes};
	DpUnitCounts counts;
	bool is_read = false;
	ListCell *cell;

	foreach (cell, s->suggestions)
	{
		Suggestion *suggestion = lfirst(cell);

		if (suggestion->setting == BOUNDS)
			continue;
		if (!is_read)
			dp_unit_counts_read(&s->units,
								dp_unit_counts_sql_of_sizes(
									&s->units, s->group_by, sizes.marks),
								walks, &counts);
		is_read = true;
		suggestion->texts[0] =
			walk(s, &sizes,
				 counts.exceeding[suggestion->setting == MAX_ROWS ? 0 : 1], 1);
	}
}

static void
suggest_bounds(Suggesting *s, Suggestion *suggestion)
{
	Oid type = getBaseType(get_atttype(s->relation, suggestion->column));
	DpCandidates upper = dp_candidates_of_column(type, DP_SIDE_UPPER);
	DpCandidates lower = dp_candidates_of_column(type, DP_SIDE_LOWER);
	const DpCandidates *const walks[DP_WALKS] = {&upper, &lower};
	DpUnitCounts counts;
	int i;

	dp_unit_counts_read(&s->units,
						dp_unit_counts_sql_of_values(
							&s->units, suggestion->column, &upper, &lower),
						walks, &counts);
	for (i = 0; i < DP_WALKS; i++)
		suggestion->texts[i] = walk(s, walks[i], counts.exceeding[i], DP_WALKS);

	/* Walks that start at either end may cross where there are few units. */
	if (dp_candidates_cross(type, suggestion->texts[1], suggestion->texts[0]))
	{
		const char *above = suggestion->texts[1];

		suggestion->texts[1] = suggestion->texts[0];
		suggestion->texts[0] = above;
	}
}

/* The relation's name, as a literal. */
static char *
literal_of_relation(Oid relation)
{
	return quote_literal_cstr(quote_qualified_identifier(
		get_namespace_name(get_rel_namespace(relation)),
		get_rel_name(relation)));
}

/* What was found for a cap; else what holds. */
static char *
cap_of(const Suggesting *s, Setting setting, uint32 present)
{
	ListCell *cell;

	foreach (cell, s->suggestions)
	{
		Suggestion *suggestion = lfirst(cell);

		if (suggestion->setting == setting)
			return pstrdup(suggestion->texts[0]);
	}
	return psprintf("%u", present);
}

/* Both caps in one call, which would reset the other. */
static char *
statement_of_caps(const Suggesting *s)
{
	DpContribution contribution = s->units.contribution;

	return psprintf(
		"SELECT dp_noise.protect(%s, privacy_unit => %s, neighbours => '%s', "
		"max_rows_per_unit => %s, max_groups_per_unit => %s);",
		literal_of_relation(s->relation), quote_literal_cstr(s->units.path),
		contribution.neighbours == DP_SUBSTITUTE ? "substitute" : "add_remove",
		cap_of(s, MAX_ROWS, contribution.rows),
		cap_of(s, MAX_GROUPS, contribution.groups));
}

static char *
statement_of_bounds(const Suggesting *s, const Suggestion *suggestion)
{
	return psprintf(
		"SELECT dp_noise.set_bounds(%s, %s, '%s', '%s');",
		literal_of_relation(s->relation),
		quote_literal_cstr(get_attname(s->relation, suggestion->column, false)),
		suggestion->texts[1], suggestion->texts[0]);
}

static void
put_rows(const Suggesting *s, ReturnSetInfo *rsinfo)
{
	ListCell *cell;

	foreach (cell, s->suggestions)
	{
		const Suggestion *suggestion = lfirst(cell);
		bool is_bounds = suggestion->setting == BOUNDS;
		bool nulls[5] = {false, !is_bounds, false, false, false};
		Datum values[5] = {
			CStringGetTextDatum(setting_names[suggestion->setting])};
		NameData name;

		if (is_bounds)
		{
			namestrcpy(&name,
					   get_attname(s->relation, suggestion->column, false));
			values[1] = NameGetDatum(&name);
		}
		values[2] = CStringGetTextDatum(
			is_bounds ? psprintf("%s .. %s", suggestion->texts[1],
								 suggestion->texts[0])
					  : suggestion->texts[0]);
		values[3] = dp_numeric_of_amount(s->asked);
		values[4] =
			CStringGetTextDatum(is_bounds ? statement_of_bounds(s, suggestion)
										  : statement_of_caps(s));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

static void
check_arguments(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("relation must not be null"),
				 errhint("Write the name of a table, such as 'patients'.")));
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("epsilon and epsilon_later must not be null"),
						errhint("Leave them out for their defaults.")));
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
	Suggesting s = {0};
	List *columns = NIL;
	ListCell *cell;

	check_arguments(fcinfo);
	s.relation = PG_GETARG_OID(0);
	check_owner(s.relation);
	dp_gate_refuse_nested();
	dp_citus_refuse();
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	dp_units_of(s.relation, &s.units);
	read_epsilon(PG_GETARG_DATUM(1), &s);
	s.later = read_later(PG_GETARG_DATUM(2));
	if (!PG_ARGISNULL(3))
		s.group_by = columns_of(s.relation, PG_GETARG_DATUM(3), "group_by");
	if (!PG_ARGISNULL(4))
		columns = columns_of(s.relation, PG_GETARG_DATUM(4), "columns");
	s.wants_all = PG_ARGISNULL(5);
	if (!PG_ARGISNULL(5))
		read_settings(PG_GETARG_DATUM(5), &s);
	list_suggestions(&s, !PG_ARGISNULL(4), columns);

	charge_all(&s);
	suggest_caps(&s);
	foreach (cell, s.suggestions)
	{
		if (((Suggestion *) lfirst(cell))->setting == BOUNDS)
			suggest_bounds(&s, lfirst(cell));
	}
	put_rows(&s, rsinfo);
	return (Datum) 0;
}
