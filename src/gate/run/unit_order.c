/*
 * unit_order.c
 *		A table of units' groups, unit by unit.
 *
 * The groups' numbers are sorted by the hash of the unit, digit by digit, which takes
 * no time to speak of; those of one hash are told apart by the units themselves.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "gate/run/unit_table_parts.h"

/* How far ahead groups are fetched into the processor's cache. */
#define AHEAD 16

/* Of the hashes by which groups are sorted, in bits. */
#define DIGIT 11
#define DIGITS 3

static bool
are_of_one_unit(DpUnitTable *table, const DpUnitGroup *one,
				const DpUnitGroup *other)
{
	MemoryContext old =
		MemoryContextSwitchTo(table->states->tmpcontext->ecxt_per_tuple_memory);
	bool result = true;
	int i;

	for (i = 0; i < table->key_count && result; i++)
	{
		if (table->columns[i].is_unit)
			result =
				is_equal(&table->columns[i], values_of(one)[i], is_null(one, i),
						 values_of(other)[i], is_null(other, i));
	}
	MemoryContextSwitchTo(old);
	return result;
}

/* Sorts numbers by one digit of the hashes beside them. */
static void
sort_by_digit(const uint64 *from, uint64 *to, uint32 count, int digit)
{
	uint32 places[1 << DIGIT] = {0};
	int shift = 32 + digit * DIGIT;
	uint32 sum = 0;
	uint32 i;

	for (i = 0; i < count; i++)
		places[from[i] >> shift & ((1 << DIGIT) - 1)]++;
	for (i = 0; i < 1 << DIGIT; i++)
	{
		uint32 here = places[i];

		places[i] = sum;
		sum += here;
	}
	for (i = 0; i < count; i++)
		to[places[from[i] >> shift & ((1 << DIGIT) - 1)]++] = from[i];
}

void
dp_unit_table_finish(DpUnitTable *table)
{
	uint32 count;
	uint64 *from;
	uint64 *to;
	uint32 number;
	int digit;

	dp_unit_batch_add(table);
	count = table->group_count;
	from = table->slots; /* which are needed no more */
	to = MemoryContextAllocHuge(table->memory, (count + 1) * sizeof(uint64));
	for (number = 0; number < count; number++)
		from[number] = slot_for(group_of(table, number)->unit, number);
	for (digit = 0; digit < DIGITS && count > 1; digit++)
	{
		uint64 *sorted = to;

		CHECK_FOR_INTERRUPTS();
		sort_by_digit(from, to, count, digit);
		to = from;
		from = sorted;
	}
	table->sorted = from == table->slots ? to : from;
	if (table->sorted != from)
		memcpy(table->sorted, from, count * sizeof(uint64));
	table->next = 0;
	table->rest = NULL;
}

DpUnitGroup *
dp_unit_table_link(const DpUnitTable *table)
{
	DpUnitGroup *first = NULL;
	uint32 number;

	for (number = table->group_count; number > 0; number--)
	{
		DpUnitGroup *group = group_of(table, number - 1);

		group->next = first;
		first = group;
	}
	return first;
}

/* The groups of the next hash of units; NULL: there is none. */
static DpUnitGroup *
next_hash(DpUnitTable *table)
{
	DpUnitGroup *first = NULL;
	uint32 hash;

	if (table->next >= table->group_count)
		return NULL;
	hash = hash_in(table->sorted[table->next]);
	do
	{
		DpUnitGroup *group =
			group_of(table, number_in(table->sorted[table->next]));

		if (table->next + AHEAD < table->group_count)
			prefetch_group(table, table->sorted[table->next + AHEAD]);
		group->next = first;
		first = group;
		table->next++;
	} while (table->next < table->group_count &&
			 hash_in(table->sorted[table->next]) == hash);
	return first;
}

DpUnitGroup *
dp_unit_table_next(DpUnitTable *table, uint64 *count)
{
	DpUnitGroup *first = table->rest != NULL ? table->rest : next_hash(table);
	DpUnitGroup **last;
	DpUnitGroup **last_other = &table->rest;
	DpUnitGroup *group;

	*count = 0;
	table->rest = NULL;
	if (first == NULL)
		return NULL;
	*count = 1;
	last = &first->next;
	for (group = first->next; group != NULL; group = group->next)
	{
		if (are_of_one_unit(table, first, group))
		{
			*last = group;
			last = &group->next;
			(*count)++;
		}
		else
		{
			*last_other = group;
			last_other = &group->next;
		}
	}
	*last = NULL;
	*last_other = NULL;
	ResetExprContext(table->states->tmpcontext);
	return first;
}

DpUnitGroup *
dp_unit_group_next(const DpUnitGroup *group)
{
	return group->next;
}
