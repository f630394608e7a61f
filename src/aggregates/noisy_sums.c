/*
 * noisy_sums.c
 *		Noisy sums as bytes: 16 each, in network order.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"

#include "aggregates/noisy_sums.h"
#include "server/compat.h"

Datum
dp_noisy_sums_write(const dp_int128 *sums, int count)
{
	StringInfoData bytes;
	int i;

	pq_begintypsend(&bytes);
	for (i = 0; i < count; i++)
	{
		pq_sendint64(&bytes, (uint64) ((dp_uint128) sums[i] >> 64));
		pq_sendint64(&bytes, (uint64) sums[i]);
	}
	return PointerGetDatum(pq_endtypsend(&bytes));
}

void
dp_noisy_sums_read(Datum bytes, dp_int128 *sums, int count)
{
	bytea *value = DatumGetByteaPP(bytes);
	StringInfoData message = {VARDATA_ANY(value),
							  (int) VARSIZE_ANY_EXHDR(value),
							  (int) VARSIZE_ANY_EXHDR(value), 0};
	int i;

	if (message.len != count * (int) sizeof(dp_int128))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("stored sums of a private answer are damaged")));
	for (i = 0; i < count; i++)
	{
		uint64 high = (uint64) pq_getmsgint64(&message);

		sums[i] = (dp_int128) ((dp_uint128) high << 64 |
							   (uint64) pq_getmsgint64(&message));
	}
}
