/*
 * picture.c
 *		Pictures of the settings of relations, one for each statement that is
 *		being planned.
 */
#include "postgres.h"

#include "commands/extension.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "gate/relations/picture.h"

/* The picture opened last. Whoever opens one closes it, also after an error. */
static DpPicture *current = NULL;

/*
 * Not beneath the planner's memory, whose size EXPLAIN (MEMORY) shows, once
 * nothing can fail any more.
 */
DpPicture *
dp_picture_open(void)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "settings of relations", ALLOCSET_SMALL_SIZES);
	DpPicture *picture = MemoryContextAllocZero(context, sizeof(DpPicture));
	HASHCTL info = {.keysize = sizeof(Oid),
					.entrysize = sizeof(DpPictured),
					.hcxt = context};

	picture->context = context;
	picture->relations = hash_create("relations in a picture", 16, &info,
									 HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);

	/*
	 * Like the server's own catalogs the tables are read as they are now, not
	 * as they were when the transaction began: a plan may outlive the
	 * transaction. The snapshot of no catalog is always a new one, in parallel
	 * plans as well.
	 */
	picture->owner = CurrentResourceOwner;
	picture->snapshot = RegisterSnapshot(GetCatalogSnapshot(InvalidOid));
	MemoryContextSetParent(context, TopMemoryContext);
	picture->outer = current;
	current = picture;
	return picture;
}

void
dp_picture_close(DpPicture *picture)
{
	current = picture->outer;
	UnregisterSnapshotFromOwner(picture->snapshot, picture->owner);
	MemoryContextDelete(picture->context);
}

DpPicture *
dp_picture_current(void)
{
	if (current == NULL)
		elog(ERROR, "no picture of the settings of relations is open");
	return current;
}

DpPicture *
dp_picture_find(void)
{
	return current;
}

Oid
dp_picture_extension(DpPicture *picture)
{
	if (!picture->knows_extension)
		picture->extension = get_extension_oid("dp_noise", true);
	picture->knows_extension = true;
	return picture->extension;
}

DpPictured *
dp_picture_find_relation(DpPicture *picture, Oid relation)
{
	bool found;
	DpPictured *pictured =
		hash_search(picture->relations, &relation, HASH_ENTER, &found);

	if (!found)
	{
		memset(pictured, 0, sizeof(*pictured));
		pictured->relation = relation;
	}
	return pictured;
}
