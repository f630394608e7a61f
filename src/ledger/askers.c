/*
 * askers.c
 *		Who asks, and which budgets pay.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_auth_members.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/catcache.h"
#include "utils/syscache.h"

#include "ledger/budgets.h"
#include "ledger/rows.h"
#include "ledger/statements.h"

/* A role that asks, with all that it is a member of, itself included. */
typedef struct Role
{
	Oid oid;
	List *roles;	   /* their oids */
	bool has_too_many; /* groups: some are missing */
} Role;

/* Adds to the roles that were found, and are to be looked at, those of one. */
static void
add_memberships(HTAB *found, Oid role, List **next)
{
	CatCList *memberships =
		SearchSysCacheList1(AUTHMEMMEMROLE, ObjectIdGetDatum(role));
	int i;

	for (i = 0; i < memberships->n_members; i++)
	{
		HeapTuple tuple = &memberships->members[i]->tuple;
		Oid group = ((Form_pg_auth_members) GETSTRUCT(tuple))->roleid;
		bool is_known;

		(void) hash_search(found, &group, HASH_ENTER, &is_known);
		if (!is_known)
			*next = lappend_oid(*next, group);
	}
	ReleaseSysCacheList(memberships);
}

/* The roles of which one is a member, itself first. */
static List *
roles_of(Oid role, bool *has_too_many)
{
	HASHCTL control = {.keysize = sizeof(Oid), .entrysize = sizeof(Oid)};
	HTAB *found =
		hash_create("roles of an asker", 64, &control, HASH_ELEM | HASH_BLOBS);
	List *roles = list_make1_oid(role);
	int i;

	(void) hash_search(found, &role, HASH_ENTER, NULL);
	for (i = 0; i < list_length(roles) && i <= DP_GROUPS_MAX; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_memberships(found, list_nth_oid(roles, i), &roles);
	}
	hash_destroy(found);
	*has_too_many = list_length(roles) > DP_GROUPS_MAX;
	if (*has_too_many)
		roles = list_truncate(roles, DP_GROUPS_MAX);
	else if (is_member_of_role_nosuper(role, ROLE_PG_DATABASE_OWNER))
		roles = list_append_unique_oid(roles, ROLE_PG_DATABASE_OWNER);
	return roles;
}

static const Role *
find_role(DpBatch *batch, Oid oid)
{
	MemoryContext old;
	Role *role;
	ListCell *cell;

	foreach (cell, batch->roles)
	{
		role = lfirst(cell);
		if (role->oid == oid)
			return role;
	}
	old = MemoryContextSwitchTo(batch->context);
	role = palloc(sizeof(Role));
	role->oid = oid;
	role->roles = roles_of(oid, &role->has_too_many);
	batch->roles = lappend(batch->roles, role);
	MemoryContextSwitchTo(old);
	batch->kept++;
	return role;
}

/* Adds one that was read to those of an asker, if it pays. */
static void
add_budget(DpPopulation *population, DpAsker *asker, uint64 row)
{
	DpBudget read;
	DpBudget *b;
	bool is_known;
	bool isnull;

	dp_budgets_read(row, population->accountant, &read);
	if (read.role == asker->role)
		asker->budget_id = read.budget_id;
	if (!DatumGetBool(dp_statement_column(row, 3, &isnull)))
		return;

	/* What is there may have been changed since it was read. */
	b = hash_search(population->budgets, &read.budget_id, HASH_ENTER,
					&is_known);
	if (!is_known)
		*b = read;
	population->periodic |= read.periodic;
	asker->budgets = lappend(asker->budgets, b);
}

/*
 * The budgets of a role's own and those that its groups share, of which no more are
 * looked for than may pay, and one. Each by itself: whatever the server knows of
 * tables and indexes, others are not visited.
 */
static ArrayType *
find_budgets(const DpPopulation *population, const Role *role, bool *too_many)
{
	Datum found[DP_SHARED_BUDGETS_MAX + 1];
	int shared = 0;
	int count = 0;
	ListCell *cell;

	foreach (cell, role->roles)
	{
		bool is_own = lfirst_oid(cell) == role->oid;
		bool is_shared;
		int64 budget_id = dp_rows_find_budget(population->population_id,
											  lfirst_oid(cell), &is_shared);

		CHECK_FOR_INTERRUPTS();
		if (budget_id == 0 || (!is_own && !is_shared))
			continue;
		if (!is_own && ++shared > DP_SHARED_BUDGETS_MAX)
			break;
		found[count++] = Int64GetDatum(budget_id);
	}
	*too_many = role->has_too_many || shared > DP_SHARED_BUDGETS_MAX;
	return construct_array(found, count, INT8OID, sizeof(int64),
						   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
}

DpAsker *
dp_budgets_find_asker(DpBatch *batch, DpPopulation *population, Oid role)
{
	MemoryContext old;
	DpAsker *asker;
	Datum values[1];
	ListCell *cell;
	uint64 row;
	bool too_many;

	foreach (cell, population->askers)
	{
		asker = lfirst(cell);
		if (asker->role == role)
			return asker;
	}
	values[0] = PointerGetDatum(
		find_budgets(population, find_role(batch, role), &too_many));
	dp_statement_execute(DP_STATEMENT_SELECT_BUDGETS, values, NULL);
	old = MemoryContextSwitchTo(population->context);
	asker = palloc0(sizeof(DpAsker));
	asker->role = role;
	asker->has_too_many = too_many;
	for (row = 0; row < SPI_processed; row++)
	{
		CHECK_FOR_INTERRUPTS();
		add_budget(population, asker, row);
	}
	population->askers = lappend(population->askers, asker);
	MemoryContextSwitchTo(old);
	batch->kept++;
	return asker;
}

uint64
dp_budgets_payers(const DpAsker *asker)
{
	uint64 payers = 0;
	ListCell *cell;

	foreach (cell, asker->budgets)
	{
		const DpBudget *b = lfirst(cell);

		/* in any order */
		payers += hash_bytes_extended((const unsigned char *) &b->budget_id,
									  sizeof(b->budget_id), 0);
	}
	return payers;
}

void
dp_budgets_make_own(DpPopulation *population, DpAsker *asker)
{
	Datum values[2] = {Int32GetDatum(population->population_id),
					   ObjectIdGetDatum(asker->role)};
	bool isnull;

	if (asker->budget_id != 0)
		return;
	dp_statement_execute(DP_STATEMENT_MAKE_BUDGET, values, NULL);
	if (SPI_processed != 1)
		elog(ERROR, "could not make a row for a role");
	asker->budget_id = DatumGetInt64(dp_statement_column(0, 1, &isnull));
}
