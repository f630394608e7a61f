/*
 * nested_groupings.c
 *		Groupings each of which refines the one before.
 */
#include "postgres.h"

#include "gate/bound/key.h"
#include "gate/release/nested_groupings.h"

static bool
has_key(const DpReleaseState *state, Node *expression, int *place)
{
	foreach_ptr (DpKey, key, state->outline->keys)
	{
		*place = foreach_current_index(key);
		if (equal(key->expression, expression))
			return true;
	}
	return false;
}

int *
dp_nested_groupings_places(const DpReleaseState *coarser,
						   const DpReleaseState *finer)
{
	int *places =
		palloc((list_length(coarser->outline->keys) + 1) * sizeof(int));

	foreach_ptr (DpKey, key, coarser->outline->keys)
	{
		if (!has_key(finer, key->expression,
					 &places[foreach_current_index(key)]))
			return NULL;
	}
	return places;
}

bool
dp_nested_groupings_order(List *states, int *order)
{
	int count = list_length(states);
	int i;

	for (i = 0; i < count; i++)
	{
		const DpReleaseState *state = list_nth(states, i);
		int at = i;

		for (; at > 0 &&
			   list_length(
				   ((const DpReleaseState *) list_nth(states, order[at - 1]))
					   ->outline->keys) > list_length(state->outline->keys);
			 at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	for (i = 1; i < count; i++)
	{
		if (dp_nested_groupings_places(list_nth(states, order[i - 1]),
									   list_nth(states, order[i])) == NULL)
			return false;
	}
	return true;
}

int64
dp_nested_groupings_parent(DpReleaseState *coarser, const DpReleaseState *finer,
						   const int *places, int64 row)
{
	int count = list_length(coarser->outline->keys);
	Datum *keys = palloc((count + 1) * sizeof(Datum));
	bool *nulls = palloc((count + 1) * sizeof(bool));
	int64 result;
	int i;

	for (i = 0; i < count; i++)
	{
		keys[i] = dp_row_table_values(finer->answers.rows, row)[places[i]];
		nulls[i] = dp_row_table_nulls(finer->answers.rows, row)[places[i]];
	}
	result =
		count == 0 ? 0 : dp_row_table_find(coarser->answers.rows, keys, nulls);
	pfree(keys);
	pfree(nulls);
	return result;
}
