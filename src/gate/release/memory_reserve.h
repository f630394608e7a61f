/*
 * memory_reserve.h
 *		Whether there is memory for a question, before it is charged.
 *
 * What a release needs of memory is bounded by dp_noise.work_mem for each sort,
 * hash table and kind of state. If a process has less, whether it gets that far
 * depends on the rows. So as much as the question may need is asked of the
 * system first, and given back at once. It takes no physical memory; it is for
 * processes with a limit on their address space. A bound is in use here, up to
 * some multiple of dp_noise.work_mem, which follows from the question alone; what
 * fails nevertheless is charged and counted.
 */
#ifndef DP_GATE_RELEASE_MEMORY_RESERVE_H
#define DP_GATE_RELEASE_MEMORY_RESERVE_H

#include "gate/release/price.h"

/*
 * To be called before the charge. Error: out_of_memory. In a process that has
 * read protected rows before, what is left of its memory may depend on them, so
 * there the error counts as a failure.
 */
extern void dp_memory_reserve_check(DpPrice *price);

#endif
