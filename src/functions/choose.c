/*
 * choose.c
 *		dp_noise.choose(): a window function that marks some rows of each
 *		partition, chosen at random.
 *
 * Every subset of that size is marked with the same probability, exactly, in
 * whichever order the rows come, so that the server need not sort them within
 * the partition. A partition with no more rows draws nothing. Where inner
 * statements hash, gate/run/unit_groups.h takes its place, by the same law.
 *
 * No mark is set: all rows of a partition are there once they are counted, and
 * letting them go one by one costs more than together.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/nodes.h"
#include "windowapi.h"

#include "samplers/sequential_choice.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_choose);

/* The state of one partition; zero before its first row. */
typedef struct Choice
{
	int64 left;	  /* rows that have not been seen */
	int64 wanted; /* rows to be marked among those */
} Choice;

/* (limit integer) over a partition -> boolean */
Datum
dp_choose(PG_FUNCTION_ARGS)
{
	WindowObject window = PG_WINDOW_OBJECT();
	Choice *choice;
	bool chosen = false;

	/* Anybody may make an operator of a window function, and use it. */
	if (fcinfo->context == NULL || !IsA(fcinfo->context, WindowObjectData))
		ereport(ERROR,
				(errcode(ERRCODE_WINDOWING_ERROR),
				 errmsg("window function %s requires an OVER clause", "choose"),
				 errhint("Write dp_noise.choose(number) OVER (PARTITION BY "
						 "...).")));
	choice = WinGetPartitionLocalMemory(window, sizeof(Choice));
	if (WinGetCurrentPosition(window) == 0)
	{
		bool isnull;
		Datum limit = WinGetFuncArgCurrent(window, 0, &isnull);

		choice->left = WinGetPartitionRowCount(window);
		choice->wanted = isnull ? 0 : Max(DatumGetInt32(limit), 0);
		choice->wanted = Min(choice->wanted, choice->left);
	}
	dp_report_status(dp_sequential_choice(dp_report_random(),
										  (uint64) choice->left,
										  (uint64) choice->wanted, &chosen));
	choice->left--;
	choice->wanted -= chosen ? 1 : 0;
	PG_RETURN_BOOL(chosen);
}
