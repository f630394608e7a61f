/*
 * distinct_basis.c
 *		The first values in an order that units can name.
 *
 * A problem is a set of units and values; edges between two problems do not
 * count. Its values that are taken are named by its units. Of those that are
 * undecided, the first half in the order take part in a round.
 */
#include <stddef.h>

#include "mechanisms/distinct_basis.h"

/* What is known of a value, in the low bits beside its problem. */
enum
{
	IS_WAITING, /* undecided, and not in this round */
	IS_TRIED,	/* undecided, in this round */
	IS_TAKEN,
	IS_LEFT_OUT
};
#define STATE_BITS 2
#define STATE_MASK 3

/* Of more values, twice a problem's number with a state may need two words. */
#define NARROW_MAX (UINT32_MAX >> (STATE_BITS + 2))

uint64_t
dp_basis_init(DpBasis *basis, DpFlow *flow, uint64_t offset, uint64_t units,
			  uint64_t values, uint64_t edges)
{
	*basis = (DpBasis){.flow = flow};
	basis->is_wide = flow->is_wide || values > NARROW_MAX || edges > UINT32_MAX;
	basis->order = offset;
	basis->values = basis->order + (values << basis->is_wide);
	basis->problems = basis->values + (values << basis->is_wide);
	basis->visited = basis->problems + (units << basis->is_wide);
	basis->starts = basis->visited + (units << basis->is_wide);
	basis->units = basis->starts + ((values + 1) << basis->is_wide);
	basis->next = basis->units + (edges << basis->is_wide);
	basis->path = basis->next + (values << basis->is_wide);
	basis->sizes = basis->path + (values << basis->is_wide);
	return basis->sizes + ((2 * values + 4) << basis->is_wide);
}

static inline uint64_t
get(const DpBasis *basis, uint64_t array, uint64_t index)
{
	return dp_pages_get_number(basis->flow->pages, basis->is_wide, array,
							   index);
}

static inline void
set(const DpBasis *basis, uint64_t array, uint64_t index, uint64_t number)
{
	dp_pages_set_number(basis->flow->pages, basis->is_wide, array, index,
						number);
}

static inline unsigned
state_of(const DpBasis *basis, uint64_t value)
{
	return (unsigned) (get(basis, basis->values, value) & STATE_MASK);
}

static inline uint64_t
problem_of(const DpBasis *basis, uint64_t value)
{
	return get(basis, basis->values, value) >> STATE_BITS;
}

static inline void
set_value(const DpBasis *basis, uint64_t value, uint64_t problem,
		  unsigned state)
{
	set(basis, basis->values, value, problem << STATE_BITS | state);
}

/* The unit that names a value, + 1; 0: none does. */
static inline uint64_t
owner_of(const DpBasis *basis, uint64_t value)
{
	return dp_flow_get(basis->flow, basis->flow->owners, value);
}

void
dp_basis_begin(DpBasis *basis)
{
	basis->has_all = dp_flow_maximum(basis->flow) == basis->flow->values;
}

bool
dp_basis_has(const DpBasis *basis, uint64_t value)
{
	return basis->has_all || state_of(basis, value) == IS_TAKEN;
}

/* Lists the units of each value: counts them, and fills in from behind. */
static void
list_units(DpBasis *basis)
{
	const DpFlow *flow = basis->flow;
	uint64_t edges = dp_flow_get(flow, flow->starts, flow->units);
	uint64_t sum = 0;
	uint64_t edge;
	uint64_t unit;
	uint64_t value;

	for (edge = 0; edge < edges; edge++)
	{
		dp_flow_step(basis->flow);
		value = dp_flow_get(flow, flow->edges, edge);
		set(basis, basis->starts, value, get(basis, basis->starts, value) + 1);
	}
	for (value = 0; value <= flow->values; value++)
	{
		if (value < flow->values)
			sum += get(basis, basis->starts, value);
		set(basis, basis->starts, value, sum);
	}
	for (unit = 0; unit < flow->units; unit++)
	{
		uint64_t end = dp_flow_get(flow, flow->starts, unit + 1);

		for (edge = dp_flow_get(flow, flow->starts, unit); edge < end; edge++)
		{
			uint64_t at;

			dp_flow_step(basis->flow);
			value = dp_flow_get(flow, flow->edges, edge);
			at = get(basis, basis->starts, value) - 1;
			set(basis, basis->starts, value, at);
			set(basis, basis->units, at, unit);
		}
	}
}

