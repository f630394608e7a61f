/*
 * release_scan.h
 *		The DP Release node in execution.
 */
#ifndef DP_GATE_RELEASE_RELEASE_SCAN_H
#define DP_GATE_RELEASE_RELEASE_SCAN_H

#include "nodes/execnodes.h"

/* The scan's methods, for plans. */
extern Node *dp_release_scan_create(CustomScan *scan);

#endif
