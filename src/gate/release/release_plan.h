/*
 * release_plan.h
 *		DP Release: the plan node that reads protected data.
 *
 * It stands in a plan for one query block. At the first fetch it charges the
 * session's user, runs the block's aggregates once, with the owner's rights on
 * the protected relation, and keeps the noised rows; every rescan shows those
 * rows again. True values never leave the inner aggregation.
 */
#ifndef DP_GATE_RELEASE_RELEASE_PLAN_H
#define DP_GATE_RELEASE_RELEASE_PLAN_H

#include "nodes/extensible.h"
#include "nodes/plannodes.h"

#include "gate/bound/outline.h"
#include "gate/relations/shapes.h"
#include "gate/run/inner_plan.h"
#include "server/compat.h"

/* The node in EXPLAIN, and its type among extensible nodes. */
#define DP_RELEASE_NAME "DP Release"

/*
 * What the node carries in a plan. Copied with cached plans; never written
 * out: a printed plan must not show the inner one and its estimates.
 */
typedef struct DpReleasePlan
{
	ExtensibleNode extensible;
	DpOutline outline;	/* What its block asks. */
	PlannedStmt *inner; /* Returns a row for each group: keys, aggregates. */
	PlannedStmt *empty; /* Returns the aggregates of a group without rows. */

	/*
	 * Returns private keys and how many units have them, where some keys are
	 * public (gate/bound/bound.h); else NULL.
	 */
	PlannedStmt *unit_counts;
	PlannedStmt *choice; /* Returns chosen bounds, one row; NULL: none are. */
	PlannedStmt *sizes; /* Returns sizes of units (gate/bound/sizes.h), one row;
						  * NULL: no cap is chosen. */
	DpHashed hashed;	/* Which public rows any of these plans might hash. */
	List *reliances;	/* DpReliance: settings that it was planned for. */
	DpShapes shapes; /* The shapes of all relations that any of them reads. */
} DpReleasePlan;

/*
 * Blocks being planned, by number: opens a level, adds to it, closes it with
 * all that was added since. Found by number while they are there; else NULL.
 */
extern int dp_release_plan_open(void);
extern int64 dp_release_plan_next(void);
extern void dp_release_plan_add(int64 number, DpReleasePlan *plan);
extern DpReleasePlan *dp_release_plan_find(int64 number);
extern void dp_release_plan_close(int level);

/*
 * A new memory context for an inner plan. It goes when the current one is reset
 * or deleted, but is not beneath it, where its size would be seen.
 */
extern MemoryContext dp_release_plan_memory(void);

/* Registers the node; called from dp_release_path_init. */
extern void dp_release_plan_init(void);

#endif
