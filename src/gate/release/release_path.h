/*
 * release_path.h
 *		DP Release as a node: how it comes into a plan, and its execution.
 */
#ifndef DP_GATE_RELEASE_RELEASE_PATH_H
#define DP_GATE_RELEASE_RELEASE_PATH_H

/* Registers the node and the path hook; called from dp_planner_init. */
extern void dp_release_path_init(void);

#endif
