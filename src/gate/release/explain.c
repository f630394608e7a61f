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
#include "gate/relations/protection.h"
#include "gate/release/agreement.h"
#include "gate/release/chosen_bounds.h"
#include "gate/release/disjoint.h"
#include "gate/release/explain.h"
#include "gate/release/explain_answer.h"
#include "gate/release/explain_bounds.h"
#include "gate/release/explain_keys.h"
#include "gate/release/groupings.h"
#include "gate/release/price.h"
#include "gate/release/sub_query_values.h"
#include "gate/run/nodes/nodes.h"
#include "server/compat.h"
#include "server/settings.h"

/* The question of an aggregate, which its asker has; NULL: not found yet. */
static const DpAskedQuestion *
question_of(const DpReleaseState *state, int aggno)
{
	const DpReleaseState *asker = dp_release_state_asker(state);

	return asker->questions == NULL ? NULL : asker->questions[aggno];
}

static char *
fingerprint_text(DpReleaseState *state, int aggno)
{
	const DpAskedQuestion *question = question_of(state, aggno);
	unsigned char fingerprint[32];
	char text[2 * sizeof(fingerprint) + 1];

	if (question != NULL && question->count > 1)
		memcpy(fingerprint, question->charge.fingerprint, sizeof(fingerprint));
	else
		dp_groupings_fingerprint(state, aggno, fingerprint);
	hex_encode((const char *) fingerprint, sizeof(fingerprint), text);
	text[sizeof(text) - 1] = '\0';
	return pstrdup(text);
}

/*
 * Why auto took a mechanism where rho is what counts, or where groups are selected by
 * it; NULL where it did not.
 */
static const char *
reason_of(const DpTerms *terms, int aggno, const DpCall *call)
{
	if (terms->mechanisms[aggno] != NULL)
		return "less noise and a lower threshold, for the delta that selecting "
			   "groups costs";
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
 * Adds what a question costs in a grouping to sums of epsilons and of costs, of
 * several aggregates with the first of them.
 */
static void
add_price(DpReleaseState *state, int aggno, const DpDescription *description,
		  DpAmount *asked, DpPrivacyCost *cost)
{
	const DpAskedQuestion *question = question_of(state, aggno);
	bool asks =
		question != NULL && question->state == dp_release_state_asker(state);
	int count = asks ? question->count : 1;
	DpPrivacyCost *costs = palloc(count * sizeof(DpPrivacyCost));
	DpPrivacyCost *epsilons = palloc(count * sizeof(DpPrivacyCost));
	DpPrivacyCost together;
	int i;

	if (count > 1 && aggno != question->aggno)
		return;
	for (i = 0; i < count; i++)
	{
		DpDescription one = *description;

		if (count > 1)
			dp_terms_describe(&state->terms, question->aggnos[i], &one);
		costs[i] = one.cost;
		epsilons[i] = dp_cost_none();
		epsilons[i].epsilon = one.asked;
	}
	together = dp_disjoint_cost(costs, count, dp_disjoint_touched(state));
	*cost = dp_cost_add(cost, &together);
	together = dp_disjoint_cost(epsilons, count, dp_disjoint_touched(state));
	*asked = dp_amount_add(*asked, together.epsilon);
}

/* Says that aggregates about other rows share the price. */
static void
explain_disjoint(const DpReleaseState *state, int aggno, ExplainState *es)
{
	const DpAskedQuestion *question = question_of(state, aggno);

	if (question == NULL || question->count == 1)
		return;
	ExplainPropertyInteger("Disjoint Aggregates Asked Together", NULL,
						   question->count, es);
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
	dp_explain_text("Written As", dp_rewrite_aggregate_written_as(aggref), es);
	ExplainPropertyText("Mechanism",
						dp_terms_mechanism(&state->terms, aggno, &description),
						es);
	dp_explain_text("Chosen For", reason_of(&state->terms, aggno, call), es);
	if (dp_terms_chooses(&state->terms, aggno))
		dp_explain_choice(state, aggno, &description, es);
	if (!repeats(state, aggno))
		add_price(state, aggno, &description, asked, cost);
	dp_explain_amount("Epsilon", description.asked, es);
	dp_explain_text("Epsilon From", epsilon_source(state, call), es);
	dp_explain_derived_bounds(
		aggref,
		(DpBoundsOrigin) list_nth_int(state->outline->bounds_origins, aggno),
		es);
	if (state->outline->choices.by_rho)
		dp_explain_amount("Rho", description.cost.rho, es);
	if (dp_terms_have_levels(&state->terms, aggno))
		ExplainPropertyText("Privacy Levels",
							dp_levels_text(state->outline->levels), es);
	dp_explain_error(state, aggno, &description, es);
	if (!awaits && dp_agreement_is_expected(state, aggno, &deviation))
		ExplainPropertyFloat("Standard Deviation as Shown", NULL, deviation, 3,
							 es);
	explain_disjoint(state, aggno, es);
	if (!awaits)
		ExplainPropertyText("Question", fingerprint_text(state, aggno), es);
	dp_explain_answer(state, aggno, es);
	dp_explain_derived_error(state, aggno, &description, es);
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

static List *
string_texts(const List *strings)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, strings)
		texts = lappend(texts, strVal(lfirst(cell)));
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
	const char *rows = list_member_int(outline->chooses_cap, 1)
						   ? "the chosen cap"
						   : psprintf("%u", contribution->rows);
	char *text;

	if (relations->one_row && !has_groups)
		return; /* a unit has no more rows */
	if (relations->one_row)
		text = psprintf("groups of a unit beyond %u", contribution->groups);
	else if (has_groups)
		text = psprintf(
			"rows of a unit beyond %s in a group, and its groups beyond %u",
			rows, contribution->groups);
	else
		text = psprintf("rows of a unit beyond %s", rows);
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
		(void) dp_explain_answer_preview(node->ss.ps.state);
	explain_texts(
		"Protected Relation", "Protected Relations",
		relation_texts(dp_relations_named(&state->outline->relations)), es);
	explain_texts("Relation Beneath", "Relations Beneath",
				  relation_texts(state->outline->relations.beneath), es);
	explain_texts("Added Condition", "Added Conditions",
				  string_texts(state->outline->equated), es);
	explain_unit(state->outline, es);
	dp_explain_text("Computed on Nodes",
					dp_nodes_words(state->outline->node_work), es);
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
