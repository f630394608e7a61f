/*
 * check_view.c
 *		dp_noise.check_view(): whether a view can be protected.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_relation.h"
#include "rewrite/rewriteHandler.h"
#include "utils/lsyscache.h"

#include "gate/facts/facts.h"
#include "gate/read/parameter.h"
#include "gate/read/readers.h"
#include "gate/read/views.h"
#include "gate/relations/picture.h"
#include "gate/relations/role_rights.h"
#include "gate/relations/with.h"
#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/ownership.h"
#include "server/queries.h"
#include "server/search.h"

PG_FUNCTION_INFO_V1(dp_check_view);

/* SELECT FROM the view, as the planner would get it. */
static Query *
read_view(Oid view)
{
	ParseState *state = make_parsestate(NULL);
	Relation rel = table_open(view, AccessShareLock);
	Query *query = dp_query_make();

	(void) addRangeTableEntryForRelation(state, rel, AccessShareLock, NULL,
										 true, true);
	table_close(rel, NoLock);
	query->rtable = state->p_rtable;
	dp_compat_take_permissions(query, state);
	query->jointree->fromlist = list_make1(dp_query_reference(1));
	free_parsestate(state);
	return linitial_node(Query, QueryRewrite(query));
}

static DpVisit
write_out(Node *node, const List *around, void *context)
{
	(void) around;
	(void) context;
	if (IsA(node, Query))
		dp_with_write_out((Query *) node);
	return DP_VISIT_PARTS;
}

/* Whether a unit has one row at most. */
static bool
check_query(Query *query, Oid view, AttrNumber unit)
{
	DpPlanning planning = {.next_parameter = dp_parameter_first(query, NULL)};
	DpScope scope = {
		.readers = &dp_readers, .planning = &planning, .query = query};
	DpPicture *picture = dp_picture_open();
	volatile bool result = false;
	int visible;

	PG_TRY();
	{
		(void) dp_search((Node *) query, write_out, NULL, 0);
		result = dp_views_read_body(&scope, 1, view, unit, &visible)
					 ->facts->keys.one_row;
	}
	PG_FINALLY();
	{
		dp_picture_close(picture);
	}
	PG_END_TRY();
	return result;
}

/*
 * Checks as the view's owner, since whoever runs the check does not trust the
 * view.
 */
static bool
check_view(Oid view, AttrNumber unit)
{
	DpRights rights;
	volatile bool result = false;

	dp_role_rights_begin(&rights, dp_owner_of(view));
	PG_TRY();
	{
		result = check_query(read_view(view), view, unit);
	}
	PG_FINALLY();
	{
		dp_role_rights_end(&rights);
	}
	PG_END_TRY();
	return result;
}

/* (view regclass, unit smallint) -> boolean; 0: no column is. */
Datum
dp_check_view(PG_FUNCTION_ARGS)
{
	Oid view = PG_GETARG_OID(0);

	dp_lock_as_owner(view);
	if (get_rel_relkind(view) != RELKIND_VIEW)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not a view", get_rel_name(view)),
						errhint("Write the name of a view.")));
	PG_RETURN_BOOL(check_view(view, PG_GETARG_INT16(1)));
}
