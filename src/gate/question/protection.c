/*
 * protection.c
 *		Look-ups in the extension's tables and catalogs.
 *
 * Nothing is cached beyond the planning of a statement: only statements with a
 * dp_ aggregate, or that the server will refuse, come here, so a look-up each is
 * cheap, and no stale answer can survive a change of protection.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "gate/question/protection.h"
#include "gate/question/silence.h"

static bool asking = false;

bool
dp_gate_is_asking(void)
{
	return asking;
}

/* The extension; invalid in a database where it was not created. */
static Oid
extension_here(void)
{
	return get_extension_oid("dp_noise", true);
}

bool
dp_gate_is_private_aggregate(Oid function)
{
	Oid extension;
	char *name;

	if (function < FirstNormalObjectId)
		return false;
	name = get_func_name(function);
	if (name == NULL || strncmp(name, "dp_", 3) != 0)
		return false;
	extension = getExtensionOfObject(ProcedureRelationId, function);
	return OidIsValid(extension) && extension == extension_here();
}

/*
 * A look-up. Its plan is made once a session, for any argument; the server
 * plans it anew when what it depends on has changed.
 */
typedef struct LookUp
{
	const char *sql;
	int nargs;
	Oid types[3];
	SPIPlanPtr plan;
} LookUp;

static SPIPlanPtr
plan_of(LookUp *look_up)
{
	if (look_up->plan == NULL)
	{
		SPIPlanPtr plan =
			SPI_prepare(look_up->sql, look_up->nargs, look_up->types);

		if (plan == NULL || SPI_keepplan(plan) != 0)
			elog(ERROR, "could not plan a look-up of a protected relation");
		look_up->plan = plan;
	}
	return look_up->plan;
}

/*
 * Runs a look-up as the superuser that owns the extension's tables. Like the
 * server's own catalogs they are read as they are now, not as they were when
 * the transaction began: a plan may outlive the transaction. One row at most
 * is expected; its columns are copied to values. False when there is none.
 */
static bool
ask(LookUp *look_up, Datum *args, int ncolumns, Datum *values)
{
	MemoryContext context = CurrentMemoryContext;
	Oid user;
	int security;
	int nest;
	volatile bool found = false;
	SPIPlanPtr plan;
	int i;

	GetUserIdAndSecContext(&user, &security);
	nest = dp_gate_begin_silence();
	asking = true;
	PG_TRY();
	{
		SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID,
							   security | SECURITY_LOCAL_USERID_CHANGE |
								   SECURITY_NOFORCE_RLS);
		(void) set_config_option("search_path", "pg_catalog, pg_temp",
								 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
								 true, 0, false);
		(void) set_config_option("plan_cache_mode", "force_generic_plan",
								 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
								 true, 0, false);

		/* pg_dump sets it, and newer minor versions only have it. */
		if (GetConfigOption("restrict_nonsystem_relation_kind", true, false) !=
			NULL)
			(void) set_config_option("restrict_nonsystem_relation_kind", "",
									 PGC_USERSET, PGC_S_SESSION,
									 GUC_ACTION_SAVE, true, 0, false);
		if (SPI_connect() != SPI_OK_CONNECT)
			elog(ERROR, "could not connect to the server's SQL interface");
		plan = plan_of(look_up);

		/* Of no catalog: always a new one, in parallel plans as well. */
		if (SPI_execute_snapshot(
				plan, args, NULL, GetCatalogSnapshot(InvalidOid),
				InvalidSnapshot, true, false, 1) != SPI_OK_SELECT)
			elog(ERROR, "could not look up a protected relation");
		found = SPI_processed > 0;
		for (i = 0; found && i < ncolumns; i++)
		{
			bool isnull;
			Datum value = SPI_getbinval(SPI_tuptable->vals[0],
										SPI_tuptable->tupdesc, i + 1, &isnull);
			Form_pg_attribute attribute =
				TupleDescAttr(SPI_tuptable->tupdesc, i);
			MemoryContext old = MemoryContextSwitchTo(context);

			values[i] = isnull ? (Datum) 0
							   : datumCopy(value, attribute->attbyval,
										   attribute->attlen);
			MemoryContextSwitchTo(old);
		}
		SPI_finish();
	}
	PG_FINALLY();
	{
		asking = false;
		AtEOXact_GUC(true, nest);
		SetUserIdAndSecContext(user, security);
	}
	PG_END_TRY();
	return found;
}

/* What was looked up since the last dp_gate_forget_protections. */
static DpProtection remembered[8];
static int remembered_count = 0;

void
dp_gate_forget_protections(void)
{
	remembered_count = 0;
}

/*
 * The number of a relation in the extension's tables; false when it was never
 * protected. After a restore, names tell which relation is which.
 */
static bool
identity_of(Oid relation, int32 *identity)
{
	static LookUp known = {
		"SELECT i.id FROM dp_noise.identity AS i"
		" WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass"
		" AND i.object = $1",
		1,
		{OIDOID},
		NULL};
	static LookUp by_name = {
		"SELECT i.id FROM dp_noise.current_identity AS i"
		" WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass"
		" AND i.object = $1",
		1,
		{OIDOID},
		NULL};
	Datum args[] = {ObjectIdGetDatum(relation)};
	Datum value;

	if (!ask(&known, args, 1, &value) && !ask(&by_name, args, 1, &value))
		return false;
	*identity = DatumGetInt32(value);
	return true;
}

