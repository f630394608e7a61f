/*
 * preview.c
 *		Budgets as the one who pays may see them.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "ledger/preview.h"

/* What a budget leaves before the statement. */
typedef struct Left
{
	DpAmount epsilon;
	DpAmount delta;
} Left;

static Left
left_of(const DpBudget *b)
{
	return (Left){dp_amount_left(b->epsilon, b->epsilon_spent),
				  dp_amount_left(b->delta, b->delta_spent)};
}

static DpAmount
least(DpAmount a, DpAmount b)
{
	return dp_amount_compare(a, b) < 0 ? a : b;
}

/* What the budgets of roles leave, the least of them. */
static Left
left_to_role(List *budgets)
{
	Left result = {dp_amount_greatest(), dp_amount_greatest()};
	ListCell *cell;

	foreach (cell, budgets)
	{
		const DpBudget *b = lfirst(cell);
		Left left = left_of(b);

		if (b->role_id == 0)
			continue;
		result.epsilon = least(result.epsilon, left.epsilon);
		result.delta = least(result.delta, left.delta);
	}
	return result;
}

static void
set_role(DpPreviewBudget *to, const DpBudget *b, const DpPayer *role)
{
	if (b->role_id == 0)
		to->kind = DP_BUDGET_TOTAL;
	else
	{
		bool own = b->role_id == role->role_id;
		char *name = GetUserNameFromId(own ? role->oid : b->role, true);

		to->kind = own ? DP_BUDGET_OWN : DP_BUDGET_SHARED;
		if (name != NULL)
			strlcpy(to->role, name, sizeof(to->role));
	}
}

/* Fills an entry; false when the role may not hear of the budget. */
static bool
describe(DpPreviewBudget *to, const DpBudget *b, const DpPayer *role,
		 const DpPaidRelation *relation, Left of_role, DpAsked asked)
{
	DpReply refusal = {0};
	Left left = left_of(b);

	memset(to, 0, sizeof(*to));
	to->relation = relation->oid;
	set_role(to, b, role);
	to->suffices =
		(asked.epsilon.units == 0 && asked.delta.units == 0) ||
		dp_budget_check(b, relation, asked, &refusal) == DP_REFUSAL_NONE;
	to->epsilon_asked = asked.epsilon;
	to->delta_asked = asked.delta;
	to->limited = b->limited;
	to->per_query_limited = b->per_query_limited;
	to->max_epsilon_per_query = b->max_epsilon_per_query;
	to->min_epsilon_per_query = b->min_epsilon_per_query;
	to->is_whole = true;
	if (to->kind == DP_BUDGET_TOTAL &&
		!dp_budgets_is_privileged(role->oid, relation->oid))
	{
		bool binds = b->limited &&
					 (dp_amount_compare(left.epsilon, of_role.epsilon) < 0 ||
					  dp_amount_compare(left.delta, of_role.delta) < 0);

		if (to->suffices && !binds)
			return false;
		to->is_whole = false;
		left.epsilon = least(left.epsilon, of_role.epsilon);
		left.delta = least(left.delta, of_role.delta);
	}
	to->epsilon_left = left.epsilon;
	to->delta_left = left.delta;
	if (to->is_whole)
	{
		to->epsilon_granted = b->epsilon;
		to->delta_granted = b->delta;
		to->epsilon_spent = b->epsilon_spent;
		to->delta_spent = b->delta_spent;
	}
	return true;
}

void
dp_preview_budgets(DpStoreRequest *request, DpPayer *role,
				   DpPaidRelation *relation, List *budgets, DpAsked of_role,
				   DpAsked of_total)
{
	Left left = left_to_role(budgets);
	Size count = request->budget_count + list_length(budgets);
	MemoryContext old = MemoryContextSwitchTo(request->context);
	ListCell *cell;

	if (list_length(budgets) > 0)
		request->budgets =
			request->budget_count == 0
				? palloc(count * sizeof(DpPreviewBudget))
				: repalloc(request->budgets, count * sizeof(DpPreviewBudget));
	MemoryContextSwitchTo(old);
	foreach (cell, budgets)
	{
		const DpBudget *b = lfirst(cell);

		if (describe(&request->budgets[request->budget_count], b, role,
					 relation, left, b->role_id == 0 ? of_total : of_role))
			request->budget_count++;
	}
}
