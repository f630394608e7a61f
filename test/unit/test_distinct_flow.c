/*
 * test_distinct_flow.c
 *		Maximum flows from units to values, against all ways of choosing; what a
 *		unit more, less or exchanged changes; and pages that come and go.
 */
#include <stdlib.h>
#include <string.h>

#include "mechanisms/distinct_flow.h"
#include "support/tap.h"

#define UNITS 5
#define VALUES 6

/* Which values each unit has, a bit each. */
typedef struct Graph
{
	int units;
	unsigned sets[UNITS];
} Graph;

/* Pages, of which so many at a time are in memory; 0: all. */
typedef struct Memory
{
	DpPages pages;
	uint32_t *kept; /* what pages hold */
	uint64_t count;
	uint64_t limit;
	uint64_t *here; /* pages in memory, the oldest first */
	uint64_t number;
	uint64_t fetched;
} Memory;

static void
send_away(Memory *memory)
{
	uint64_t page = memory->here[0];
	uint32_t *words = memory->pages.readable[page];

	if (memory->pages.writable[page] != NULL)
		memcpy(memory->kept + page * DP_PAGE_WORDS, words,
			   DP_PAGE_WORDS * sizeof(uint32_t));
	memset(words, 0xee, DP_PAGE_WORDS * sizeof(uint32_t));
	free(words);
	memory->pages.readable[page] = memory->pages.writable[page] = NULL;
	memmove(memory->here, memory->here + 1,
			--memory->number * sizeof(uint64_t));
}

static void
fetch(DpPages *pages, uint64_t page, int to_write)
{
	Memory *memory = (Memory *) pages;

	memory->fetched++;
	if (pages->readable[page] == NULL)
	{
		if (memory->limit > 0 && memory->number == memory->limit)
			send_away(memory);
		pages->readable[page] = malloc(DP_PAGE_WORDS * sizeof(uint32_t));
		memcpy(pages->readable[page], memory->kept + page * DP_PAGE_WORDS,
			   DP_PAGE_WORDS * sizeof(uint32_t));
		memory->here[memory->number++] = page;
	}
	if (to_write)
		pages->writable[page] = pages->readable[page];
}

static void
make_memory(Memory *memory, uint64_t words, uint64_t limit)
{
	uint64_t count = dp_pages_number(words);

	memset(memory, 0, sizeof(*memory));
	memory->count = count;
	memory->limit = limit;
	memory->pages.fetch = fetch;
	memory->pages.readable = calloc(count, sizeof(uint32_t *));
	memory->pages.writable = calloc(count, sizeof(uint32_t *));
	memory->here = calloc(count, sizeof(uint64_t));
	memory->kept = calloc(count, DP_PAGE_WORDS * sizeof(uint32_t));
}

static void
free_memory(Memory *memory)
{
	while (memory->number > 0)
		send_away(memory);
	free(memory->pages.readable);
	free(memory->pages.writable);
	free(memory->here);
	free(memory->kept);
}

/* By the algorithm, with numbers of one word or of two. */
static uint64_t
flow_in(int is_wide, const Graph *graph, uint32_t cap)
{
	Memory memory;
	DpFlow flow;
	uint64_t edges = 0;
	uint64_t result;
	int i;
	int v;

	make_memory(&memory, 1000, 0);
	(void) dp_flow_init(&flow, &memory.pages, is_wide, 0,
						(uint64_t) graph->units, VALUES, UNITS * VALUES, cap,
						NULL);
	for (i = 0; i < graph->units; i++)
	{
		dp_flow_set_start(&flow, (uint64_t) i, edges);
		for (v = 0; v < VALUES; v++)
		{
			if (graph->sets[i] >> v & 1)
				dp_flow_set_edge(&flow, edges++, (uint64_t) v);
		}
	}
	dp_flow_set_start(&flow, (uint64_t) i, edges);
	result = dp_flow_maximum(&flow);
	free_memory(&memory);
	return result;
}

static uint32_t
flow_of(const Graph *graph, uint32_t cap)
{
	return (uint32_t) flow_in(0, graph, cap);
}

/* By trying, for each value from v on, every unit that may name it, and none. */
static uint32_t
best_of(const Graph *graph, int v, uint32_t *room)
{
	uint32_t best;
	int i;

	if (v == VALUES)
		return 0;
	best = best_of(graph, v + 1, room);
	for (i = 0; i < graph->units; i++)
	{
		uint32_t with;

		if (room[i] == 0 || !(graph->sets[i] >> v & 1))
			continue;
		room[i]--;
		with = 1 + best_of(graph, v + 1, room);
		room[i]++;
		if (with > best)
			best = with;
	}
	return best;
}

static uint32_t
brute_force(const Graph *graph, uint32_t cap)
{
	uint32_t room[UNITS];
	int i;

	for (i = 0; i < graph->units; i++)
		room[i] = cap;
	return best_of(graph, 0, room);
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
	int i;

	graph->units = 1 + (int) (next_word(state) % UNITS);
	for (i = 0; i < graph->units; i++)
	{
		graph->sets[i] = next_word(state) & mask;
		if (next_word(state) % 2 == 0)
			graph->sets[i] &= next_word(state);
		graph->sets[i] &= (1u << VALUES) - 1;
	}
}

