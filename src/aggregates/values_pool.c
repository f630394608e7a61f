/*
 * values_pool.c
 *		Runs of points in temporary files, and their merging.
 *
 * A run has, for each state that had points, its number, how many points there
 * are, and these in order; states come in the order in which they were made.
 * Files are closed with the aggregate's memory context; after an error the
 * server closes them.
 */
#include "postgres.h"

#include "lib/binaryheap.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "aggregates/values_pool.h"
#include "aggregates/values_state.h"
#include "core/sort.h"
#include "mechanisms/quantiles.h"
#include "server/report.h"

/* Before the points of a state in a run. */
typedef struct Header
{
	uint64 number;
	uint64 count;
} Header;

/* A run that is being read. */
typedef struct Reader
{
	BufFile *file;
	Header header; /* of the state whose points come next; 0 points: the end */
	uint64 left;   /* of its points, not yet read */
	int at;		   /* next in the page */
	int end;
	int64 page[DP_POOL_PAGE];
} Reader;

/* A run that is being written. */
typedef struct Writer
{
	BufFile *file;
	uint64 position; /* in points from its beginning */
	int count;
	int64 page[DP_POOL_PAGE];
} Writer;

static void
close_runs(DpValuesPool *pool)
{
	while (pool->run_count > 0)
		BufFileClose(pool->runs[--pool->run_count]);
}

/* Called by the executor when it is done with the groups. */
static void
end_pool(Datum pool)
{
	close_runs((DpValuesPool *) DatumGetPointer(pool));
}

/* The states and their arrays are gone with the aggregate's memory. */
static void
forget_states(void *argument)
{
	((DpValuesPool *) argument)->context = NULL;
}

DpValuesPool *
dp_pool_get(dlist_head *list, FunctionCallInfo fcinfo, MemoryContext memory,
			Size budget)
{
	DpValuesPool *pool = NULL;
	MemoryContext context;
	dlist_iter iter;

	(void) AggCheckCallContext(fcinfo, &context);
	dlist_foreach (iter, list)
	{
		DpValuesPool *other = dlist_container(DpValuesPool, node, iter.cur);

		if (other->context == context)
			return other;
		if (other->context == NULL)
			pool = other;
	}
	if (pool == NULL)
	{
		pool = MemoryContextAllocZero(memory, sizeof(DpValuesPool));
		dlist_push_tail(list, &pool->node);
	}
	pool->context = context;
	pool->memory = AllocSetContextCreate(
		context, "points of a private aggregate", ALLOCSET_DEFAULT_SIZES);
	pool->budget = budget;
	pool->used = 0;
	pool->state_count = 0;
	pool->run_count = 0; /* closed, or lost with an error */
	slist_init(&pool->states);
	pool->forget.func = forget_states;
	pool->forget.arg = pool;
	MemoryContextRegisterResetCallback(context, &pool->forget);
	AggRegisterCallback(fcinfo, end_pool, PointerGetDatum(pool));
	return pool;
}

void
dp_pool_add(DpValuesPool *pool, DpValuesState *state)
{
	state->pool = pool;
	state->number = pool->state_count++;
	slist_push_head(&pool->states, &state->node);
}

static void
write_page(Writer *writer)
{
	BufFileWrite(writer->file, writer->page, writer->count * sizeof(int64));
	writer->count = 0;
}

static inline void
write_point(Writer *writer, int64 point)
{
	if (writer->count == DP_POOL_PAGE)
		write_page(writer);
	writer->page[writer->count++] = point;
	writer->position++;
}

/* The next points in a run are those of this state. */
static void
write_header(Writer *writer, DpValuesState *state, uint64 count)
{
	write_point(writer, (int64) state->number);
	write_point(writer, (int64) count);
	state->start = writer->position;
	state->stored = count;
}

/* Its file belongs to the pool, whose memory it is in. */
static void
begin_run(DpValuesPool *pool, Writer *writer)
{
	MemoryContext old = MemoryContextSwitchTo(pool->context);

	writer->file = BufFileCreateTemp(false);
	writer->position = 0;
	writer->count = 0;
	MemoryContextSwitchTo(old);
}

