/*
 * rows.c
 *		The rows that a DP Release gives out.
 *
 * Their number, order and keys are public: every combination of the keys'
 * values is there, in the order of the domains.
 */
#include "postgres.h"

#include "gate/public_key.h"
#include "gate/release_state.h"

/* Values in all rows, at most. */
#define VALUES_MAX (16 * DP_COMBINATIONS_MAX)

static int
count_rows(DpReleaseState *state, int keys)
{
	int64 rows = 1;
	int i;

	for (i = 0; i < keys; i++)
	{
		rows *= dp_gate_domain_size(state->domains[i]);
		if (rows > DP_COMBINATIONS_MAX || rows * state->columns > VALUES_MAX)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("the group keys have too many combinations"),
					 errdetail("There may be %d rows, and %d values in them.",
							   DP_COMBINATIONS_MAX, VALUES_MAX),
					 errhint("Group by fewer keys, or ask for fewer aggregates "
							 "at once.")));
	}
	return (int) rows;
}

void
dp_gate_make_rows(DpReleaseState *state)
{
	DpRelease *release = state->release;
	int keys = list_length(release->keys);
	int row;
	int i;

	state->columns = keys + list_length(release->aggregates);
	state->domains = palloc(Max(keys, 1) * sizeof(DpDomain *));
	for (i = 0; i < keys; i++)
		state->domains[i] =
			dp_gate_public_domain(release->relation, list_nth(release->keys, i),
								  state->css.ss.ps.state->es_param_list_info);
	state->rows = count_rows(state, keys);
	state->values =
		palloc0(Max(state->rows * state->columns, 1) * sizeof(Datum));
	state->nulls = palloc(Max(state->rows * state->columns, 1) * sizeof(bool));
	memset(state->nulls, true, state->rows * state->columns * sizeof(bool));
	for (row = 0; row < state->rows; row++)
	{
		int rest = row;

		/* The last key changes fastest. */
		for (i = keys - 1; i >= 0; i--)
		{
			DpDomain *domain = state->domains[i];
			int place = rest % dp_gate_domain_size(domain);

			rest /= dp_gate_domain_size(domain);
			if (place == domain->count)
				continue; /* null */
			state->values[row * state->columns + i] = domain->values[place];
			state->nulls[row * state->columns + i] = false;
		}
	}
}

int
dp_gate_find_row(DpReleaseState *state, const Datum *keys, const bool *nulls)
{
	int row = 0;
	int i;

	for (i = 0; i < list_length(state->release->keys); i++)
	{
		DpDomain *domain = state->domains[i];
		int place = dp_gate_domain_find(domain, keys[i], nulls[i]);

		if (place < 0)
			return -1;
		row = row * dp_gate_domain_size(domain) + place;
	}
	return row;
}
