/*
 * ownership.c
 *		Who owns a relation, and how others run what the owner may have written.
 */
#include "postgres.h"

#include "access/relation.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/ownership.h"

Oid
dp_owner_of(Oid relation)
{
	Relation found = relation_open(relation, AccessShareLock);
	Oid owner = found->rd_rel->relowner;

	relation_close(found, NoLock);
	return owner;
}

bool
dp_is_owner(Oid relation, Oid role)
{
	return superuser_arg(role) || dp_compat_owns_relation(relation, role);
}

/* Refuses all but the owners of a relation. name: when it was there. */
static void
check_owner(Oid relation, const char *name)
{
	if (get_rel_name(relation) == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation \"%s\" does not exist", name)));
	if (!dp_is_owner(relation, GetUserId()))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of relation %s", name)));
}

static const char *
name_of(Oid relation)
{
	const char *name = get_rel_name(relation);

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	return name;
}

void
dp_check_owner(Oid relation)
{
	check_owner(relation, name_of(relation));
}

void
dp_lock_as_owner(Oid relation)
{
	const char *name = name_of(relation);

	check_owner(relation, name);
	LockRelationOid(relation, AccessShareLock);
	check_owner(relation, name); /* it may have been dropped meanwhile */
}

void
dp_act_as_self(DpActing *before)
{
	GetUserIdAndSecContext(&before->user, &before->security);
	before->nest = NewGUCNestLevel();
}

void
dp_act_as(DpActing *before, Oid role)
{
	dp_act_as_self(before);
	SetUserIdAndSecContext(role, before->security |
									 SECURITY_LOCAL_USERID_CHANGE |
									 SECURITY_RESTRICTED_OPERATION);
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

void
dp_act_as_before(const DpActing *before)
{
	AtEOXact_GUC(false, before->nest);
	SetUserIdAndSecContext(before->user, before->security);
}
