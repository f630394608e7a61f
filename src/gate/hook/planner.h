/*
 * planner.h
 *		The gate: the one place where protected tables are opened.
 */
#ifndef DP_GATE_HOOK_PLANNER_H
#define DP_GATE_HOOK_PLANNER_H

/* Installs the planner hook and DP Release; called from _PG_init. */
extern void dp_planner_init(void);

#endif
