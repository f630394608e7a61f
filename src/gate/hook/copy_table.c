/*
 * copy_table.c
 *		COPY of a table that somebody may ask about, and may not read.
 *
 * The server would only say "permission denied". This says what can be asked
 * instead, as for a SELECT of rows; it refuses nothing that the
 * server would not refuse.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "tcop/utility.h"
#include "utils/acl.h"

#include "gate/hook/access.h"
#include "gate/hook/copy_table.h"

static ProcessUtility_hook_type prev_utility = NULL;

static void
check_copy(const CopyStmt *copy)
{
	Oid relation;

	if (copy->relation == NULL || copy->is_from)
		return;
	relation = RangeVarGetRelid(copy->relation, NoLock, true);
	if (!OidIsValid(relation) ||
		pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(relation, GetUserId(), ACL_SELECT,
								  ACLMASK_ANY) == ACLCHECK_OK)
		return;
	dp_access_check_rows(relation);
}

static void
run_utility(PlannedStmt *statement, const char *query_text, bool is_read_only,
			ProcessUtilityContext context, ParamListInfo params,
			QueryEnvironment *environment, DestReceiver *receiver,
			QueryCompletion *completion)
{
	if (IsA(statement->utilityStmt, CopyStmt))
		check_copy((CopyStmt *) statement->utilityStmt);
	(prev_utility != NULL ? prev_utility : standard_ProcessUtility)(
		statement, query_text, is_read_only, context, params, environment,
		receiver, completion);
}

void
dp_copy_table_init(void)
{
	prev_utility = ProcessUtility_hook;
	ProcessUtility_hook = run_utility;
}
