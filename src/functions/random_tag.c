/*
 * random_tag.c
 *		dp_noise.random_tag(): random bits to sort by.
 */
#include "postgres.h"

#include "fmgr.h"

#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_random_tag);

Datum
dp_random_tag(PG_FUNCTION_ARGS)
{
	uint64_t word = 0;

	(void) fcinfo;
	dp_report_status(dp_random_word(dp_report_random(), &word));
	PG_RETURN_INT64((int64) word);
}
