/*
 * sort.h
 *		Sorting of many integers.
 */
#ifndef DP_CORE_SORT_H
#define DP_CORE_SORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sorts in place, ascending, in a few passes over the values, whatever their
 * order. Uses no memory except the stack, about 40 kB at most.
 */
extern void dp_sort(int64_t *values, size_t count);

#endif
