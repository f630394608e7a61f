/*
 * role_rights.h
 *		With whose rights inner statements are planned and run.
 *
 * Planning a statement evaluates what the owners of its tables wrote:
 * predicates and expressions of indexes, CHECK constraints, partition keys,
 * expressions of statistics. So a statement over one owner's protected
 * relations is planned and run as that owner, with the restrictions that the
 * server puts on functions while it builds an index, and settings that such
 * code changes are restored. A statement over copies reads nobody's relation.
 *
 * While anything is planned or run for a release, no further question can be
 * asked, since the user would be charged for a question that somebody else's
 * code asked.
 */
#ifndef DP_GATE_RELATIONS_ROLE_RIGHTS_H
#define DP_GATE_RELATIONS_ROLE_RIGHTS_H

#include "postgres.h"

#include "gate/relations/relations.h"
#include "server/ownership.h"

/* What was in force before. */
typedef struct DpRights
{
	DpActing acting;
	int depth; /* of what is beneath a release */
} DpRights;

/*
 * Who statements over protected relations are planned and run as: their one
 * owner; where they read copies, the current user.
 */
extern Oid dp_role_rights_reader(const DpRelations *relations, List *copies);

/*
 * The same for the copy of that index, from 0: the owner of its relation. Of a single
 * relation there may be several copies.
 */
extern Oid dp_role_rights_copy_reader(const DpRelations *relations, int index);

/*
 * Switches to a role, restricted, with settings of its own. In a transaction of
 * Citus's nothing runs with others' rights (server/citus.h), which is refused
 * before anything is begun: active_sql_transaction.
 */
extern void dp_role_rights_begin(DpRights *before, Oid role);

/*
 * Keeps the current user, but with settings of its own: to plan and read what
 * is public. Citus opens no transaction for it, in which nothing could be read
 * with others' rights afterwards (server/citus.h).
 */
extern void dp_role_rights_begin_public(DpRights *before);

/* dp_role_rights_begin for a role; dp_role_rights_begin_public for InvalidOid. */
extern void dp_role_rights_begin_reading(DpRights *before, Oid role);

/*
 * Ends one of these, and those begun after it; also to be called after
 * errors.
 */
extern void dp_role_rights_end(const DpRights *before);

/* Refuses questions from within an inner statement: feature_not_supported. */
extern void dp_role_rights_refuse_nested(void);

#endif
