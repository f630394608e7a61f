/*
 * source.c
 *		The system's random source, and uniform integers.
 */
#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <openssl/rand.h>

#include "core/int128.h"
#include "random/source.h"

_Static_assert(sizeof(DpRandomPool) == 4096, "the pool is one page");

#ifndef DP_RECORD
static bool
fill_from_openssl(void *context, unsigned char *bytes, size_t count)
{
	(void) context;
	return RAND_priv_bytes(bytes, (int) count) == 1;
}
#endif

static DpRandom source; /* the process's own */

/* In a child of fork(). */
static void
forget_words(void)
{
	memset(source.pool, 0, sizeof(*source.pool));
}

/*
 * Has the kernel wipe the page in children, and fork() do it again: a kernel may
 * accept MADV_WIPEONFORK and do nothing (user-mode QEMU). fork() alone would miss
 * children that are made by clone(). False unless both will.
 */
static bool
forget_on_fork(void *page)
{
	bool is_wiped = false;

#ifdef MADV_WIPEONFORK
	is_wiped = madvise(page, sizeof(DpRandomPool), MADV_WIPEONFORK) == 0;
#else
	(void) page;
#endif
	return pthread_atfork(NULL, NULL, forget_words) == 0 && is_wiped;
}

DpRandom *
dp_random_system(void)
{
	if (source.pool == NULL)
	{
		void *page = mmap(NULL, sizeof(DpRandomPool), PROT_READ | PROT_WRITE,
						  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED)
			return NULL;
#ifdef DP_RECORD
		source.fill = dp_record_fill;
#else
		source.fill = fill_from_openssl;
#endif
		source.context = NULL;
		source.pool = page;
		source.owner = forget_on_fork(page) ? 0 : (long) getpid();
#ifdef MADV_DONTDUMP
		/*
		 * Keeps unused words out of core files; a failure has no other effect.
		 */
		(void) madvise(page, sizeof(DpRandomPool), MADV_DONTDUMP);
#endif
	}
	return &source;
}

bool
dp_random_is_inherited(const DpRandom *random)
{
	return random->owner != (long) getpid();
}

DpStatus
dp_random_refill(DpRandom *random)
{
	DpRandomPool *pool = random->pool;

	if (!random->fill(random->context, (unsigned char *) pool->words,
					  sizeof(pool->words)))
	{
		memset(pool, 0, sizeof(*pool));
		return DP_RANDOM_FAILED;
	}
	pool->left = DP_RANDOM_WORDS;
	if (random->owner != 0)
		random->owner = (long) getpid();
	return DP_OK;
}

/*
 * Multiplication and rejection (Lemire 2019): the high half of word * bound
 * is uniform once the 2^64 mod bound surplus low halves are rejected.
 */
DpStatus
dp_random_below(DpRandom *random, uint64_t bound, uint64_t *value)
{
	uint64_t word;
	dp_uint128 product;

	DP_TRY(dp_random_word(random, &word));
	product = (dp_uint128) word * bound;
	if ((uint64_t) product < bound)
	{
		uint64_t surplus = -bound % bound;

		while ((uint64_t) product < surplus)
		{
			DP_TRY(dp_random_word(random, &word));
			product = (dp_uint128) word * bound;
		}
	}
	*value = (uint64_t) (product >> 64);
	return DP_OK;
}
