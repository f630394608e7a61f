/*
 * paged_memory.h
 *		Pages (core/pages.h), a limited number of them in memory, others in a
 *		file.
 *
 * As long as they fit, no file is made. After that the oldest page makes room
 * for another: its words, if any were written, go to a temporary file. Beyond
 * that limit, 24 bytes are always in memory for each page of 8 kB that was
 * asked for.
 */
#ifndef DP_AGGREGATES_PAGED_MEMORY_H
#define DP_AGGREGATES_PAGED_MEMORY_H

#include "core/pages.h"

/*
 * This many words, all 0, in the current memory context. budget: bytes of pages,
 * at most, and never less than a few. The pages are interruptible.
 */
extern DpPages *dp_paged_memory_create(uint64 words, Size budget);

/* Frees what dp_paged_memory_create made. */
extern void dp_paged_memory_free(DpPages *pages);

#endif
