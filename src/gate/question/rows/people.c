/*
 * people.c
 *		Whether units of several relations are the same people.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_opfamily.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/typcache.h"

#include "gate/question/relations/protection.h"
#include "gate/question/relations/reference.h"
#include "gate/question/rows/people.h"
#include "server/collations.h"
#include "server/ownership.h"

/* Chains of foreign keys are followed for so many steps at most. */
#define MOST_STEPS 16

/* A column that is a relation's unit. */
typedef struct Root
{
	Oid relation;
	AttrNumber unit;
} Root;

/* Values are the same in both columns where they are equal in a foreign key. */
static bool
compare_alike(Oid relation, AttrNumber column, Oid other, AttrNumber key)
{
	Oid types[2];
	Oid collations[2];
	int32 typmod;
	Oid families[2];
	int i;

	get_atttypetypmodcoll(relation, column, &types[0], &typmod, &collations[0]);
	get_atttypetypmodcoll(other, key, &types[1], &typmod, &collations[1]);
	for (i = 0; i < 2; i++)
	{
		types[i] = getBaseType(types[i]);
		families[i] =
			lookup_type_cache(types[i], TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	}
	return dp_are_alike(collations[0], collations[1]) &&
		   (types[0] == types[1] || (families[0] == families[1] &&
									 (families[0] == INTEGER_BTREE_FAM_OID ||
									  families[0] == TEXT_BTREE_FAM_OID)));
}

/*
 * The root that a foreign key of a unit leads to; false where there is none. A
 * key binds no rows of inheriting tables, and until it is validated not all of
 * its own.
 */
static bool
follow(Root *root)
{
	Relation rel = table_open(root->relation, AccessShareLock);
	bool found = false;
	ListCell *cell;

	foreach (cell, dp_gate_has_heirs(rel) ? NIL : RelationGetFKeyList(rel))
	{
		const ForeignKeyCacheInfo *key = lfirst_node(ForeignKeyCacheInfo, cell);
		const DpProtection *other;

		if (key->nkeys != 1 || key->conkey[0] != root->unit ||
			key->confrelid == root->relation ||
			!dp_gate_is_validated(key->conoid) ||
			!compare_alike(root->relation, root->unit, key->confrelid,
						   key->confkey[0]))
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
	return dp_owner_of(one) == dp_owner_of(other);
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
