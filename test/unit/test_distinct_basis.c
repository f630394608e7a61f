/*
 * test_distinct_basis.c
 *		The first values that units can name, against trying one value after the
 *		other; and the lemma: a unit more leaves all in and adds no more than the
 *		cap, in all small graphs and in random ones.
 */
#include <stdlib.h>
#include <string.h>

#include "mechanisms/distinct_basis.h"
#include "support/tap.h"

#define UNITS 8
#define VALUES 16

/* Which values each unit has, a bit each. */
typedef struct Graph
{
	int units;
	int values;
	unsigned sets[UNITS];
} Graph;

static void
fetch(DpPages *pages, uint64_t page, int to_write)
{
	(void) to_write;
	pages->readable[page] = pages->writable[page] =
		calloc(DP_PAGE_WORDS, sizeof(uint32_t));
}

static void
make_pages(DpPages *pages, uint64_t words)
{
	uint64_t count = dp_pages_number(words);

	pages->fetch = fetch;
	pages->readable = calloc(count, sizeof(uint32_t *));
	pages->writable = calloc(count, sizeof(uint32_t *));
}

static void
free_pages(DpPages *pages, uint64_t words)
{
	uint64_t page;

	for (page = 0; page < dp_pages_number(words); page++)
		free(pages->readable[page]);
	free(pages->readable);
	free(pages->writable);
}

/* By the algorithm. The order: from the greatest value down, or up from the least. */
static unsigned
basis_in(int is_wide, const Graph *graph, uint32_t cap, bool is_down)
{
	DpPages pages;
	DpFlow flow;
	DpBasis basis;
	uint64_t words;
	uint64_t edges = 0;
	unsigned result = 0;
	int i;
	int v;

	words = dp_flow_init(&flow, &pages, is_wide, 0, UNITS, VALUES,
						 (uint64_t) UNITS * VALUES, cap, NULL);
	words = dp_basis_init(&basis, &flow, words, UNITS, VALUES,
						  (uint64_t) UNITS * VALUES);
	make_pages(&pages, words);
	flow.units = (uint64_t) graph->units;
	flow.values = (uint64_t) graph->values;
	for (i = 0; i < graph->units; i++)
	{
		dp_flow_set_start(&flow, (uint64_t) i, edges);
		for (v = 0; v < graph->values; v++)
		{
			if (graph->sets[i] >> v & 1)
				dp_flow_set_edge(&flow, edges++, (uint64_t) v);
		}
	}
	dp_flow_set_start(&flow, (uint64_t) i, edges);
	dp_basis_begin(&basis);
	for (v = 0; v < graph->values; v++)
		dp_basis_add(&basis, (uint64_t) (is_down ? graph->values - 1 - v : v));
	dp_basis_find(&basis);
	for (v = 0; v < graph->values; v++)
		result |= (unsigned) dp_basis_has(&basis, (uint64_t) v) << v;
	free_pages(&pages, words);
	return result;
}

/* Whether a unit can be found for a value, if others name other values. */
static bool
can_name(const Graph *graph, uint32_t cap, int v, int *owners, unsigned *seen)
{
	int i;
	int w;

	for (i = 0; i < graph->units; i++)
	{
		uint32_t used = 0;

		if (!(graph->sets[i] >> v & 1) || *seen >> i & 1)
			continue;
		*seen |= 1u << i;
		for (w = 0; w < graph->values; w++)
			used += owners[w] == i;
		for (w = 0; w < graph->values && used == cap; w++)
		{
			if (owners[w] == i && can_name(graph, cap, w, owners, seen))
				used--;
		}
		if (used < cap)
		{
			owners[v] = i;
			return true;
		}
	}
	return false;
}

/* By trying one value after the other. */
static unsigned
one_by_one(const Graph *graph, uint32_t cap, bool is_down)
{
	int owners[VALUES];
	unsigned result = 0;
	int i;

	for (i = 0; i < graph->values; i++)
		owners[i] = -1;
	for (i = 0; i < graph->values; i++)
	{
		int v = is_down ? graph->values - 1 - i : i;
		unsigned seen = 0;

		if (can_name(graph, cap, v, owners, &seen))
			result |= 1u << v;
	}
	return result;
}

static uint32_t
next_word(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t) ((*state ^ *state >> 29) >> 20);
}

/* Sparse ones and dense ones. */
static void
make_graph(Graph *graph, uint64_t *state)
{
	unsigned mask = next_word(state) % 3 == 0 ? ~0u : next_word(state);
	unsigned thinner = next_word(state) % 3;
	int i;

	graph->units = 1 + (int) (next_word(state) % UNITS);
	graph->values = 1 + (int) (next_word(state) % VALUES);
	for (i = 0; i < graph->units; i++)
	{
		graph->sets[i] = next_word(state) & mask;
		if (thinner > 0)
			graph->sets[i] &= next_word(state);
		if (thinner > 1)
			graph->sets[i] &= next_word(state);
		graph->sets[i] &= (1u << graph->values) - 1;
	}
}

static int
count_bits(unsigned set)
{
	int count = 0;

	for (; set > 0; set &= set - 1)
		count++;
	return count;
}

