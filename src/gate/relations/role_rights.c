/*
 * role_rights.c
 *		With whose rights inner statements are planned and run.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "gate/relations/role_rights.h"
#include "server/citus.h"
#include "server/ownership.h"
#include "server/statement_error.h"

/*
 * How many levels of rights are begun and not ended. Whoever begins one ends
 * it, also after an error, so nothing may fail between the begin and PG_TRY.
 */
static int depth = 0;

Oid
dp_role_rights_copy_reader(const DpRelations *relations, int index)
{
	return dp_owner_of(list_nth_oid(
		relations->oids, list_length(relations->oids) == 1 ? 0 : index));
}

Oid
dp_role_rights_reader(const DpRelations *relations, List *copies)
{
	return copies == NIL ? dp_role_rights_copy_reader(relations, 0)
						 : GetUserId();
}

void
dp_role_rights_begin_public(DpRights *before)
{
	dp_act_as_self(&before->acting);
	before->depth = depth++;
	dp_citus_pin();
}

void
dp_role_rights_begin(DpRights *before, Oid role)
{
	dp_citus_refuse_transaction();
	dp_act_as(&before->acting, role);
	before->depth = depth++;
	dp_citus_pin();
}

void
dp_role_rights_begin_reading(DpRights *before, Oid role)
{
	if (OidIsValid(role))
		dp_role_rights_begin(before, role);
	else
		dp_role_rights_begin_public(before);
}

void
dp_role_rights_end(const DpRights *before)
{
	dp_act_as_before(&before->acting);
	depth = before->depth;
}

void
dp_role_rights_refuse_nested(void)
{
	if (depth > 0)
		dp_statement_error(
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a protected relation cannot be asked about while "
					"another question is planned or answered"),
			 errhint("Ask in a statement of its own, not in functions of "
					 "indexes, constraints or policies.")));
}
