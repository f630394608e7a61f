/*
 * distinct_flow.c
 *		A maximum flow from units to values.
 */
#include <stdbool.h>
#include <stddef.h>

#include "mechanisms/distinct_flow.h"

uint64_t
dp_flow_init(DpFlow *flow, DpPages *pages, int is_wide, uint64_t offset,
			 uint64_t units, uint64_t values, uint64_t edges, uint32_t cap,
			 void (*pause)(void))
{
	*flow = (DpFlow){.pages = pages,
					 .is_wide = is_wide,
					 .units = units,
					 .values = values,
					 .cap = cap,
					 .steps = DP_FLOW_STEPS,
					 .pause = pause};
	flow->starts = offset;
	flow->edges = flow->starts + ((units + 1) << flow->is_wide);
	flow->owners = flow->edges + (edges << flow->is_wide);
	flow->alone = flow->owners + (values << flow->is_wide);
	flow->used = flow->alone + (values << flow->is_wide);
	flow->levels = flow->used + (units << flow->is_wide);
	flow->arcs = flow->levels + (units << flow->is_wide);
	flow->path = flow->arcs + (units << flow->is_wide);
	return flow->path + (units << flow->is_wide);
}

/* Stands for a unit's number + 1 where several units have the value. */
static inline uint64_t
several(const DpFlow *flow)
{
	return flow->is_wide ? UINT64_MAX : UINT32_MAX;
}

/* Finds the unit that alone has a value. */
static void
find_alone(DpFlow *flow)
{
	uint64_t unit;

	for (unit = 0; unit < flow->units; unit++)
	{
		uint64_t edge = dp_flow_get(flow, flow->starts, unit);
		uint64_t end = dp_flow_get(flow, flow->starts, unit + 1);

		for (; edge < end; edge++)
		{
			uint64_t value = dp_flow_get(flow, flow->edges, edge);
			uint64_t other = dp_flow_get(flow, flow->alone, value);

			dp_flow_step(flow);
			if (other == 0)
				dp_flow_set(flow, flow->alone, value, unit + 1);
			else if (other != unit + 1 && other != several(flow))
				dp_flow_set(flow, flow->alone, value, several(flow));
		}
	}
}

/* Lets each unit name the values that it alone has. */
static uint64_t
name_alone(DpFlow *flow)
{
	uint64_t total = 0;
	uint64_t value;

	for (value = 0; value < flow->values; value++)
	{
		uint64_t owner = dp_flow_get(flow, flow->alone, value);
		uint64_t used;

		dp_flow_step(flow);
		if (owner == 0 || owner == several(flow))
			continue;
		used = dp_flow_get(flow, flow->used, owner - 1);
		if (used == flow->cap)
			continue;
		dp_flow_set(flow, flow->owners, value, owner);
		dp_flow_set(flow, flow->used, owner - 1, used + 1);
		total++;
	}
	return total;
}

/* Lets each unit name values that no unit has named yet. */
static uint64_t
name_rest(DpFlow *flow)
{
	uint64_t total = 0;
	uint64_t unit;

	for (unit = 0; unit < flow->units; unit++)
	{
		uint64_t edge = dp_flow_get(flow, flow->starts, unit);
		uint64_t end = dp_flow_get(flow, flow->starts, unit + 1);
		uint64_t before = dp_flow_get(flow, flow->used, unit);
		uint64_t used = before;

		for (; edge < end && used < flow->cap; edge++)
		{
			uint64_t value = dp_flow_get(flow, flow->edges, edge);

			dp_flow_step(flow);
			if (dp_flow_get(flow, flow->owners, value) != 0)
				continue;
			dp_flow_set(flow, flow->owners, value, unit + 1);
			used++;
		}
		if (used == before)
			continue;
		dp_flow_set(flow, flow->used, unit, used);
		total += used - before;
	}
	return total;
}

/* Finds a first flow, in which values that others have, too, are named last. */
static uint64_t
start(DpFlow *flow)
{
	uint64_t total;

	find_alone(flow);
	total = name_alone(flow);
	return total + name_rest(flow);
}

