/*
 * explain.c
 *		EXPLAIN of a DP Release: the price, the expected error, the budgets.
 *
 * It neither charges nor runs anything, and shows nothing that depends on the
 * data: no estimate, no count, nothing of the inner plan. The ledger is asked
 * what it would do; after an execution (EXPLAIN ANALYZE, auto_explain), what
 * it did is shown instead.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

#include "accounting/amount.h"
#include "aggregates/describe.h"
#include "gate/bound/levels.h"
#include "gate/read/rewrite_aggregate.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/protection.h"
#include "gate/release/agreement.h"
#include "gate/release/explain.h"
#include "gate/release/explain_answer.h"
#include "gate/release/explain_keys.h"
#include "gate/release/groupings.h"
#include "gate/release/price.h"
#include "gate/release/sub_query_values.h"
#include "server/compat.h"
#include "server/settings.h"

static char *
fingerprint_text(DpReleaseState *state, int aggno)
{
	unsigned char fingerprint[32];
	char text[2 * sizeof(fingerprint) + 1];

	dp_groupings_fingerprint(state, aggno, fingerprint);
	hex_encode((const char *) fingerprint, sizeof(fingerprint), text);
	text[sizeof(text) - 1] = '\0';
	return pstrdup(text);
}

/* Shows a text, if there is one. */
static void
explain_text(const char *label, const char *text, ExplainState *es)
{
	if (text != NULL)
		ExplainPropertyText(label, text, es);
}

/* Shows bounds that were derived, neither written nor declared. */
static void
explain_derived(const Aggref *aggref, ExplainState *es)
{
	int first =
		dp_aggregate_data_arguments(dp_private_aggregates_traits(aggref));
	char *texts[2];
	int i;

	for (i = 0; i < 2; i++)
	{
		const Const *bound = castNode(
			Const, list_nth_node(TargetEntry, aggref->args, first + i)->expr);
		Oid output;
		bool varlena;

		getTypeOutputInfo(bound->consttype, &output, &varlena);
		texts[i] = OidOutputFunctionCall(output, bound->constvalue);
	}
	ExplainPropertyText("Derived Bounds",
						psprintf("%s .. %s", texts[0], texts[1]), es);
}

/* Why auto took a mechanism where rho is what counts; NULL where it did not. */
static const char *
reason_of(const DpCall *call)
{
	if (call->choice.mechanism != DP_AUTO || !call->choice.by_rho)
		return NULL;
	switch (dp_aggregate_get(call->aggregate)->by_rho)
	{
		case DP_BY_RHO_NOTHING:
			break;
		case DP_BY_RHO_VARIANCE:
			return "the least variance at this price, all budgets that pay "
				   "being zcdp";
		case DP_BY_RHO_PRICE:
			return "costs the least rho, all budgets that pay being zcdp";
	}
	return NULL;
}

/*
 * Where the epsilon of a call that names none comes from, where a budget has
 * one; else NULL.
 */
static const char *
epsilon_source(const DpReleaseState *state, const DpCall *call)
{
	if (state->outline->choices.epsilon <= 0 || call->names_epsilon)
		return NULL;
	switch (dp_setting_epsilon_source())
	{
		case DP_EPSILON_OF_DEFAULT:
			break;
		case DP_EPSILON_OF_SETTING:
			return "dp_noise.epsilon";
		case DP_EPSILON_OF_RHO:
			return "dp_noise.rho";
	}
	return "default_epsilon of a budget";
}

/* Whether an aggregate is answered with an equal one before. */
static bool
repeats(const DpReleaseState *state, int aggno)
{
	return state->questions != NULL && dp_release_state_repeats(state, aggno);
}

/*
 * asked: adds up epsilons, and the costs. False where it has a parameter that
 * is not known before it is executed.
 */
