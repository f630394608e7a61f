/*
 * node.h
 *		DP Release: the plan node that reads protected data.
 *
 * It stands in a plan for one query block. At the first fetch it charges the
 * session's user, runs the block's aggregates once, with the owner's rights on
 * the protected relation, and keeps the noised rows; every rescan shows those
 * rows again. True values never leave the inner aggregation.
 */
#ifndef DP_GATE_RELEASE_NODE_H
#define DP_GATE_RELEASE_NODE_H

#include "nodes/extensible.h"
#include "nodes/plannodes.h"

#include "gate/question/relations/shapes.h"
#include "gate/question/outline.h"
#include "gate/question/units/inner_plan.h"

/* The node in EXPLAIN, and its type among extensible nodes. */
#define DP_RELEASE_NAME "DP Release"

/*
 * What the node carries in a plan. Copied with cached plans; never written
 * out: a printed plan must not show the inner one and its estimates.
 */
typedef struct DpRelease
{
	ExtensibleNode extensible;
	DpOutline outline; /* of its block */
	List *other_keys; /* of other groupings, expressions: its units were bounded
						 * by these, too, in smaller groups than its own */
	PlannedStmt *inner;		  /* a row for each group: keys, then aggregates */
	PlannedStmt *empty;		  /* a row for a group without rows: aggregates */
	PlannedStmt *unit_counts; /* private keys, numbers of units; or NULL
							   * (block.h) */
	DpHashed hashed; /* public rows that any of them might have hashed */
	List *reliances; /* on the settings of relations, DpReliance */
	DpShapes shapes; /* of the relations that all of these plans read */
} DpRelease;

/*
 * Blocks being planned, by number: opens a level, adds to it, closes it with
 * all that was added since. The planner's path hook looks releases up here.
 */
extern int dp_gate_releases_open(void);
extern int64 dp_gate_releases_next(void);
extern void dp_gate_releases_add(int64 number, DpRelease *release);
extern void dp_gate_releases_close(int level);

/*
 * A new memory context for an inner plan. It goes when the current one is reset
 * or deleted, but is not beneath it, where its size would be seen.
 */
extern MemoryContext dp_gate_release_memory(void);

/* Registers the node and the path hook; called from dp_gate_init. */
extern void dp_gate_release_init(void);

#endif
