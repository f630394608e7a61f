/*
 * named_populations.c
 *		Populations by name.
 *
 * They are looked up directly in the ledger's tables: each call of
 * dp_noise.charge() does so, and SQL would take longer than the charge.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_collation.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "ledger/named_populations.h"
#include "ledger/tables.h"

/* Which row of a table is looked for: its column has the value. */
typedef struct Sought
{
	const char *table;
	const char *index;
	const char *column;
	RegProcedure equals;
	Datum value;
} Sought;

/* What is found there: values of columns, in memory of the caller. */
typedef bool (*ReadRow)(Relation table, HeapTuple row,
						DpNamedPopulation *found);

/* By name until it is locked: the extension may be dropped, and made anew. */
static Relation
open_table(const char *name)
{
	Relation table;

	do
		table = try_relation_open(dp_tables_oid(name), AccessShareLock);
	while (table == NULL);
	return table;
}

/* Reads the row; false if there is none. */
static bool
find(const Sought *sought, ReadRow read, DpNamedPopulation *found)
{
	Relation table = open_table(sought->table);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple row;
	bool is_found;

	ScanKeyEntryInitialize(
		&key, 0, get_attnum(RelationGetRelid(table), sought->column),
		BTEqualStrategyNumber, InvalidOid, DEFAULT_COLLATION_OID,
		sought->equals, sought->value);
	scan = systable_beginscan(table, dp_tables_oid(sought->index), true,
							  GetActiveSnapshot(), 1, &key);
	row = systable_getnext(scan);
	is_found = HeapTupleIsValid(row) && read(table, row, found);
	systable_endscan(scan);
	table_close(table, AccessShareLock);
	return is_found;
}

static bool
read_population(Relation table, HeapTuple row, DpNamedPopulation *found)
{
	if (DatumGetBool(dp_tables_column(table, row, "is_dropped")))
		return false;
	found->population_id =
		DatumGetInt32(dp_tables_column(table, row, "population_id"));
	found->owner = DatumGetObjectId(dp_tables_column(table, row, "owner"));
	found->name = TextDatumGetCString(dp_tables_column(table, row, "name"));
	return true;
}

static bool
read_member(Relation table, HeapTuple row, DpNamedPopulation *found)
{
	found->population_id =
		DatumGetInt32(dp_tables_column(table, row, "population_id"));
	return true;
}

bool
dp_find_population(const char *name, DpNamedPopulation *found)
{
	Sought population = {"population", "population_name", "name", F_TEXTEQ,
						 CStringGetTextDatum(name)};

	return find(&population, read_population, found);
}

bool
dp_find_population_of(Oid relation, DpNamedPopulation *found)
{
	Sought member = {"member", "member_relation", "relation", F_OIDEQ,
					 ObjectIdGetDatum(relation)};
	Sought population = {"population", "population_pkey", "population_id",
						 F_INT4EQ, 0};

	if (!OidIsValid(relation) || !find(&member, read_member, found))
		return false;
	population.value = Int32GetDatum(found->population_id);
	return find(&population, read_population, found);
}
