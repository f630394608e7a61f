/*
 * fails_on_node.c
 *		What a node of Citus must be like for a question's statements.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_database.h"
#include "catalog/pg_namespace.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "server/citus.h"
#include "server/fails_on_node.h"
#include "server/type_owner.h"
#include "server/version.h"

PG_FUNCTION_INFO_V1(dp_fails_on_node);

/* Whether names of this session are looked up in pg_catalog first. */
static bool
finds_servers_own_first(void)
{
	List *path = fetch_search_path(false);

	return !list_member_oid(path, PG_CATALOG_NAMESPACE);
}

int32
dp_schema_hash(const char *name)
{
	return (int32) hash_bytes((const unsigned char *) name, (int) strlen(name));
}

static Oid
owner_of_database(void)
{
	HeapTuple tuple =
		SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = ((Form_pg_database) GETSTRUCT(tuple))->datdba;
	ReleaseSysCache(tuple);
	return owner;
}

/*
 * Whether a schema is the session's role's, or a superuser's. "public" is whoever's the
 * database is.
 */
static bool
is_schema_own(const FormData_pg_namespace *schema)
{
	Oid owner = schema->nspowner;

	if (owner == ROLE_PG_DATABASE_OWNER)
		owner = owner_of_database();
	return dp_type_owner_may_be(owner, GetUserId());
}

/*
 * Whether there are schemas of a name that has this hash, and all of them are: their
 * owner may put something else in the place of a shard, of which only the name is sent.
 */
static bool
are_schemas_own(int32 hash)
{
	Relation schemas = table_open(NamespaceRelationId, AccessShareLock);
	SysScanDesc scan =
		systable_beginscan(schemas, InvalidOid, false, NULL, 0, NULL);
	bool is_any = false;
	bool result = true;
	HeapTuple tuple;

	while (result && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		const FormData_pg_namespace *schema =
			(Form_pg_namespace) GETSTRUCT(tuple);

		if (dp_schema_hash(NameStr(schema->nspname)) != hash)
			continue;
		is_any = true;
		result = is_schema_own(schema);
	}
	systable_endscan(scan);
	table_close(schemas, AccessShareLock);
	return result && is_any;
}

/*
 * (version of who asks, whether expressions are sent, hash of the relation's schema)
 * strict
 *
 * Its arguments are of types whose constants need no name of a type, which might be
 * found elsewhere first. The planner of who asks may evaluate it, too, on another
 * search_path.
 */
Datum
dp_fails_on_node(PG_FUNCTION_ARGS)
{
	if (PG_GETARG_INT32(0) != dp_version_number())
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("this node runs dp_noise %s, and another "
							   "version asks",
							   DP_VERSION),
						errhint("Install the same version on all nodes.")));
	dp_check_version();
	if (PG_GETARG_BOOL(1) && dp_citus_asks() && !finds_servers_own_first())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("search_path names pg_catalog on this node"),
				 errhint("Set it without pg_catalog, or for all nodes: ALTER "
						 "ROLE or ALTER DATABASE on the coordinator.")));
	if (!are_schemas_own(PG_GETARG_INT32(2)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the schema of a protected relation has another owner "
						"on this node"),
				 errhint("Give it to the relation's owner or to a superuser: "
						 "ALTER SCHEMA ... OWNER TO.")));
	PG_RETURN_BOOL(false);
}
