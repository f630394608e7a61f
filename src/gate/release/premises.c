/*
 * premises.c
 *		What must hold when a statement asks, before it is charged.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "aggregates/sample_state.h"
#include "gate/relations/definition.h"
#include "gate/relations/picture.h"
#include "gate/relations/reliance.h"
#include "gate/release/premises.h"
#include "server/citus.h"
#include "server/ownership.h"
#include "server/settings.h"
#include "server/stack.h"

/* Whether the session's user has no budget to limit what is asked. */
static bool
is_unlimited(Oid session, Oid relation)
{
	DpPicture *picture = dp_picture_open();
	volatile bool result = false;

	PG_TRY();
	{
		const DpProtection *protection = dp_protection_of(relation);

		result = protection->is_protected &&
				 is_member_of_role(session, protection->population_owner);
	}
	PG_FINALLY();
	{
		dp_picture_close(picture);
	}
	PG_END_TRY();
	return result || superuser_arg(session);
}

/* Whether the session's user may pay for statements of the role that acts. */
static bool
may_pay(Oid session, Oid acting, Oid relation)
{
	if (dp_is_owner(relation, acting))
		return true;
	return !is_unlimited(session, relation) &&
		   !InSecurityRestrictedOperation() &&
		   is_member_of_role(session, acting);
}

/*
 * What the answer may tell goes to the role that acts, and the session's user
 * pays: for roles that the user is a member of, and for owners. Others could
 * have answers that they have no budget for, or empty the user's: in a
 * function of theirs that runs with their rights, in a materialized view that
 * is refreshed, in an index under ANALYZE. The session of a superuser, or of
 * the population's owner, has no budget to limit that.
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
 * Refuses serializable transactions: pg_locks shows which rows they have read,
 * and how they fail shows which of these others have changed.
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

/*
 * Refuses statements that another role began: a held cursor is answered when
 * its transaction ends, to the session's user, whoever opened it.
 */
static void
check_acting(Oid acting)
{
	if (OidIsValid(acting) && acting != GetUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("a question that role \"%s\" began cannot be answered "
						"to role \"%s\"",
						GetUserNameFromId(acting, false),
						GetUserNameFromId(GetUserId(), false)),
				 errhint("Fetch the answer as the role that asks.")));
}

void
dp_premises_check_payer(List *states)
{
	ListCell *relation;

	check_isolation();
	dp_citus_refuse(); /* their final functions would refuse only what has rows */
	dp_citus_refuse_transaction();
	dp_stack_reserve();
	foreach_ptr (const DpReleaseState, state, states)
	{
		check_acting(state->acting);
		foreach (relation, dp_relations_all_read(&state->outline->relations))
			check_payer(lfirst_oid(relation));
	}
}

/*
 * The relations that a plan reads, partitions among them; some several times.
 */
static List *
add_relations(List *relations, const PlannedStmt *statement)
{
	foreach_ptr (const RangeTblEntry, rte,
				 statement == NULL ? NIL : statement->rtable)
	{
		/* The OLD and NEW of a view's rule are not read. */
		if (rte->rtekind == RTE_RELATION &&
			(rte->inFromCl ||
			 (rte->relkind != RELKIND_VIEW && rte->relkind != RELKIND_MATVIEW)))
			relations = lappend_oid(relations, rte->relid);
	}
	return relations;
}

/*
 * Refuses to read rows that are older than what is known of them.
 */
static void
check_ages(const DpReleaseState *state)
{
	const DpReleasePlan *plan = state->plan;
	Snapshot snapshot = state->estate->es_snapshot;
	List *relations = add_relations(NIL, plan->inner);

	relations = add_relations(relations, plan->unit_counts);
	relations = add_relations(relations, plan->choice);
	relations = add_relations(relations, plan->sizes);
	foreach_ptr (PlannedStmt, copy, plan->outline.copies)
		relations = add_relations(relations, copy);
	dp_definition_compare_ages(relations, snapshot);
}

void
dp_premises_check_caps(const DpReleaseState *state)
{
	const DpRelations *relations = &state->outline->relations;
	DpContribution contribution = state->outline->contribution;
	int rows = dp_setting_max_rows_per_unit;
	int groups = dp_setting_max_groups_per_unit;

	if (!relations->several)
		return;
	if ((rows > 0 && !relations->one_row &&
		 (uint32) rows != contribution.rows) ||
		(groups > 0 && contribution.groups > (uint32) groups))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("dp_noise.max_rows_per_unit or max_groups_per_unit was "
						"changed after the statement was planned"),
				 errhint("Ask again.")));
}

void
dp_premises_check(const DpReleaseState *state)
{
	dp_shapes_check(&state->plan->shapes);
	dp_reliance_check(state->plan->reliances);
	check_ages(state);
}

void
dp_premises_check_samples(const DpReleaseState *state, const DpCall *call)
{
	const DpOutline *outline = state->outline;

	if (!outline->relations.several ||
		!dp_aggregate_get(call->aggregate)->samples_units ||
		dp_sample_state_size(outline->contribution.rows) <=
			Min((Size) dp_setting_work_mem * 1024, MaxAllocSize))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("%s over \"%s\" may keep too many rows of a privacy unit",
					dp_aggregate_name(call->aggregate),
					dp_relations_names(&outline->relations)),
			 errdetail("It keeps up to %u, of %d bytes each, in at most 1 GB, "
					   "and dp_noise.work_mem is %d kB.",
					   outline->contribution.rows, (int) sizeof(int64),
					   dp_setting_work_mem),
			 errhint("Ask the owner for a smaller max_rows_per_unit, or the "
					 "administrator for a greater dp_noise.work_mem.")));
}
