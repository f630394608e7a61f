/*
 * source.h
 *		Random words, buffered and fork-safe.
 *
 * All noise is made of words from a DpRandom. The one for production reads
 * OpenSSL's CSPRNG (RAND_priv_bytes) a page at a time; tests pass sources of
 * their own with fixed bytes.
 *
 * The pool of the system source is a page of its own that the kernel zeroes
 * in a child process (MADV_WIPEONFORK), so that two children never hand out
 * the same words, and that fork() zeroes there, too (pthread_atfork), in case
 * the kernel only says that it does; where either is refused, the process id is
 * compared at every word. Words are zeroed as they are consumed.
 */
#ifndef DP_RANDOM_SOURCE_H
#define DP_RANDOM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "random/record.h"

#define DP_RANDOM_WORDS 511

/* Exactly one 4 KiB page. All zeros means empty. */
typedef struct DpRandomPool
{
	uint64_t left; /* words[0 .. left-1] are unused */
	uint64_t words[DP_RANDOM_WORDS];
} DpRandomPool;

/*
 * Fills bytes[0 .. count-1] with independent uniform bytes; false when it
 * cannot, and then bytes are not used.
 */
typedef bool (*DpRandomFill)(void *context, unsigned char *bytes, size_t count);

typedef struct DpRandom
{
	DpRandomFill fill;
	void *context; /* passed to fill */
	DpRandomPool *pool;
	long owner; /* process that filled the pool; 0: it is wiped
								 * on fork, nothing to compare */
} DpRandom;

/*
 * The process's source on OpenSSL's CSPRNG, made at first use; NULL when
 * there is no memory for it. Not thread-safe: one thread a process draws.
 * It holds no words before the first draw, so a parent that never draws has
 * nothing to hand to its children.
 */
extern DpRandom *dp_random_system(void);

/* Refills an empty pool. DP_RANDOM_FAILED when the source fails. */
extern DpStatus dp_random_refill(DpRandom *random);

/* True when the pool was filled by an ancestor of this process. */
extern bool dp_random_is_inherited(const DpRandom *random);

/* One uniform 64-bit word. Errors: DP_RANDOM_FAILED. */
static inline DpStatus
dp_random_word(DpRandom *random, uint64_t *word)
{
	DpRandomPool *pool = random->pool;

#ifdef DP_RECORD
	dp_record_word();
#endif
	if (random->owner != 0 && dp_random_is_inherited(random))
		pool->left = 0;
	if (pool->left == 0)
		DP_TRY(dp_random_refill(random));
	pool->left--;
	*word = pool->words[pool->left];
	pool->words[pool->left] = 0;
	return DP_OK;
}

/*
 * A uniform integer in 0 .. bound-1, exactly. bound: at least 1.
 * Errors: DP_RANDOM_FAILED.
 */
extern DpStatus dp_random_below(DpRandom *random, uint64_t bound,
								uint64_t *value);

#endif
