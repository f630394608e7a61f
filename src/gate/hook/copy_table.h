/*
 * copy_table.h
 *		COPY of a table that somebody may ask about, and may not read.
 */
#ifndef DP_GATE_HOOK_COPY_TABLE_H
#define DP_GATE_HOOK_COPY_TABLE_H

/* Called from dp_planner_init. */
extern void dp_copy_table_init(void);

#endif
