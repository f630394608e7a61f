/*
 * suggest.c
 *		dp_noise.suggest(): caps and bounds, found privately.
 *
 * A cap cuts off what units have beyond it, and a greater cap means more
 * noise. Both errors are about equal if as many units exceed the cap as the
 * noise of a later answer is units large, 1/epsilon_later. So a walk over
 * public candidates stops where about that many units are left
 * (mechanisms/above_threshold.h). The counts of units need no cap themselves.
 *
 * A suggestion is an answer like any other, which the owner publishes as a
 * setting. It is charged first, durably, to the table's population, for the
 * session's user: for the population's owner or a superuser its grant alone pays,
 * for the table's other owner that role's budget, too. Each time it is a question of its own,
 * so that none is stored or replayed. The two bounds of a column are one
 * suggestion with two walks, at half of epsilon each. All suggestions of one
 * call are charged at once, before anything is read. The privilege to call it
 * is checked for the current user, as in all functions for owners; if the
 * session's user is another one, that one pays.
 *
 * Rows are read with the owner's rights, restricted, whoever calls: a
 * superuser must not run the owner's code with more. None of the ledger's
 * locks is held, since the worker would wait for it; by the settings' version
 * the worker knows whether they are still those by which rows are counted.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "gate/relations/rights.h"
#include "gate/suggestion/request.h"
#include "ledger/charge.h"
#include "ledger/numeric_amount.h"
#include "mechanisms/above_threshold.h"
#include "mechanisms/zcdp.h"
#include "server/citus.h"
#include "server/ownership.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_suggest);

/* The walks of a suggestion, of which each has the same share of epsilon. */
static uint32
walks_of(const DpSuggestion *suggestion)
{
	return suggestion->setting == DP_SETTING_BOUNDS ? DP_WALKS : 1;
}

/* Fills in a charge, about all relations that its units lead to. */
static void
fill_charge(const DpSuggesting *s, const DpSuggestion *suggestion,
			DpCharge *charge)
{
	DpRho rho;

	memset(charge, 0, sizeof(*charge));
	charge->population_id = s->units.population;
	charge->relation_count = (uint32) list_length(s->units.relations);
	charge->asked = s->asked;
	dp_report_status(dp_cost_of_pure(s->asked, (DpAmount){0}, &charge->cost));

	/* Rounded up, so that the charge is at least what is used. */
	if (walks_of(suggestion) > 1)
	{
		dp_report_status(
			dp_zcdp_of_pure(s->epsilon, walks_of(suggestion), &rho));
		charge->cost.rho.ticks = rho.ticks;
	}

	/* A random fingerprint: each call is another question. */
	if (!pg_strong_random(charge->fingerprint, sizeof(charge->fingerprint)))
		dp_report_status(DP_RANDOM_FAILED);
	strlcpy(charge->aggregate, "suggest", sizeof(charge->aggregate));
	strlcpy(charge->mechanism, "above_threshold", sizeof(charge->mechanism));
}

/* What is asked about: the relation, and what its path leads to. */
static DpAskedRelation *
asked_relations(const DpUnits *units)
{
	DpAskedRelation *relations =
		palloc0(list_length(units->relations) * sizeof(DpAskedRelation));
	ListCell *cell;

	foreach (cell, units->relations)
	{
		DpAskedRelation *relation = &relations[foreach_current_index(cell)];

		relation->relation = lfirst_oid(cell);
		relation->settings_version =
			units->versions[foreach_current_index(cell)];
		relation->is_named = foreach_current_index(cell) == 0;
	}
	return relations;
}

/* Charges for all, or none; what comes out is not kept for replay. */
static void
charge_all(const DpSuggesting *s)
{
	uint32 count = (uint32) list_length(s->suggestions);
	DpCharge *charges = palloc(Max(count, 1) * sizeof(DpCharge));
	char **answers = palloc0(Max(count, 1) * sizeof(char *));
	DpChargeResult *results = palloc0(Max(count, 1) * sizeof(DpChargeResult));
	DpAsk ask = {.charges = charges,
				 .count = count,
				 .relations = asked_relations(&s->units),
				 .relation_count = (uint32) list_length(s->units.relations)};
	ListCell *cell;
	uint32 i;

	foreach (cell, s->suggestions)
		fill_charge(s, lfirst(cell), &charges[foreach_current_index(cell)]);
	dp_ledger_charge(&ask, results);
	for (i = 0; i < count; i++)
		dp_ledger_note(&charges[i], &results[i]);
	dp_ledger_store(&ask, answers, results);
}

