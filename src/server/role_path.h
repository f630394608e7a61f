/*
 * role_path.h
 *		In which schemas a role's sessions look names up.
 */
#ifndef DP_SERVER_ROLE_PATH_H
#define DP_SERVER_ROLE_PATH_H

#include "postgres.h"

/*
 * Whether new sessions of a role in this database find the server's own functions
 * first, as is the default: false where a search_path set for the role, the database
 * or both names pg_catalog itself, which may then come last. Then anybody who may
 * create functions in a schema before it could have them called in such a session.
 */
extern bool dp_role_path_is_plain(Oid role);

#endif
