/*
 * reader_functions.c
 *		The functions beneath the views that everyone may read.
 *
 * EXPLAIN of a view shows how many rows lie beneath it, also those that its
 * conditions hide from the reader. So to the planner each of these views is a
 * function with a fixed estimate that returns only the reader's rows; the
 * buffers that it reads are not counted for the reader's statement.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/instrument.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dp_read_as_user);
PG_FUNCTION_INFO_V1(dp_read_as_session);

/* The function do_X(reader oid) for the function X(). */
static void
find_body(Oid function, FmgrInfo *body)
{
	Oid types[1] = {OIDOID};
	char *schema = get_namespace_name(get_func_namespace(function));
	char *name = psprintf("do_%s", get_func_name(function));

	fmgr_info(LookupFuncName(list_make2(makeString(schema), makeString(name)),
							 1, types, false),
			  body);
}

/* Calls do_X(reader), which makes all its rows the result of X() at once. */
static void
call_body(FunctionCallInfo fcinfo, Oid reader)
{
	LOCAL_FCINFO(call, 1);
	FmgrInfo body;

	find_body(fcinfo->flinfo->fn_oid, &body);
	InitFunctionCallInfoData(*call, &body, 1, InvalidOid, NULL,
							 fcinfo->resultinfo);
	call->args[0].value = ObjectIdGetDatum(reader);
	call->args[0].isnull = false;
	(void) FunctionCallInvoke(call);
}

static Datum
read_as(FunctionCallInfo fcinfo, Oid reader)
{
	BufferUsage buffers = pgBufferUsage;
	WalUsage wal = pgWalUsage;

	PG_TRY();
	{
		call_body(fcinfo, reader);
	}
	PG_CATCH();
	{
		/*
		 * Restored also after a cancellation, which the reader may catch to
		 * look at the counters.
		 */
		pgBufferUsage = buffers;
		pgWalUsage = wal;
		PG_RE_THROW();
	}
	PG_END_TRY();
	pgBufferUsage = buffers;
	pgWalUsage = wal;
	return (Datum) 0;
}

/*
 * The reader is the current user, before any definer's rights, as in
 * dp_as_owner: within a function of an analyst it is the analyst.
 */
Datum
dp_read_as_user(PG_FUNCTION_ARGS)
{
	return read_as(fcinfo, GetUserId());
}

/*
 * The reader is the user of the session, who pays; but there are no rows where
 * another role's code reads: a function of theirs that runs with their rights,
 * an index under ANALYZE.
 */
Datum
dp_read_as_session(PG_FUNCTION_ARGS)
{
	Oid session = GetSessionUserId();
	bool is_own = GetUserId() == session ||
				  (!InSecurityRestrictedOperation() &&
				   is_member_of_role_nosuper(session, GetUserId()));

	return read_as(fcinfo, is_own ? session : InvalidOid);
}
