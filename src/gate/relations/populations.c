/*
 * populations.c
 *		Who may ask about the people of a relation, and in what currency.
 *
 * A budget is a role's while oid and name of the role are those that it was
 * given to.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_auth_members.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"

#include "gate/relations/look_up.h"
#include "gate/relations/populations.h"
#include "server/ownership.h"

/* Columns of the extension's tables, in the order of the install script. */
enum
{
	ALLOWANCE_POPULATION = 1,
	ALLOWANCE_ROLE,
	ALLOWANCE_ROLE_NAME
};

enum
{
	BUDGET_POPULATION = 2,
	BUDGET_ROLE,
	BUDGET_ROLE_NAME,
	BUDGET_IS_ACTIVE,
	BUDGET_SHARED,
	BUDGET_DEFAULT_EPSILON = 13,
	BUDGET_RELATIONS = 15
};

/* The name of a role; false where there is none. */
static bool
name_of_role(const DpPicture *picture, Oid role, NameData *name)
{
	DpLookUp row;
	ScanKeyData key;

	ScanKeyInit(&key, Anum_pg_authid_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(role));
	dp_look_up_begin_catalog(&row, picture, AuthIdRelationId, AuthIdOidIndexId,
							 1, &key);
	if (!dp_look_up_next(&row))
		return false;
	*name = ((Form_pg_authid) GETSTRUCT(row.row))->rolname;
	dp_look_up_end(&row);
	return true;
}

/* Adds the groups that a role is in, if they are not known yet. */
static void
add_groups(DpPicture *picture, Oid role, HTAB *known)
{
	DpLookUp row;
	ScanKeyData key;

	ScanKeyInit(&key, Anum_pg_auth_members_member, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(role));
	dp_look_up_begin_catalog(&row, picture, AuthMemRelationId,
							 AuthMemMemRoleIndexId, 1, &key);
	while (dp_look_up_next(&row))
	{
		Oid group = ((Form_pg_auth_members) GETSTRUCT(row.row))->roleid;
		bool is_known;

		(void) hash_search(known, &group, HASH_ENTER, &is_known);
		if (!is_known)
			picture->groups = lappend_oid(picture->groups, group);
	}
}

/* A role and all that it is a member of. */
static List *
groups_of(DpPicture *picture, Oid role)
{
	HASHCTL info = {.keysize = sizeof(Oid), .entrysize = sizeof(Oid)};
	MemoryContext old;
	HTAB *known;
	ListCell *cell;

	if (picture->member == role)
		return picture->groups;
	old = MemoryContextSwitchTo(picture->context);
	info.hcxt = picture->context;
	known = hash_create("groups of a role", 16, &info,
						HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	(void) hash_search(known, &role, HASH_ENTER, NULL);
	picture->member = InvalidOid;
	picture->groups = list_make1_oid(role);
	foreach (cell, picture->groups) /* it grows */
		add_groups(picture, lfirst_oid(cell), known);
	hash_destroy(known);
	picture->member = role;
	MemoryContextSwitchTo(old);
	return picture->groups;
}

/*
 * Finds the budget for a population that a role has, and that a member of it
 * pays from; false when there is none. Otherwise the caller ends the scan.
 */
static bool
find_budget(DpLookUp *row, const DpPicture *picture, int32 population, Oid role,
			bool is_own)
{
	ScanKeyData keys[2];
	NameData name;
	bool isnull;

	ScanKeyInit(&keys[0], BUDGET_POPULATION, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(population));
	ScanKeyInit(&keys[1], BUDGET_ROLE, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(role));
	dp_look_up_begin(row, picture, "budget", "budget_role", lengthof(keys),
					 keys);
	while (dp_look_up_next(row))
	{
		Datum role_name = dp_look_up_column(row, BUDGET_ROLE_NAME, &isnull);

		if (!isnull &&
			DatumGetBool(dp_look_up_column(row, BUDGET_IS_ACTIVE, &isnull)) &&
			(is_own ||
			 DatumGetBool(dp_look_up_column(row, BUDGET_SHARED, &isnull))) &&
			name_of_role(picture, role, &name) &&
			namestrcmp(&name, NameStr(*DatumGetName(role_name))) == 0)
			return true;
	}
	return false;
}

/* Whether a budget is for questions about a member. */
static bool
is_for(const DpLookUp *budget, int32 member)
{
	bool isnull;
	Datum relations = dp_look_up_column(budget, BUDGET_RELATIONS, &isnull);
	Datum *members;
	bool *nulls;
	int count;
	int i;

	if (isnull)
		return true;
	deconstruct_array(DatumGetArrayTypeP(relations), INT4OID, sizeof(int32),
					  true, TYPALIGN_INT, &members, &nulls, &count);
	for (i = 0; i < count; i++)
	{
		if (!nulls[i] && DatumGetInt32(members[i]) == member)
			return true;
	}
	return false;
}

static bool
is_allowed(const DpPicture *picture, int32 population, Oid role)
{
	DpLookUp row;
	ScanKeyData keys[2];
	NameData name;
	bool isnull;

	if (!name_of_role(picture, role, &name))
		return false;
	ScanKeyInit(&keys[0], ALLOWANCE_POPULATION, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(population));
	ScanKeyInit(&keys[1], ALLOWANCE_ROLE_NAME, BTEqualStrategyNumber, F_NAMEEQ,
				NameGetDatum(&name));
	dp_look_up_begin(&row, picture, "allowance", "allowance_pkey",
					 lengthof(keys), keys);
	while (dp_look_up_next(&row))
	{
		if (DatumGetObjectId(
				dp_look_up_column(&row, ALLOWANCE_ROLE, &isnull)) != role)
			continue;
		dp_look_up_end(&row);
		return true;
	}
	return false;
}

void
dp_populations_check_member(const DpProtection *protection)
{
	Oid owner = dp_owner_of(protection->relation);

	if (owner == protection->population_owner || superuser_arg(owner) ||
		is_allowed(dp_picture_current(), protection->population, owner))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the owner of \"%s\" may not have relations in its "
					"population",
					get_rel_name(protection->relation)),
			 errhint("The population's owner can allow it with "
					 "dp_noise.allow_members(), or give the population away "
					 "with dp_noise.alter_population(owner => ...).")));
}