/* Whether one set is in another, which has no more than so many besides. */
static bool
grows_by(unsigned without, unsigned with, uint32_t cap)
{
	return (without & ~with) == 0 && count_bits(with & ~without) <= (int) cap;
}

static void
test_one_by_one(void)
{
	uint64_t state = 1;
	bool good = true;
	bool wide = true;
	bool less = false; /* the cap decides somewhere */
	int trial;

	for (trial = 0; trial < 30000; trial++)
	{
		Graph graph;
		uint32_t cap;

		make_graph(&graph, &state);
		for (cap = 1; cap <= 3; cap++)
		{
			bool is_down = trial % 2 == 0;
			unsigned basis = basis_in(0, &graph, cap, is_down);

			good = good && basis == one_by_one(&graph, cap, is_down);
			wide = wide && basis == basis_in(1, &graph, cap, is_down);
			less = less || count_bits(basis) <
							   count_bits(basis_in(0, &graph, VALUES, is_down));
		}
	}
	ok(good, "30000 random graphs, 3 caps: as one value after the other");
	ok(less, "which are not all values for some");
	ok(wide, "the same with numbers of two words");
}

static void
test_random_units(void)
{
	uint64_t state = 2;
	bool added = true;
	bool exchanged = true;
	int trial;

	for (trial = 0; trial < 30000; trial++)
	{
		Graph graph;
		Graph without;
		Graph other;
		uint32_t cap;

		make_graph(&graph, &state);
		without = other = graph;
		without.units--;
		other.sets[graph.units - 1] =
			next_word(&state) & ((1u << graph.values) - 1);
		for (cap = 1; cap <= 3; cap++)
		{
			unsigned rest = basis_in(0, &without, cap, true);
			unsigned with = basis_in(0, &graph, cap, true);
			unsigned changed = basis_in(0, &other, cap, true);

			added = added && grows_by(rest, with, cap);
			exchanged = exchanged && (rest & ~(with & changed)) == 0 &&
						count_bits(with & ~changed) <= (int) cap &&
						count_bits(changed & ~with) <= (int) cap;
		}
	}
	ok(added, "a unit more leaves all in, and adds at most the cap");
	ok(exchanged, "an exchange takes out and adds at most the cap");
}

/* All graphs of so many units more than those set, and then of one more. */
static bool
all_grow(Graph *graph, int left, uint32_t cap)
{
	unsigned all = (1u << graph->values) - 1;
	unsigned least = graph->units == 0 ? 1 : graph->sets[graph->units - 1];
	unsigned without = one_by_one(graph, cap, false);
	unsigned set;

	graph->units++;
	for (set = 1; set <= all; set++)
	{
		graph->sets[graph->units - 1] = set;
		if (!grows_by(without, one_by_one(graph, cap, false), cap))
			return false;
		if (left > 1 && set >= least && !all_grow(graph, left - 1, cap))
			return false;
	}
	graph->units--;
	return true;
}

static void
test_all_units(void)
{
	static const struct
	{
		int values;
		int units;
	} sizes[] = {{2, 6}, {3, 5}, {4, 4}, {5, 3}, {6, 2}};
	size_t i;
	uint32_t cap;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (cap = 1; cap <= 3; cap++)
		{
			Graph graph = {0, sizes[i].values, {0}};

			ok(all_grow(&graph, sizes[i].units, cap),
			   "all graphs of %d values and up to %d units, a cap of %u: "
			   "the same",
			   sizes[i].values, sizes[i].units, (unsigned) cap);
		}
}

/* Without an order of values a maximum may change altogether: what a test would find. */
static void
test_test(void)
{
	ok(!grows_by(1, 2, 1) && !grows_by(0, 3, 1) && grows_by(1, 3, 1),
	   "what would break the lemma is seen");
}

/*
 * Unit i has values i and i + 1, of which there is one more than units: of the
 * many, only the last in the order is left out.
 */
static void
test_chain(void)
{
	const uint64_t units = 50000;
	DpPages pages;
	DpFlow flow;
	DpBasis basis;
	uint64_t words;
	uint64_t taken = 0;
	uint64_t i;

	words =
		dp_flow_init(&flow, &pages, 0, 0, units, units + 1, 2 * units, 1, NULL);
	words = dp_basis_init(&basis, &flow, words, units, units + 1, 2 * units);
	make_pages(&pages, words);
	for (i = 0; i < units; i++)
	{
		dp_flow_set_start(&flow, i, 2 * i);
		dp_flow_set_edge(&flow, 2 * i, i);
		dp_flow_set_edge(&flow, 2 * i + 1, i + 1);
	}
	dp_flow_set_start(&flow, units, 2 * units);
	dp_basis_begin(&basis);
	ok(!basis.has_all, "a chain of 50,000 units has not all its values");
	for (i = 0; i <= units; i++)
		dp_basis_add(&basis, (i + 777) % (units + 1));
	dp_basis_find(&basis);
	for (i = 0; i <= units; i++)
		taken += dp_basis_has(&basis, i);
	ok(taken == units && !dp_basis_has(&basis, 776),
	   "but all except the last in the order");
	free_pages(&pages, words);
}

int
main(void)
{
	test_one_by_one();
	test_random_units();
	test_all_units();
	test_test();
	test_chain();
	return done_testing();
}
