/*
 * release_plan.c
 *		What a DP Release carries in a plan.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "gate/release/release_plan.h"
#include "server/plan_node.h"
#include "server/report.h"

/* A release whose statement is being planned. */
typedef struct Entry
{
	int64 number;
	DpReleasePlan *release;
} Entry;

/*
 * The releases being planned. A statement's are removed when its planning
 * ends, also with an error.
 */
static List *entries = NIL;

int
dp_release_plan_open(void)
{
	return list_length(entries);
}

int64
dp_release_plan_next(void)
{
	DpRandom *random = dp_report_random();
	uint64 number = 0;
	DP_RECORD_PLAIN(random);

	dp_report_status(dp_random_word(random, &number));
	return (int64) number;
}

void
dp_release_plan_add(int64 number, DpReleasePlan *release)
{
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
	Entry *entry = palloc(sizeof(Entry));

	entry->number = number;
	entry->release = release;
	entries = lappend(entries, entry);
	MemoryContextSwitchTo(old);
}

void
dp_release_plan_close(int level)
{
	while (list_length(entries) > level)
	{
		pfree(llast(entries));
		entries = list_delete_last(entries);
	}
}

DpReleasePlan *
dp_release_plan_find(int64 number)
{
	foreach_ptr (const Entry, entry, entries)
	{
		if (entry->number == number)
			return entry->release;
	}
	return NULL;
}

static void
delete_memory(void *context)
{
	MemoryContextDelete(context);
}

MemoryContext
dp_release_plan_memory(void)
{
	MemoryContextCallback *callback = palloc(sizeof(MemoryContextCallback));
	MemoryContext context = AllocSetContextCreate(
		TopMemoryContext, DP_RELEASE_NAME, ALLOCSET_DEFAULT_SIZES);

	callback->func = delete_memory;
	callback->arg = context;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	return context;
}

/* The functions of the node in plans. */

static void
copy_release(ExtensibleNode *to, const ExtensibleNode *from)
{
	DpReleasePlan *new = (DpReleasePlan *) to;
	const DpReleasePlan *old = (const DpReleasePlan *) from;
	DpOutline outline = old->outline;
	MemoryContext context = MemoryContextSwitchTo(dp_release_plan_memory());
	List *copies;
	List *node_checks;

	new->inner = copyObject(old->inner);
	new->empty = copyObject(old->empty);
	new->unit_counts = copyObject(old->unit_counts);
	new->choice = copyObject(old->choice);
	new->sizes = copyObject(old->sizes);
	copies = copyObject(old->outline.copies);
	node_checks = copyObject(old->outline.node_checks);
	MemoryContextSwitchTo(context);
	outline.copies = NIL;
	outline.node_checks = NIL;
	new->outline = dp_outline_copy(&outline);
	new->outline.copies = copies;
	new->outline.node_checks = node_checks;
	new->hashed.joins = copyObject(old->hashed.joins);
	new->hashed.subqueries = copyObject(old->hashed.subqueries);
	new->reliances = copyObject(old->reliances);
	new->shapes = dp_shapes_copy(&old->shapes);
}

void
dp_release_plan_init(void)
{
	dp_plan_node_register(DP_RELEASE_NAME, sizeof(DpReleasePlan), copy_release);
}