static bool
look_up_budget(DpPicture *picture, const DpProtection *protection)
{
	Oid user = GetSessionUserId();
	List *groups = groups_of(picture, user);
	ListCell *cell;

	if (list_member_oid(groups, protection->population_owner))
		return true;
	foreach (cell, groups)
	{
		DpLookUp budget;
		bool is_found;

		if (!find_budget(&budget, picture, protection->population,
						 lfirst_oid(cell), lfirst_oid(cell) == user))
			continue;
		is_found = is_for(&budget, protection->member);
		dp_look_up_end(&budget);
		if (is_found)
			return true;
	}
	return false;
}

bool
dp_populations_have_budget(Oid relation)
{
	DpPictured *pictured = dp_picture_relation(relation);

	if (!pictured->protection.is_protected)
		return false;
	if (!pictured->knows_budget)
		pictured->has_budget =
			look_up_budget(dp_picture_current(), &pictured->protection);
	pictured->knows_budget = true;
	return pictured->has_budget;
}

bool
dp_populations_pay_by_rho(const DpRelations *relations)
{
	ListCell *cell;

	foreach (cell, dp_relations_all_read(relations))
	{
		if (!dp_protection_of(lfirst_oid(cell))->counts_rho)
			return false;
	}
	return true;
}

double
dp_populations_default_epsilon(const DpRelations *relations)
{
	DpPicture *picture = dp_picture_current();
	Oid user = GetSessionUserId();
	double least = 0;
	ListCell *population;
	ListCell *cell;

	foreach (population, relations->populations)
	{
		foreach (cell, groups_of(picture, user))
		{
			DpLookUp budget;
			double epsilon;
			bool isnull;
			Datum value;

			if (!find_budget(&budget, picture, lfirst_int(population),
							 lfirst_oid(cell), lfirst_oid(cell) == user))
				continue;
			value = dp_look_up_column(&budget, BUDGET_DEFAULT_EPSILON, &isnull);
			epsilon = isnull ? 0
							 : DatumGetFloat8(
								   DirectFunctionCall1(numeric_float8, value));
			dp_look_up_end(&budget);
			if (epsilon > 0 && (least == 0 || epsilon < least))
				least = epsilon;
		}
	}
	return least;
}
