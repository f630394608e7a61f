/*
 * test_random_source.c
 *		The system's random source: forks, wiping, failure.
 */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random/source.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

#define WORDS 3000

static bool
draw_words(DpRandom *random, uint64_t *words, int count)
{
	int i;

	for (i = 0; i < count; i++)
	{
		if (dp_random_word(random, &words[i]) != DP_OK)
			return false;
	}
	return true;
}

static bool
write_all(int descriptor, const void *data, size_t size)
{
	const char *at = data;

	while (size > 0)
	{
		ssize_t written = write(descriptor, at, size);

		if (written <= 0)
			return false;
		at += written;
		size -= (size_t) written;
	}
	return true;
}

static bool
read_all(int descriptor, void *data, size_t size)
{
	char *at = data;

	while (size > 0)
	{
		ssize_t got = read(descriptor, at, size);

		if (got <= 0)
			return false;
		at += got;
		size -= (size_t) got;
	}
	return true;
}

/* What a child draws, WORDS of them; its own child draws as many. */
static bool
words_of_child(DpRandom *random, uint64_t *words, bool grandchild)
{
	int ends[2];
	pid_t child;
	int status = 1;
	bool got;

	if (pipe(ends) != 0)
		return false;
	child = fork();
	if (child == 0)
	{
		static uint64_t own[2 * WORDS];
		bool good;

		close(ends[0]);
		good = !grandchild || words_of_child(random, own + WORDS, false);
		good = good && draw_words(random, own, WORDS);
		good =
			good && write_all(ends[1], own,
							  (grandchild ? 2 : 1) * WORDS * sizeof(uint64_t));
		_exit(good ? 0 : 1);
	}
	close(ends[1]);
	got =
		child > 0 && read_all(ends[0], words,
							  (grandchild ? 2 : 1) * WORDS * sizeof(uint64_t));
	close(ends[0]);
	if (child > 0)
		waitpid(child, &status, 0);
	return got && status == 0;
}

static int
compare_words(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *) a;
	uint64_t y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

/* The parent has drawn; two children and a grandchild share nothing with it. */
static void
test_fork(DpRandom *random, const char *name)
{
	static uint64_t words[5 * WORDS];
	uint64_t first;
	bool distinct = true;
	bool drawn;
	size_t i;

	ok(dp_random_word(random, &first) == DP_OK && random->pool->left > 0,
	   "%s: the parent has words left", name);
	drawn = words_of_child(random, words, true) &&
			words_of_child(random, words + 2 * WORDS, false) &&
			draw_words(random, words + 3 * WORDS, 2 * WORDS);
	ok(drawn, "%s: all have drawn", name);
	qsort(words, 5 * WORDS, sizeof(words[0]), compare_words);
	for (i = 1; drawn && i < 5 * WORDS; i++)
		distinct = distinct && words[i] != words[i - 1];
	ok(drawn && distinct, "%s: no word was handed out twice", name);
}

/*
 * The page as the kernel would keep it that says it wipes it, and does not: what
 * a child forgets is then what fork() wipes.
 */
static void
test_kernel_that_keeps(DpRandom *random)
{
#ifdef MADV_KEEPONFORK
	ok(madvise(random->pool, sizeof(DpRandomPool), MADV_KEEPONFORK) == 0,
	   "the kernel is told to keep the page");
	is_int((long long) random->owner, 0, "and no process id is compared");
	test_fork(random, "wiped by fork() alone");
	(void) madvise(random->pool, sizeof(DpRandomPool), MADV_WIPEONFORK);
#else
	(void) random;
#endif
}

static void
test_system(void)
{
	DpRandom *random = dp_random_system();
	static uint64_t counts[256];
	static double probabilities[256];
	DpRandom fallback;
	static DpRandomPool pool;
	int i;

	ok(random != NULL && random == dp_random_system(),
	   "there is one system source");
	if (random == NULL)
		return;
	is_int((long long) random->pool->left, 0, "it holds nothing at first");
	test_fork(random, "wiped on fork");
	test_kernel_that_keeps(random);

	/* where the kernel cannot wipe: an ordinary page and the process id */
	fallback = *random;
	fallback.pool = &pool;
	fallback.owner = (long) getpid();
	test_fork(&fallback, "compared with the process");
	ok(fallback.owner == (long) getpid() && !dp_random_is_inherited(&fallback),
	   "the pool is the parent's own again");
	fallback.owner = (long) getpid() + 1;
	fallback.pool->left = 5;
	memset(fallback.pool->words, 0x77, sizeof(fallback.pool->words));
	{
		uint64_t word = 0;

		ok(dp_random_is_inherited(&fallback), "a pool of another process");
		ok(dp_random_word(&fallback, &word) == DP_OK &&
			   word != 0x7777777777777777u && fallback.owner == (long) getpid(),
		   "is not used");
	}

	/* About 2^20 bytes, enough to see a stuck bit or a short read. */
	for (i = 0; i < 131072; i++)
	{
		uint64_t word;
		int byte;

		if (dp_random_word(random, &word) != DP_OK)
			break;
		for (byte = 0; byte < 8; byte++)
			counts[word >> (8 * byte) & 255]++;
	}
	for (i = 0; i < 256; i++)
		probabilities[i] = 1.0 / 256;
	fits(counts, probabilities, 256, 1048576, "its bytes are uniform");
}

static void
test_wiping(void)
{
	DpRandom *random = dp_random_system();
	TestRandom source;
	DpRandom *fixed = random_seeded(&source, 71);
	bool zeroed = true;
	bool moved = true;
	uint64_t word;
	int i;
	size_t j;

	for (i = 0; i < 2000; i++)
	{
		uint64_t before = random->pool->left;

		if (dp_random_word(random, &word) != DP_OK)
			break;
		moved = moved && random->pool->left ==
							 (before == 0 ? DP_RANDOM_WORDS : before) - 1;
		for (j = random->pool->left; j < DP_RANDOM_WORDS; j++)
			zeroed = zeroed && random->pool->words[j] == 0;
	}
	ok(moved, "words leave the pool one by one");
	ok(zeroed, "and leave zeros behind");

	for (i = 0; i < 1500; i++)
	{
		uint64_t bound = (uint64_t) i + 1;
		uint64_t value;

		if (dp_random_below(fixed, bound, &value) != DP_OK)
			break;
		for (j = source.pool.left; j < DP_RANDOM_WORDS; j++)
			zeroed = zeroed && source.pool.words[j] == 0;
	}
	ok(zeroed, "for uniform integers too");
}

static void
test_failure(void)
{
	TestRandom source;
	DpRandom *random = random_failing_after(&source, 72, 700);
	uint64_t word;
	bool empty = true;
	size_t j;
	int i;

	for (i = 0; i < 700; i++)
	{
		if (dp_random_word(random, &word) != DP_OK)
			break;
	}
	is_int(i, 700, "so many words come");
	for (i = 0; i < 3; i++)
	{
		is_int(dp_random_word(random, &word), DP_RANDOM_FAILED,
			   "the next is an error");
		empty = empty && source.pool.left == 0;
		for (j = 0; j < DP_RANDOM_WORDS; j++)
			empty = empty && source.pool.words[j] == 0;
	}
	ok(empty, "the pool is left empty, whatever the source wrote");
	is_int(dp_random_refill(random), DP_RANDOM_FAILED, "a refill fails");
	source.fills_left = 1;
	is_int(dp_random_word(random, &word), DP_OK, "it may recover");
}

int
main(void)
{
	test_system();
	test_wiping();
	test_failure();
	return done_testing();
}
