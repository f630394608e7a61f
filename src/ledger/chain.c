/*
 * chain.c
 *		Joins answers into one value, and finds them in it. Format: the number
 *		of levels, the size of each answer, their bytes; numbers have 4 bytes,
 *		in network order.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "port/pg_bswap.h"

#include "ledger/chain.h"

StringInfo
dp_chain_join(const StringInfo *levels, uint32 count)
{
	StringInfo chain = makeStringInfo();
	uint32 i;

	pq_sendint32(chain, count);
	for (i = 0; i < count; i++)
		pq_sendint32(chain, (uint32) levels[i]->len);
	for (i = 0; i < count; i++)
		appendBinaryStringInfo(chain, levels[i]->data, levels[i]->len);
	return chain;
}

static uint32
number_at(const char *chain, uint32 index)
{
	uint32 number;

	memcpy(&number, chain + sizeof(number) * index, sizeof(number));
	return pg_ntoh32(number);
}

char *
dp_chain_level(char *chain, uint32 size, uint32 level, uint32 *level_size)
{
	uint32 count = size < sizeof(uint32) ? 0 : number_at(chain, 0);
	uint64 start = sizeof(uint32) * ((uint64) count + 1);
	uint32 i;

	if (level < count && start <= size)
	{
		for (i = 0; i < level; i++)
			start += number_at(chain, i + 1);
		*level_size = number_at(chain, level + 1);
		if (start + *level_size <= size)
			return chain + start;
	}
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
					errmsg("a stored chain of answers is damaged")));
	return NULL;
}