/* At first there is one problem, and all values take part. */
static void
begin(DpBasis *basis)
{
	uint64_t i;

	for (i = 0; i < basis->flow->values; i++)
		set_value(basis, i, 1, IS_TRIED);
	for (i = 0; i < basis->flow->units; i++)
		set(basis, basis->problems, i, 1);
	basis->number = 1;
	set(basis, basis->sizes, 1, basis->flow->values);
}

/* The next unit of the same problem where this pass has not been; + 1, or 0. */
static uint64_t
next_unit(DpBasis *basis, uint64_t value)
{
	uint64_t at = get(basis, basis->next, value);
	uint64_t end = get(basis, basis->starts, value + 1);
	uint64_t problem = problem_of(basis, value);
	uint64_t found = 0;

	for (; at < end && found == 0; at++)
	{
		uint64_t unit = get(basis, basis->units, at);

		dp_flow_step(basis->flow);
		if (get(basis, basis->problems, unit) != problem ||
			get(basis, basis->visited, unit) == basis->pass)
			continue;
		set(basis, basis->visited, unit, basis->pass);
		dp_flow_set(basis->flow, basis->flow->arcs, unit,
					dp_flow_get(basis->flow, basis->flow->starts, unit));
		found = unit + 1;
	}
	set(basis, basis->next, value, at);
	return found;
}

/* The next value that a unit names; + 1, or 0. */
static uint64_t
next_named(DpBasis *basis, uint64_t unit)
{
	const DpFlow *flow = basis->flow;
	uint64_t edge = dp_flow_get(flow, flow->arcs, unit);
	uint64_t end = dp_flow_get(flow, flow->starts, unit + 1);
	uint64_t found = 0;

	for (; edge < end && found == 0; edge++)
	{
		uint64_t value = dp_flow_get(flow, flow->edges, edge);

		dp_flow_step(basis->flow);
		if (owner_of(basis, value) == unit + 1)
			found = value + 1;
	}
	dp_flow_set(flow, flow->arcs, unit, edge);
	return found;
}

/* The value enters a path behind the others. */
static void
enter(DpBasis *basis, uint64_t depth, uint64_t value)
{
	set(basis, basis->path, depth, value);
	set(basis, basis->next, value, get(basis, basis->starts, value));
}

/* The last value on the path is named by the unit, and each by the next one's. */
static void
name_along(DpBasis *basis, uint64_t depth, uint64_t unit)
{
	const DpFlow *flow = basis->flow;

	dp_flow_set(flow, flow->used, unit,
				dp_flow_get(flow, flow->used, unit) + 1);
	for (;; depth--)
	{
		uint64_t value = get(basis, basis->path, depth);
		uint64_t owner = owner_of(basis, value);

		dp_flow_set(flow, flow->owners, value, unit + 1);
		if (depth == 0)
			return;
		unit = owner - 1;
	}
}

/*
 * Looks for a unit to name a value, if others name other values. Where this pass has
 * been, it is not looked again: what leads there leads to no unit with room, or
 * will be found by another pass. Units on the path that name all they may are those
 * of the values behind the first.
 */
static bool
find_unit(DpBasis *basis, uint64_t value)
{
	const DpFlow *flow = basis->flow;
	uint64_t depth = 0;

	enter(basis, 0, value);
	for (;;)
	{
		uint64_t unit = next_unit(basis, value);
		uint64_t named;

		if (unit > 0 && dp_flow_get(flow, flow->used, unit - 1) < flow->cap)
		{
			name_along(basis, depth, unit - 1);
			return true;
		}
		if (unit == 0)
		{
			if (depth == 0)
				return false;
			unit = owner_of(basis, value);
			value = get(basis, basis->path, --depth);
		}
		named = next_named(basis, unit - 1);
		if (named > 0)
		{
			value = named - 1;
			enter(basis, ++depth, value);
		}
	}
}

/*
 * Names as many of the values that are tried as can be. The last pass finds no way:
 * where it has been is all that alternating paths from values left over lead to.
 */
static void
name_tried(DpBasis *basis)
{
	uint64_t found;
	uint64_t i;

	do
	{
		found = 0;
		basis->pass++;
		for (i = 0; i < basis->flow->values; i++)
		{
			dp_flow_step(basis->flow);
			if (state_of(basis, i) == IS_TRIED && owner_of(basis, i) == 0)
				found += find_unit(basis, i);
		}
	} while (found > 0);
}

