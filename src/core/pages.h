/*
 * pages.h
 *		Many words, in pages that may be elsewhere.
 *
 * A great array of 32-bit words, read and written one by one. A page that is in
 * memory costs one look-up more than an array would; another is fetched, by
 * whoever keeps the pages, which may send others away. So no pointer into a page
 * outlives the next access.
 */
#ifndef DP_CORE_PAGES_H
#define DP_CORE_PAGES_H

#include <stdint.h>

#define DP_PAGE_SHIFT 11
#define DP_PAGE_WORDS (1 << DP_PAGE_SHIFT)

typedef struct DpPages DpPages;
struct DpPages
{
	uint32_t **readable; /* each page, or NULL where it is to be fetched */
	uint32_t **writable; /* the same for what is to be written */

	/*
	 * Brings a page to memory, all 0 at first, so that it can be read, or
	 * written too. May leave by an error of the caller's, not to return.
	 */
	void (*fetch)(DpPages *pages, uint64_t page, int to_write);
};

/* The number of pages for so many words. */
static inline uint64_t
dp_pages_number(uint64_t words)
{
	return (words + DP_PAGE_WORDS - 1) >> DP_PAGE_SHIFT;
}

static inline uint32_t
dp_pages_get(DpPages *pages, uint64_t place)
{
	uint64_t page = place >> DP_PAGE_SHIFT;

	if (pages->readable[page] == NULL)
		pages->fetch(pages, page, 0);
	return pages->readable[page][place & (DP_PAGE_WORDS - 1)];
}

/* True for a place that can be read without fetching its page. */
static inline int
dp_pages_is_here(const DpPages *pages, uint64_t place)
{
	return pages->readable[place >> DP_PAGE_SHIFT] != NULL;
}

/* Has the processor get a place that is soon to be read, if its page is here. */
static inline void
dp_pages_expect(const DpPages *pages, uint64_t place)
{
	if (dp_pages_is_here(pages, place))
		__builtin_prefetch(pages->readable[place >> DP_PAGE_SHIFT] +
						   (place & (DP_PAGE_WORDS - 1)));
}

/*
 * Some words of one page, to be read before the next access. place: a multiple of
 * their number, which is a power of two.
 */
static inline const uint32_t *
dp_pages_words(DpPages *pages, uint64_t place)
{
	uint64_t page = place >> DP_PAGE_SHIFT;

	if (pages->readable[page] == NULL)
		pages->fetch(pages, page, 0);
	return pages->readable[page] + (place & (DP_PAGE_WORDS - 1));
}

static inline void
dp_pages_set(DpPages *pages, uint64_t place, uint32_t word)
{
	uint64_t page = place >> DP_PAGE_SHIFT;

	if (pages->writable[page] == NULL)
		pages->fetch(pages, page, 1);
	pages->writable[page][place & (DP_PAGE_WORDS - 1)] = word;
}

#endif
