/*
 * record.h
 *		What mechanisms are given, written down for a test to compare.
 *
 * The marks below exist only in the library that `make record` builds
 * (DP_RECORD), which is never installed; elsewhere they compile to nothing. In
 * that library random words are no secret: they follow from a number that the
 * test chooses, and from where they are used. So a question about two
 * neighbouring data sets has the same noise twice, and what differs are the
 * inputs of the mechanisms alone. test/audit/recorded.pl compares these with
 * the sensitivities that were claimed, and with the charge.
 *
 * A mark stands where a prepared mechanism meets a true value. A word that is
 * drawn where no mark is open is written down too, as "unmarked", and fails the
 * test: whoever adds a mechanism cannot forget the mark.
 *
 * Records are lines of the file dp_noise_record/calls in the data directory:
 * the kind, and fields NAME=VALUE that must not depend on data, NAME~VALUE that
 * may, NAME^VALUE of results, each as often as there are values. A line "row
 * KEYS" follows the calls for one row of an answer. The file
 * dp_noise_record/seed holds the number; without it there are no words at all,
 * so nobody can ask by this library by mistake.
 */
#ifndef DP_RANDOM_RECORD_H
#define DP_RANDOM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/int128.h"

struct DpRandom;

#ifdef DP_RECORD

#define DP_RECORDED \
	struct DpRandom *dp_recorded __attribute__((cleanup(dp_record_end), unused))

/*
 * Until the end of the scope: a call of a mechanism. Its words depend on how
 * many calls there were since the last row.
 */
#define DP_RECORD_CALL(random, kind) DP_RECORDED = dp_record_call(random, kind)

/*
 * Until the end of the scope: a choice among one unit's own rows or values,
 * which is not compared. Its words depend on the given number alone, so the
 * unit has the same ones whatever other units there are.
 */
#define DP_RECORD_CHOICE(random, number) \
	DP_RECORDED = dp_record_choice(random, number)

/* Until the end of the scope: words that no data meet, or that are public. */
#define DP_RECORD_PLAIN(random) DP_RECORDED = dp_record_plain(random)

/* The fields of a call. */
#define DP_RECORD_SAME(name, value) dp_record_field(name, '=', value)
#define DP_RECORD_TRUE(name, value) dp_record_field(name, '~', value)
#define DP_RECORD_RESULT(name, value) dp_record_field(name, '^', value)

/* Calls with this object are parts of one answer: noise for a vector. */
#define DP_RECORD_PREPARED(object) \
	dp_record_field("prepared", '@', (dp_int128) (uintptr_t) (object))

/*
 * The end of the calls for a row of an answer, with its keys; the beginning of
 * the calls for a release, with the threshold of its groups and the number,
 * in each row, of the call whose result must reach it (-1: of the last one), if any;
 * the end of those for a group that has too few units, whatever they give, with its keys;
 * the end of calls whose results nobody sees.
 */
#define DP_RECORD_ROW(keys) dp_record_line("row", keys)
#define DP_RECORD_RELEASE(selection) dp_record_line("release", selection)
#define DP_RECORD_SMALL(keys) dp_record_line("small", keys)
#define DP_RECORD_UNSEEN() dp_record_line("unseen", "")

extern struct DpRandom *dp_record_call(struct DpRandom *random,
									   const char *kind);
extern struct DpRandom *dp_record_choice(struct DpRandom *random,
										 dp_int128 number);
extern struct DpRandom *dp_record_plain(struct DpRandom *random);
extern void dp_record_end(struct DpRandom **random);
extern void dp_record_field(const char *name, char sort, dp_int128 value);
extern void dp_record_line(const char *kind, const char *text);

/*
 * A random order of numbers, which does not depend on when they come: what is
 * chosen by it among a unit's values is one of the choices that are possible.
 */
extern uint64_t dp_record_rank(int64_t number);

/* Called for each word. */
extern void dp_record_word(void);

/* The source of the words (DpRandomFill). */
extern bool dp_record_fill(void *context, unsigned char *bytes, size_t count);

#else
#define DP_RECORD_CALL(random, kind) ((void) 0)
#define DP_RECORD_CHOICE(random, number) ((void) 0)
#define DP_RECORD_PLAIN(random) ((void) 0)
#define DP_RECORD_SAME(name, value) ((void) (value))
#define DP_RECORD_TRUE(name, value) ((void) (value))
#define DP_RECORD_RESULT(name, value) ((void) (value))
#define DP_RECORD_PREPARED(object) ((void) (object))
#define DP_RECORD_ROW(keys) ((void) 0)
#define DP_RECORD_RELEASE(selection) ((void) 0)
#define DP_RECORD_SMALL(keys) ((void) 0)
#define DP_RECORD_UNSEEN() ((void) 0)
#endif

#endif
