/*
 * citus.c
 *		Where Citus distributes a statement: what is known of it by its catalogue,
 *		its functions and its settings. Its headers are not needed.
 *
 * Backends that serve Citus are recognised by the application name of the
 * connection, the value that RESET restores: the current one could have been set
 * since, on workers too. Parallel workers do not know that name, and are refused
 * wherever Citus is installed. On servers that Citus uses as workers, the
 * server's group in Citus's catalogue is not 0.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "server/citus.h"
#include "server/settings.h"
#include "server/statement_error.h"

PG_FUNCTION_INFO_V1(dp_distribution);

/*
 * A table of Citus's catalogue, found as a member of the extension, since
 * anybody could make a table of that name; InvalidOid where there is none.
 */
static Oid
catalogue_table(Oid extension, const char *name)
{
	Oid table = get_relname_relid(name, PG_CATALOG_NAMESPACE);

	return OidIsValid(table) &&
				   getExtensionOfObject(RelationRelationId, table) == extension
			   ? table
			   : InvalidOid;
}

/* What is looked for in a table of the catalogue, and what is found. */
typedef struct Search
{
	const char *column; /* of oids or integers ... */
	uint32 value;		/* ... that is this, or, if so asked, is not */
	bool other;
	const char *shown; /* a column; NULL: none is asked for */
	Datum found;	   /* what it has there; 0: null */
} Search;

static Datum
value_of(Relation relation, HeapTuple tuple, const char *column, bool *isnull)
{
	AttrNumber number = get_attnum(RelationGetRelid(relation), column);

	*isnull = true;
	return number == InvalidAttrNumber
			   ? (Datum) 0
			   : heap_getattr(tuple, number, RelationGetDescr(relation),
							  isnull);
}

/* What a column has is a text, or else passed by value. */
static bool
is_by_value(Relation relation, const char *column)
{
	return get_typbyval(
		get_atttype(RelationGetRelid(relation),
					get_attnum(RelationGetRelid(relation), column)));
}

/* Whether some row is what is looked for. */
static bool
has_row(Oid table, Search *search)
{
	Relation relation;
	SysScanDesc scan;
	HeapTuple tuple;
	bool found = false;

	if (!OidIsValid(table))
		return false;
	relation = table_open(table, AccessShareLock);
	scan = systable_beginscan(relation, InvalidOid, false, NULL, 0, NULL);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool isnull;
		Datum datum = value_of(relation, tuple, search->column, &isnull);

		found = !isnull &&
				(DatumGetUInt32(datum) == search->value) != search->other;
		if (!found || search->shown == NULL)
			continue;
		datum = value_of(relation, tuple, search->shown, &isnull);
		search->found =
			isnull ? (Datum) 0
				   : datumCopy(datum, is_by_value(relation, search->shown), -1);
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return found;
}

/* On a coordinator, which clients connect to, the group of the server is 0. */
static bool
is_worker(Oid extension)
{
	Search search = {.column = "groupid", .value = 0, .other = true};

	return has_row(catalogue_table(extension, "pg_dist_local_group"), &search);
}

/*
 * Whether it is one that Citus keeps on this server alone: single-shard tables, which
 * are written down alike, are colocated with others.
 */
static bool
is_managed_local(Oid extension, Oid relation)
{
	Oid catalogue = catalogue_table(extension, "pg_dist_partition");
	Search method = {
		.column = "logicalrelid", .value = relation, .shown = "partmethod"};
	Search model = {
		.column = "logicalrelid", .value = relation, .shown = "repmodel"};
	Search group = {
		.column = "logicalrelid", .value = relation, .shown = "colocationid"};

	return has_row(catalogue, &method) && has_row(catalogue, &model) &&
		   has_row(catalogue, &group) && DatumGetChar(method.found) == 'n' &&
		   DatumGetChar(model.found) == 's' && DatumGetInt32(group.found) == 0;
}

/* method: how, if anything asks: partmethod in the catalogue, or l for local. */
static bool
is_distributed(Oid extension, Oid relation, char *method)
{
	Search search = {.column = "logicalrelid",
					 .value = relation,
					 .shown = method == NULL ? NULL : "partmethod"};
	bool found =
		has_row(catalogue_table(extension, "pg_dist_partition"), &search);

	if (method != NULL)
		*method = is_managed_local(extension, relation)
					  ? 'l'
					  : DatumGetChar(search.found);
	return found;
}

AttrNumber
dp_citus_distribution_column(Oid relation)
{
	Oid extension = get_extension_oid("citus", true);
	Search search = {
		.column = "logicalrelid", .value = relation, .shown = "partkey"};
	const Var *column;
	char method;

	if (!OidIsValid(extension) ||
		!is_distributed(extension, relation, &method) || method != 'h' ||
		!has_row(catalogue_table(extension, "pg_dist_partition"), &search) ||
		search.found == (Datum) 0)
		return 0;
	column = stringToNode(TextDatumGetCString(search.found));
	return IsA(column, Var) ? column->varattno : 0;
}

