/*
 * user_code.c
 *		Refuses inner statements that would run a user's code.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"

#include "gate/relations/private_aggregates.h"
#include "gate/run/user_code.h"
#include "server/search.h"

static bool
is_of_user(Oid function, void *context)
{
	(void) context;
	return function >= FirstNormalObjectId &&
		   !dp_private_aggregates_is_own_function(function);
}

static bool
is_user_code(Node *node, void *context)
{
	return IsA(node,
			   CoerceToDomain) || /* a domain's checks are a user's code */
		   check_functions_in_node(node, is_of_user, context);
}

void
dp_user_code_refuse(Query *query)
{
	if (dp_search_any((Node *) query, is_user_code, NULL))
		elog(ERROR, "a statement beneath a release calls a user's function");
}
