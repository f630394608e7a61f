/*
 * look_up.c
 *		Look-ups in the extension's tables and in catalogs.
 *
 * The locks on tables stay until the transaction ends, as those of a statement
 * would: what removes rows for all snapshots, such as TRUNCATE, must not come
 * between two look-ups.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "pgstat.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "gate/relations/look_up.h"
#include "ledger/schema.h"

static Oid
oid_of(const char *name)
{
	Oid schema = get_namespace_oid(DP_LEDGER_SCHEMA, true);

	return OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;
}

/* By name until it is locked: the extension may be dropped, and made anew. */
static Relation
open_table(const char *name)
{
	Relation table = NULL;

	while (table == NULL)
	{
		Oid oid = oid_of(name);

		if (!OidIsValid(oid))
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
							errmsg("relation \"%s.%s\" does not exist",
								   DP_LEDGER_SCHEMA, name)));
		table = try_relation_open(oid, AccessShareLock);
	}
	if (table->rd_rel->relkind != RELKIND_RELATION)
		elog(ERROR, "%s.%s is not a table", DP_LEDGER_SCHEMA, name);
	return table;
}

/*
 * Whether an index finds all rows that the snapshot sees, by the planner's
 * rules: not one that is being built, nor one that lacks old versions of rows.
 */
static bool
is_usable_index(Oid index)
{
	Relation relation =
		OidIsValid(index) ? try_relation_open(index, AccessShareLock) : NULL;
	Form_pg_index form;
	bool result;

	if (relation == NULL)
		return false;
	form = relation->rd_index;
	result = form != NULL && form->indisvalid &&
			 (!form->indcheckxmin ||
			  TransactionIdPrecedes(
				  HeapTupleHeaderGetXmin(relation->rd_indextuple->t_data),
				  TransactionXmin));
	relation_close(relation, AccessShareLock);
	return result;
}

/* What is scanned: a table by name, or a catalog. */
typedef struct Source
{
	const char *table;
	const char *index;
	Oid catalog;
	Oid catalog_index;
} Source;

static void
open_source(DpLookUp *look_up, const Source *source, Snapshot snapshot,
			int nkeys, ScanKey keys)
{
	bool is_usable = true;
	Oid index = source->catalog_index;

	look_up->row = NULL;
	look_up->table = source->table != NULL
						 ? open_table(source->table)
						 : relation_open(source->catalog, AccessShareLock);
	if (source->index != NULL)
	{
		index = oid_of(source->index);
		is_usable = is_usable_index(index);
	}
	look_up->scan = systable_beginscan(look_up->table, index, is_usable,
									   snapshot, nkeys, keys);
}

/*
 * Relations that are opened while nothing is counted are not counted at all: the
 * statistics that everybody may read would show what others declared.
 */
static void
begin(DpLookUp *look_up, const Source *source, const DpPicture *picture,
	  int nkeys, ScanKey keys)
{
	bool counts = pgstat_track_counts;

	pgstat_track_counts = false;
	PG_TRY();
	{
		open_source(look_up, source, picture->snapshot, nkeys, keys);
	}
	PG_FINALLY();
	{
		pgstat_track_counts = counts;
	}
	PG_END_TRY();
}

void
dp_look_up_begin(DpLookUp *look_up, const DpPicture *picture, const char *table,
				 const char *index, int nkeys, ScanKey keys)
{
	Source source = {.table = table, .index = index};

	begin(look_up, &source, picture, nkeys, keys);
}

void
dp_look_up_begin_catalog(DpLookUp *look_up, const DpPicture *picture,
						 Oid catalog, Oid index, int nkeys, ScanKey keys)
{
	Source source = {.catalog = catalog, .catalog_index = index};

	begin(look_up, &source, picture, nkeys, keys);
}

bool
dp_look_up_next(DpLookUp *look_up)
{
	look_up->row = systable_getnext(look_up->scan);
	if (HeapTupleIsValid(look_up->row))
		return true;
	dp_look_up_end(look_up);
	return false;
}

Datum
dp_look_up_column(const DpLookUp *look_up, int column, bool *isnull)
{
	Datum value = heap_getattr(look_up->row, column,
							   RelationGetDescr(look_up->table), isnull);

	return *isnull ? (Datum) 0 : value;
}

void
dp_look_up_end(DpLookUp *look_up)
{
	systable_endscan(look_up->scan);
	relation_close(look_up->table, NoLock);
}

List *
dp_look_up_texts(Datum array)
{
	List *texts = NIL;
	Datum *elements;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false,
					  TYPALIGN_INT, &elements, NULL, &count);
	for (i = 0; i < count; i++)
		texts = lappend(texts, TextDatumGetCString(elements[i]));
	return texts;
}

List *
dp_look_up_names(Datum array)
{
	List *names = NIL;
	Datum *elements;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(array), NAMEOID, NAMEDATALEN, false,
					  TYPALIGN_CHAR, &elements, NULL, &count);
	for (i = 0; i < count; i++)
		names = lappend(names, pstrdup(NameStr(*DatumGetName(elements[i]))));
	return names;
}
