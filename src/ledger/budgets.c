/*
 * budgets.c
 *		Reading, choosing and writing budgets.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "ledger/budgets.h"
#include "ledger/locks.h"
#include "ledger/rows.h"
#include "ledger/statements.h"

/* Relations and roles that are remembered from batch to batch. */
#define KEPT_MAX 100

static DpOnRepeat
on_repeat_from_text(const char *text)
{
	if (strcmp(text, "replay") == 0)
		return DP_ON_REPEAT_REPLAY;
	return strcmp(text, "answer") == 0 ? DP_ON_REPEAT_ANSWER
									   : DP_ON_REPEAT_REFUSE;
}

static DpAccountant
accountant_from_text(const char *text)
{
	return strcmp(text, "zcdp") == 0 ? DP_ACCOUNTANT_ZCDP : DP_ACCOUNTANT_PURE;
}

static void
read_grant(uint64 row, DpBudget *b)
{
	b->limited = dp_statement_amount(row, 5, false, &b->grant.epsilon);
	(void) dp_statement_amount(row, 6, false, &b->grant.delta);
	b->grant.accountant = accountant_from_text(
		SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 15));
	(void) dp_statement_amount(row, 16, false, &b->grant.rho);
	(void) dp_statement_amount(row, 17, false, &b->grant.pool);
}

static void
read_spent(uint64 row, DpPrivacyCost *spent)
{
	(void) dp_statement_amount(row, 7, true, &spent->epsilon);
	(void) dp_statement_amount(row, 8, true, &spent->delta);
	(void) dp_statement_amount(row, 18, true, &spent->rho);
	(void) dp_statement_amount(row, 19, true, &spent->pool);
	(void) dp_statement_amount(row, 20, true, &spent->unbounded);
}

static DpBudget *
read_budget(uint64 row)
{
	DpBudget *b = palloc0(sizeof(DpBudget));
	bool isnull;
	Datum begin;

	b->budget_id = DatumGetInt64(dp_statement_column(row, 1, &isnull));
	b->role_id = DatumGetInt32(dp_statement_column(row, 2, &isnull));
	if (isnull)
		b->role_id = 0;
	b->role = DatumGetObjectId(dp_statement_column(row, 3, &isnull));
	if (isnull)
		b->role = InvalidOid;
	b->shared = DatumGetBool(dp_statement_column(row, 4, &isnull));
	read_grant(row, b);
	read_spent(row, &b->spent);
	b->per_query_limited =
		dp_statement_amount(row, 9, false, &b->max_epsilon_per_query);
	b->on_repeat = on_repeat_from_text(
		SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 10));
	begin = dp_statement_column(row, 11, &isnull);
	b->period_start =
		DatumGetTimestampTz(dp_statement_column(row, 12, &isnull));
	b->periodic = DatumGetBool(dp_statement_column(row, 13, &isnull));
	(void) dp_statement_amount(row, 14, true, &b->min_epsilon_per_query);
	b->max_failures = DatumGetInt32(dp_statement_column(row, 21, &isnull));
	b->failures_limited = !isnull;
	b->failures = DatumGetInt32(dp_statement_column(row, 22, &isnull));
	if (DatumGetTimestampTz(begin) > b->period_start)
	{
		b->renewed = true;
		b->period_start = DatumGetTimestampTz(begin);
		b->spent = dp_cost_none();
	}
	return b;
}

/*
 * Adds to a relation the active budgets of a role, or with role_id 0 those
 * that any role may share, the table's total among them.
 */
static void
load_budgets(DpPaidRelation *relation, int role_id)
{
	MemoryContext old;
	Datum values[2];
	uint64 row;

	if (list_member_int(relation->loaded, role_id))
		return;
	values[0] = Int32GetDatum(relation->relation_id);
	values[1] = Int32GetDatum(role_id);
	dp_statement_execute(DP_STATEMENT_SELECT_BUDGETS, values, NULL);
	old = MemoryContextSwitchTo(relation->context);
	for (row = 0; row < SPI_processed; row++)
	{
		CHECK_FOR_INTERRUPTS();
		relation->budgets = lappend(relation->budgets, read_budget(row));
	}
	relation->loaded = lappend_int(relation->loaded, role_id);
	MemoryContextSwitchTo(old);
}

/*
 * Charges a role with what earlier roles of its name have spent on a relation.
 */
static void
inherit(const DpPaidRelation *relation, const DpPayer *role)
{
	Datum values[2] = {Int32GetDatum(relation->relation_id),
					   Int32GetDatum(role->role_id)};

	dp_statement_execute(DP_STATEMENT_INHERIT_ROLE, values, NULL);
}

static void
forget_budgets(DpPaidRelation *relation)
{
	relation->budgets = NIL;
	relation->loaded = NIL;
}

/*
 * Adds those that any role may share. A group inherits like any role, also
 * where it has got its name after its budget.
 */
