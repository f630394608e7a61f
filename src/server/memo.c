/*
 * memo.c
 *		The last values of a function that depends on its arguments alone.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "server/memo.h"

bool
dp_memo_find(const DpMemo *memo, const void *key, void *value)
{
	int i;

	for (i = 0; i < DP_MEMO_VALUES && memo->is_kept[i]; i++)
	{
		if (memcmp(memo->keys + i * memo->key_size, key, memo->key_size) != 0)
			continue;
		memcpy(value, memo->values + i * memo->value_size, memo->value_size);
		return true;
	}
	return false;
}

void
dp_memo_keep(DpMemo *memo, const void *key, const void *value)
{
	if (memo->values == NULL)
	{
		if (memo->keys == NULL)
			memo->keys = MemoryContextAlloc(TopMemoryContext,
											DP_MEMO_VALUES * memo->key_size);
		memo->values = MemoryContextAlloc(TopMemoryContext,
										  DP_MEMO_VALUES * memo->value_size);
	}
	memcpy(memo->keys + memo->next * memo->key_size, key, memo->key_size);
	memcpy(memo->values + memo->next * memo->value_size, value,
		   memo->value_size);
	memo->is_kept[memo->next] = true;
	memo->next = (memo->next + 1) % DP_MEMO_VALUES;
}
