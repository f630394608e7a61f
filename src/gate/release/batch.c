/*
 * batch.c
 *		What several statements would cost, one after another.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "gate/release/batch.h"

/* A question that the batch has asked. */
typedef struct Asked
{
	int population_id;
	unsigned char fingerprint[DP_FINGERPRINT_SIZE];
} Asked;

/* A budget, and what the statements so far would take from it. */
typedef struct Spending
{
	int population_id;
	DpBudgetKind kind;
	char role[NAMEDATALEN];
	DpPrivacyCost spent;
} Spending;

/* What a statement asks of the budgets of one population. */
typedef struct PopulationCost
{
	int population_id;
	DpPrivacyCost of_role;
	DpPrivacyCost of_grant;
} PopulationCost;

const char *
dp_batch_answer_text(DpBatchAnswer answer)
{
	static const char *const texts[] = {
		[DP_BATCH_FREE] = "free",		  [DP_BATCH_REPLAYED] = "replayed",
		[DP_BATCH_DERIVED] = "derived",	  [DP_BATCH_SHARED] = "shared",
		[DP_BATCH_CHARGED] = "charged",	  [DP_BATCH_REFUSED] = "refused",
		[DP_BATCH_UNKNOWN] = "not known",
	};

	return texts[answer];
}

static bool
was_asked(const DpPriceBatch *batch, const DpCharge *charge)
{
	foreach_ptr (const Asked, asked, batch->asked)
	{
		if (asked->population_id == charge->population_id &&
			memcmp(asked->fingerprint, charge->fingerprint,
				   DP_FINGERPRINT_SIZE) == 0)
			return true;
	}
	return false;
}

/* A budget of the population, which says what becomes of questions asked again. */
static const DpPreviewBudget *
budget_of(const DpPreview *preview, int population_id)
{
	uint32 i;

	for (i = 0; i < preview->budget_count; i++)
	{
		if (preview->budgets[i].population_id == population_id)
			return &preview->budgets[i];
	}
	return NULL;
}

/* What the statements before would take from a budget. */
static const DpPrivacyCost *
spent_of(const DpPriceBatch *batch, const DpPreviewBudget *budget)
{
	static const DpPrivacyCost nothing = {0};

	foreach_ptr (const Spending, spending, batch->budgets)
	{
		if (spending->population_id == budget->population_id &&
			spending->kind == budget->kind &&
			strcmp(spending->role, budget->role) == 0)
			return &spending->spent;
	}
	return &nothing;
}

static void
spend(DpPriceBatch *batch, const DpPreviewBudget *budget,
	  const DpPrivacyCost *cost)
{
	DpPrivacyCost sum = dp_cost_add(spent_of(batch, budget), cost);
	Spending *added;

	foreach_ptr (Spending, spending, batch->budgets)
	{
		if (&spending->spent == spent_of(batch, budget))
		{
			spending->spent = sum;
			return;
		}
	}
	added = palloc0(sizeof(Spending));
	added->population_id = budget->population_id;
	added->kind = budget->kind;
	strlcpy(added->role, budget->role, sizeof(added->role));
	added->spent = sum;
	batch->budgets = lappend(batch->budgets, added);
}

static const DpPrivacyCost *
cost_to(List *costs, const DpPreviewBudget *budget)
{
	static const DpPrivacyCost nothing = {0};

	foreach_ptr (const PopulationCost, cost, costs)
	{
		if (cost->population_id == budget->population_id)
			return budget->kind == DP_BUDGET_GRANT ? &cost->of_grant
												   : &cost->of_role;
	}
	return &nothing;
}

static void
add_cost(List **costs, const DpCharge *charge, bool grant_pays)
{
	PopulationCost *found = NULL;

	foreach_ptr (PopulationCost, cost, *costs)
	{
		if (cost->population_id == charge->population_id)
			found = cost;
	}
	if (found == NULL)
	{
		found = palloc0(sizeof(PopulationCost));
		found->population_id = charge->population_id;
		*costs = lappend(*costs, found);
	}
	found->of_role = dp_cost_add(&found->of_role, &charge->cost);
	if (grant_pays)
		found->of_grant = dp_cost_add(&found->of_grant, &charge->cost);
}

static void
refuse(DpBatchPrice *result, const char *reason, const char *hint)
{
	result->answer = DP_BATCH_REFUSED;
	result->reason = reason;
	result->hint = hint;
}

/*
 * What becomes of a charge, after those of the statements before; false where the
 * population refuses to be asked again.
 */
static bool
find_outcome(const DpPriceBatch *batch, const DpPreview *preview,
			 const DpPricedCharge *priced, DpOutcome *outcome)
{
	const DpPreviewBudget *budget =
		budget_of(preview, priced->charge.population_id);

	if (*outcome == DP_OUTCOME_REPLAYED || budget == NULL ||
		!was_asked(batch, &priced->charge))
		return true;
	if (budget->replays)
		*outcome = DP_OUTCOME_REPLAYED;
	return budget->replays || budget->answers_anew;
}

/*
 * Whether an answer of the release is there, before the statement or in the batch:
 * then so are the groups, which are selected once for all its questions.
 */
static bool
has_groups(const DpPriceBatch *batch, const DpPrice *price,
		   const DpPreview *preview, const DpReleaseState *state)
{
	int i;

	for (i = 0; i < price->count; i++)
	{
		DpOutcome outcome = preview->charges[i].outcome;

		if (price->charges[i].state == state &&
			price->charges[i].question != NULL &&
			find_outcome(batch, preview, &price->charges[i], &outcome) &&
			outcome == DP_OUTCOME_REPLAYED)
			return true;
	}
	return false;
}