static bool
explain_aggregate(DpReleaseState *state, int aggno, DpAmount *asked,
				  DpPrivacyCost *cost, ExplainState *es)
{
	Aggref *aggref = list_nth(state->outline->aggregates, aggno);
	const DpCall *call;
	DpDescription description;
	double deviation;
	bool awaits = dp_sub_query_values_are_awaited(state);

	if (awaits && dp_sub_query_values_are_named(state, (Node *) aggref))
	{
		ExplainPropertyText("Aggregate", get_func_name(aggref->aggfnoid), es);
		return false;
	}
	call = dp_terms_call(&state->terms, aggno);
	dp_terms_describe(&state->terms, aggno, &description);
	dp_explain_open("Private Aggregate", NULL, "Aggregate",
					dp_aggregate_name(call->aggregate), es);
	explain_text("Written As", dp_rewrite_aggregate_written_as(aggref), es);
	ExplainPropertyText("Mechanism", dp_mechanism_name(description.mechanism),
						es);
	explain_text("Chosen For", reason_of(call), es);
	if (!repeats(state, aggno))
	{
		*asked = dp_amount_add(*asked, description.asked);
		*cost = dp_cost_add(cost, &description.cost);
	}
	dp_explain_amount("Epsilon", description.asked, es);
	explain_text("Epsilon From", epsilon_source(state, call), es);
	if (list_nth_int(state->outline->derived, aggno) != 0)
		explain_derived(aggref, es);
	if (state->outline->choices.by_rho)
		dp_explain_amount("Rho", description.cost.rho, es);
	if (dp_terms_have_levels(&state->terms, aggno))
		ExplainPropertyText("Privacy Levels",
							dp_levels_text(state->outline->levels), es);
	ExplainPropertyText(
		"Sensitivity",
		description.is_of_values
			? dp_describe_difference(call, description.sensitivity)
			: float8out_internal(description.sensitivity),
		es);
	explain_text("Bounded", dp_describe_bound(call), es);
	ExplainPropertyText("Expected Error (95%)",
						dp_describe_error(call, &description), es);
	if (!awaits && dp_agreement_is_expected(state, aggno, &deviation))
		ExplainPropertyFloat("Standard Deviation as Shown", NULL, deviation, 3,
							 es);
	if (!awaits)
		ExplainPropertyText("Question", fingerprint_text(state, aggno), es);
	dp_explain_answer(state, aggno, es);
	dp_explain_close("Private Aggregate", NULL, es);
	return true;
}

/* Whether the units of what is beneath are those of views that name none. */
static bool
has_silent_views(const DpRelations *relations)
{
	return list_member_int(relations->view_unit_columns, InvalidAttrNumber);
}

/* The columns of the privacy units, of several relations with their names. */
static List *
unit_texts(const DpRelations *relations)
{
	List *units =
		list_concat_copy(relations->view_unit_columns, relations->unit_columns);
	bool has_silent = has_silent_views(relations);
	List *texts = NIL;
	ListCell *relation;
	ListCell *unit;

	forboth (relation, dp_relations_all_read(relations), unit, units)
	{
		char *column;

		if (lfirst_int(unit) == InvalidAttrNumber ||
			(!has_silent &&
			 dp_relations_is_beneath(relations, lfirst_oid(relation))))
			continue;
		column = lfirst_int(unit) == DP_UNIT_BY_PATH
					 ? dp_relations_path_of(relations, lfirst_oid(relation))
					 : get_attname(lfirst_oid(relation),
								   (AttrNumber) lfirst_int(unit), false);
		if (has_silent || list_length(dp_relations_named(relations)) > 1)
			column = psprintf(
				"%s.%s", quote_identifier(get_rel_name(lfirst_oid(relation))),
				lfirst_int(unit) == DP_UNIT_BY_PATH ? column
													: quote_identifier(column));
		texts = lappend(texts, column);
	}
	return texts;
}

static List *
relation_texts(const List *relations)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, relations)
		texts = lappend(texts, get_rel_name(lfirst_oid(cell)));
	return texts;
}

/* Shows a single text as a property, several as a list. */
static void
explain_texts(const char *one, const char *several, List *texts,
			  ExplainState *es)
{
	if (list_length(texts) == 1)
		ExplainPropertyText(one, linitial(texts), es);
	else if (texts != NIL)
		ExplainPropertyList(several, texts, es);
}

/*
 * Says what bounding units leaves out: a bias that the error shown does not
 * include.
 */
static void
explain_cut(const DpOutline *outline, ExplainState *es)
{
	const DpRelations *relations = &outline->relations;
	const DpContribution *contribution = &outline->contribution;
	bool has_groups = contribution->groups > 0 && !relations->one_group;
	char *text;

	if (relations->one_row && !has_groups)
		return; /* a unit has no more rows */
	if (relations->one_row)
		text = psprintf("groups of a unit beyond %u", contribution->groups);
	else if (has_groups)
		text = psprintf(
			"rows of a unit beyond %u in a group, and its groups beyond %u",
			contribution->rows, contribution->groups);
	else
		text = psprintf("rows of a unit beyond %u", contribution->rows);
	ExplainPropertyText(
		"Cut Off",
		psprintf("%s; expected errors do not include what is lost", text), es);
}

/* Shown unless the unit is a row that is added or removed. */
static void
explain_unit(const DpOutline *outline, ExplainState *es)
{
	explain_texts("Privacy Unit", "Privacy Units",
				  unit_texts(&outline->relations), es);
	if (outline->relations.several)
		ExplainPropertyUInteger("Rows per Unit", NULL,
								outline->contribution.rows, es);
	if (outline->relations.several && outline->contribution.groups > 0)
		ExplainPropertyUInteger("Groups per Unit", NULL,
								outline->contribution.groups, es);
	if (outline->relations.several)
		explain_cut(outline, es);
	if (outline->contribution.neighbours == DP_SUBSTITUTE)
		ExplainPropertyText("Neighbours", "substitute", es);
}

