/*
 * select.h
 *		Partial ordering of integers.
 */
#ifndef DP_CORE_SELECT_H
#define DP_CORE_SELECT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reorders values so that those with ranks first .. last-1 (from 0, ascending)
 * stand at these ranks in ascending order, with nothing greater before them
 * and nothing smaller after them. 0 <= first <= last <= count. Expected time
 * O(count + (last-first) log(last-first)), for duplicates too.
 */
extern void dp_select_window(int64_t *values, size_t count, size_t first,
							 size_t last);

#endif
