/*
 * paths.c
 *		Checks paths to privacy units.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "gate/question/relations/locations.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/refusal.h"
#include "gate/read/paths.h"
#include "server/compat.h"
#include "server/ownership.h"
#include "server/unique_index.h"

/* Steps of paths that a query may have. */
#define MOST_STEPS 100

static void
refuse(const DpProtection *protection, const char *why, const char *hint,
	   int location)
{
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("the path from \"%s\" to its privacy units %s",
						   get_rel_name(protection->relation), why),
					errhint("%s", hint), dp_gate_position(location)));
}

/* Whether all columns of a unique index are these. */
static bool
is_index_of(Relation index, const List *columns)
{
	int i;

	if (!dp_is_unique_index(index->rd_indextuple) ||
		index->rd_index->indnkeyatts != list_length(columns))
		return false;
	for (i = 0; i < index->rd_index->indnkeyatts; i++)
	{
		if (!list_member_int(columns, index->rd_index->indkey.values[i]))
			return false;
	}
	return true;
}

/*
 * Whether a unique index tells all rows of a relation apart by these columns,
 * all of them, in any order. Rows with nulls are not told apart, and equal
 * none.
 */
static bool
is_key(Oid relation, const List *columns)
{
	Relation rel = table_open(relation, AccessShareLock);
	bool found = false;
	ListCell *cell;

	foreach (cell, dp_gate_has_heirs(rel) ? NIL : RelationGetIndexList(rel))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);

		found = found || is_index_of(index, columns);
		index_close(index, NoLock);
	}
	table_close(rel, NoLock);
	return found;
}

static void
check_columns(Oid relation, List *columns, int location)
{
	ListCell *cell;

	foreach (cell, columns)
	{
		if (dp_compat_is_virtual(relation, (AttrNumber) lfirst_int(cell)))
			dp_gate_refuse("a path to a privacy unit over a virtual generated "
						   "column",
						   "Ask the owner for a stored column.", location);
	}
}

/* Checks a step, and returns the relation to which it leads. */
static const DpProtection *
check_step(DpScope *scope, const DpProtection *from, int location)
{
	const DpProtection *next;

	if (!OidIsValid(from->path_relation) || from->path_columns == NIL ||
		from->path_keys == NIL)
		refuse(from, "leads over what is no longer there",
			   "Ask the owner to protect it again.", location);
	next = dp_gate_protection(from->path_relation);
	if (!next->is_protected)
		refuse(from, "leads to a relation that is not protected",
			   "Ask the owner to protect that, too.", location);
	if (next->population != from->population)
		refuse(from, "leads to a relation of another population",
			   "Ask the owner to protect it again.", location);
	if (dp_owner_of(from->relation) != dp_owner_of(next->relation))
		refuse(from, "leads to a relation of another owner",
			   "Ask the owner to protect it by a column of its own.", location);
	if (++scope->steps > MOST_STEPS)
		refuse(from, "has no end",
			   "Ask the owner to protect one of the relations by a "
			   "column.",
			   location);
	if (!is_key(next->relation, from->path_keys))
		refuse(from, "leads to a key that is not unique",
			   "Ask the owner for a unique index of exactly these columns, "
			   "and for a table without inheriting tables.",
			   location);
	check_columns(from->relation, from->path_columns, location);
	check_columns(next->relation, from->path_keys, location);
	return next;
}

void
dp_paths_check(DpScope *scope, int rtindex)
{
	const DpProtection *protection =
		dp_gate_protection(rt_fetch(rtindex, scope->query->rtable)->relid);
	int location = protection->unit == DP_UNIT_BY_PATH
					   ? dp_gate_location_of_entry(scope->query, rtindex)
					   : -1;

	while (protection->unit == DP_UNIT_BY_PATH)
	{
		protection = check_step(scope, protection, location);
		location = dp_gate_location_of_query(scope->query);
	}
}
