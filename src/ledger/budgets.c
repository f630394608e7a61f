/*
 * budgets.c
 *		Reading and writing populations and their budgets.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_auth_members.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "ledger/budgets.h"
#include "ledger/locks.h"
#include "ledger/rows.h"
#include "ledger/statements.h"

/* What is remembered from batch to batch, and searched one by one. */
#define KEPT_MAX 1000

/* A role that asks, with all that it is a member of, itself included. */
typedef struct Role
{
	Oid oid;
	List *roles;	   /* their oids */
	bool has_too_many; /* groups: some are missing */
} Role;

static char *
text_column(int number)
{
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, number);
}

static DpOnRepeat
on_repeat_from_text(const char *text)
{
	if (strcmp(text, "replay") == 0)
		return DP_ON_REPEAT_REPLAY;
	return strcmp(text, "answer") == 0 ? DP_ON_REPEAT_ANSWER
									   : DP_ON_REPEAT_REFUSE;
}

/* The time for which stored answers are used, in microseconds. */
static int64
expiry_of(const Interval *interval)
{
	int64 days = (int64) interval->month * DAYS_PER_MONTH + interval->day;

	return days * USECS_PER_DAY + interval->time;
}

static int
compare_members(const void *a, const void *b)
{
	int x = *(const int *) a;
	int y = *(const int *) b;

	return (x > y) - (x < y);
}

static void
read_relations(uint64 row, DpBudget *b)
{
	bool isnull;
	Datum value = dp_statement_column(row, 12, &isnull);
	ArrayType *array;

	b->is_for_some = !isnull;
	if (isnull)
		return;
	array = DatumGetArrayTypePCopy(value);
	b->relations = (int *) ARR_DATA_PTR(array);
	b->relations_count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (ARR_HASNULL(array))
		elog(ERROR, "a budget is for no relation");
	qsort(b->relations, (size_t) b->relations_count, sizeof(int),
		  compare_members);
}

static void
read_budget(uint64 row, DpAccountant accountant, DpBudget *b)
{
	bool isnull;

	memset(b, 0, sizeof(*b));
	b->budget_id = DatumGetInt64(dp_statement_column(row, 1, &isnull));
	b->role = DatumGetObjectId(dp_statement_column(row, 2, &isnull));
	if (isnull)
		b->role = InvalidOid;
	b->shared = DatumGetBool(dp_statement_column(row, 4, &isnull));
	b->grant.accountant = accountant;
	(void) dp_statement_amount(row, 5, false, &b->grant.epsilon);
	(void) dp_statement_amount(row, 6, false, &b->grant.delta);
	(void) dp_statement_amount(row, 7, false, &b->grant.rho);
	(void) dp_statement_amount(row, 8, false, &b->grant.pool);
	b->per_query_limited =
		dp_statement_amount(row, 9, false, &b->max_epsilon_per_query);
	(void) dp_statement_amount(row, 10, true, &b->min_epsilon_per_query);
	b->max_failures = DatumGetInt32(dp_statement_column(row, 11, &isnull));
	b->failures_limited = !isnull;
	read_relations(row, b);
	b->periodic = DatumGetBool(dp_statement_column(row, 13, &isnull));
	b->since = DatumGetTimestampTz(dp_statement_column(row, 14, &isnull));
	(void) dp_statement_amount(row, 15, true, &b->spent.epsilon);
	(void) dp_statement_amount(row, 16, true, &b->spent.delta);
	(void) dp_statement_amount(row, 17, true, &b->spent.rho);
	(void) dp_statement_amount(row, 18, true, &b->spent.pool);
	(void) dp_statement_amount(row, 19, true, &b->spent.unbounded);
	b->failures = DatumGetInt32(dp_statement_column(row, 20, &isnull));
}

/* Whether what was read in an earlier batch still holds. */
static bool
is_fresh(const DpPopulation *population)
{
	return !population->periodic &&
		   population->changes == dp_lock_changes(population->population_id);
}