static void
look_up_protection(Oid relation, DpProtection *protection)
{
	/*
	 * A unique index says nothing of the rows of inheriting tables, nor a
	 * constraint of rows that it has not been checked for.
	 */
	static LookUp look_up = {
		"SELECT r.neighbours = 'substitute', r.max_rows_per_unit,"
		" r.max_groups_per_unit,"
		" CASE WHEN r.privacy_unit IS NULL THEN 0"
		" ELSE coalesce(u.attnum, -1) END,"
		" r.privacy_unit IS NULL OR (coalesce(u.attnotnull, false)"
		" AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint AS n"
		" WHERE n.conrelid = c.oid AND n.contype = 'n'"
		" AND n.conkey[1] = u.attnum AND NOT n.convalidated)),"
		" CASE WHEN r.privacy_unit IS NULL OR"
		" (c.relkind = 'r' AND c.relhassubclass) THEN NULL ELSE ("
		"SELECT min(x.indexrelid) FROM pg_catalog.pg_index AS x"
		" WHERE x.indrelid = c.oid AND x.indisunique AND x.indimmediate"
		" AND x.indisvalid AND x.indpred IS NULL AND x.indexprs IS NULL"
		" AND x.indnkeyatts = 1 AND x.indkey[0] = u.attnum)"
		" END"
		" FROM dp_noise.relation_entry AS r"
		" JOIN pg_catalog.pg_class AS c ON c.oid = $2"
		" LEFT JOIN pg_catalog.pg_attribute AS u ON u.attrelid = c.oid"
		" AND u.attname = r.privacy_unit AND u.attnum > 0"
		" AND NOT u.attisdropped"
		" WHERE r.relation_id = $1 AND r.is_protected",
		2,
		{INT4OID, OIDOID},
		NULL};
	Datum args[2];
	Datum values[6];

	protection->relation = relation;
	if (!OidIsValid(extension_here()) ||
		!identity_of(relation, &protection->identity))
		return;
	args[0] = Int32GetDatum(protection->identity);
	args[1] = ObjectIdGetDatum(relation);
	protection->is_protected = ask(&look_up, args, 6, values);
	if (!protection->is_protected)
		return;
	protection->contribution.neighbours =
		DatumGetBool(values[0]) ? DP_SUBSTITUTE : DP_ADD_REMOVE;
	protection->contribution.rows = (uint32) DatumGetInt32(values[1]);
	protection->contribution.groups = (uint32) DatumGetInt32(values[2]);
	protection->unit = (AttrNumber) DatumGetInt32(values[3]);
	protection->unit_is_not_null = DatumGetBool(values[4]);
	protection->unit_index = DatumGetObjectId(values[5]);
	protection->unit_is_unique =
		protection->unit == 0 || OidIsValid(protection->unit_index);
}

const DpProtection *
dp_gate_protection(Oid relation)
{
	DpProtection protection = {0};
	int i;

	for (i = 0; i < remembered_count; i++)
	{
		if (remembered[i].relation == relation)
			return &remembered[i];
	}
	look_up_protection(relation, &protection);
	i = remembered_count % (int) lengthof(remembered);
	remembered[i] = protection;
	remembered_count = i + 1;
	return &remembered[i];
}

bool
dp_gate_is_protected(Oid relation)
{
	return dp_gate_protection(relation)->is_protected;
}

bool
dp_gate_bounds(Oid relation, AttrNumber column, Datum *lower, Datum *upper)
{
	static LookUp look_up = {
		"SELECT b.lower, b.upper FROM dp_noise.column_bounds AS b"
		" JOIN pg_catalog.pg_attribute AS a ON a.attname = b.column_name"
		" WHERE b.relation_id = $1 AND a.attrelid = $2 AND a.attnum = $3"
		" AND NOT a.attisdropped",
		3,
		{INT4OID, OIDOID, INT2OID},
		NULL};
	const DpProtection *protection = dp_gate_protection(relation);
	Datum args[] = {Int32GetDatum(protection->identity),
					ObjectIdGetDatum(relation), Int16GetDatum(column)};
	Datum values[2];

	if (!protection->is_protected || !ask(&look_up, args, 2, values))
		return false;
	*lower = values[0];
	*upper = values[1];
	return true;
}

/* The elements of an array of texts. */
static List *
texts_of(Datum array)
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

bool
dp_gate_values(Oid relation, AttrNumber column, List **texts)
{
	static LookUp look_up = {
		"SELECT v.column_values FROM dp_noise.column_values AS v"
		" JOIN pg_catalog.pg_attribute AS a ON a.attname = v.column_name"
		" WHERE v.relation_id = $1 AND a.attrelid = $2 AND a.attnum = $3"
		" AND NOT a.attisdropped",
		3,
		{INT4OID, OIDOID, INT2OID},
		NULL};
	const DpProtection *protection = dp_gate_protection(relation);
	Datum args[] = {Int32GetDatum(protection->identity),
					ObjectIdGetDatum(relation), Int16GetDatum(column)};
	Datum value;

	*texts = NIL;
	if (!protection->is_protected || !ask(&look_up, args, 1, &value))
		return false;
	*texts = texts_of(value);
	return true;
}

List *
dp_gate_levels(Oid relation)
{
	static LookUp look_up = {
		"SELECT l.levels::text[] FROM dp_noise.relation_levels AS l"
		" WHERE l.relation_id = $1",
		1,
		{INT4OID},
		NULL};
	const DpProtection *protection = dp_gate_protection(relation);
	Datum args[] = {Int32GetDatum(protection->identity)};
	List *levels = NIL;
	Datum value;
	ListCell *cell;

	if (!protection->is_protected || !ask(&look_up, args, 1, &value))
		return NIL;
	foreach (cell, texts_of(value))
		levels = lappend(levels, makeFloat(lfirst(cell)));
	return levels;
}

bool
dp_gate_is_not_null(Oid relation, AttrNumber column)
{
	HeapTuple tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation),
									  Int16GetDatum(column));
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	result = ((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;
	ReleaseSysCache(tuple);
	return result;
}
