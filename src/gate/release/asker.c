/*
 * asker.c
 *		Who may ask, and when.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "expressions/stack.h"
#include "gate/question/units/contributions.h"
#include "gate/release/asker.h"
#include "server/compat.h"

/* Owner and superuser are answered without a budget of their own. */
static bool
needs_no_budget(Oid role, Oid relation)
{
	return superuser_arg(role) || dp_compat_owns_relation(relation, role);
}

/* Whether a session may have a role act that it pays for. */
static bool
may_pay(Oid session, Oid acting, Oid relation)
{
	if (needs_no_budget(acting, relation))
		return true;
	return !needs_no_budget(session, relation) &&
		   !InSecurityRestrictedOperation() &&
		   is_member_of_role(session, acting);
}

/*
 * What the answer may tell goes to the role that acts, and the session's user
 * pays: for roles that the user is a member of, and for owners. Others could
 * have answers that they have no budget for, or empty the user's: in a function
 * of theirs that runs with their rights, in a materialized view that is
 * refreshed, in an index under ANALYZE. An owner's or superuser's session has
 * no budget that would bear it.
 */
static void
check_payer(Oid relation)
{
	Oid acting = GetUserId();
	Oid session = GetSessionUserId();

	if (acting != session && !may_pay(session, acting, relation))
		ereport(
			ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("role \"%s\" cannot ask about \"%s\" in a session of "
					"role \"%s\"",
					GetUserNameFromId(acting, false), get_rel_name(relation),
					GetUserNameFromId(session, false)),
			 errhint("Let role \"%s\" ask in a session of its own, whose "
					 "budget pays.",
					 GetUserNameFromId(acting, false))));
}

/*
 * A serializable transaction shows in pg_locks which rows it has read, and
 * which of them others have changed by how it fails.
 */
static void
check_isolation(void)
{
	if (IsolationIsSerializable())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("protected relations cannot be read in a serializable "
						"transaction"),
				 errhint("Use REPEATABLE READ or READ COMMITTED.")));
}

void
dp_gate_check_asker(List *states)
{
	ListCell *cell;
	ListCell *relation;

	check_isolation();
	dp_stack_reserve();
	foreach (cell, states)
	{
		const DpReleaseState *state = lfirst(cell);

		foreach (relation, dp_gate_payers(&state->release->subjects))
			check_payer(lfirst_oid(relation));
	}
}