static HTAB *
make_table(const DpPopulation *population, const char *name, Size key,
		   Size entry)
{
	HASHCTL control = {
		.keysize = key, .entrysize = entry, .hcxt = population->context};

	return hash_create(name, 16, &control,
					   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static void
read_grant(DpPopulation *population)
{
	Datum values[1] = {Int32GetDatum(population->population_id)};
	bool isnull;

	dp_statement_execute(DP_STATEMENT_SELECT_GRANT, values, NULL);
	if (SPI_processed != 1 || !DatumGetBool(dp_statement_column(0, 3, &isnull)))
		elog(ERROR, "a population without a grant");
	population->grant = palloc(sizeof(DpBudget));
	read_budget(0, population->accountant, population->grant);
}

/* Fills in a population, in its context; false when it is dropped. */
static bool
read_population(DpPopulation *population)
{
	Datum values[1] = {Int32GetDatum(population->population_id)};
	Datum expires;
	bool isnull;

	dp_statement_execute(DP_STATEMENT_FIND_POPULATION, values, NULL);
	if (SPI_processed == 0)
		return false;
	population->name = text_column(1);
	population->owner = DatumGetObjectId(dp_statement_column(0, 2, &isnull));
	population->accountant = strcmp(text_column(3), "zcdp") == 0
								 ? DP_ACCOUNTANT_ZCDP
								 : DP_ACCOUNTANT_PURE;
	population->on_repeat = on_repeat_from_text(text_column(4));
	population->shares_answers =
		DatumGetBool(dp_statement_column(0, 5, &isnull));
	expires = dp_statement_column(0, 6, &isnull);
	if (!isnull)
		population->answers_expire = expiry_of(DatumGetIntervalP(expires));
	read_grant(population);
	return true;
}

/* That which was read before; NULL when it must be read again. */
static DpPopulation *
find_kept(DpBatch *batch, int population_id)
{
	ListCell *cell;

	foreach (cell, batch->populations)
	{
		DpPopulation *population = lfirst(cell);

		if (population->population_id != population_id)
			continue;
		if (population->batch == batch->number || is_fresh(population))
			return population;
		batch->populations = list_delete_ptr(batch->populations, population);
		MemoryContextDelete(population->context);
		return NULL;
	}
	return NULL;
}

DpPopulation *
dp_budgets_find_population(DpBatch *batch, int population_id)
{
	DpPopulation *population = find_kept(batch, population_id);
	MemoryContext context;
	MemoryContext old;
	bool is_there;

	if (population != NULL)
	{
		population->batch = batch->number;
		return population;
	}
	context = AllocSetContextCreate(batch->context, "budgets of a population",
									ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(context);
	population = palloc0(sizeof(DpPopulation));
	population->population_id = population_id;
	population->context = context;
	population->batch = batch->number;
	population->changes = dp_lock_changes(population_id);
	is_there = read_population(population);
	population->members = make_table(population, "members of a population",
									 sizeof(Oid), sizeof(DpMember));
	population->budgets = make_table(population, "budgets of a population",
									 sizeof(int64), sizeof(DpBudget));
	MemoryContextSwitchTo(batch->context);
	if (is_there)
		batch->populations = lappend(batch->populations, population);
	MemoryContextSwitchTo(old);
	batch->kept++;
	if (is_there)
		return population;
	MemoryContextDelete(context);
	return NULL;
}

DpMember *
dp_budgets_find_member(DpPopulation *population, Oid relation)
{
	DpMember *member =
		hash_search(population->members, &relation, HASH_FIND, NULL);
	Datum values[1] = {ObjectIdGetDatum(relation)};
	bool isnull;

	if (member != NULL)
		return member;
	dp_statement_execute(DP_STATEMENT_FIND_MEMBER, values, NULL);
	if (SPI_processed == 0 || DatumGetInt32(dp_statement_column(
								  0, 1, &isnull)) != population->population_id)
		return NULL;
	member = hash_search(population->members, &relation, HASH_ENTER, NULL);
	member->member_id = DatumGetInt32(dp_statement_column(0, 2, &isnull));
	member->settings_version =
		DatumGetInt64(dp_statement_column(0, 3, &isnull));
	member->allowed = InvalidOid;
	return member;
}

/* The owner of a relation; InvalidOid when it is gone. */
static Oid
owner_of(Oid relation)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

bool
dp_budgets_allow_member(DpPopulation *population, DpMember *member)
{
	Oid owner = owner_of(member->relation);
	Datum values[2] = {Int32GetDatum(population->population_id),
					   ObjectIdGetDatum(owner)};

	if (!OidIsValid(owner))
		return false;
	if (owner == population->owner || owner == member->allowed)
		return true;
	if (!superuser_arg(owner))
	{
		dp_statement_execute(DP_STATEMENT_FIND_ALLOWANCE, values, NULL);
		if (SPI_processed == 0)
			return false;
	}
	member->allowed = owner;
	return true;
}

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

bool
dp_budgets_are_for(const DpBudget *budget, int member_id)
{
	return !budget->is_for_some ||
		   bsearch(&member_id, budget->relations,
				   (size_t) budget->relations_count, sizeof(int),
				   compare_members) != NULL;
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

	read_budget(row, population->accountant, &read);
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

void
dp_budgets_changed(DpBatch *batch, DpBudget *budget)
{
	MemoryContext old;

	if (budget->dirty)
		return;
	budget->dirty = true;
	old = MemoryContextSwitchTo(batch->context);
	batch->dirty = lappend(batch->dirty, budget);
	MemoryContextSwitchTo(old);
}

bool
dp_budgets_may_be_kept(const DpBatch *batch)
{
	return batch->kept <= KEPT_MAX;
}

void
dp_budgets_forget(DpBatch *batch)
{
	if (batch->context == NULL)
		batch->context = AllocSetContextCreate(
			TopMemoryContext, "ledger budgets", ALLOCSET_DEFAULT_SIZES);
	MemoryContextReset(batch->context);
	batch->populations = NIL;
	batch->roles = NIL;
	batch->dirty = NIL;
	batch->kept = 0;
}

void
dp_budgets_write(DpBatch *batch)
{
	ListCell *cell;

	foreach (cell, batch->dirty)
	{
		DpBudget *b = lfirst(cell);

		CHECK_FOR_INTERRUPTS();
		dp_rows_write_spending(b);
		b->dirty = false;
	}
	list_free(batch->dirty);
	batch->dirty = NIL;
}
