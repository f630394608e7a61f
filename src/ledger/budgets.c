/*
 * budgets.c
 *		Reading and writing populations and their budgets.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
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

/*
 * The time for which stored answers are used, in microseconds: as many as
 * extract(epoch) says.
 */
static int64
expiry_of(const Interval *interval)
{
	int64 years = interval->month / MONTHS_PER_YEAR;
	int64 months = interval->month % MONTHS_PER_YEAR;
	int64 days = months * DAYS_PER_MONTH + interval->day;

	return years * (USECS_PER_DAY * 1461 / 4) + days * USECS_PER_DAY +
		   interval->time;
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

void
dp_budgets_read(uint64 row, DpAccountant accountant, DpBudget *b)
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
	dp_budgets_read(0, population->accountant, population->grant);
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

bool
dp_budgets_are_for(const DpBudget *budget, int member_id)
{
	return !budget->is_for_some ||
		   bsearch(&member_id, budget->relations,
				   (size_t) budget->relations_count, sizeof(int),
				   compare_members) != NULL;
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
