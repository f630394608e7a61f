/*
 * populations.c
 *		Who may ask about the people of a relation, and in what currency.
 *
 * A budget is a role's while oid and name of the role are those that it was
 * given to.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"

#include "gate/relations/look_up.h"
#include "gate/relations/populations.h"
#include "server/ownership.h"

/* Role $2 and all that it is a member of, for the queries below. */
#define WITH_GROUPS \
	"WITH RECURSIVE groups (oid) AS (SELECT $2 UNION" \
	" SELECT m.roleid FROM pg_catalog.pg_auth_members AS m" \
	" JOIN groups ON m.member = groups.oid) "

/* Budgets that role $2 pays from for population $1. */
#define FROM_BUDGETS \
	" FROM dp_noise_ledger.budget AS b JOIN pg_catalog.pg_authid AS r" \
	" ON r.oid = b.role AND r.rolname = b.role_name" \
	" WHERE b.population_id = $1 AND b.is_active AND (b.role = $2" \
	" OR (b.shared AND b.role IN (SELECT groups.oid FROM groups)))"

void
dp_gate_check_member(const DpProtection *protection)
{
	static DpLookUp look_up = {"SELECT 1 FROM dp_noise_ledger.allowance AS a"
							   " JOIN pg_catalog.pg_authid AS r"
							   " ON r.oid = a.role AND r.rolname = a.role_name"
							   " WHERE a.population_id = $1 AND a.role = $2",
							   2,
							   {INT4OID, OIDOID},
							   NULL};
	Oid owner = dp_owner_of(protection->relation);
	Datum args[] = {Int32GetDatum(protection->population),
					ObjectIdGetDatum(owner)};

	if (owner == protection->population_owner || superuser_arg(owner) ||
		dp_gate_look_up(dp_gate_current_picture(), &look_up, args, 0, NULL))
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

bool
dp_gate_has_budget(Oid relation)
{
	static DpLookUp look_up = {
		WITH_GROUPS "SELECT 1" FROM_BUDGETS
					" AND (b.relations IS NULL OR $3 = ANY (b.relations))"
					" UNION ALL"
					" SELECT 1 FROM dp_noise_ledger.population AS p"
					" WHERE p.population_id = $1"
					" AND p.owner IN (SELECT groups.oid FROM groups)",
		3,
		{INT4OID, OIDOID, INT4OID},
		NULL};
	DpPictured *pictured = dp_gate_pictured(relation);
	Datum args[] = {Int32GetDatum(pictured->protection.population),
					ObjectIdGetDatum(GetSessionUserId()),
					Int32GetDatum(pictured->protection.member)};

	if (!pictured->protection.is_protected)
		return false;
	if (!pictured->knows_budget)
		pictured->has_budget =
			dp_gate_look_up(dp_gate_current_picture(), &look_up, args, 0, NULL);
	pictured->knows_budget = true;
	return pictured->has_budget;
}

bool
dp_gate_pay_by_rho(const DpRelations *relations)
{
	ListCell *cell;

	foreach (cell, dp_relations_all_read(relations))
	{
		if (!dp_gate_protection(lfirst_oid(cell))->counts_rho)
			return false;
	}
	return true;
}

double
dp_gate_default_epsilon(const DpRelations *relations)
{
	static DpLookUp look_up = {
		WITH_GROUPS
		"SELECT "
		"pg_catalog.min(b.default_epsilon)::pg_catalog.float8" FROM_BUDGETS,
		2,
		{INT4OID, OIDOID},
		NULL};
	double least = 0;
	ListCell *cell;

	foreach (cell, relations->populations)
	{
		Datum args[] = {Int32GetDatum(lfirst_int(cell)),
						ObjectIdGetDatum(GetSessionUserId())};
		Datum value;

		if (!dp_gate_look_up(dp_gate_current_picture(), &look_up, args, 1,
							 &value) ||
			DatumGetFloat8(value) == 0) /* null */
			continue;
		if (least == 0 || DatumGetFloat8(value) < least)
			least = DatumGetFloat8(value);
	}
	return least;
}