/* Takes one walk, with one of so many parts of epsilon. */
static const char *
walk(const DpSuggesting *s, const DpCandidates *candidates,
	 const uint64 *exceeding, uint32 parts)
{
	DpEpsilon share = {s->epsilon.ticks / parts};
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

/* Suggests both caps, which are counted at once. */
static void
suggest_caps(DpSuggesting *s)
{
	DpCandidates sizes = dp_candidates_of_sizes();
	const DpCandidates *const walks[DP_WALKS] = {&sizes, &sizes};
	DpUnitCounts counts;
	bool is_read = false;
	ListCell *cell;

	foreach (cell, s->suggestions)
	{
		DpSuggestion *suggestion = lfirst(cell);

		if (suggestion->setting == DP_SETTING_BOUNDS)
			continue;
		if (!is_read)
			dp_unit_counts_read(&s->units,
								dp_unit_counts_sql_of_sizes(
									&s->units, s->group_by, sizes.marks),
								walks, &counts);
		is_read = true;
		suggestion->texts[0] = walk(
			s, &sizes,
			counts
				.exceeding[suggestion->setting == DP_SETTING_MAX_ROWS ? 0 : 1],
			1);
	}
}

static void
suggest_bounds(DpSuggesting *s, DpSuggestion *suggestion)
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

/* The cap that was found; otherwise the present one. */
static char *
cap_of(const DpSuggesting *s, DpSetting setting, uint32 present)
{
	ListCell *cell;

	foreach (cell, s->suggestions)
	{
		DpSuggestion *suggestion = lfirst(cell);

		if (suggestion->setting == setting)
			return pstrdup(suggestion->texts[0]);
	}
	return psprintf("%u", present);
}

/* Both caps in one call, which would reset the other. */
static char *
statement_of_caps(const DpSuggesting *s)
{
	DpContribution contribution = s->units.contribution;

	return psprintf(
		"SELECT dp_noise.protect(%s, privacy_unit => %s, neighbours => '%s', "
		"max_rows_per_unit => %s, max_groups_per_unit => %s);",
		literal_of_relation(s->relation), quote_literal_cstr(s->units.path),
		contribution.neighbours == DP_SUBSTITUTE ? "substitute" : "add_remove",
		cap_of(s, DP_SETTING_MAX_ROWS, contribution.rows),
		cap_of(s, DP_SETTING_MAX_GROUPS, contribution.groups));
}

static char *
statement_of_bounds(const DpSuggesting *s, const DpSuggestion *suggestion)
{
	return psprintf(
		"SELECT dp_noise.set_bounds(%s, %s, '%s', '%s');",
		literal_of_relation(s->relation),
		quote_literal_cstr(get_attname(s->relation, suggestion->column, false)),
		suggestion->texts[1], suggestion->texts[0]);
}

static void
put_rows(const DpSuggesting *s, ReturnSetInfo *rsinfo)
{
	ListCell *cell;

	foreach (cell, s->suggestions)
	{
		const DpSuggestion *suggestion = lfirst(cell);
		bool is_bounds = suggestion->setting == DP_SETTING_BOUNDS;
		bool nulls[5] = {false, !is_bounds, false, false, false};
		Datum values[5] = {
			CStringGetTextDatum(dp_setting_names[suggestion->setting])};
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

/*
 * (relation regclass, epsilon numeric, epsilon_later numeric, group_by text[],
 * columns text[], settings text[]) -> setting, column_name, suggested, epsilon,
 * statement
 */
Datum
dp_suggest(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	DpSuggesting s = {0};
	ListCell *cell;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("relation must not be null"),
				 errhint("Write the name of a table, such as 'patients'.")));
	s.relation = PG_GETARG_OID(0);
	dp_lock_as_owner(s.relation);
	dp_gate_refuse_nested();
	dp_citus_refuse();
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	dp_units_of(s.relation, &s.units);
	dp_suggestion_read(fcinfo, &s);

	charge_all(&s);
	suggest_caps(&s);
	foreach (cell, s.suggestions)
	{
		if (((DpSuggestion *) lfirst(cell))->setting == DP_SETTING_BOUNDS)
			suggest_bounds(&s, lfirst(cell));
	}
	put_rows(&s, rsinfo);
	return (Datum) 0;
}
