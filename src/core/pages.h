/*
 * pages.h
 *		A large array of words, in pages that may be outside of memory.
 *
 * A large array of 32-bit words, read and written one by one. An access to a
 * page in memory costs one look-up more than in an ordinary array. Other pages
 * are fetched by the owner of the pages, who may evict others for that. So no
 * pointer into a page is valid beyond the next access.
 */
#ifndef DP_CORE_PAGES_H
#define DP_CORE_PAGES_H

#include <stdint.h>

#define DP_PAGE_SHIFT 11
#define DP_PAGE_WORDS (1 << DP_PAGE_SHIFT)

typedef struct DpPages DpPages;
struct DpPages
{
	uint32_t **readable; /* each page, or NULL where it has to be fetched */
	uint32_t **writable; /* the same for writing */

	/*
	 * Brings a page into memory, all 0 at first, for reading or also for
	 * writing. May raise an error of the caller's and not return.
	 */
	void (*fetch)(DpPages *pages, uint64_t page, int to_write);
};

/* The number of pages for this many words. */
static inline uint64_t
dp_pages_number(uint64_t words)
{
	return (words + DP_PAGE_WORDS - 1) >> DP_PAGE_SHIFT;
}

static inline uint32_t
dp_pages_get(DpPages *pages, uint64_t offset)
{
	uint64_t page = offset >> DP_PAGE_SHIFT;

	if (pages->readable[page] == NULL)
		pages->fetch(pages, page, 0);
	return pages->readable[page][offset & (DP_PAGE_WORDS - 1)];
}

/* True for an offset that can be read without fetching its page. */
static inline int
dp_pages_is_here(const DpPages *pages, uint64_t offset)
{
	return pages->readable[offset >> DP_PAGE_SHIFT] != NULL;
}

/* Prefetches a word that is about to be read, if its page is in memory. */
static inline void
dp_pages_expect(const DpPages *pages, uint64_t offset)
{
	if (dp_pages_is_here(pages, offset))
		__builtin_prefetch(pages->readable[offset >> DP_PAGE_SHIFT] +
						   (offset & (DP_PAGE_WORDS - 1)));
}

/*
 * Some words of one page, to be read before the next access. offset: a
 * multiple of their number, which is a power of two.
 */
static inline const uint32_t *
dp_pages_words(DpPages *pages, uint64_t offset)
{
	uint64_t page = offset >> DP_PAGE_SHIFT;

	if (pages->readable[page] == NULL)
		pages->fetch(pages, page, 0);
	return pages->readable[page] + (offset & (DP_PAGE_WORDS - 1));
}

static inline void
dp_pages_set(DpPages *pages, uint64_t offset, uint32_t word)
{
	uint64_t page = offset >> DP_PAGE_SHIFT;

	if (pages->writable[page] == NULL)
		pages->fetch(pages, page, 1);
	pages->writable[page][offset & (DP_PAGE_WORDS - 1)] = word;
}

/*
 * Numbers of one word or, where they are wide, of two, the lower one first.
 * array: the offset of number 0.
 */
static inline uint64_t
dp_pages_get_number(DpPages *pages, int is_wide, uint64_t array, uint64_t index)
{
	uint64_t offset = array + (index << is_wide);
	uint64_t number = dp_pages_get(pages, offset);

	if (is_wide)
		number |= (uint64_t) dp_pages_get(pages, offset + 1) << 32;
	return number;
}

static inline void
dp_pages_set_number(DpPages *pages, int is_wide, uint64_t array, uint64_t index,
					uint64_t number)
{
	uint64_t offset = array + (index << is_wide);

	dp_pages_set(pages, offset, (uint32_t) number);
	if (is_wide)
		dp_pages_set(pages, offset + 1, (uint32_t) (number >> 32));
}

#endif
