/*
 * failure.c
 *		How a question may fail: before the charge, and after it.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "storage/lwlock.h"
#include "utils/guc.h"

#include "gate/relations/silence.h"
#include "gate/release/charge_request.h"
#include "gate/release/failure.h"
#include "gate/release/silent_run.h"
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
	const DpOutline *outline = state->outline;
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
dp_failure_check_memory(DpPrice *price)
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

/* The following functions are for errors after the charge. */

int
dp_failure_begin(void)
{
	int nest = NewGUCNestLevel();

	(void) set_config_option("exit_on_error", "off", PGC_SUSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	return nest;
}

/*
 * Has a failure counted; what is told instead of it if it is not, which is what
 * would be told if an answer could not be stored now: a refusal, or an
 * interrupt, which is returned. Otherwise whoever keeps the ledger from counting,
 * by a lock for example, would learn what counts for nobody.
 */
static ErrorData *
tell_failure(const DpPrice *price, ErrorData *error, DpReply *reply)
{
	MemoryContext context = CurrentMemoryContext;
	ErrorData *volatile told = error;

	PG_TRY();
	{
		dp_charge_request_fail(price, reply);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		told = CopyErrorData();
		FlushErrorState();
		reply->sqlstate = 0;
	}
	PG_END_TRY();
	return told;
}

void
dp_failure_end(List *states, const DpPrice *price, int nest)
{
	ErrorData *error;
	DpReply reply = {0};

	foreach_ptr (DpReleaseState, state, states)
		state->has_failed = true;
	error = CopyErrorData();
	FlushErrorState();
	LWLockReleaseAll(); /* the ledger worker may need them */
	if (dp_silence_may_depend_on_rows(error))
		error = tell_failure(price, error, &reply);
	dp_charge_request_give_up(price);
	AtEOXact_GUC(false, nest);
	if (reply.sqlstate == ERRCODE_CONFIGURATION_LIMIT_EXCEEDED ||
		(reply.sqlstate != 0 && !dp_silence_is_of_resources(reply.sqlstate)))
		dp_ledger_report(&reply);
	if (reply.sqlstate != 0)
		dp_silent_run_raise_of_resources(error);
	dp_silent_run_raise(error);
}
