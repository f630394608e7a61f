/*
 * paged_memory.c
 *		Pages that are kept in memory or in a temporary file.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/buffile.h"
#include "utils/memutils.h"

#include "aggregates/paged_memory.h"
#include "server/compat.h"
#include "server/report.h"

#define PAGE_SIZE (DP_PAGE_WORDS * sizeof(uint32))

/* With fewer frames, pages would be read and written at each access. */
#define FRAMES_MIN 16

/* Memory is taken for this many pages at a time. */
#define FRAMES_AT_ONCE 16

typedef struct PagedMemory
{
	DpPages pages; /* first */
	MemoryContext context;
	uint64 *here;	/* the pages in memory, in the order in which they came */
	uint64 count;	/* of them */
	uint64 limit;	/* of them */
	uint64 oldest;	/* once the limit is reached: which goes next */
	uint32 *frames; /* where the next ones come, words */
	BufFile *file;	/* NULL: all pages are in memory */
	uint64 *blocks; /* of the file, for each page, from 1; 0: none */
	uint64 block_count;
} PagedMemory;

StaticAssertDecl(PAGE_SIZE == BLCKSZ, "a page is a block of a file");

static void
seek(const PagedMemory *memory, uint64 block)
{
	if (BufFileSeekBlock(memory->file, (long) block - 1) != 0)
		dp_report_short_file();
}

/* Evicts the page that came first; returns where it was in memory. */
static uint32 *
send_away(PagedMemory *memory, uint64 newcomer)
{
	DpPages *pages = &memory->pages;
	uint64 page = memory->here[memory->oldest];
	uint32 *words = pages->readable[page];

	if (pages->writable[page] != NULL)
	{
		if (memory->file == NULL)
			memory->file = BufFileCreateTemp(false);
		if (memory->blocks[page] == 0)
			memory->blocks[page] = ++memory->block_count;
		seek(memory, memory->blocks[page]);
		BufFileWrite(memory->file, words, PAGE_SIZE);
	}
	pages->readable[page] = pages->writable[page] = NULL;
	memory->here[memory->oldest] = newcomer;
	memory->oldest = (memory->oldest + 1) % memory->limit;
	return words;
}

/* Finds or makes room in memory for a page. */
static uint32 *
make_room(PagedMemory *memory, uint64 page)
{
	if (memory->count == memory->limit)
		return send_away(memory, page);
	if (memory->count % FRAMES_AT_ONCE == 0)
		memory->frames = palloc(FRAMES_AT_ONCE * PAGE_SIZE);
	memory->here[memory->count] = page;
	return memory->frames +
		   memory->count++ % FRAMES_AT_ONCE * (uint64) DP_PAGE_WORDS;
}

static void
fetch(DpPages *pages, uint64 page, int to_write)
{
	PagedMemory *memory = (PagedMemory *) pages;

	if (pages->readable[page] == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(memory->context);
		uint32 *words;

		CHECK_FOR_INTERRUPTS();
		words = make_room(memory, page);
		if (memory->blocks[page] == 0)
			memset(words, 0, PAGE_SIZE);
		else
		{
			seek(memory, memory->blocks[page]);
			if (BufFileRead(memory->file, words, PAGE_SIZE) != PAGE_SIZE)
				dp_report_short_file();
		}
		pages->readable[page] = words;
		MemoryContextSwitchTo(old);
	}
	if (to_write)
		pages->writable[page] = pages->readable[page];
}

static void *
allocate(Size size)
{
	return MemoryContextAllocExtended(CurrentMemoryContext, size,
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

DpPages *
dp_paged_memory_create(uint64 words, Size budget)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "pages of a private aggregate",
		ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	PagedMemory *memory = palloc0(sizeof(PagedMemory));
	uint64 count = dp_pages_number(words);

	memory->pages.fetch = fetch;
	memory->pages.readable = allocate(count * sizeof(uint32 *));
	memory->pages.writable = allocate(count * sizeof(uint32 *));
	memory->blocks = allocate(count * sizeof(uint64));
	memory->context = context;
	memory->limit = Min(Max(budget / PAGE_SIZE, FRAMES_MIN), count);
	memory->here = allocate(memory->limit * sizeof(uint64));
	MemoryContextSwitchTo(old);
	return &memory->pages;
}

void
dp_paged_memory_free(DpPages *pages)
{
	PagedMemory *memory = (PagedMemory *) pages;

	if (memory->file != NULL)
		BufFileClose(memory->file);
	MemoryContextDelete(memory->context);
}
