/*
 * failed_release.c
 *		Errors between the charge and the rows.
 */
#include "postgres.h"

#include "storage/lwlock.h"
#include "utils/guc.h"

#include "gate/relations/silence.h"
#include "gate/release/charge_request.h"
#include "gate/release/failed_release.h"
#include "gate/release/silent_run.h"

int
dp_failed_release_begin(void)
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
dp_failed_release_end(List *states, const DpPrice *price, int nest)
{
	ErrorData *error;
	DpReply reply = {0};

	foreach_ptr (DpReleaseState, state, states)
		state->has_failed = true;
	error = CopyErrorData();
	FlushErrorState();
	LWLockReleaseAll(); /* the ledger worker may need them */
	if (dp_gate_may_depend_on_rows(error))
		error = tell_failure(price, error, &reply);
	dp_charge_request_give_up(price);
	AtEOXact_GUC(false, nest);
	if (reply.sqlstate == ERRCODE_CONFIGURATION_LIMIT_EXCEEDED ||
		(reply.sqlstate != 0 && !dp_gate_is_of_resources(reply.sqlstate)))
		dp_ledger_report(&reply);
	if (reply.sqlstate != 0)
		dp_silent_run_raise_of_resources(error);
	dp_silent_run_raise(error);
}
