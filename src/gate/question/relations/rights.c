/*
 * rights.c
 *		With whose rights inner statements are planned and run.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/guc.h"

#include "gate/question/relations/protection.h"
#include "gate/question/relations/rights.h"

/* How many of these are begun and not ended. */
static int depth = 0;

Oid
dp_gate_copy_reader(const DpSubjects *subjects, int place)
{
	return dp_gate_owner_of(list_nth_oid(subjects->relations, place));
}

Oid
dp_gate_reader(const DpSubjects *subjects, List *copies)
{
	return copies == NIL ? dp_gate_copy_reader(subjects, 0) : GetUserId();
}

void
dp_gate_begin_public(DpRights *before)
{
	GetUserIdAndSecContext(&before->user, &before->security);
	before->nest = NewGUCNestLevel();
	before->depth = depth++;
}

void
dp_gate_begin_rights(DpRights *before, Oid role)
{
	dp_gate_begin_public(before);
	SetUserIdAndSecContext(role, before->security |
									 SECURITY_LOCAL_USERID_CHANGE |
									 SECURITY_RESTRICTED_OPERATION);
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

void
dp_gate_end_rights(const DpRights *before)
{
	AtEOXact_GUC(false, before->nest);
	SetUserIdAndSecContext(before->user, before->security);
	depth = before->depth;
}

void
dp_gate_refuse_nested(void)
{
	if (depth > 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a protected relation cannot be asked about while "
						"another question is planned or answered"),
				 errhint("Ask in a statement of its own, not in functions of "
						 "indexes, constraints or policies.")));
}
