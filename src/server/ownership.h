/*
 * ownership.h
 *		Who owns a relation: its owner, members of that role and superusers. And
 *		how somebody else runs what the owner may have written.
 */
#ifndef DP_SERVER_OWNERSHIP_H
#define DP_SERVER_OWNERSHIP_H

#include "postgres.h"

/* The current owner of a relation, which must exist, here and below. */
extern Oid dp_owner_of(Oid relation);

extern bool dp_is_owner(Oid relation, Oid role);

/*
 * Refuses the current user where it does not own the relation:
 * insufficient_privilege, undefined_table.
 */
extern void dp_check_owner(Oid relation);

/*
 * The same, before and after the relation is locked (ACCESS SHARE) until the
 * end of the transaction. So a user without rights neither waits for the lock
 * nor makes others wait, and nobody can drop the relation in between.
 */
extern void dp_lock_as_owner(Oid relation);

/* What was in force before. */
typedef struct DpActing
{
	Oid user;
	int security;
	int nest; /* level of settings */
} DpActing;

/*
 * Switches to a role with the restrictions that the server puts on functions
 * while it builds an index, to settings of its own and to the search path
 * pg_catalog, pg_temp. Reading or planning a relation evaluates what its owner
 * wrote: predicates of indexes, CHECK constraints, expressions of statistics.
 */
extern void dp_act_as(DpActing *before, Oid role);

/* The same user, with settings of its own. */
extern void dp_act_as_self(DpActing *before);

/*
 * Ends one of these, and those begun after it; also to be called after errors.
 */
extern void dp_act_as_before(const DpActing *before);

#endif
