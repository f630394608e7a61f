/*
 * distinct_flow.c
 *		A maximum flow from units to values.
 */
#include <stdbool.h>
#include <stddef.h>

#include "mechanisms/distinct_flow.h"

/* The number of edges to look at between two pauses. */
#define STEPS 65536

/* Stands for a unit's number + 1 where several units have the value. */
#define SEVERAL UINT32_MAX

uint64_t
dp_flow_init(DpFlow *flow, DpPages *pages, uint64_t offset, uint32_t units,
			 uint32_t values, uint32_t edges, uint32_t cap, void (*pause)(void))
{
	*flow = (DpFlow){.pages = pages,
					 .units = units,
					 .values = values,
					 .cap = cap,
					 .steps = STEPS,
					 .pause = pause};
	flow->starts = offset;
	flow->edges = flow->starts + units + 1;
	flow->owners = flow->edges + edges;
	flow->alone = flow->owners + values;
	flow->used = flow->alone + values;
	flow->levels = flow->used + units;
	flow->arcs = flow->levels + units;
	flow->path = flow->arcs + units;
	return flow->path + units;
}

static inline uint32_t
get(const DpFlow *flow, uint64_t array, uint64_t index)
{
	return dp_pages_get(flow->pages, array + index);
}

static inline void
set(const DpFlow *flow, uint64_t array, uint64_t index, uint32_t word)
{
	dp_pages_set(flow->pages, array + index, word);
}

static inline void
step(DpFlow *flow)
{
	if (--flow->steps > 0)
		return;
	flow->steps = STEPS;
	if (flow->pause != NULL)
		flow->pause();
}

/* Finds the unit that alone has a value. */
static void
find_alone(DpFlow *flow)
{
	uint32_t unit;

	for (unit = 0; unit < flow->units; unit++)
	{
		uint32_t edge = get(flow, flow->starts, unit);
		uint32_t end = get(flow, flow->starts, (uint64_t) unit + 1);

		for (; edge < end; edge++)
		{
			uint32_t value = get(flow, flow->edges, edge);
			uint32_t other = get(flow, flow->alone, value);

			step(flow);
			if (other == 0)
				set(flow, flow->alone, value, unit + 1);
			else if (other != unit + 1 && other != SEVERAL)
				set(flow, flow->alone, value, SEVERAL);
		}
	}
}

/* Lets each unit name the values that it alone has. */
static uint32_t
name_alone(DpFlow *flow)
{
	uint32_t total = 0;
	uint32_t value;

	for (value = 0; value < flow->values; value++)
	{
		uint32_t owner = get(flow, flow->alone, value);
		uint32_t used;

		step(flow);
		if (owner == 0 || owner == SEVERAL)
			continue;
		used = get(flow, flow->used, owner - 1);
		if (used == flow->cap)
			continue;
		set(flow, flow->owners, value, owner);
		set(flow, flow->used, owner - 1, used + 1);
		total++;
	}
	return total;
}

/* Lets each unit name values that no unit has named yet. */
static uint32_t
name_rest(DpFlow *flow)
{
	uint32_t total = 0;
	uint32_t unit;

	for (unit = 0; unit < flow->units; unit++)
	{
		uint32_t edge = get(flow, flow->starts, unit);
		uint32_t end = get(flow, flow->starts, (uint64_t) unit + 1);
		uint32_t before = get(flow, flow->used, unit);
		uint32_t used = before;

		for (; edge < end && used < flow->cap; edge++)
		{
			uint32_t value = get(flow, flow->edges, edge);

			step(flow);
			if (get(flow, flow->owners, value) != 0)
				continue;
			set(flow, flow->owners, value, unit + 1);
			used++;
		}
		if (used == before)
			continue;
		set(flow, flow->used, unit, used);
		total += used - before;
	}
	return total;
}

/* Finds a first flow, in which values that others have, too, are named last. */
static uint32_t
start(DpFlow *flow)
{
	uint32_t total;

	find_alone(flow);
	total = name_alone(flow);
	return total + name_rest(flow);
}

/* Units that could name more, if others left values to them: level 1. */
static uint32_t
list_roots(DpFlow *flow)
{
	uint32_t count = 0;
	uint32_t unit;

	for (unit = 0; unit < flow->units; unit++)
	{
		uint32_t first = get(flow, flow->starts, unit);
		uint32_t edges = get(flow, flow->starts, (uint64_t) unit + 1) - first;
		uint32_t used = get(flow, flow->used, unit);
		bool is_root = used < flow->cap && used < edges;

		step(flow);
		set(flow, flow->levels, unit, is_root ? 1 : 0);
		set(flow, flow->arcs, unit, first);
		if (is_root)
			set(flow, flow->path, count++, unit);
	}
	return count;
}