static void
explain_budget(const DpPreviewBudget *budget, bool is_one_of_several,
			   ExplainState *es)
{
	const char *whose = budget->role;
	bool is_zcdp = budget->granted.accountant == DP_ACCOUNTANT_ZCDP;

	if (budget->kind == DP_BUDGET_GRANT)
		whose = "all together";
	dp_explain_open("Paying Budget", NULL, "Budget", whose, es);
	if (is_one_of_several)
		ExplainPropertyText("Population", budget->population, es);
	if (is_zcdp)
		dp_explain_amount("Rho Left", budget->left.rho, es);
	else
		dp_explain_amount("Epsilon Left", budget->left.epsilon, es);
	dp_explain_amount("Delta Left",
					  is_zcdp ? budget->left.pool : budget->left.delta, es);
	if (budget->per_query_limited)
		dp_explain_amount("Most Epsilon per Query",
						  budget->max_epsilon_per_query, es);
	if (budget->min_epsilon_per_query.ticks > 0)
		dp_explain_amount("Least Epsilon per Aggregate",
						  budget->min_epsilon_per_query, es);
	if (is_zcdp)
		dp_explain_amount("Rho to Pay", budget->asked.rho, es);
	else
		dp_explain_amount("Epsilon to Pay", budget->asked.epsilon, es);
	dp_explain_amount("Delta to Pay",
					  is_zcdp ? budget->asked.pool : budget->asked.delta, es);
	if (!budget->suffices)
		ExplainPropertyBool("Suffices", false, es);
	dp_explain_close("Paying Budget", NULL, es);
}

/* The budgets that would pay for this release, and why they would not. */
static void
explain_budgets(const DpReleaseState *state, ExplainState *es)
{
	const DpPreview *preview = state->preview;
	List *populations = state->outline->relations.populations;
	int kind;
	uint32 i;

	ExplainOpenGroup("Budgets", "Budgets", false, es);
	for (kind = DP_BUDGET_OWN; kind <= DP_BUDGET_GRANT; kind++)
	{
		for (i = 0; i < preview->budget_count; i++)
		{
			const DpPreviewBudget *budget = &preview->budgets[i];

			if ((int) budget->kind == kind &&
				list_member_int(populations, budget->population_id))
				explain_budget(budget, list_length(populations) > 1, es);
		}
	}
	ExplainCloseGroup("Budgets", "Budgets", false, es);
	if (preview->sqlstate != 0)
		ExplainPropertyText("Reason", preview->message, es);
}

/* Shows that it is one of several groupings, and its share. */
static void
explain_groupings(const DpReleaseState *state, ExplainState *es)
{
	if (list_length(state->groupings->states) == 1)
		return;
	ExplainPropertyInteger("Groupings Asked Together", NULL,
						   list_length(state->groupings->states), es);
	ExplainPropertyFloat(state->outline->choices.by_rho ? "Share of Rho"
														: "Share of Epsilon",
						 NULL, state->terms.share_of_price, 4, es);
}

void
dp_explain_release(CustomScanState *node, List *ancestors, ExplainState *es)
{
	DpReleaseState *state = (DpReleaseState *) node;
	int count = list_length(state->outline->aggregates);
	DpAmount asked = {0};
	DpPrivacyCost cost = dp_cost_none();
	bool is_known = true;
	int aggno;

	(void) ancestors;
	if (state->preview == NULL &&
		(node->ss.ps.state->es_top_eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0)
		dp_explain_answer_preview(node->ss.ps.state);
	explain_texts(
		"Protected Relation", "Protected Relations",
		relation_texts(dp_relations_named(&state->outline->relations)), es);
	explain_texts("Relation Beneath", "Relations Beneath",
				  relation_texts(state->outline->relations.beneath), es);
	explain_unit(state->outline, es);
	if (state->outline->keys != NIL)
		dp_explain_keys(state, es);
	explain_groupings(state, es);
	if (state->outline->constants != NIL)
		ExplainPropertyInteger("Values Found First", NULL,
							   list_length(state->outline->constants), es);
	if (state->groups.selection != NULL)
		dp_price_selection(state, &asked, &cost);
	ExplainOpenGroup("Private Aggregates", "Private Aggregates", false, es);
	for (aggno = 0; aggno < count; aggno++)
		is_known &= explain_aggregate(state, aggno, &asked, &cost, es);
	ExplainCloseGroup("Private Aggregates", "Private Aggregates", false, es);
	if (is_known)
	{
		/* Epsilons of groupings that share rho add up to no price. */
		if (list_length(state->groupings->states) == 1 ||
			!state->outline->choices.by_rho)
			dp_explain_amount("Total Epsilon", asked, es);
		if (state->outline->choices.by_rho)
			dp_explain_amount("Total Rho", cost.rho, es);
		dp_explain_amount("Total Delta", cost.delta, es);
	}
	if (state->preview != NULL)
		explain_budgets(state, es);
}
