/*
 * interval_ends.c
 *		dp_low and dp_high where no interval can be given.
 *
 * The gate puts columns of released answers in the place of their calls
 * (gate/read/ends.h). So only calls elsewhere are executed, and these
 * fail.
 */
#include "postgres.h"

#include "fmgr.h"

#include "server/compat.h"

PG_FUNCTION_INFO_V1(dp_low);
PG_FUNCTION_INFO_V1(dp_high);

pg_noreturn static void
refuse(const char *name)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("%s needs a private aggregate over a protected relation", name),
		 errhint("Write %s(dp_count(*)), for example, in the very query "
				 "that reads the protected relation. Answers without noise "
				 "are exact, and so are those of whoever may read the "
				 "relation.",
				 name)));
}

Datum
dp_low(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	refuse("dp_low");
}

Datum
dp_high(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	refuse("dp_high");
}