/*
 * The level of each unit: the number of units on the shortest path to it from a
 * unit that could name more. Stops when a value that nobody names is found,
 * where paths end.
 */
static bool
find_levels(DpFlow *flow)
{
	uint32_t tail = list_roots(flow);
	uint32_t head;

	for (head = 0; head < tail; head++)
	{
		uint32_t unit = get(flow, flow->path, head);
		uint32_t level = get(flow, flow->levels, unit);
		uint32_t edge = get(flow, flow->starts, unit);
		uint32_t end = get(flow, flow->starts, (uint64_t) unit + 1);

		for (; edge < end; edge++)
		{
			uint32_t owner =
				get(flow, flow->owners, get(flow, flow->edges, edge));

			step(flow);
			if (owner == 0)
			{
				flow->depth = level;
				return true;
			}
			if (get(flow, flow->levels, owner - 1) != 0)
				continue;
			set(flow, flow->levels, owner - 1, level + 1);
			set(flow, flow->path, tail++, owner - 1);
		}
	}
	return false;
}

/*
 * Looks for a path from a unit to a value that nobody names, along levels. The
 * units are left in path, and the value that each of them is to name in arcs.
 * Edges that lead nowhere are not tried again until levels are recomputed.
 */
static bool
find_way(DpFlow *flow, uint32_t root, uint32_t *length)
{
	uint32_t top = 0;

	set(flow, flow->path, 0, root);
	for (;;)
	{
		uint32_t unit = get(flow, flow->path, top);
		uint32_t level = top + 1;
		uint32_t edge = get(flow, flow->arcs, unit);
		uint32_t owner;

		step(flow);
		if (edge == get(flow, flow->starts, (uint64_t) unit + 1))
		{
			if (top == 0)
				return false;
			unit = get(flow, flow->path, --top);
			set(flow, flow->arcs, unit, get(flow, flow->arcs, unit) + 1);
			continue;
		}
		owner = get(flow, flow->owners, get(flow, flow->edges, edge));
		if (owner == 0)
		{
			*length = top + 1;
			return true;
		}
		if (level < flow->depth &&
			get(flow, flow->levels, owner - 1) == level + 1)
			set(flow, flow->path, ++top, owner - 1);
		else
			set(flow, flow->arcs, unit, edge + 1);
	}
}

/*
 * Each unit on the path names a value of the next one, and the last one a new
 * value.
 */
static void
go_way(DpFlow *flow, uint32_t root, uint32_t length)
{
	uint32_t i;

	for (i = 0; i < length; i++)
	{
		uint32_t unit = get(flow, flow->path, i);
		uint32_t edge = get(flow, flow->arcs, unit);

		step(flow);
		set(flow, flow->owners, get(flow, flow->edges, edge), unit + 1);
		set(flow, flow->arcs, unit, edge + 1);
	}
	set(flow, flow->used, root, get(flow, flow->used, root) + 1);
}

/* A maximal set of disjoint paths of the shortest length. */
static uint32_t
go_all_ways(DpFlow *flow)
{
	uint32_t total = 0;
	uint32_t unit;
	uint32_t length;

	for (unit = 0; unit < flow->units; unit++)
	{
		if (get(flow, flow->levels, unit) != 1)
			continue;
		while (get(flow, flow->used, unit) < flow->cap &&
			   find_way(flow, unit, &length))
		{
			go_way(flow, unit, length);
			total++;
		}
	}
	return total;
}

/* Whether every unit may name all of its values. */
static bool
is_unbounded(DpFlow *flow)
{
	uint32_t unit;

	for (unit = 0; unit < flow->units; unit++)
	{
		step(flow);
		if (get(flow, flow->starts, (uint64_t) unit + 1) -
				get(flow, flow->starts, unit) >
			flow->cap)
			return false;
	}
	return true;
}

uint32_t
dp_flow_maximum(DpFlow *flow)
{
	uint32_t total;

	if (is_unbounded(flow))
		return name_rest(flow);
	total = start(flow);
	while (total < flow->values && find_levels(flow))
		total += go_all_ways(flow);
	return total;
}