static void
test_brute_force(void)
{
	uint64_t state = 1;
	bool good = true;
	bool less = false; /* the cap decides somewhere */
	bool wide = true;
	int trial;

	for (trial = 0; trial < 5000; trial++)
	{
		Graph graph;
		uint32_t cap;

		make_graph(&graph, &state);
		for (cap = 1; cap <= 4; cap++)
		{
			uint32_t flow = flow_of(&graph, cap);

			good = good && flow == brute_force(&graph, cap);
			less = less || flow < flow_of(&graph, VALUES);
			wide = wide && flow == flow_in(1, &graph, cap);
		}
	}
	ok(good, "5000 random graphs, 4 caps: the best of all choices");
	ok(less, "which is less than the number of values for some");
	ok(wide, "the same with numbers of two words");
}

/* A unit more raises by 0 .. cap; one in the place of another changes by cap. */
static void
test_sensitivity(void)
{
	uint64_t state = 2;
	bool added = true;
	bool exchanged = true;
	uint32_t greatest[4] = {0};
	int trial;

	for (trial = 0; trial < 5000; trial++)
	{
		Graph graph;
		Graph other;
		Graph without;
		uint32_t cap;

		make_graph(&graph, &state);
		other = without = graph;
		other.sets[graph.units - 1] = next_word(&state) & ((1u << VALUES) - 1);
		without.units--;
		for (cap = 1; cap <= 3; cap++)
		{
			uint32_t with = flow_of(&graph, cap);
			uint32_t rest = flow_of(&without, cap);
			uint32_t changed = flow_of(&other, cap);

			added = added && with >= rest && with - rest <= cap;
			exchanged =
				exchanged && with <= changed + cap && changed <= with + cap;
			if (with - rest > greatest[cap])
				greatest[cap] = with - rest;
		}
	}
	ok(added, "a unit more raises the number by 0 .. cap");
	ok(exchanged, "an exchange changes it by at most the cap");
	ok(greatest[1] == 1 && greatest[2] == 2 && greatest[3] == 3,
	   "which is reached");
}

static uint32_t pauses;

static void
count_pause(void)
{
	pauses++;
}

/*
 * A chain: unit i has values i and i + 1, the last one the last value alone. In
 * an order that makes the start take the wrong one of each, all must be changed.
 */
static uint64_t
chain(int is_wide, uint64_t units, uint64_t limit, uint64_t *fetched)
{
	Memory memory;
	DpFlow flow;
	uint64_t result;
	uint64_t i;

	make_memory(&memory, (10 * units + 10) << is_wide, limit);
	(void) dp_flow_init(&flow, &memory.pages, is_wide, 0, units, units,
						2 * units, 1, count_pause);
	for (i = 0; i < units; i++)
	{
		dp_flow_set_start(&flow, i, 2 * i);
		dp_flow_set_edge(&flow, 2 * i, i + 1 < units ? i + 1 : units - 1);
		dp_flow_set_edge(&flow, 2 * i + 1, i + 1 < units ? i : units - 1);
	}
	dp_flow_set_start(&flow, units, 2 * units);
	result = dp_flow_maximum(&flow);
	*fetched = memory.fetched;
	free_memory(&memory);
	return result;
}

/* Random pairs of many units, with all pages in memory and with a few. */
static uint64_t
many(int is_wide, uint32_t units, uint32_t cap, uint64_t limit)
{
	Memory memory;
	DpFlow flow;
	uint64_t state = 3;
	uint32_t edges = 0;
	uint32_t values = units * 2;
	uint64_t result;
	uint32_t i;

	make_memory(&memory, (24 * (uint64_t) units) << is_wide, limit);
	(void) dp_flow_init(&flow, &memory.pages, is_wide, 0, units, values,
						9 * units, cap, NULL);
	for (i = 0; i < units; i++)
	{
		uint32_t left = next_word(&state) % 10;

		dp_flow_set_start(&flow, i, edges);
		while (left-- > 0)
			dp_flow_set_edge(&flow, edges++,
							 next_word(&state) %
								 (1 + next_word(&state) % values));
	}
	dp_flow_set_start(&flow, units, edges);
	result = dp_flow_maximum(&flow);
	free_memory(&memory);
	return result;
}

static void
test_pages(void)
{
	uint64_t in_memory;
	uint64_t paged;
	uint32_t cap;

	is_int((long long) chain(0, 100000, 0, &in_memory), 100000,
		   "a chain of 100,000 units is changed from end to end");
	ok(pauses > 0, "with pauses");
	is_int((long long) chain(0, 100000, 8, &paged), 100000,
		   "the same with 8 pages in memory");
	ok(paged > in_memory, "which come and go");
	for (cap = 1; cap <= 4; cap++)
		is_int((long long) many(0, 20000, cap, 4),
			   (long long) many(0, 20000, cap, 0), "a cap of %u, with 4 pages",
			   (unsigned) cap);
	is_int((long long) chain(1, 100000, 8, &paged), 100000,
		   "a chain in numbers of two words");
	is_int((long long) many(1, 20000, 2, 4), (long long) many(0, 20000, 2, 0),
		   "and many pairs");
}

static void
test_ends(void)
{
	Graph graph = {0, {0}};

	is_int(flow_of(&graph, 3), 0, "no units");
	graph.units = 3;
	is_int(flow_of(&graph, 3), 0, "units without values");
	graph.sets[1] = 7;
	is_int(flow_of(&graph, 2), 2, "one of three, for two");
	is_int(flow_of(&graph, UINT32_MAX), 3, "for as many as there are");
}

int
main(void)
{
	test_ends();
	test_brute_force();
	test_sensitivity();
	test_pages();
	return done_testing();
}
