/*
 * release_state.c
 *		The releases of a statement in execution, and the questions they ask.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "gate/release/release_state.h"

/* Releases of all statements being executed in this process. */
static List *in_execution = NIL;

/* Removes a release from the list when the memory of its statement is freed. */
static void
forget(void *state)
{
	in_execution = list_delete_ptr(in_execution, state);
}

void
dp_release_state_keep(DpReleaseState *state)
{
	MemoryContext context = state->estate->es_query_cxt;
	MemoryContextCallback *callback =
		MemoryContextAlloc(context, sizeof(MemoryContextCallback));
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

	in_execution = lappend(in_execution, state);
	MemoryContextSwitchTo(old);
	callback->func = forget;
	callback->arg = state;
	MemoryContextRegisterResetCallback(context, callback);
}

List *
dp_release_states_of(const EState *estate)
{
	List *states = NIL;

	foreach_ptr (DpReleaseState, state, in_execution)
	{
		if (state->estate == estate)
			states = lappend(states, state);
	}
	return states;
}

DpReleaseState *
dp_release_state_asker(const DpReleaseState *state)
{
	return linitial(state->groupings->states);
}

bool
dp_release_state_repeats(const DpReleaseState *state, int aggno)
{
	const DpAskedQuestion *question = state->questions[aggno];

	return question->state != state ||
		   question->aggnos[state->places[aggno]] != aggno;
}

bool
dp_release_state_asks(const DpReleaseState *state, int aggno)
{
	return !dp_release_state_repeats(state, aggno) &&
		   state->questions[aggno]->aggno == aggno;
}