/* Whether the last pass came to a value that takes part. */
static bool
is_reached(const DpBasis *basis, uint64_t value)
{
	uint64_t owner = owner_of(basis, value);

	if (owner == 0)
		return state_of(basis, value) == IS_TRIED;
	return get(basis, basis->visited, owner - 1) == basis->pass;
}

/*
 * What is known of a value after a round. is_alone: no other undecided one of its
 * problem was tried, so that one without a unit is left out.
 */
static unsigned
decide(const DpBasis *basis, uint64_t value, bool is_alone)
{
	unsigned state = state_of(basis, value);

	if (state != IS_TRIED)
		return state;
	if (!is_reached(basis, value))
		return IS_TAKEN;
	return is_alone ? IS_LEFT_OUT : IS_WAITING;
}

/* Divides each problem in two: what the last pass reached, and the rest. */
static void
divide(DpBasis *basis)
{
	uint64_t old = basis->number;
	uint64_t i;

	for (i = 0; i < basis->flow->values; i++)
	{
		uint64_t problem = problem_of(basis, i);
		bool reached;
		unsigned state;

		dp_flow_step(basis->flow);
		if (problem == 0)
			continue;
		reached = is_reached(basis, i);
		state = decide(basis, i, get(basis, basis->sizes, problem) == 1);
		set_value(basis, i, 2 * problem + reached, state);
	}
	for (i = 0; i < 2 * old + 2; i++)
		set(basis, basis->sizes, i, 0);
	for (i = 0; i < basis->flow->values; i++)
	{
		if (state_of(basis, i) == IS_WAITING)
			set(basis, basis->sizes, problem_of(basis, i), 1);
	}
	basis->number = 0;
	for (i = 2; i < 2 * old + 2; i++)
	{
		if (get(basis, basis->sizes, i) > 0)
			set(basis, basis->sizes, i, ++basis->number);
	}
	for (i = 0; i < basis->flow->values; i++)
		set_value(basis, i, get(basis, basis->sizes, problem_of(basis, i)),
				  state_of(basis, i));
	for (i = 0; i < basis->flow->units; i++)
	{
		bool reached = get(basis, basis->visited, i) == basis->pass;

		set(basis, basis->problems, i,
			get(basis, basis->sizes,
				2 * get(basis, basis->problems, i) + reached));
	}
}

/* Nobody names the value any longer. */
static void
unname(DpBasis *basis, uint64_t value)
{
	uint64_t owner = owner_of(basis, value);

	if (owner == 0)
		return;
	dp_flow_set(basis->flow, basis->flow->used, owner - 1,
				dp_flow_get(basis->flow, basis->flow->used, owner - 1) - 1);
	dp_flow_set(basis->flow, basis->flow->owners, value, 0);
}

/*
 * Of each problem's undecided values the first half take part in the next round.
 * sizes becomes how many do.
 */
static void
choose_tried(DpBasis *basis)
{
	uint64_t i;

	for (i = 0; i <= basis->number; i++)
		set(basis, basis->sizes, i, 0);
	for (i = 0; i < basis->flow->values; i++)
	{
		uint64_t problem = problem_of(basis, i);

		if (state_of(basis, i) == IS_WAITING)
			set(basis, basis->sizes, problem,
				get(basis, basis->sizes, problem) + 1);
	}
	for (i = 0; i <= basis->number; i++)
		set(basis, basis->sizes, i, (get(basis, basis->sizes, i) + 1) / 2);

	/* counted down here, and up again below */
	for (i = 0; i < basis->count; i++)
	{
		uint64_t value = get(basis, basis->order, i);
		uint64_t problem = problem_of(basis, value);
		uint64_t left = get(basis, basis->sizes, problem);

		dp_flow_step(basis->flow);
		if (state_of(basis, value) != IS_WAITING)
			continue;
		if (left == 0)
			unname(basis, value);
		else
		{
			set(basis, basis->sizes, problem, left - 1);
			set_value(basis, value, problem, IS_TRIED);
		}
	}
	for (i = 0; i < basis->flow->values; i++)
	{
		uint64_t problem = problem_of(basis, i);

		if (state_of(basis, i) == IS_TRIED)
			set(basis, basis->sizes, problem,
				get(basis, basis->sizes, problem) + 1);
	}
}

void
dp_basis_find(DpBasis *basis)
{
	if (basis->has_all)
		return;
	list_units(basis);
	begin(basis);
	for (;;)
	{
		name_tried(basis);
		divide(basis);
		if (basis->number == 0)
			return;
		choose_tried(basis);
	}
}