/* The states in the order in which they were made. */
static DpValuesState **
list_states(DpValuesPool *pool)
{
	DpValuesState **result = MemoryContextAllocHuge(
		pool->memory, Max(pool->state_count, 1) * sizeof(DpValuesState *));
	uint64 position = pool->state_count;
	slist_iter iter;

	slist_foreach (iter, &pool->states)
		result[--position] = slist_container(DpValuesState, node, iter.cur);
	return result;
}

static void
read_page(Reader *reader, int most)
{
	size_t size = BufFileRead(reader->file, reader->page, most * sizeof(int64));

	reader->at = 0;
	reader->end = (int) (size / sizeof(int64));
}

static inline int64
read_point(Reader *reader)
{
	if (reader->at == reader->end)
	{
		read_page(reader, DP_POOL_PAGE);
		if (reader->end == 0)
			dp_report_short_file();
	}
	return reader->page[reader->at++];
}

/* Goes on to the next state in a run. */
static void
read_header(Reader *reader)
{
	reader->header.count = 0;
	if (reader->at == reader->end)
		read_page(reader, DP_POOL_PAGE);
	if (reader->end == 0)
		return;
	reader->header.number = (uint64) read_point(reader);
	reader->header.count = (uint64) read_point(reader);
	reader->left = reader->header.count;
}

/* A run's next point, while it is merged with others. */
typedef struct Head
{
	int64 point;
	Reader *reader;
} Head;

/* The least point comes first. */
static int
compare_heads(Datum a, Datum b, void *context)
{
	int64 left = ((const Head *) DatumGetPointer(a))->point;
	int64 right = ((const Head *) DatumGetPointer(b))->point;

	(void) context;
	return (left < right) - (left > right);
}

/* Writes the points of one state, which some of the runs come to next. */
static void
merge_state(Head *heads, int count, binaryheap *heap, Writer *writer,
			DpValuesState *state)
{
	uint64 total = 0;
	int i;

	binaryheap_reset(heap);
	for (i = 0; i < count; i++)
	{
		Reader *reader = heads[i].reader;

		if (reader->header.count == 0 || reader->header.number != state->number)
			continue;
		total += reader->header.count;
		heads[i].point = read_point(reader);
		reader->left--;
		binaryheap_add_unordered(heap, PointerGetDatum(&heads[i]));
	}
	if (total == 0)
		return;
	binaryheap_build(heap);
	write_header(writer, state, total);
	while (!binaryheap_empty(heap))
	{
		Head *head = (Head *) DatumGetPointer(binaryheap_first(heap));

		write_point(writer, head->point);
		if (head->reader->left > 0)
		{
			head->point = read_point(head->reader);
			head->reader->left--;
			binaryheap_replace_first(heap, PointerGetDatum(head));
		}
		else
		{
			(void) binaryheap_remove_first(heap);
			read_header(head->reader);
		}
		if (writer->count == DP_POOL_PAGE)
			CHECK_FOR_INTERRUPTS();
	}
}

/* Makes one run of all. */
static void
merge_runs(DpValuesPool *pool)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "merging of runs", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	int count = pool->run_count;
	Head *heads = palloc(count * sizeof(Head));
	binaryheap *heap = binaryheap_allocate(count, compare_heads, NULL);
	DpValuesState **states = list_states(pool);
	Writer *writer = palloc(sizeof(Writer));
	uint64 i;

	begin_run(pool, writer);
	for (i = 0; i < (uint64) count; i++)
	{
		heads[i].reader = palloc0(sizeof(Reader));
		heads[i].reader->file = pool->runs[i];
		if (BufFileSeek(pool->runs[i], 0, 0, SEEK_SET) != 0)
			dp_report_short_file();
		read_header(heads[i].reader);
	}
	for (i = 0; i < pool->state_count; i++)
		merge_state(heads, count, heap, writer, states[i]);
	write_page(writer);
	close_runs(pool);
	pool->runs[pool->run_count++] = writer->file;
	pfree(states);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* Writes the points of one state, whose array is given up. */
