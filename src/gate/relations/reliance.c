/*
 * reliance.c
 *		What a release relies on: the settings and the definitions of relations.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "gate/relations/picture.h"
#include "gate/relations/reliance.h"
#include "server/lists.h"
#include "server/plan_node.h"
#include "server/statement_error.h"

static void
copy_reliance(ExtensibleNode *to, const ExtensibleNode *from)
{
	DpReliance *new = (DpReliance *) to;
	const DpReliance *old = (const DpReliance *) from;

	new->relation = old->relation;
	new->settings_version = old->settings_version;
	new->population = old->population;
	new->unit_index = old->unit_index;
	new->definition = dp_definition_copy(old->definition);
}

void
dp_reliance_init(void)
{
	dp_plan_node_register(DP_RELIANCE_NAME, sizeof(DpReliance), copy_reliance);
}

static DpReliance *
make_reliance(const DpProtection *protection)
{
	DpReliance *reliance =
		dp_plan_node_make(DP_RELIANCE_NAME, sizeof(DpReliance));

	reliance->relation = protection->relation;
	reliance->definition = dp_definition_copy(protection->definition);
	if (!protection->is_protected)
		return reliance;
	reliance->settings_version = protection->settings_version;
	reliance->population = protection->population;
	reliance->unit_index = protection->unit_index;
	return reliance;
}

List *
dp_reliance_of_all(const DpRelations *relations)
{
	List *reliances = NIL;
	HASH_SEQ_STATUS scan;
	const DpPictured *pictured;

	hash_seq_init(&scan, dp_picture_current()->relations);
	while ((pictured = hash_seq_search(&scan)) != NULL)
	{
		const DpProtection *protection = &pictured->protection;

		if (pictured->is_known &&
			(!protection->is_protected ||
			 list_member_oid(relations->oids, protection->relation) ||
			 list_member_oid(relations->views, protection->relation)))
			reliances = lappend(reliances, make_reliance(protection));
	}
	return reliances;
}

const DpReliance *
dp_reliance_on(const List *reliances, Oid relation)
{
	foreach_ptr (const DpReliance, reliance, reliances)
	{
		if (reliance->relation == relation)
			return reliance;
	}
	elog(ERROR, "nothing is known of relation %u", relation);
}

void
dp_reliance_check_definitions(const List *reliances)
{
	foreach_ptr (const DpReliance, reliance, reliances)
	{
		DpDefinition *now =
			dp_definition_of(reliance->relation, reliance->unit_index);

		if (!dp_definition_is_same(now, reliance->definition))
			dp_statement_error(
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" was changed after the statement "
						"was planned",
						get_rel_name(reliance->relation)),
				 errhint("Ask again.")));
		pfree(now);
	}
}

static void
check_unprotected(const List *reliances)
{
	foreach_ptr (const DpReliance, reliance, reliances)
	{
		if (reliance->settings_version == 0 &&
			dp_protection_exists(reliance->relation))
			dp_statement_error(
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" was protected after the "
						"statement was planned",
						get_rel_name(reliance->relation)),
				 errhint("Nothing was charged. Ask again.")));
	}
}

static bool
has_unprotected(const List *reliances)
{
	foreach_ptr (const DpReliance, reliance, reliances)
	{
		if (reliance->settings_version == 0)
			return true;
	}
	return false;
}

void
dp_reliance_check(const List *reliances)
{
	DpPicture *picture;

	dp_reliance_check_definitions(reliances);
	if (!has_unprotected(reliances))
		return;
	picture = dp_picture_open();
	PG_TRY();
	{
		check_unprotected(reliances);
	}
	PG_FINALLY();
	{
		dp_picture_close(picture);
	}
	PG_END_TRY();
}