bool
dp_citus_sends_text(Oid type)
{
	Oid base = getBaseType(type);
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(base));
	FormData_pg_type form;

	if (!HeapTupleIsValid(tuple))
		return true;
	form = *(Form_pg_type) GETSTRUCT(tuple);
	ReleaseSysCache(tuple);
	return !OidIsValid(form.typsend) || !OidIsValid(form.typreceive) ||
		   form.typtype == TYPTYPE_COMPOSITE ||
		   form.typtype == TYPTYPE_PSEUDO ||
		   (OidIsValid(form.typelem) && dp_citus_sends_text(form.typelem));
}

/*
 * Names that Citus gives its connections: citus_internal gpid=..., and others.
 */
static bool
was_connected_by_citus(void)
{
	return IsParallelWorker() ||
		   strncmp(GetConfigOptionResetString("application_name"), "citus_",
				   6) == 0;
}

bool
dp_citus_asks(void)
{
	return OidIsValid(get_extension_oid("citus", true)) &&
		   was_connected_by_citus();
}

void
dp_citus_refuse(void)
{
	Oid extension = get_extension_oid("citus", true);

	if (!OidIsValid(extension) ||
		(!was_connected_by_citus() && !is_worker(extension)))
		return;
	dp_statement_error(
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("private aggregates cannot be computed where Citus runs a "
				"part of a statement"),
		 errdetail("The session's settings, its epsilon among them, do not "
				   "apply there."),
		 errhint("Aggregate rows of a table that is not distributed, such "
				 "as a copy.")));
}

void
dp_citus_refuse_ledger(void)
{
	Oid extension = get_extension_oid("citus", true);

	if (OidIsValid(extension) && is_worker(extension))
		dp_statement_error(
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("what is protected, and what is spent, is kept on Citus's "
					"coordinator alone"),
			 errhint("Connect to the coordinator.")));
}

bool
dp_citus_distributes(Oid relation)
{
	Oid extension = get_extension_oid("citus", true);

	return OidIsValid(extension) && is_distributed(extension, relation, NULL);
}

Oid
dp_citus_first_distributed(const List *relations)
{
	Oid extension = get_extension_oid("citus", true);
	ListCell *cell;

	if (!OidIsValid(extension))
		return InvalidOid;
	foreach (cell, relations)
	{
		if (is_distributed(extension, lfirst_oid(cell), NULL))
			return lfirst_oid(cell);
	}
	return InvalidOid;
}

/* (relation regclass) -> "char" */
Datum
dp_distribution(PG_FUNCTION_ARGS)
{
	Oid extension = get_extension_oid("citus", true);
	char method = '\0';

	if (!OidIsValid(extension) ||
		!is_distributed(extension, PG_GETARG_OID(0), &method))
		PG_RETURN_NULL();
	PG_RETURN_CHAR(method);
}

void
dp_citus_pin(void)
{
	dp_setting_change("citus.select_opens_transaction_block", "off");
	dp_setting_change("citus.function_opens_transaction_block", "off");
	dp_setting_change("citus.propagate_set_commands", "none");
	dp_setting_change("citus.enable_binary_protocol", "on");
}

void
dp_citus_write_plainly(void)
{
	dp_setting_change("DateStyle", "ISO, YMD");
}

/* The number of Citus's transaction, as its function says; 0: there is none. */
static uint64
transaction_number(Oid function)
{
	FmgrInfo info;
	LOCAL_FCINFO(fcinfo, 0);
	Datum row;
	bool isnull;
	Datum number;

	fmgr_info(function, &info);
	InitFunctionCallInfoData(*fcinfo, &info, 0, InvalidOid, NULL, NULL);
	row = FunctionCallInvoke(fcinfo);
	number = GetAttributeByName(DatumGetHeapTupleHeader(row),
								"transaction_number", &isnull);
	return isnull ? 1 : DatumGetUInt64(number);
}

static Oid
transaction_function(Oid extension)
{
	Oid none = InvalidOid;
	oidvector *arguments = buildoidvector(&none, 0);
	Oid function = GetSysCacheOid3(
		PROCNAMEARGSNSP, Anum_pg_proc_oid,
		CStringGetDatum("get_current_transaction_id"),
		PointerGetDatum(arguments), ObjectIdGetDatum(PG_CATALOG_NAMESPACE));

	return OidIsValid(function) && getExtensionOfObject(ProcedureRelationId,
														function) == extension
			   ? function
			   : InvalidOid;
}

void
dp_citus_refuse_transaction(void)
{
	Oid extension = get_extension_oid("citus", true);
	Oid function;

	if (!OidIsValid(extension))
		return;
	function = transaction_function(extension);
	if (OidIsValid(function) && transaction_number(function) == 0)
		return;
	dp_citus_refuse(); /* which says more */
	dp_statement_error(
		(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
		 errmsg("a protected relation cannot be asked about in a "
				"transaction that Citus has begun on other nodes"),
		 errdetail("Connections as the relation's owner would become part "
				   "of that transaction."),
		 errhint("End the transaction, then ask.")));
}