static void
write_state(const DpValuesPool *pool, Writer *writer, DpValuesState *state)
{
	uint64 i;

	if (pool->has_digits)
		dp_report_status(dp_quantiles_refine(dp_report_random(), state->points,
											 state->count, pool->lower,
											 pool->digits));
	dp_values_trim(state);
	dp_sort(state->points, state->count);
	if (state->count > 0)
		write_header(writer, state, state->count);
	for (i = 0; i < state->count; i++)
		write_point(writer, state->points[i]);
	if (state->points != NULL)
		pfree(state->points);
	state->points = NULL;
	state->capacity = 0;
	state->count = 0;
}

/* Makes a run of what is in memory. */
static void
flush(DpValuesPool *pool)
{
	DpValuesState **states = list_states(pool);
	Writer *writer = MemoryContextAlloc(pool->memory, sizeof(Writer));
	uint64 i;

	if (pool->run_count == DP_POOL_RUNS_MAX)
		merge_runs(pool);
	begin_run(pool, writer);
	for (i = 0; i < pool->state_count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		write_state(pool, writer, states[i]);
	}
	write_page(writer);
	pool->runs[pool->run_count++] = writer->file;
	pool->used = 0;
	pfree(writer);
	pfree(states);
}

void
dp_pool_reserve(DpValuesState *state, uint64 capacity)
{
	DpValuesPool *pool = state->pool;
	Size more = (capacity - state->capacity) * sizeof(int64);

	/*
	 * With nothing in memory, there is nothing to write; a few points more do
	 * not matter.
	 */
	if (pool->used + more > pool->budget && pool->used > 0)
	{
		flush(pool);
		capacity = DP_VALUES_AT_FIRST;
		more = capacity * sizeof(int64);
	}
	if (state->points == NULL)
		state->points =
			MemoryContextAllocHuge(pool->memory, capacity * sizeof(int64));
	else
		state->points = repalloc_huge(state->points, capacity * sizeof(int64));
	state->capacity = capacity;
	pool->used += more;
}

/* All points of the pool are in one file, in order; each page is of a block. */
static void
fetch(DpPoints *points, size_t rank)
{
	DpPoolPoints *result = (DpPoolPoints *) points;
	uint64 position = result->start + rank;
	uint64 block = position / DP_POOL_PAGE;
	uint64 first = block * DP_POOL_PAGE;
	uint64 end = result->start + points->count;
	uint64 skipped = first < result->start ? result->start - first : 0;
	size_t size = 0;

	CHECK_FOR_INTERRUPTS();
	if (BufFileSeekBlock(result->file, (long) block) == 0)
		size = BufFileRead(result->file, result->page, sizeof(result->page));
	if (position >= first + size / sizeof(int64))
		dp_report_short_file();
	end = Min(end, first + size / sizeof(int64));
	points->values = result->page + skipped;
	points->first = (size_t) (first + skipped - result->start);
	points->last = (size_t) (end - result->start);
}

static void
order(DpPoints *points, size_t first, size_t last)
{
	/* All points can be read by rank already. */
	(void) points;
	(void) first;
	(void) last;
}

bool
dp_pool_points(DpValuesState *state, DpPoolPoints *result)
{
	DpValuesPool *pool = state->pool;
	uint64 dropped;

	if (pool == NULL || pool->run_count == 0)
		return false;
	if (pool->used > 0)
		flush(pool);
	if (pool->run_count > 1)
		merge_runs(pool);
	dropped = state->limit > 0 && state->stored > state->limit
				  ? state->stored - state->limit
				  : 0;
	result->points = (DpPoints){.count = (size_t) (state->stored - dropped),
								.order = order,
								.fetch = fetch};
	result->file = pool->runs[0];
	result->start = state->start + dropped;
	return true;
}
