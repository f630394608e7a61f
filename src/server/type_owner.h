/*
 * type_owner.h
 *		Who may decide what values of a type are.
 */
#ifndef DP_SERVER_TYPE_OWNER_H
#define DP_SERVER_TYPE_OWNER_H

#include "postgres.h"

/*
 * Whether a type is the server's own, or a role's or a superuser's, and so are the types
 * that it is made of: then nobody else can add a check to it, or make another type of
 * its name.
 */
extern bool dp_type_owner_is(Oid type, Oid role);

/* The same of a collation; InvalidOid: there is none. */
extern bool dp_type_owner_is_of_collation(Oid collation, Oid role);

/* Whether a role is that one, or a superuser. */
extern bool dp_type_owner_may_be(Oid owner, Oid role);

#endif