/* Units that could name more, if others left values to them: level 1. */
static uint64_t
list_roots(DpFlow *flow)
{
	uint64_t count = 0;
	uint64_t unit;

	for (unit = 0; unit < flow->units; unit++)
	{
		uint64_t first = dp_flow_get(flow, flow->starts, unit);
		uint64_t edges = dp_flow_get(flow, flow->starts, unit + 1) - first;
		uint64_t used = dp_flow_get(flow, flow->used, unit);
		bool is_root = used < flow->cap && used < edges;

		dp_flow_step(flow);
		dp_flow_set(flow, flow->levels, unit, is_root ? 1 : 0);
		dp_flow_set(flow, flow->arcs, unit, first);
		if (is_root)
			dp_flow_set(flow, flow->path, count++, unit);
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
	uint64_t tail = list_roots(flow);
	uint64_t head;

	for (head = 0; head < tail; head++)
	{
		uint64_t unit = dp_flow_get(flow, flow->path, head);
		uint64_t level = dp_flow_get(flow, flow->levels, unit);
		uint64_t edge = dp_flow_get(flow, flow->starts, unit);
		uint64_t end = dp_flow_get(flow, flow->starts, unit + 1);

		for (; edge < end; edge++)
		{
			uint64_t owner = dp_flow_get(flow, flow->owners,
										 dp_flow_get(flow, flow->edges, edge));

			dp_flow_step(flow);
			if (owner == 0)
			{
				flow->depth = level;
				return true;
			}
			if (dp_flow_get(flow, flow->levels, owner - 1) != 0)
				continue;
			dp_flow_set(flow, flow->levels, owner - 1, level + 1);
			dp_flow_set(flow, flow->path, tail++, owner - 1);
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
find_way(DpFlow *flow, uint64_t root, uint64_t *length)
{
	uint64_t top = 0;

	dp_flow_set(flow, flow->path, 0, root);
	for (;;)
	{
		uint64_t unit = dp_flow_get(flow, flow->path, top);
		uint64_t level = top + 1;
		uint64_t edge = dp_flow_get(flow, flow->arcs, unit);
		uint64_t owner;

		dp_flow_step(flow);
		if (edge == dp_flow_get(flow, flow->starts, unit + 1))
		{
			if (top == 0)
				return false;
			unit = dp_flow_get(flow, flow->path, --top);
			dp_flow_set(flow, flow->arcs, unit,
						dp_flow_get(flow, flow->arcs, unit) + 1);
			continue;
		}
		owner = dp_flow_get(flow, flow->owners,
							dp_flow_get(flow, flow->edges, edge));
		if (owner == 0)
		{
			*length = top + 1;
			return true;
		}
		if (level < flow->depth &&
			dp_flow_get(flow, flow->levels, owner - 1) == level + 1)
			dp_flow_set(flow, flow->path, ++top, owner - 1);
		else
			dp_flow_set(flow, flow->arcs, unit, edge + 1);
	}
}

/*
 * Each unit on the path names a value of the next one, and the last one a new
 * value.
 */
static void
go_way(DpFlow *flow, uint64_t root, uint64_t length)
{
	uint64_t i;

	for (i = 0; i < length; i++)
	{
		uint64_t unit = dp_flow_get(flow, flow->path, i);
		uint64_t edge = dp_flow_get(flow, flow->arcs, unit);

		dp_flow_step(flow);
		dp_flow_set(flow, flow->owners, dp_flow_get(flow, flow->edges, edge),
					unit + 1);
		dp_flow_set(flow, flow->arcs, unit, edge + 1);
	}
	dp_flow_set(flow, flow->used, root,
				dp_flow_get(flow, flow->used, root) + 1);
}

/* A maximal set of disjoint paths of the shortest length. */
static uint64_t
go_all_ways(DpFlow *flow)
{
	uint64_t total = 0;
	uint64_t unit;
	uint64_t length;

	for (unit = 0; unit < flow->units; unit++)
	{
		if (dp_flow_get(flow, flow->levels, unit) != 1)
			continue;
		while (dp_flow_get(flow, flow->used, unit) < flow->cap &&
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
	uint64_t unit;

	for (unit = 0; unit < flow->units; unit++)
	{
		dp_flow_step(flow);
		if (dp_flow_get(flow, flow->starts, unit + 1) -
				dp_flow_get(flow, flow->starts, unit) >
			flow->cap)
			return false;
	}
	return true;
}

uint64_t
dp_flow_maximum(DpFlow *flow)
{
	uint64_t total;

	if (is_unbounded(flow))
		return name_rest(flow);
	total = start(flow);
	while (total < flow->values && find_levels(flow))
		total += go_all_ways(flow);
	return total;
}
