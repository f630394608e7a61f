/*
 * disjoint.c
 *		The cost of several answers, each about other rows.
 */
#include "accounting/disjoint.h"

/* The greatest of some amounts, or the sum of the two greatest. */
typedef struct Greatest
{
	DpAmount first;
	DpAmount second;
} Greatest;

static void
see(Greatest *greatest, DpAmount amount)
{
	if (dp_amount_compare(amount, greatest->first) > 0)
	{
		greatest->second = greatest->first;
		greatest->first = amount;
	}
	else if (dp_amount_compare(amount, greatest->second) > 0)
		greatest->second = amount;
}

static DpAmount
charged(const Greatest *greatest, DpTouched touched)
{
	return touched == DP_TOUCHES_ONE
			   ? greatest->first
			   : dp_amount_add(greatest->first, greatest->second);
}

DpPrivacyCost
dp_disjoint_cost(const DpPrivacyCost *costs, int count, DpTouched touched)
{
	Greatest epsilon = {{0}, {0}};
	Greatest delta = {{0}, {0}};
	Greatest unbounded = {{0}, {0}};
	Greatest rho = {{0}, {0}};
	Greatest pool = {{0}, {0}};
	DpPrivacyCost result = dp_cost_none();
	int i;

	for (i = 0; i < count; i++)
	{
		see(&epsilon, costs[i].epsilon);
		see(&delta, costs[i].delta);
		see(&unbounded, costs[i].unbounded);
		see(&rho, costs[i].rho);
		see(&pool, costs[i].pool);
	}
	result.epsilon = charged(&epsilon, touched);
	result.delta = charged(&delta, touched);
	result.unbounded = charged(&unbounded, touched);
	result.rho = charged(&rho, touched);
	result.pool = charged(&pool, touched);
	return result;
}

/* Whether an answer is about other rows than all in a set so far. */
static bool
fits(const int *order, int placed, int set, const int *classes,
	 bool (*are_disjoint)(int one, int other, const void *context),
	 const void *context)
{
	int i;

	for (i = 0; i < placed; i++)
	{
		if (classes[order[i]] == set &&
			!are_disjoint(order[i], order[placed], context))
			return false;
	}
	return true;
}

int
dp_disjoint_partition(const int *order, int count,
					  bool (*are_disjoint)(int one, int other,
										   const void *context),
					  const void *context, int *classes)
{
	int sets = 0;
	int placed;

	for (placed = 0; placed < count; placed++)
	{
		int set = 0;

		while (set < sets &&
			   !fits(order, placed, set, classes, are_disjoint, context))
			set++;
		classes[order[placed]] = set;
		if (set == sets)
			sets++;
	}
	return sets;
}
