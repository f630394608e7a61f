/*
 * explain.h
 *		EXPLAIN of a release: nothing of the data.
 */
#ifndef DP_GATE_RELEASE_EXPLAIN_H
#define DP_GATE_RELEASE_EXPLAIN_H

#include "nodes/execnodes.h"

#include "server/compat.h"

extern void dp_explain_release(CustomScanState *node, List *ancestors,
							   ExplainState *es);

#endif
