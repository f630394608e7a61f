/*
 * word_log.c
 *		Logs in memory and in a temporary file.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "aggregates/word_log.h"
#include "server/compat.h"
#include "server/report.h"

/* Words for which a new buffer has room. */
#define INITIAL_WORDS 16

/* Written before the words of an extent. */
typedef struct Header
{
	DpFilePosition before; /* the extent of the same log */
	uint64 count;		   /* of its words */
} Header;

static const DpFilePosition nowhere = {-1, 0};

static void
close_file(DpWordPool *pool)
{
	if (pool->file != NULL)
		BufFileClose(pool->file);
	pool->file = NULL;
}

/* Called by the executor when it is done with the groups. */
static void
end_pool(Datum pool)
{
	close_file((DpWordPool *) DatumGetPointer(pool));
}

/* The logs and their buffers are gone with the aggregate's memory. */
static void
forget_logs(void *argument)
{
	((DpWordPool *) argument)->context = NULL;
}

DpWordPool *
dp_word_pool_get(dlist_head *list, FunctionCallInfo fcinfo,
				 MemoryContext memory, Size budget)
{
	DpWordPool *pool = NULL;
	MemoryContext context;
	dlist_iter iter;

	(void) AggCheckCallContext(fcinfo, &context);
	dlist_foreach (iter, list)
	{
		DpWordPool *other = dlist_container(DpWordPool, node, iter.cur);

		if (other->context == context)
			return other;
		if (other->context == NULL)
			pool = other;
	}
	if (pool == NULL)
	{
		pool = MemoryContextAllocZero(memory, sizeof(DpWordPool));
		dlist_push_tail(list, &pool->node);
	}
	pool->context = context;
	pool->memory = AllocSetContextCreate(context, "logs of a private aggregate",
										 ALLOCSET_DEFAULT_SIZES);
	pool->budget = budget;
	pool->used = 0;
	pool->file = NULL; /* closed, or lost with an error */
	pool->end = (DpFilePosition){0, 0};
	slist_init(&pool->logs);
	pool->forget.func = forget_logs;
	pool->forget.arg = pool;
	MemoryContextRegisterResetCallback(context, &pool->forget);
	AggRegisterCallback(fcinfo, end_pool, PointerGetDatum(pool));
	return pool;
}

void
dp_word_log_init(DpWordLog *log, DpWordPool *pool)
{
	log->pool = pool;
	log->last = nowhere;
	slist_push_head(&pool->logs, &log->node);
}

static void
seek(BufFile *file, DpFilePosition position)
{
	if (BufFileSeek(file, position.file, position.offset, SEEK_SET) != 0)
		dp_report_short_file();
}

/* The words of one log become an extent; its buffer is given up. */
static void
write_log(DpWordPool *pool, DpWordLog *log)
{
	Header header = {log->last, log->count};

	if (log->buffer == NULL)
		return;
	if (log->count > 0)
	{
		BufFileTell(pool->file, &log->last.file, &log->last.offset);
		BufFileWrite(pool->file, &header, sizeof(header));
		BufFileWrite(pool->file, log->buffer, log->count * sizeof(uint32));
	}
	pfree(log->buffer);
	log->buffer = NULL;
	log->count = log->capacity = 0;
}

/* The file belongs to the pool, whose memory it is in. */
static void
flush(DpWordPool *pool)
{
	MemoryContext old = MemoryContextSwitchTo(pool->context);
	slist_iter iter;

	if (pool->file == NULL)
		pool->file = BufFileCreateTemp(false);
	seek(pool->file, pool->end);
	slist_foreach (iter, &pool->logs)
	{
		CHECK_FOR_INTERRUPTS();
		write_log(pool, slist_container(DpWordLog, node, iter.cur));
	}
	BufFileTell(pool->file, &pool->end.file, &pool->end.offset);
	pool->used = 0;
	MemoryContextSwitchTo(old);
}

static void
reserve(DpWordLog *log, uint64 capacity)
{
	DpWordPool *pool = log->pool;
	Size more = (capacity - log->capacity) * sizeof(uint32);

	/*
	 * With nothing in memory, there is nothing to write; a few words more do
	 * not matter.
	 */
	if (pool->used + more > pool->budget && pool->used > 0)
	{
		capacity = Max(INITIAL_WORDS, capacity - log->count);
		flush(pool);
		more = capacity * sizeof(uint32);
	}
	if (log->buffer == NULL)
		log->buffer =
			MemoryContextAllocHuge(pool->memory, capacity * sizeof(uint32));
	else
		log->buffer = repalloc_huge(log->buffer, capacity * sizeof(uint32));
	log->capacity = capacity;
	pool->used += more;
}

uint32 *
dp_word_log_add(DpWordLog *log, uint64 count)
{
	uint32 *room;

	if (log->count + count > log->capacity)
	{
		uint64 doubled = Max(INITIAL_WORDS, 2 * log->capacity);

		reserve(log, Max(doubled, log->count + count));
	}
	room = log->buffer + log->count;
	log->count += count;
	return room;
}

void
dp_word_reader_init(DpWordReader *reader, const DpWordLog *log)
{
	reader->log = log;
	reader->next = log->last;
	reader->left = 0;
	reader->at = reader->end = 0;
	reader->next_word = 0;
}

static void
read_file(BufFile *file, void *bytes, size_t size)
{
	if (BufFileRead(file, bytes, size) != size)
		dp_report_short_file();
}

/*
 * The next words of the file, if there are any. Nobody else reads it
 * meanwhile.
 */
static bool
fill_page(DpWordReader *reader)
{
	BufFile *file = reader->log->pool->file;

	CHECK_FOR_INTERRUPTS();
	if (reader->left == 0)
	{
		Header header;

		if (reader->next.file < 0)
			return false;
		seek(file, reader->next);
		read_file(file, &header, sizeof(header));
		reader->next = header.before;
		reader->left = header.count;
	}
	reader->at = 0;
	reader->end = (int) Min(reader->left, lengthof(reader->page));
	read_file(file, reader->page, reader->end * sizeof(uint32));
	reader->left -= reader->end;
	return true;
}

bool
dp_word_read(DpWordReader *reader, uint32 *words, int count)
{
	const DpWordLog *log = reader->log;
	int i;

	if (reader->next_word + count <= log->count)
	{
		for (i = 0; i < count; i++)
			words[i] = log->buffer[reader->next_word++];
		return true;
	}
	for (i = 0; i < count; i++)
	{
		if (reader->at == reader->end && !fill_page(reader))
			return false;
		words[i] = reader->page[reader->at++];
	}
	return true;
}
