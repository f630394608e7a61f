/*
 * fails_on_node.c
 *		What a node of Citus must be like for a question's statements.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "fmgr.h"

#include "server/citus.h"
#include "server/version.h"

PG_FUNCTION_INFO_V1(dp_fails_on_node);

/* Whether names of this session are looked up in pg_catalog first. */
static bool
finds_servers_own_first(void)
{
	List *path = fetch_search_path(false);

	return !list_member_oid(path, PG_CATALOG_NAMESPACE);
}

/*
 * (version of who asks, whether expressions are sent) strict
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
	PG_RETURN_BOOL(false);
}
