/*
 * kept_back.c
 *		Relations that somebody may ask about, and may not read.
 */
#include "postgres.h"

#include "access/relation.h"
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "gate/relations/kept_back.h"
#include "gate/relations/populations.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/protection.h"
#include "server/compat_permissions.h"
#include "server/search.h"
#include "server/settings.h"

/* The most columns that a message names. */
#define MOST_COLUMNS 100

bool
dp_kept_back_is_entry(const Query *query, RangeTblEntry *rte)
{
	return OidIsValid(rte->relid) && dp_compat_is_only_read(query, rte) &&
		   !dp_compat_is_allowed(query, rte) &&
		   dp_protection_exists(rte->relid) &&
		   dp_populations_have_budget(rte->relid);
}

typedef struct Search
{
	bool with_blocks;
	Oid found;
} Search;

static DpVisit
find_kept_back(Node *node, const List *around, void *context)
{
	Search *search = context;
	Query *query = (Query *) node;

	(void) around;
	if (!IsA(node, Query))
		return DP_VISIT_PARTS;
	if (!search->with_blocks && dp_private_aggregates_in(query))
		return DP_VISIT_NEXT;
	foreach_node (RangeTblEntry, rte, query->rtable)
	{
		if (!dp_kept_back_is_entry(query, rte))
			continue;
		search->found = rte->relid;
		return DP_VISIT_FOUND;
	}
	return DP_VISIT_PARTS;
}

Oid
dp_kept_back_find(Query *query, bool with_blocks)
{
	Search search = {with_blocks, InvalidOid};

	(void) dp_search((Node *) query, find_kept_back, &search, 0);
	return search.found;
}

/* "id integer, age integer" */
static char *
columns_of(Oid relation)
{
	Relation rel = relation_open(relation, AccessShareLock);
	TupleDesc columns = RelationGetDescr(rel);
	StringInfoData text;
	int count = 0;
	int i;

	initStringInfo(&text);
	for (i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		if (column->attisdropped)
			continue;
		if (++count > MOST_COLUMNS)
		{
			appendStringInfoString(&text, ", ...");
			break;
		}
		appendStringInfo(
			&text, "%s%s %s", count > 1 ? ", " : "",
			quote_identifier(NameStr(column->attname)),
			format_type_with_typemod(column->atttypid, column->atttypmod));
	}
	relation_close(rel, NoLock);
	return text.data;
}

void
dp_kept_back_refuse(Oid relation)
{
	char *name = get_rel_name(relation);
	char *columns = columns_of(relation);

	ereport(
		ERROR,
		(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		 errmsg("rows of protected relation \"%s\" cannot be shown", name),
		 errdetail("Its columns are %s.", columns),
		 dp_setting_rewrite_aggregates
			 ? errhint("Ask about many rows at once, such as SELECT count(*) "
					   "FROM %s, with WHERE and GROUP BY as needed; LIMIT 0 "
					   "gives the columns alone.",
					   quote_identifier(name))
			 : errhint("Ask about many rows at once, such as SELECT "
					   "dp_count(*) FROM %s, or set "
					   "dp_noise.rewrite_aggregates to on and use count(*); "
					   "LIMIT 0 gives the columns alone.",
					   quote_identifier(name))));
}
