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

#include "gate/question/inner_query.h"

static bool
is_of_user(Oid function, void *context)
{
	Oid extension = *(Oid *) context;

	return function >= FirstNormalObjectId &&
		   (!OidIsValid(extension) ||
			getExtensionOfObject(ProcedureRelationId, function) != extension);
}

static bool
user_code_walker(Node *node, void *extension)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, user_code_walker, extension,
								 QTW_IGNORE_JOINALIASES);
	return IsA(node,
			   CoerceToDomain) || /* a domain's checks are a user's code */
		   check_functions_in_node(node, is_of_user, extension) ||
		   expression_tree_walker(node, user_code_walker, extension);
}

void
dp_gate_check_no_user_code(Query *query)
{
	Oid extension = get_extension_oid("dp_noise", true);

	if (user_code_walker((Node *) query, &extension))
		elog(ERROR, "a statement beneath a release calls a user's function");
}
