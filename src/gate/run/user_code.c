/*
 * inner_query.c
 *		The statements beneath a release.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "nodes/nodeFuncs.h"

#include "gate/run/user_code.h"
#include "server/search.h"

static bool
is_of_user(Oid function, void *context)
{
	Oid extension = *(Oid *) context;

	return function >= FirstNormalObjectId &&
		   (!OidIsValid(extension) ||
			getExtensionOfObject(ProcedureRelationId, function) != extension);
}

static bool
is_user_code(Node *node, void *extension)
{
	return IsA(node,
			   CoerceToDomain) || /* a domain's checks are a user's code */
		   check_functions_in_node(node, is_of_user, extension);
}

void
dp_user_code_refuse(Query *query)
{
	Oid extension = get_extension_oid("dp_noise", true);

	if (dp_search_any((Node *) query, is_user_code, &extension))
		elog(ERROR, "a statement beneath a release calls a user's function");
}
