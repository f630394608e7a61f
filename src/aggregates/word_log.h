/*
 * word_log.h
 *		Words that are written once and read once, of all groups of one call.
 *
 * In inner statements the memory for states must not grow with the rows. So
 * the logs of one call, in one of the aggregate's memory contexts, share a
 * pool. When their buffers are about to exceed its memory, all of them go to a
 * temporary file, and the buffers start anew. In the file a log is a chain of
 * extents, each of which points to the one before it, so the memory of a log
 * does not depend on their number.
 */
#ifndef DP_AGGREGATES_WORD_LOG_H
#define DP_AGGREGATES_WORD_LOG_H

#include "fmgr.h"
#include "lib/ilist.h"
#include "storage/buffile.h"

/* A position in a temporary file. */
typedef struct DpFilePosition
{
	int file; /* of its segments; negative: none */
	off_t offset;
} DpFilePosition;

typedef struct DpWordPool
{
	dlist_node node;	   /* in its call's list */
	MemoryContext context; /* of the aggregate; NULL: it was reset */
	MemoryContext memory;  /* of buffers, below it */
	Size budget;		   /* bytes of buffers, at most */
	Size used;			   /* bytes of buffers */
	slist_head logs;
	BufFile *file;		/* NULL: nothing is in a file */
	DpFilePosition end; /* of the file */
	MemoryContextCallback forget;
} DpWordPool;

typedef struct DpWordLog
{
	DpWordPool *pool;
	slist_node node; /* in its list */
	uint32 *buffer;
	uint64 count;		 /* words in the buffer */
	uint64 capacity;	 /* for which it has room */
	DpFilePosition last; /* extent in the file */
} DpWordLog;

/*
 * The pool of a call for the aggregate's current memory context. list: the
 * call's, in memory; budget: bytes.
 */
extern DpWordPool *dp_word_pool_get(dlist_head *list, FunctionCallInfo fcinfo,
									MemoryContext memory, Size budget);

/* Adds a log, all 0 on entry, to a pool. */
extern void dp_word_log_init(DpWordLog *log, DpWordPool *pool);

/* Room for this many words at the end of a log, which are to be written there. */
extern uint32 *dp_word_log_add(DpWordLog *log, uint64 count);

/* A log that is being read: extent by extent, the last one first. */
typedef struct DpWordReader
{
	const DpWordLog *log;
	DpFilePosition next; /* extent */
	uint64 left;		 /* words of this one, not yet in the page */
	int at;				 /* next in the page */
	int end;
	uint64 next_word; /* next in the buffer of the log, which comes first */
	uint32 page[BLCKSZ / sizeof(uint32)];
} DpWordReader;

/* No word may be added to any of the pool's logs while one is read. */
extern void dp_word_reader_init(DpWordReader *reader, const DpWordLog *log);

/*
 * Reads the next words, or says that there are none. What one call of
 * dp_word_log_add added is read in order, whatever the order of extents; no
 * call may read beyond it.
 */
extern bool dp_word_read(DpWordReader *reader, uint32 *words, int count);

#endif
