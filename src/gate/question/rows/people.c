/*
 * people.c
 *		Whether units of several relations are the same people.
 */
#include "postgres.h"

#include "access/table.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "gate/question/relations/protection.h"
#include "gate/question/rows/people.h"

/* Foreign keys of foreign keys end after so many, whatever they are. */
#define MOST_STEPS 16

/* A column that is a relation's unit. */
typedef struct Root
{
	Oid relation;
	AttrNumber unit;
} Root;

/* The root that a foreign key of a unit leads to; false where there is none. */
static bool
follow(Root *root)
{
	Relation rel = table_open(root->relation, AccessShareLock);
	bool found = false;
	ListCell *cell;

	foreach (cell, RelationGetFKeyList(rel))
	{
		const ForeignKeyCacheInfo *key = lfirst_node(ForeignKeyCacheInfo, cell);
		const DpProtection *other;

		if (key->nkeys != 1 || key->conkey[0] != root->unit ||
			key->confrelid == root->relation)
			continue;
		other = dp_gate_protection(key->confrelid);
		if (!other->is_protected || other->unit != key->confkey[0])
			continue;
		root->relation = key->confrelid;
		root->unit = other->unit;
		found = true;
		break;
	}
	table_close(rel, NoLock);
	return found;
}

bool
dp_gate_same_owner(Oid one, Oid other)
{
	return dp_gate_owner_of(one) == dp_gate_owner_of(other);
}

static Root
root_of(const DpOwned *owned)
{
	Root root = {owned->bearer, owned->bearer_unit};
	int steps = 0;

	while (steps++ < MOST_STEPS)
	{
		Root next = root;

		if (!follow(&next) || !dp_gate_same_owner(next.relation, root.relation))
			break;
		root = next;
	}
	return root;
}

bool
dp_gate_same_people(const DpScope *scope, const DpOwned *one,
					const DpOwned *other)
{
	Root first;
	Root second;

	(void) scope;
	if (!OidIsValid(one->bearer) || !OidIsValid(other->bearer))
		return false;
	first = root_of(one);
	second = root_of(other);
	return first.relation == second.relation && first.unit == second.unit;
}