static void
load_shared_budgets(DpBatch *batch, DpPaidRelation *relation)
{
	bool inherited = false;
	ListCell *cell;

	load_budgets(relation, 0);
	foreach (cell, relation->budgets)
	{
		const DpBudget *b = lfirst(cell);
		const DpPayer *group =
			OidIsValid(b->role) ? dp_budgets_find_payer(batch, b->role) : NULL;

		if (group == NULL || !group->has_namesakes)
			continue;
		inherit(relation, group);
		inherited = true;
	}
	if (!inherited)
		return;
	forget_budgets(relation);
	load_budgets(relation, 0);
}

/* Adds those of the one who pays. */
static void
load_own_budget(DpBatch *batch, DpPaidRelation *relation, DpPayer *role)
{
	if (role->role_id == 0 || list_member_int(relation->loaded, role->role_id))
		return;
	if (role->has_namesakes)
	{
		/*
		 * Inheriting changes the tables, and budgets are read again; so
		 * changes in memory are written first.
		 */
		dp_budgets_write(batch);
		inherit(relation, role);
		forget_budgets(relation);
		load_shared_budgets(batch, relation);
	}
	load_budgets(relation, role->role_id);
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

/* Whether what was read in an earlier batch still holds. */
static bool
is_fresh(const DpPaidRelation *relation)
{
	ListCell *cell;

	if (relation->changes != dp_lock_changes(relation->oid) ||
		relation->owner != owner_of(relation->oid))
		return false;
	foreach (cell, relation->budgets)
	{
		if (((DpBudget *) lfirst(cell))->periodic)
			return false;
	}
	return true;
}

/*
 * Notes who owns a relation, before anything is charged: what a namesake may
 * read is decided by it. Where no event trigger saw it (REASSIGN OWNED), this
 * is when it is noticed.
 */
static void
set_owner(int relation_id, Oid owner)
{
	Datum values[2] = {Int32GetDatum(relation_id), ObjectIdGetDatum(owner)};

	if (OidIsValid(owner))
		dp_statement_execute(DP_STATEMENT_SET_OWNER, values, NULL);
}

/* Fills in the numbers of a protected relation; false for others. */
static bool
read_relation(DpPaidRelation *relation)
{
	Datum values[1] = {ObjectIdGetDatum(relation->oid)};
	bool isnull;
	Datum number[1];
	bool has_new_owner;
	bool has_new_namesakes;

	dp_statement_execute(DP_STATEMENT_FIND_RELATION, values, NULL);
	if (SPI_processed == 0)
	{
		/* The first charge after a restore; its roles are new, too. */
		dp_statement_execute(DP_STATEMENT_RESTORE_RELATION, values, NULL);
		(void) dp_statement_column(0, 1, &isnull);
		if (isnull)
			return false;
		dp_statement_execute(DP_STATEMENT_TIDY, NULL, NULL);
		dp_statement_execute(DP_STATEMENT_FIND_RELATION, values, NULL);
	}
	if (SPI_processed == 0)
		return false;
	relation->relation_id = DatumGetInt32(dp_statement_column(0, 1, &isnull));
	relation->settings_version =
		DatumGetInt64(dp_statement_column(0, 2, &isnull));
	has_new_owner = DatumGetBool(dp_statement_column(0, 3, &isnull));
	has_new_namesakes = DatumGetBool(dp_statement_column(0, 4, &isnull));
	relation->has_purse = DatumGetBool(dp_statement_column(0, 5, &isnull));
	relation->purse = DatumGetObjectId(dp_statement_column(0, 6, &isnull));
	if (isnull)
		relation->purse = InvalidOid;
	if (has_new_owner)
		set_owner(relation->relation_id, relation->owner);
	number[0] = Int32GetDatum(relation->relation_id);
	if (has_new_namesakes) /* which were dropped since it got its name */
		dp_statement_execute(DP_STATEMENT_INHERIT_RELATION, number, NULL);
	return true;
}

DpPaidRelation *
dp_budgets_find_relation(DpBatch *batch, Oid oid)
{
	DpPaidRelation *relation;
	DpPaidRelation found = {.oid = oid};
	ListCell *cell;
	MemoryContext context;
	MemoryContext old;

	foreach (cell, batch->relations)
	{
		relation = lfirst(cell);
		if (relation->oid != oid)
			continue;
		if (relation->batch == batch->number || is_fresh(relation))
		{
			relation->batch = batch->number;
			return relation;
		}
		batch->relations = list_delete_ptr(batch->relations, relation);
		MemoryContextDelete(relation->context);
		break;
	}
	found.owner = owner_of(oid);
	if (!read_relation(&found))
		return NULL;
	context = AllocSetContextCreate(batch->context, "budgets of a relation",
									ALLOCSET_SMALL_SIZES);
	relation = MemoryContextAlloc(context, sizeof(DpPaidRelation));
	*relation = found;
	relation->context = context;
	relation->batch = batch->number;
	relation->changes = dp_lock_changes(oid);
	if (!relation->has_purse)
		load_shared_budgets(batch, relation);
	old = MemoryContextSwitchTo(batch->context);
	batch->relations = lappend(batch->relations, relation);
	MemoryContextSwitchTo(old);
	return relation;
}

DpPaidRelation *
dp_budgets_find_purse(DpBatch *batch, DpPaidRelation *relation)
{
	DpPaidRelation *purse;

	if (!relation->has_purse)
		return relation;
	purse = OidIsValid(relation->purse)
				? dp_budgets_find_relation(batch, relation->purse)
				: NULL;
	return purse == NULL || purse->has_purse || purse->owner != relation->owner
			   ? NULL
			   : purse;
}

/* Kept relations are searched one by one, so their number is limited. */
bool
dp_budgets_may_be_kept(const DpBatch *batch)
{
	return list_length(batch->relations) <= KEPT_MAX &&
		   list_length(batch->roles) <= KEPT_MAX;
}

/* Reads a role's number; false where it is gone. */
static bool
read_payer(DpPayer *role, bool *must_note)
{
	Datum values[1] = {ObjectIdGetDatum(role->oid)};
	bool is_new;
	bool isnull;

	dp_statement_execute(DP_STATEMENT_FIND_ROLE, values, NULL);
	if (SPI_processed == 0)
		return false;
	role->role_id = DatumGetInt32(dp_statement_column(0, 1, &is_new));
	if (is_new)
		role->role_id = 0;
	*must_note = DatumGetBool(dp_statement_column(0, 2, &isnull));
	role->has_namesakes = DatumGetBool(dp_statement_column(0, 3, &isnull));
	return true;
}

DpPayer *
dp_budgets_find_payer(DpBatch *batch, Oid oid)
{
	DpPayer *role;
	ListCell *cell;
	bool must_note;
	MemoryContext old;

	foreach (cell, batch->roles)
	{
		role = lfirst(cell);
		if (role->oid == oid)
			return role;
	}
	old = MemoryContextSwitchTo(batch->context);
	role = palloc0(sizeof(DpPayer));
	MemoryContextSwitchTo(old);
	role->oid = oid;
	if (!read_payer(role, &must_note))
		return NULL;
	if (must_note)
	{
		dp_budgets_number(role);
		(void) read_payer(role, &must_note);
	}
	old = MemoryContextSwitchTo(batch->context);
	batch->roles = lappend(batch->roles, role);
	MemoryContextSwitchTo(old);
	return role;
}

void
dp_budgets_number(DpPayer *role)
{
	Datum values[1] = {ObjectIdGetDatum(role->oid)};
	bool isnull;

	dp_statement_execute(DP_STATEMENT_MAKE_ROLE, values, NULL);
	role->role_id = DatumGetInt32(dp_statement_column(0, 1, &isnull));
}

List *
dp_budgets_that_pay(DpBatch *batch, DpPaidRelation *relation, DpPayer *role,
					bool *has_own)
{
	List *result = NIL;
	ListCell *cell;

	load_own_budget(batch, relation, role);
	*has_own = false;
	foreach (cell, relation->budgets)
	{
		DpBudget *b = lfirst(cell);
		bool own = b->role_id != 0 && b->role_id == role->role_id;
		bool group = b->role_id != 0 && !own && b->shared &&
					 OidIsValid(b->role) &&
					 is_member_of_role_nosuper(role->oid, b->role);

		CHECK_FOR_INTERRUPTS();
		if (own || group)
			*has_own = true;
		if (own || group || b->role_id == 0)
			result = lappend(result, b);
	}
	return result;
}

uint64
dp_budgets_payers(List *budgets)
{
	uint64 payers = 0;
	ListCell *cell;

	foreach (cell, budgets)
	{
		const DpBudget *b = lfirst(cell);

		if (b->role_id != 0) /* in any order */
			payers += hash_bytes_extended((const unsigned char *) &b->budget_id,
										  sizeof(b->budget_id), 0);
	}
	return payers;
}

DpOnRepeat
dp_budgets_repeat_rule(List *budgets, DpPayer *role, TimestampTz *since)
{
	DpOnRepeat rule = DP_ON_REPEAT_ANSWER;
	ListCell *cell;

	*since = DT_NOEND;
	foreach (cell, budgets)
	{
		DpBudget *b = lfirst(cell);
		TimestampTz start = b->periodic ? b->period_start : DT_NOBEGIN;

		if (b->role_id == 0)
			continue;
		if (b->role_id == role->role_id)
		{
			*since = start;
			return b->on_repeat;
		}
		if (b->on_repeat == DP_ON_REPEAT_ANSWER)
			continue;
		rule = Min(rule, b->on_repeat);
		*since = Min(*since, start);
	}
	return rule;
}

TimestampTz
dp_budgets_total_since(List *budgets)
{
	ListCell *cell;

	foreach (cell, budgets)
	{
		const DpBudget *b = lfirst(cell);

		if (b->role_id == 0 && b->periodic)
			return b->period_start;
	}
	return DT_NOBEGIN;
}

void
dp_budgets_write(const DpBatch *batch)
{
	ListCell *relation_cell;
	ListCell *cell;

	foreach (relation_cell, batch->relations)
	{
		foreach (cell, ((DpPaidRelation *) lfirst(relation_cell))->budgets)
		{
			DpBudget *b = lfirst(cell);

			if (!b->dirty)
				continue;
			CHECK_FOR_INTERRUPTS();
			dp_rows_write_budget(b);
			b->dirty = false;
		}
	}
}
