/*
 * preview.c
 *		Budgets as the one who pays may see them.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "ledger/budget_check.h"
#include "ledger/preview.h"
#include "ledger/rights.h"

/*
 * What a budget has left before the statement, in its own currencies; in the
 * others the greatest amount.
 */
static DpPrivacyCost
left_of(const DpBudget *b)
{
	DpPrivacyCost left = dp_grant_left(&b->grant, &b->spent);

	if (b->grant.accountant == DP_ACCOUNTANT_ZCDP)
		left.epsilon = left.delta = dp_amount_greatest();
	else
		left.rho = left.pool = dp_amount_greatest();
	return left;
}

static DpAmount
least(DpAmount a, DpAmount b)
{
	return dp_amount_compare(a, b) < 0 ? a : b;
}

static DpPrivacyCost
least_left(const DpPrivacyCost *a, const DpPrivacyCost *b)
{
	return (DpPrivacyCost){.epsilon = least(a->epsilon, b->epsilon),
						   .delta = least(a->delta, b->delta),
						   .rho = least(a->rho, b->rho),
						   .pool = least(a->pool, b->pool)};
}

/* The least that the budgets of roles have left. */
static DpPrivacyCost
left_to_role(List *budgets)
{
	DpAmount most = dp_amount_greatest();
	DpPrivacyCost result = {
		.epsilon = most, .delta = most, .rho = most, .pool = most};
	ListCell *cell;

	foreach (cell, budgets)
	{
		const DpBudget *b = lfirst(cell);
		DpPrivacyCost left = left_of(b);

		result = least_left(&result, &left);
	}
	return result;
}

/* True if less is left in a currency that the role's own budgets count. */
static bool
is_less(DpAmount left, DpAmount of_role)
{
	return dp_amount_compare(left, of_role) < 0 &&
		   dp_amount_compare(of_role, dp_amount_greatest()) < 0;
}

static bool
leaves_less(const DpPrivacyCost *left, const DpPrivacyCost *of_role)
{
	return is_less(left->epsilon, of_role->epsilon) ||
		   is_less(left->delta, of_role->delta) ||
		   is_less(left->rho, of_role->rho) ||
		   is_less(left->pool, of_role->pool);
}

static void
set_role(DpPreviewBudget *to, const DpBudget *b, const DpAsker *asker)
{
	char *name;

	to->kind = !OidIsValid(b->role)		? DP_BUDGET_GRANT
			   : b->role == asker->role ? DP_BUDGET_OWN
										: DP_BUDGET_SHARED;
	if (to->kind == DP_BUDGET_GRANT)
		return;
	name = GetUserNameFromId(b->role, true);
	if (name != NULL)
		strlcpy(to->role, name, sizeof(to->role));
}

/* Fills an entry; false if the budget must not be shown to the role. */
static bool
describe(DpPreviewBudget *to, const DpBudget *b, const DpPopulation *population,
		 const DpAsker *asker, DpPrivacyCost of_role, DpDemand asked)
{
	DpReply refusal = {0};
	DpPrivacyCost left = left_of(b);

	memset(to, 0, sizeof(*to));
	to->population_id = population->population_id;
	strlcpy(to->population, population->name, sizeof(to->population));
	set_role(to, b, asker);
	to->suffices = dp_cost_is_none(&asked.cost) ||
				   dp_budget_check(b, population->name, asked, &refusal) ==
					   DP_REFUSAL_NONE;
	to->asked = asked.cost;
	to->replays = population->on_repeat == DP_ON_REPEAT_REPLAY;
	to->answers_anew = population->on_repeat == DP_ON_REPEAT_ANSWER;
	to->granted.accountant = b->grant.accountant;
	to->per_query_limited = b->per_query_limited;
	to->max_epsilon_per_query = b->max_epsilon_per_query;
	to->min_epsilon_per_query = b->min_epsilon_per_query;
	to->is_whole = true;
	if (to->kind == DP_BUDGET_GRANT &&
		!dp_rights_are_owners(population, asker->role))
	{
		if (to->suffices && !leaves_less(&left, &of_role))
			return false;
		to->is_whole = false;
		left = least_left(&left, &of_role);
	}
	to->left = left;
	if (to->is_whole)
	{
		to->granted = b->grant;
		to->spent = b->spent;
	}
	return true;
}

void
dp_preview_budgets(DpStoreRequest *request, const DpPopulation *population,
				   const DpAsker *asker, DpDemand of_role, DpDemand of_grant)
{
	DpPrivacyCost left = left_to_role(asker->budgets);
	Size count = request->budget_count + list_length(asker->budgets) + 1;
	MemoryContext old = MemoryContextSwitchTo(request->context);
	ListCell *cell;

	request->budgets =
		request->budget_count == 0
			? palloc(count * sizeof(DpPreviewBudget))
			: repalloc(request->budgets, count * sizeof(DpPreviewBudget));
	MemoryContextSwitchTo(old);
	foreach (cell, asker->budgets)
	{
		CHECK_FOR_INTERRUPTS();
		(void) describe(&request->budgets[request->budget_count++],
						lfirst(cell), population, asker, left, of_role);
	}
	if (describe(&request->budgets[request->budget_count], population->grant,
				 population, asker, left, of_grant))
		request->budget_count++;
}