static void
note_outcome(DpBatchPrice *result, DpOutcome outcome,
			 const DpPricedCharge *priced)
{
	const DpCharge *charge = &priced->charge;
	bool is_derived = priced->question != NULL && priced->question->is_derived;
	DpBatchAnswer answer = outcome == DP_OUTCOME_SHARED		? DP_BATCH_SHARED
						   : outcome != DP_OUTCOME_REPLAYED ? DP_BATCH_CHARGED
						   : is_derived						? DP_BATCH_DERIVED
															: DP_BATCH_REPLAYED;

	result->answer = Max(result->answer, answer);
	if (outcome == DP_OUTCOME_REPLAYED || charge->is_joint)
		return;
	result->epsilon = dp_amount_add(result->epsilon, charge->asked);
	result->delta = dp_amount_add(result->delta, charge->cost.delta);
	result->rho = dp_amount_add(result->rho, charge->cost.rho);
}

/* The price of each charge of the statement, in result and by population. */
static List *
add_charges(const DpPriceBatch *batch, const DpPrice *price,
			const DpPreview *preview, DpBatchPrice *result)
{
	bool is_decided = preview->charge_count == (uint32) price->count;
	List *costs = NIL;
	int i;

	for (i = 0; i < price->count; i++)
	{
		const DpPricedCharge *priced = &price->charges[i];
		DpOutcome outcome =
			is_decided ? preview->charges[i].outcome : DP_OUTCOME_CHARGED;

		if (!is_decided)
			;
		else if (priced->question == NULL)
		{
			if (has_groups(batch, price, preview, priced->state))
				outcome = DP_OUTCOME_REPLAYED;
		}
		else if (!find_outcome(batch, preview, priced, &outcome))
			refuse(result, "the question was asked before in this batch",
				   "Leave it out.");
		note_outcome(result, outcome, priced);
		if (outcome != DP_OUTCOME_REPLAYED)
			add_cost(&costs, &priced->charge, outcome != DP_OUTCOME_SHARED);
	}
	return costs;
}

static void
keep_least(DpAmount *least, bool is_first, DpAmount amount)
{
	if (is_first || dp_amount_compare(amount, *least) < 0)
		*least = amount;
}

/* Notes what a budget has left, after a cost, unless that is refused. */
static void
note_left(const DpPriceBatch *batch, const DpPreviewBudget *budget,
		  const DpPrivacyCost *cost, DpBatchPrice *result)
{
	bool is_zcdp = budget->granted.accountant == DP_ACCOUNTANT_ZCDP;
	DpPrivacyCost spent = *spent_of(batch, budget);
	bool is_first = !result->is_pure && !result->is_zcdp;

	if (result->answer != DP_BATCH_REFUSED)
		spent = dp_cost_add(&spent, cost);
	if (is_zcdp)
		keep_least(&result->rho_left, !result->is_zcdp,
				   dp_amount_left(budget->left.rho, spent.rho));
	else
		keep_least(&result->epsilon_left, !result->is_pure,
				   dp_amount_left(budget->left.epsilon, spent.epsilon));
	keep_least(&result->delta_left, is_first,
			   is_zcdp ? dp_amount_left(budget->left.pool, spent.pool)
					   : dp_amount_left(budget->left.delta, spent.delta));
	result->is_zcdp |= is_zcdp;
	result->is_pure |= !is_zcdp;
}

/* Whether a budget bears the statement after those before it. */
static bool
bears(const DpPriceBatch *batch, const DpPreviewBudget *budget,
	  const DpPrivacyCost *cost)
{
	DpGrant left = {.accountant = budget->granted.accountant,
					.epsilon = budget->left.epsilon,
					.delta = budget->left.delta,
					.rho = budget->left.rho,
					.pool = budget->left.pool};

	return dp_grant_fit(&left, spent_of(batch, budget), cost) == DP_FITS;
}

/* Notes what the batch has asked and spent. */
static void
keep(DpPriceBatch *batch, const DpPrice *price, const DpPreview *preview,
	 List *costs)
{
	MemoryContext old = MemoryContextSwitchTo(batch->context);
	uint32 number;
	int i;

	for (number = 0; number < preview->budget_count; number++)
		spend(batch, &preview->budgets[number],
			  cost_to(costs, &preview->budgets[number]));
	for (i = 0; i < price->count; i++)
	{
		Asked *asked;

		if (price->charges[i].question == NULL)
			continue;
		asked = palloc(sizeof(Asked));
		asked->population_id = price->charges[i].charge.population_id;
		memcpy(asked->fingerprint, price->charges[i].charge.fingerprint,
			   DP_FINGERPRINT_SIZE);
		batch->asked = lappend(batch->asked, asked);
	}
	MemoryContextSwitchTo(old);
}

void
dp_batch_add(DpPriceBatch *batch, const DpPrice *price,
			 const DpPreview *preview, DpBatchPrice *result)
{
	List *costs;
	uint32 i;

	memset(result, 0, sizeof(*result));
	costs = add_charges(batch, price, preview, result);
	for (i = 0; i < preview->budget_count; i++)
	{
		if (!bears(batch, &preview->budgets[i],
				   cost_to(costs, &preview->budgets[i])))
			refuse(result,
				   "insufficient privacy budget after the statements before",
				   "Ask for less epsilon, or leave statements out.");
	}
	if (preview->sqlstate != 0)
		refuse(result, pstrdup(preview->message),
			   preview->hint[0] == '\0' ? NULL : pstrdup(preview->hint));
	for (i = 0; i < preview->budget_count; i++)
		note_left(batch, &preview->budgets[i],
				  cost_to(costs, &preview->budgets[i]), result);
	if (preview->sqlstate == ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE &&
		price->count == 0)
		result->answer = DP_BATCH_UNKNOWN;
	if (result->answer < DP_BATCH_REFUSED)
		keep(batch, price, preview, costs);
}
