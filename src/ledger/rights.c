/*
 * rights.c
 *		Who may ask about which relations.
 *
 * The right to ask is a budget in the population, of the role or of a group of
 * it, that is for all relations of the population that the question names. What
 * lies beneath a view is read by the right of the view. The population's owner needs
 * no budget.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "ledger/reply.h"
#include "ledger/rights.h"

/* The relation of a charge that is named first; NULL where it has none. */
static const DpAskedRelation *
first_named(const DpStoreRequest *request, uint32 number)
{
	const DpCharge *charge = &request->charges[number];
	const DpAskedRelation *relations =
		request->relations + charge->first_relation;
	uint32 i;

	for (i = 0; i < charge->relation_count; i++)
	{
		if (relations[i].is_named)
			return &relations[i];
	}
	return charge->relation_count > 0 ? relations : NULL;
}

const char *
dp_rights_subject(const DpStoreRequest *request, uint32 number,
				  const DpPopulation *population)
{
	const DpAskedRelation *first = first_named(request, number);
	const char *name = first != NULL ? get_rel_name(first->relation) : NULL;

	if (name != NULL)
		return name;
	if (population != NULL)
		return population->name;
	return psprintf("population %d", request->charges[number].population_id);
}

DpRefusal
dp_rights_refuse_unprotected(DpReply *refusal)
{
	dp_reply_refuse(refusal, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					"relation is not protected by dp_noise");
	dp_reply_hint(refusal,
				  "The owner protects a relation with dp_noise.protect().");
	return DP_REFUSAL_NOT_PROTECTED;
}

/*
 * A statement means what the settings said when it was planned. The population's
 * lock is held, so they are compared with what all will find from now on.
 */
static DpRefusal
check_member(DpPopulation *population, const DpAskedRelation *asked,
			 DpReply *refusal)
{
	DpMember *member = dp_budgets_find_member(population, asked->relation);

	if (member == NULL)
		return dp_rights_refuse_unprotected(refusal);
	if (asked->settings_version != 0 &&
		asked->settings_version != member->settings_version)
	{
		dp_reply_refuse(refusal, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
						"the protection of \"%s\" was changed after the "
						"statement was planned",
						get_rel_name(asked->relation));
		dp_reply_hint(refusal, "Nothing was charged. Ask again.");
		return DP_REFUSAL_CHANGED;
	}
	if (dp_budgets_allow_member(population, member))
		return DP_REFUSAL_NONE;
	dp_reply_refuse(refusal, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					"the owner of \"%s\" may not have relations in its "
					"population",
					get_rel_name(asked->relation));
	dp_reply_hint(refusal,
				  "The population's owner can allow it with "
				  "dp_noise.allow_members(), or give the population away "
				  "with dp_noise.alter_population(owner => ...).");
	return DP_REFUSAL_NOT_PROTECTED;
}

/* Whether a budget is for all relations that a charge names. */
static bool
permits(const DpBudget *budget, const DpStoreRequest *request, uint32 number,
		DpPopulation *population)
{
	const DpCharge *charge = &request->charges[number];
	uint32 i;

	for (i = 0; i < charge->relation_count; i++)
	{
		const DpAskedRelation *asked =
			&request->relations[charge->first_relation + i];

		CHECK_FOR_INTERRUPTS();
		if (asked->is_named &&
			!dp_budgets_are_for(
				budget,
				dp_budgets_find_member(population, asked->relation)->member_id))
			return false;
	}
	return true;
}

/* Whether a charge names a relation of its population. */
static bool
names_any(const DpStoreRequest *request, uint32 number)
{
	const DpAskedRelation *first = first_named(request, number);

	return first != NULL && first->is_named;
}

bool
dp_rights_are_owners(const DpPopulation *population, Oid role)
{
	return superuser_arg(role) || (OidIsValid(population->owner) &&
								   has_privs_of_role(role, population->owner));
}

static bool
may_ask(const DpStoreRequest *request, uint32 number, DpPopulation *population,
		const DpAsker *asker)
{
	ListCell *cell;

	if (!names_any(request, number) ||
		dp_rights_are_owners(population, asker->role))
		return true;
	foreach (cell, asker->budgets)
	{
		if (permits(lfirst(cell), request, number, population))
			return true;
	}
	return false;
}

/* The first relation that a charge names and no budget is for. */
static const char *
without_budget(const DpStoreRequest *request, uint32 number,
			   DpPopulation *population, const DpAsker *asker)
{
	const DpCharge *charge = &request->charges[number];
	uint32 i;

	for (i = 0; i < charge->relation_count; i++)
	{
		const DpAskedRelation *asked =
			&request->relations[charge->first_relation + i];
		int member_id =
			dp_budgets_find_member(population, asked->relation)->member_id;
		bool found = !asked->is_named;
		ListCell *cell;

		CHECK_FOR_INTERRUPTS();
		foreach (cell, asker->budgets)
			found = found || dp_budgets_are_for(lfirst(cell), member_id);
		if (!found)
			return get_rel_name(asked->relation);
	}
	return dp_rights_subject(request, number, population);
}

/* Refuses where more would have to pay than is read. */
static DpRefusal
refuse_too_many(const DpStoreRequest *request, uint32 number,
				const DpPopulation *population, const DpAsker *asker,
				DpReply *refusal)
{
	dp_reply_refuse(refusal, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
					"too many privacy budgets for \"%s\" would pay for role "
					"\"%s\"",
					dp_rights_subject(request, number, population),
					GetUserNameFromId(asker->role, true));
	dp_reply_detail(refusal,
					"At most %d budgets that its groups share may pay, and it "
					"may be a member of at most %d groups.",
					DP_SHARED_BUDGETS_MAX, DP_GROUPS_MAX);
	dp_reply_hint(refusal, "Ask as a role that is a member of fewer groups.");
	return DP_REFUSAL_NO_BUDGET;
}

DpRefusal
dp_rights_check(const DpStoreRequest *request, uint32 number,
				DpPopulation *population, const DpAsker *asker, int *member_id,
				DpReply *refusal)
{
	const DpCharge *charge = &request->charges[number];
	uint32 i;

	if (charge->relation_count == 0)
		return dp_rights_refuse_unprotected(refusal);
	for (i = 0; i < charge->relation_count; i++)
	{
		DpRefusal why = check_member(
			population, &request->relations[charge->first_relation + i],
			refusal);

		CHECK_FOR_INTERRUPTS();
		if (why != DP_REFUSAL_NONE)
			return why;
	}
	*member_id = dp_budgets_find_member(population,
										first_named(request, number)->relation)
					 ->member_id;
	if (asker->has_too_many)
		return refuse_too_many(request, number, population, asker, refusal);
	if (may_ask(request, number, population, asker))
		return DP_REFUSAL_NONE;
	dp_reply_refuse(refusal, ERRCODE_INSUFFICIENT_PRIVILEGE,
					"role \"%s\" has no privacy budget for \"%s\"",
					GetUserNameFromId(asker->role, true),
					without_budget(request, number, population, asker));
	dp_reply_hint(refusal, "The owner grants one with dp_noise.set_budget().");
	return DP_REFUSAL_NO_BUDGET;
}
