/*
 * memo.h
 *		The last values of a function that depends on its arguments alone.
 *
 * For what takes long and is asked for again and again with the same arguments, in a
 * statement and from one to the next. A key is all that the function reads, as bytes
 * without pointers; gaps between its fields cost nothing but a second computation
 * where they differ. Lives as long as the process; the oldest value makes room.
 */
#ifndef DP_SERVER_MEMO_H
#define DP_SERVER_MEMO_H

#define DP_MEMO_VALUES 32

/* A variable of a file, of which the sizes are set. */
typedef struct DpMemo
{
	Size key_size;
	Size value_size;
	int next;	/* the entry that is overwritten next */
	char *keys; /* NULL: there are none yet */
	char *values;
	bool is_kept[DP_MEMO_VALUES];
} DpMemo;

/* Whether the value of a key is kept; if so, it is copied. */
extern bool dp_memo_find(const DpMemo *memo, const void *key, void *value);

/* Keeps a value of a key that has none. */
extern void dp_memo_keep(DpMemo *memo, const void *key, const void *value);

#endif
