/*
 * memory_reserve.c
 *		Looks for memory before a charge.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "gate/release/charge_request.h"
#include "gate/release/memory_reserve.h"
#include "server/settings.h"

/* The most that is looked for, in times of dp_noise.work_mem. */
#define PARTS_MAX 8

/* Whether this process has got that far before. */
static bool has_read = false;

/*
 * How many sorts, hash tables and states a release may have at once: of groups,
 * of units, one for each aggregate, and two for each join.
 */
static int
count_parts(const DpReleaseState *state)
{
	const DpOutline *outline = &state->plan->outline;
	const Query *frame = outline->relations.frame;
	int joins = frame == NULL ? 0 : list_length(frame->rtable) - 1;

	return Min(2 + list_length(outline->aggregates) + 2 * Max(joins, 0),
			   PARTS_MAX);
}

/* The system's own call: malloc would change what it keeps from then on. */
static bool
is_available(Size size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	(void) munmap(memory, size);
	return true;
}

void
dp_memory_reserve_check(DpPrice *price)
{
	int parts = 0;
	Size size;
	int i;

	for (i = 0; i < price->count; i++)
	{
		if (dp_price_is_fresh(&price->charges[i]))
			parts = Max(parts, count_parts(price->charges[i].state));
	}
	if (parts == 0)
		return;
	size = (Size) parts * dp_setting_work_mem * 1024;
	if (is_available(size))
	{
		has_read = true;
		return;
	}
	if (has_read)
	{
		DpReply reply;

		dp_charge_request_list_failing(price);
		dp_charge_request_fail(price, &reply);
		dp_ledger_report(&reply);
	}
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("insufficient memory for a question about a protected "
					"relation"),
			 errdetail("It may need %zu MB, by dp_noise.work_mem, and this "
					   "process cannot get as much. Nothing was charged.",
					   size / 1024 / 1024),
			 errhint("Ask the administrator for a lower dp_noise.work_mem, or "
					 "for more memory.")));
}
