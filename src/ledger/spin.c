/*
 * spin.c
 *		Short waits without sleep.
 */
#include "postgres.h"

#include <unistd.h>

#include "port/atomics.h"
#include "portability/instr_time.h"

#include "ledger/spin.h"

/* Delays between two looks, about half a microsecond in all. */
#define DELAYS 20

static bool
is_useful(void)
{
	static long processors = 0;

	if (processors == 0)
		processors = sysconf(_SC_NPROCESSORS_ONLN);
	return processors > 1;
}

void
dp_spin(bool (*has_happened)(void *), void *argument, int microseconds)
{
	instr_time start;
	instr_time now;
	int i;

	if (!is_useful())
		return;
	INSTR_TIME_SET_CURRENT(start);
	do
	{
		if (has_happened(argument))
			return;
		for (i = 0; i < DELAYS; i++)
			pg_spin_delay();
		INSTR_TIME_SET_CURRENT(now);
		INSTR_TIME_SUBTRACT(now, start);
	} while ((int64) INSTR_TIME_GET_MICROSEC(now) < microseconds);
}
