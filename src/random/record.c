/*
 * record.c
 *		Writes records; empty in ordinary builds.
 */
#include "random/record.h"

#ifdef DP_RECORD

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random/source.h"

#define CALLS "dp_noise_record/calls" /* processes are in the data directory */
#define SEED "dp_noise_record/seed"

/* The longest line. A longer one is cut off, and says so. */
#define LINE_MAX_SIZE ((size_t) 1 << 20)

static char line[LINE_MAX_SIZE + 64];
static size_t length;

static bool is_open;	/* a mark */
static bool is_written; /* the open mark is a call */
static uint64_t calls;	/* since the last row */
static uint64_t plain;	/* marks of plain words in this process */
static uint64_t stream; /* of the open mark; with the seed it makes its words */

static void
append(const char *text)
{
	size_t size = strlen(text);

	if (length + size > LINE_MAX_SIZE)
	{
		length = LINE_MAX_SIZE;
		text = " cut";
		size = strlen(text);
	}
	memcpy(line + length, text, size);
	length += size;
}

/* A line at a time, from whichever process. */
static void
write_line(void)
{
	int file = open(CALLS, O_WRONLY | O_CREAT | O_APPEND, 0600);

	line[length++] = '\n';
	if (file < 0 || write(file, line, length) != (ssize_t) length)
		abort();
	close(file);
	length = 0;
}

void
dp_record_line(const char *kind, const char *text)
{
	length = 0;
	append(kind);
	append(" ");
	append(text);
	write_line();
	calls = 0;
}

static uint64_t
mixed(uint64_t word)
{
	word ^= word >> 30;
	word *= UINT64_C(0xbf58476d1ce4e5b9);
	word ^= word >> 27;
	word *= UINT64_C(0x94d049bb133111eb);
	return word ^ word >> 31;
}

/* False where there is none. */
static bool
read_seed(uint64_t *seed)
{
	char text[32] = {0};
	int file = open(SEED, O_RDONLY);
	ssize_t count;

	if (file < 0)
		return false;
	count = read(file, text, sizeof(text) - 1);
	close(file);
	*seed = strtoull(text, NULL, 10);
	return count > 0;
}

uint64_t
dp_record_rank(int64_t number)
{
	uint64_t seed = 0;

	(void) read_seed(&seed);
	return mixed(mixed(seed) ^ mixed((uint64_t) number + 1));
}

/* splitmix64, from where the seed and the stream lead to. */
bool
dp_record_fill(void *context, unsigned char *bytes, size_t count)
{
	uint64_t state;
	size_t i;

	(void) context;
	if (!read_seed(&state))
		return false;
	state = mixed(mixed(state) + stream);
	for (i = 0; i < count; i += sizeof(uint64_t))
	{
		uint64_t word;

		state += UINT64_C(0x9e3779b97f4a7c15);
		word = mixed(state);
		memcpy(bytes + i, &word, sizeof(word));
	}
	return true;
}

/* With fresh words of a stream; 3 sorts of marks do not share any. */
static DpRandom *
begin(DpRandom *random, uint64_t sort, uint64_t number)
{
	random->pool->left = 0;
	stream = mixed(number) * 3 + sort;
	length = 0;
	is_open = true;
	is_written = false;
	return random;
}

DpRandom *
dp_record_call(DpRandom *random, const char *kind)
{
	begin(random, 0, calls++);
	is_written = true;
	append(kind);
	return random;
}

DpRandom *
dp_record_choice(DpRandom *random, dp_int128 number)
{
	return begin(random, 1, (uint64_t) number);
}

DpRandom *
dp_record_plain(DpRandom *random)
{
	return begin(random, 2, ((uint64_t) getpid() << 32) + plain++);
}

void
dp_record_end(DpRandom **random)
{
	(*random)->pool->left = 0;
	if (is_open && is_written)
		write_line();
	is_open = false;
}

void
dp_record_field(const char *name, char sort, dp_int128 value)
{
	dp_uint128 rest = value < 0 ? -(dp_uint128) value : (dp_uint128) value;
	char digits[48] = {0};
	char sign[2] = {sort, 0};
	int i = (int) sizeof(digits) - 1;

	if (!is_open || !is_written)
		return;
	do
		digits[--i] = (char) ('0' + (int) (rest % 10));
	while ((rest /= 10) > 0);
	if (value < 0)
		digits[--i] = '-';
	append(" ");
	append(name);
	append(sign);
	append(digits + i);
}

void
dp_record_word(void)
{
	if (!is_open)
		dp_record_line("unmarked", "");
}

#endif
